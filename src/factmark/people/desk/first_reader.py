"""A model (or rule, or function) that has read the units before people: its doubts are shown to an
annotator after the first rating of a unit, and of a random half of the units never.

The halves are what tells how far people follow it: `ratings/first_reader_effect.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factmark.campaign_model import Campaign, CampaignTask, Doubt
from factmark.errors import InputError
from factmark.ledger.campaigns import campaign_named, pairs_of_kind, pairs_shown
from factmark.ledger.doubts import doubts_of, halves_of
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.verdicts import judge_id_of, judges_of
from factmark.model import Unit, content_hash
from factmark.people.core.forms import COARSE, FINE
from factmark.people.core.scales import form_of
from factmark.text.shown_text import one_line

_NO = FINE.ranked[0]
_FEW = 4  # words from which on a reply says more than its label


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstReader:
    """Who read first, and what it doubts.

    Attributes:
        judge: its id.
        read: the units that people are asked about and it judged.
        doubts: of those that it holds something against, unit -> the label that it would give
            (empty where it judged clauses only), and why, in words.
        shown: those of these whose doubt annotators see.
    """

    judge: str
    name: str
    read: frozenset[str]
    doubts: Mapping[str, tuple[str, str]]
    shown: frozenset[str]

    def doubts_about(self, tasks: Iterable[CampaignTask], keys: Collection[str]) -> list[Doubt]:
        """Returns what it doubts of the tasks with these keys, which have just been rated first."""
        units = {task.key: task.assignment.unit for task in tasks}
        out = []
        for key in keys:
            unit = units[key]
            if unit in self.doubts:
                label, reason = self.doubts[unit]
                shown = unit in self.shown
                out.append(
                    Doubt(key=key, judge=self.judge, label=label, reason=reason, shown=shown)
                )
        return out


def first_reader_of(path: Path, campaign: str | None, wanted: str) -> FirstReader:
    """Returns the first reader of a campaign by its name, or the beginning of its id.

    It doubts a unit to which it gave another label than the best one; and a summary of which it
    found clauses without support, where it judged those (of `--form fine`).

    Raises:
        InputError: there is no such judge, it is a person, it judged nothing that people are asked
            about or by other labels; or the campaign has another first reader already.
    """
    with open_existing(path, read_only=True) as ledger:
        known = campaign_named(ledger, campaign)
        form, judge, name = form_of(known), *_judge_of(ledger, path, known, wanted)
        earlier = {doubt.judge for doubt in doubts_of(ledger, known).values()} - {judge}
        settled = halves_of(ledger, known)
        if earlier:
            raise InputError(
                f"--first-reader {wanted}: people have seen the doubts of another one "
                f"({min(earlier)[:8]}) in the campaign {known.name!r}. Make a new campaign."
            )
        clusters = {unit.id: item.cluster for item, unit in pairs_shown(ledger, known)}
        given = ledger.newest(judge, list(clusters))
        clauses = {}
        if form == COARSE:
            clauses = _clause_verdicts(ledger, judge, clusters)
    labels = {unit: verdict.label for unit, verdict in given.items() if verdict.label is not None}
    if not (labels or clauses) or not form.values:
        raise InputError(
            f"--first-reader {wanted}: gave no label to what people are asked about. `factmark "
            f"annotate judge {path} --model {wanted}` has it judge; forms with marks have none."
        )
    strange = set(map(str, labels.values())) - form.values.keys()
    if strange:
        raise InputError(
            f"--first-reader {wanted}: gave other labels than people may ({min(strange)[:40]!r})."
        )
    doubts: dict[str, tuple[str, str]] = {}
    for unit in clusters:
        label = labels.get(unit, "")
        rejected = []
        for text, judged in clauses.get(unit, ()):
            if judged == _NO:
                rejected.append(text)
        if rejected or (label and form.values[label] < form.bounds.high):
            reason = ""
            if unit in labels:
                reason = given[unit].reason
            doubts[unit] = label, _reason_in_words(reason, rejected)
    return FirstReader(
        judge=judge,
        name=name,
        read=frozenset(labels) | clauses.keys(),
        doubts=doubts,
        shown=_draw_half(known.settings.get("seed", 0), doubts, clusters, settled),
    )


def _clause_verdicts(
    ledger: Ledger, judge: str, summaries: Collection[str]
) -> dict[str, list[tuple[str, str]]]:
    """Returns summary -> the clauses of it that a judge labelled, each with its label, in order."""
    units = [unit for _, unit in pairs_of_kind(ledger, FINE.kind)]
    units.sort(key=_place_in_summary)
    given = ledger.newest(judge, [unit.id for unit in units])
    clauses: dict[str, list[tuple[str, str]]] = {}
    for unit in units:
        label = None
        if unit.id in given:
            label = given[unit.id].label
        if label is not None and unit.data.get("summary") in summaries:
            clauses.setdefault(str(unit.data["summary"]), []).append((unit.text, label))
    return clauses


def _place_in_summary(clause: Unit) -> int:
    """Returns where a clause begins in its summary; 0 where that is not known."""
    span = clause.data.get("span")
    if isinstance(span, list) and span:
        return int(span[0])
    return 0


def _reason_in_words(reason: str, rejected: Sequence[str]) -> str:
    """Returns why a unit is doubted: the clauses without support, and what the judge said where
    that is more than a label."""
    parts = []
    if rejected:
        quotes = "; ".join(f"“{one_line(text).rstrip('.')}”" for text in rejected)
        parts.append(f"It finds no support for {quotes}.")
    if len(reason.split()) >= _FEW:
        parts.append(f"Its words: “{one_line(reason)}”")
    return " ".join(parts)


def _judge_of(ledger: Ledger, path: Path, campaign: Campaign, wanted: str) -> tuple[str, str]:
    """Returns the id and the name of a judge that is no person; InputError where there is none."""
    machines = [judge for judge in judges_of(ledger) if judge.kind != "person"]
    provider, colon, model = wanted.partition(":")
    try:  # ledgers know a model of ollama's by the name of its protocol
        judge = judge_id_of(
            path, f"openai:{model}" if provider + colon == "ollama:" else wanted, machines
        )
    except InputError as error:
        raise InputError(
            f"--first-reader: {error} `factmark annotate judge` has a model judge the campaign "
            f"{campaign.name!r}."
        ) from error
    return judge, next(known.name for known in machines if known.id == judge)


def _draw_half(
    seed: object, units: Collection[str], clusters: Mapping[str, str], settled: Mapping[str, bool]
) -> frozenset[str]:
    """Returns a random half of units: in random order, document by document, every other one, so
    that the halves are alike in documents too.

    Args:
        clusters: unit -> its document.
        settled: unit -> its half, where somebody has rated it already.
    """

    def rank(*parts: object) -> str:
        return content_hash("first reader", seed, *parts)

    order = sorted(units, key=lambda unit: (rank("document", clusters[unit]), rank(unit)))
    first = int(rank()[:8], 16) % 2
    drawn = set()
    for place, unit in enumerate(order):
        if place % 2 == first:
            drawn.add(unit)
    return frozenset(unit for unit in units if settled.get(unit, unit in drawn))
