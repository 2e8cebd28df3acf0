"""What is read: a panel of judges, a pilot, and the results that are compared.

Of a panel, rules, models and people are raters alike.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from factmark.analysis.judged_graphs import (
    JudgedGraph,
    graph_in_ledger,
    graph_of_results,
    holds_graph,
)
from factmark.answers.results import Results
from factmark.answers.verdicts import results_from_ledger
from factmark.campaign_model import Campaign
from factmark.claim_support.results import ClaimResults
from factmark.errors import InputError
from factmark.evaluated.columns import ValueColumn
from factmark.evaluated.table import Evaluated, table_of_rows
from factmark.evaluated.words import number_of
from factmark.files.text_files import unreadable, without_surrogates
from factmark.graphs.core.rubrics import RUBRICS
from factmark.graphs.results import GraphResults
from factmark.ledger.campaigns import campaigns_of
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.opening import is_pattern
from factmark.ledger.verdicts import (
    PROFILE,
    JudgeCounts,
    UnitVerdict,
    judges_kept,
    strata_names,
    unanswered_units,
    unit_verdicts,
)
from factmark.model import Judge, Measure, content_hash
from factmark.people.core.forms import COARSE_SUMMARY, FINE_SUMMARY, Form
from factmark.people.core.scales import form_of, forms_by_kind
from factmark.people.ratings.entries import Scoring, annotator_values
from factmark.people.ratings.systems import comparison_units
from factmark.people.reading import no_marks, rated_part, tasks_and_decided_ones
from factmark.stats.coefficients import Metric
from factmark.stats.comparison import Options, Per, Units

Labels = list[str | None]
"""What a rater said of a unit, the newest last; None where it gave no label."""


_OFFERED: Mapping[str, Mapping[str, float]] = {
    rubric.name: rubric.values for rubric in (*RUBRICS.values(), COARSE_SUMMARY, FINE_SUMMARY)
}
_FRAME_FILE = re.compile(r"\bframe-[0-9a-f]{12}/\w+\.jsonl$")  # as `as_file` calls it
_ORDER = {"rule": 0, "model": 1, "foreign": 2, "person": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater:
    """A judge of a panel.

    Attributes:
        name: as people read it; with the beginning of its id where several have that name.
        offered: the labels that it could give with their values; empty where that is not known, and
            then those of the panel count.
        used: the labels that it ever gave.
    """

    id: str
    kind: str
    name: str
    offered: Mapping[str, float] = field(default_factory=dict)
    used: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePanel:
    """What raters said of the units of one kind.

    Attributes:
        table: by the ids of raters, their newest labels; without a stratum where nothing is broken
            down.
        firsts: id of a rater -> what it said first of each unit, of those that judged some again,
            and of which units it was asked again.
        values: every label ever given to this kind -> what it is worth; None where nothing or not
            one thing is told.
        metric: how far apart labels are by the form that people rate the kind by; None where it has
            none, or other labels were given.
    """

    kind: str
    raters: tuple[Rater, ...]
    table: Evaluated
    firsts: Mapping[str, ValueColumn]
    values: Mapping[str, float | None]
    metric: Metric | None = None


def read_panels(
    ledger: Ledger,
    *,
    kind: str = "",
    by: str = "",
    decided: bool = False,
    codes: Mapping[str, str] | None = None,
) -> tuple[list[JudgePanel], list[str]]:
    """Reads what the judges of a ledger said: a panel per kind of unit, sorted by kind.

    Args:
        kind: of units; all where empty.
        by: what strata are told apart by: a stratum of the items, or a field of the units.
        decided: whether what was decided takes the place of people's ratings that lay far apart.
        codes: name of a person -> what they are called; their name where it is not there.

    Returns:
        The panels, and what a reader must know of the input, one sentence each.

    Raises:
        LedgerError: it cannot be read.
        InputError: for a kind or a stratum that it does not know.
    """
    if '"' in by or "\\" in by:
        raise InputError(f"--by {by}: no stratum has such a name.")
    raters = _raters(ledger, codes or {})
    campaigns = campaigns_of(ledger)
    forms = forms_by_kind(campaigns)
    kinds: defaultdict[str, list[UnitVerdict]] = defaultdict(list)
    ids = {rater.id for rater in raters}
    decisions = _decisions(ledger, campaigns)
    people = set()
    for rater in raters:
        if decided and rater.kind == "person":
            people.add(rater.id)
    for verdict in unit_verdicts(ledger, by):
        if verdict.judge in people and verdict.unit in decisions:
            label, value = decisions[verdict.unit]
            verdict = replace(verdict, label=label, value=value)
        if verdict.judge in ids:
            kinds[verdict.kind].append(verdict)
    rated = set()
    for v in chain(*kinds.values()):
        if v.label is not None:
            rated.add((v.kind, v.judge))
    if campaigns:
        for open_unit in unanswered_units(ledger, by):
            if open_unit.kind in forms and (open_unit.kind, open_unit.judge) in rated:
                kinds[open_unit.kind].append(open_unit)
    if kind and kind not in kinds:
        raise InputError(
            f"--kind {kind}: {ledger.path} has verdicts on units of the kinds "
            f"{', '.join(sorted(kinds)) or '(none)'}."
        )
    if by and kinds and not any(v.stratum for verdicts in kinds.values() for v in verdicts):
        names = ", ".join(strata_names(ledger)) or "none"
        raise InputError(f"--by {by}: neither items nor units have it. They have {names}.")
    problems: list[str] = []
    if decisions:
        problems.append(
            f"{len(decisions)} units were decided by adjudication; what was decided takes the "
            "place of people's ratings of them."
            if decided
            else f"{len(decisions)} units were decided by adjudication; agreement is by the "
            "ratings before it. --decided takes what was decided."
        )
    if kind:
        wanted = [kind]
    else:
        wanted = sorted(kinds)
    panels = []
    for name in wanted:
        panels.append(_panel_of(name, forms.get(name), kinds[name], raters, by, problems))
    return panels, problems


def _decisions(ledger: Ledger, campaigns: Iterable[Campaign]) -> dict[str, tuple[str, float]]:
    """Returns unit -> what was decided of it where ratings lay far apart, and what that is
    worth."""
    decided = {}
    for campaign in campaigns:
        form = form_of(campaign)
        if form.values and any(person.decides for person in campaign.active):
            for decision in rated_part(ledger, campaign, no_marks).decisions:
                if decision.final and (label := decision.final.response.label):
                    decided[decision.assignment.unit] = label, form.values[label]
    return decided


def _raters(ledger: Ledger, codes: Mapping[str, str]) -> list[Rater]:
    """Returns all judges: rules, models, foreign judges, then people, each by name; equal names
    with their ids.
    """
    judges = []
    for judge in judges_kept(ledger):
        if not is_profile(judge):
            judges.append(judge)
    names = [
        without_surrogates(
            codes.get(judge.name, _FRAME_FILE.sub("the frame", judge.name))
            if judge.kind == "person"
            else judge.name
        )
        for judge in judges
    ]
    raters = [
        Rater(
            id=judge.id,
            kind=judge.kind,
            name=f"{name} ({judge.id[:8]})" if names.count(name) > 1 or not name.strip() else name,
            offered=_OFFERED.get(str(judge.parameters.get("rubric_name")), {}),
        )
        for judge, name in zip(judges, names, strict=True)
    ]
    return sorted(raters, key=lambda rater: (_ORDER.get(rater.kind, 4), rater.name, rater.id))


def _panel_of(
    kind: str,
    form: Form | None,
    verdicts: Sequence[UnitVerdict],
    raters: Iterable[Rater],
    by: str,
    problems: list[str],
) -> JudgePanel:
    """Returns the panel of the units of one kind. A fact exists only where a judge marks it, so a
    judge who took one back counts as not asked about it.
    """
    texts = dict(
        _comparable_labels({verdict.label for verdict in verdicts if verdict.label is not None})
    )
    rows: dict[str, dict[str, Labels]] = {}
    units: dict[str, UnitVerdict] = {}
    values: defaultdict[str, set[float | None]] = defaultdict(set)
    used: defaultdict[str, set[str]] = defaultdict(set)
    for verdict in verdicts:
        unit = verdict.unit
        judge = verdict.judge
        label = None
        if verdict.label is not None:
            label = texts[verdict.label]
        if label is None and kind == "fact":
            rows.get(unit, {}).pop(judge, None)
            continue
        units.setdefault(unit, verdict)
        rows.setdefault(unit, {}).setdefault(judge, []).append(label)
        if label is not None:
            if isinstance(verdict.value, int | float):
                worth = float(verdict.value)
            else:
                worth = math.nan
            values[label].add(worth if math.isfinite(worth) else None)
            used[judge].add(label)
    known = {
        label: next(iter(worth)) if len(worth) == 1 else None for label, worth in values.items()
    }
    problems += [
        f"{kind} units: {label} has more than one value, so labels are not put in order."
        for label, worth in sorted(values.items())
        if len(worth - {None}) > 1
    ]
    judged = {judge for row in rows.values() for judge in row}
    panel_raters = []
    for rater in raters:
        if rater.id in judged:
            offered = _offered_labels(form, rater, known)
            panel_raters.append(replace(rater, offered=offered, used=frozenset(used[rater.id])))
    return JudgePanel(
        kind=without_surrogates(kind),
        raters=tuple(panel_raters),
        table=_panel_table(rows, list(units.values()), panel_raters, by),
        firsts=first_labels(rows),
        values=known,
        metric=form.scale if form and known.keys() <= form.values.keys() else None,
    )


def _panel_table(
    rows: Mapping[str, Mapping[str, Labels]],
    units: Sequence[UnitVerdict],
    raters: Sequence[Rater],
    by: str,
) -> Evaluated:
    """Returns the table of the newest labels."""
    strata = None
    if by:
        strata = [without_surrogates(verdict.stratum) for verdict in units]
    return table_of_rows(
        _labels_at(rows, -1),
        {},
        clusters=[verdict.cluster for verdict in units],
        strata=strata,
        people={rater.id for rater in raters if rater.kind == "person"},
    )


def _labels_at(
    rows: Mapping[str, Mapping[str, Labels]], turn: int
) -> dict[str, dict[str, str | None]]:
    """Returns unit -> rater -> its first label, or its newest."""
    return {
        unit: {rater: labels[turn] for rater, labels in row.items()} for unit, row in rows.items()
    }


def first_labels(rows: Mapping[str, Mapping[str, Labels]]) -> dict[str, ValueColumn]:
    """Returns what raters said first, of those that judged a unit again, and which units these are.

    Args:
        rows: unit -> id of a rater -> its labels.
    """
    again: dict[str, dict[str, str | None]] = {}
    for unit, row in rows.items():
        again[unit] = {rater: None for rater, labels in row.items() if len(labels) > 1}
    firsts, asked_again = (
        table_of_rows(labels, {}, clusters=list(rows)).people
        for labels in (_labels_at(rows, 0), again)
    )
    return {
        rater: replace(firsts[rater], asked=column.asked) for rater, column in asked_again.items()
    }


def _offered_labels(
    form: Form | None, rater: Rater, known: Mapping[str, float | None]
) -> Mapping[str, float]:
    """Returns the labels of a judge's rubric; else those of the form if its units use no others."""
    if rater.offered and form:
        return rater.offered
    protocol: Mapping[str, float] = {}
    if form:
        protocol = form.values
    if known.keys() <= protocol.keys():
        return protocol
    return {}


def _comparable_labels(labels: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields labels with what they are compared by: where all are numbers, one number
    is one label.
    """
    numbers = {label: number_of(label) for label in labels}
    are_numbers = None not in numbers.values()
    for label, value in numbers.items():
        yield label, f"{value:.12g}" if are_numbers else without_surrogates(label)


def is_profile(judge: Judge | JudgeCounts) -> bool:
    """Returns whether it is no judge, but says why triples are suspect."""
    return (judge.kind, judge.name) == ("rule", PROFILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedLedger:
    """What people gave systems in the campaigns of a ledger.

    Attributes:
        scores: one of each campaign that asks for labels of several systems.
        systems: system -> key of a score -> its units, with shares of the score's scale.
        per: key of a score -> how it is averaged, see `Options.per`.
        left: campaigns that are not compared.
    """

    scores: tuple[Measure, ...]
    systems: Mapping[str, Mapping[str, Units]]
    things: str
    per: Mapping[str, Per]
    left: tuple[str, ...] = ()

    @property
    def labels(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """What its hash is of: system and score -> its units as text."""
        return {
            (name, key): (content_hash(units),)
            for name, scores in self.systems.items()
            for key, units in scores.items()
        }


def rated_ledger(ledger: Ledger, *, decided: bool = True) -> RatedLedger | None:
    """Returns the systems that people rated in a ledger; None where it has no such campaign.

    Args:
        decided: whether there is a further score of a campaign in which somebody decided where
            ratings lay far apart: with what was decided in place of them.
    """
    scores: list[Measure] = []
    per: dict[str, Per] = {}
    units: dict[str, dict[str, Units]] = {}
    left = []
    things = "summaries"
    for campaign in campaigns_of(ledger):
        form = form_of(campaign)
        measure = form.measures[0]
        scoring = Scoring(form=form, measure=measure, options=Options())
        if form.values:
            tasks = tasks_and_decided_ones(ledger, campaign, no_marks)
        else:
            tasks = ((), ())
        before, after = (comparison_units(annotator_values(scoring, some)) for some in tasks)
        if len(before) < 2:
            left.append(campaign.name)
            continue
        things = form.things
        taken = any(score.key == measure.key for score in scores)
        if taken:
            key = campaign.name
        else:
            key = measure.key
        if taken:
            symbol = campaign.name
        else:
            symbol = measure.symbol
        score = replace(measure, key=key, symbol=symbol)
        scores.append(score)
        if after and decided:
            name = f"{measure.name}, after adjudication"
            symbol = f"{symbol} decided"
            scores.append(replace(score, key=f"{key}_decided", symbol=symbol, name=name))
        per |= dict.fromkeys((key, f"{key}_decided"), form.per)
        for by_system, name in ((before, key), (after, f"{key}_decided")):
            for system, some in by_system.items():
                units.setdefault(system, {})[name] = some
    if not scores:
        return None
    systems = {
        name: {score.key: units[name].get(score.key, {}) for score in scores}
        for name in sorted(units)
    }
    return RatedLedger(
        scores=tuple(scores), systems=systems, things=things, per=per, left=tuple(left)
    )


CompareInput = Path | Results | GraphResults | ClaimResults
"""What is compared: results, or the ledger that they are in, or its folder."""


def ledger_at(path: Path) -> Path:
    """Returns the ledger that a path stands for, a pattern for several; raises InputError where
    there is none."""
    if is_pattern(path):
        return path
    ledger = path
    if path.is_dir():
        ledger /= "ledger.db"
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder.")
    if not ledger.is_file():
        raise InputError(
            f"{path}: holds no ledger.db. Name the ledger that --ledger named, or a folder that "
            "`factmark score`, `run` or `graph` wrote with --out."
        )
    try:
        with ledger.open("rb") as file:
            if file.read(16) == b"SQLite format 3\0":
                return ledger
    except OSError as error:
        raise unreadable(ledger, error) from error
    raise InputError(
        f"{ledger}: is no ledger. Name the folder that was written with --out, or the "
        "ledger.db in it."
    )


def read_results(
    name: str, value: CompareInput, metric: str
) -> Results | JudgedGraph | RatedLedger:
    """Reads results; for a ledger the newest run's answers, or without any the judged graph, or
    without that what people gave systems."""
    if isinstance(value, GraphResults | ClaimResults):
        return graph_of_results(name, value)
    if isinstance(value, Path):
        with open_existing(value, read_only=True) as ledger:
            if ledger.newest_import() is None:
                if not holds_graph(ledger) and (rated := rated_ledger(ledger)):
                    return rated
                return graph_in_ledger(name, ledger, metric)
        value = results_from_ledger(value)
    if not isinstance(value, Results):
        raise InputError(
            f"{name}: cannot be compared; give results of answers, claims or a judged graph."
        )
    if not value.answers and not value.unscored:
        raise InputError(f"{name}: holds no answers.")
    return value
