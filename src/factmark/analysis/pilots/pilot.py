"""A pilot: what a judge said of all units of a ledger, and people of some, by which labels are
planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from factmark.analysis.reading import is_profile
from factmark.errors import InputError
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.table import JUDGE, Evaluated
from factmark.graph_answers.judges import ABSTENTIONS, REPLIES
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.verdicts import (
    JudgeCounts,
    cost_of_verdict,
    judge_id_of,
    judges_in_words,
    judges_of,
    kinds_of,
    labelled_units,
    labels_of,
    strata_of,
)
from factmark.people.core.forms import KINDS
from factmark.stats.cells import VerdictCell, cluster_effects, tabulate

_EXACT = (REPLIES.name, ABSTENTIONS.name)  # rules that judge, beside another judge, what needs none


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """What a judge said of all units of a kind, and people of some.

    Attributes:
        cells: the units by what labels are drawn by: the judge's verdict, or the stratum of
            `factmark graph profile`, or both.
        verdict_cells: the units by verdict; empty where the profile stands in for a judge.
        worth: verdict -> its value.
        cost: money for one verdict; None where a price is not known, 0 for a rule.
        seconds: by the clock, for a verdict; several may have been asked for at once.
        design_effect: of people's labels.
    """

    judge: str
    kind: str
    labelled: Evaluated
    cells: tuple[VerdictCell, ...]
    verdict_cells: tuple[VerdictCell, ...]
    worth: Mapping[str, float]
    cost: float | None
    seconds: float
    design_effect: float
    by_suspects: bool = False


def read_pilot(path: Path, judge: str | None = None) -> Pilot:
    """Reads the pilot of a ledger's judge.

    Of GraphRAG answers it has those too that a rule judged, as choice replies and abstentions are:
    a score is over all of them.

    Args:
        judge: its name or the start of its id; None where there is but one that is no person.

    Raises:
        InputError: if there is none such, or several.
    """
    with open_existing(path, read_only=True) as ledger:
        chosen = _judge_of_pilot(ledger, judge)
        kind = next(iter(kinds_of(ledger, chosen.id)), "")
        if kind not in ("pair", "triple", "claim", "graphrag"):
            judged = "that judge has judged nothing yet"
            if kind:
                judged = f"holds units of the kind {kind}, and none of claims or a graph"
            raise InputError(
                f"{path}: {judged}. Plan with --share; of answers to a benchmark `factmark plan "
                "--answers` draws some for people to mark."
            )
        rules: list[str] = []
        for rule in judges_of(ledger):
            if rule.kind == "rule" and rule.name in _EXACT:
                rules.append(rule.id)
        units = labelled_units(ledger, chosen.id, kind, others=rules if kind == "graphrag" else ())
        if not units:
            raise InputError(
                f"{path}: holds no verdict of {chosen.name} with its unit. Judge some first; where "
                "it is damaged, take a copy of it."
            )
        strata = strata_of(ledger, kind)
        cost, seconds = cost_of_verdict(ledger, chosen.id)
        worth = {**labels_of(ledger, kind), **KINDS.get(kind, {})}
    people = units.people_by_place
    labels = units.judges[JUDGE].texts
    verdict_cells: tuple[VerdictCell, ...] = ()
    if not is_profile(chosen):
        verdict_cells = tabulate(labels, people)
    if strata and verdict_cells:
        labels = _with_strata(units.ids, labels, strata)
        # what verdict and stratum together are worth does not count in the corrected mean
        column = column_of_labels(JUDGE, labels, dict.fromkeys(filter(None, labels), 0.0))
        units = replace(units, judges={JUDGE: column})
    cells = tabulate(labels, people)
    effect = 1.0
    if people:
        effect = cluster_effects(cells, labels, people, units.items).design_effect
    return Pilot(
        judge=chosen.name,
        kind=kind,
        labelled=units,
        cells=cells,
        verdict_cells=verdict_cells,
        worth=worth,
        cost=cost,
        seconds=seconds,
        design_effect=effect,
        by_suspects=bool(strata),
    )


def _with_strata(
    units: Sequence[str], labels: Sequence[str | None], strata: Mapping[str, str]
) -> list[str | None]:
    """Returns verdict and stratum of each unit as one label; the verdict alone where it has no
    stratum.
    """
    return [
        f"{label or 'no verdict'}, {strata[unit]}" if unit in strata else label
        for unit, label in zip(units, labels, strict=True)
    ]


def _judge_of_pilot(ledger: Ledger, name: str | None) -> JudgeCounts:
    """Returns the judge that is named, or the only one that is no person. Raises InputError for
    none or several.
    """
    every = []
    for judge in judges_of(ledger):
        if judge.kind != "person":
            every.append(judge)
    judges = [
        judge
        for judge in every
        if kinds_of(ledger, judge.id) != ["retrieval"]
        and judge.name not in _EXACT
        and not is_profile(judge)
    ] or every
    if name is not None:
        wanted = judge_id_of(ledger.path, name, judges)
        return next(judge for judge in judges if judge.id == wanted)
    if len(judges) != 1:
        raise InputError(
            f"{ledger.path}: name the judge with --judge. It has {judges_in_words(judges)}."
        )
    return judges[0]
