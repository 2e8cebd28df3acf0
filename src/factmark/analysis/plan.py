"""A pilot in a ledger, units to label next, and the table of what an interval needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factmark.analysis.label_sheets import write_sheet
from factmark.errors import InputError
from factmark.graphrag.verdicts import ABSTENTIONS, REPLIES
from factmark.ledger.judges import JudgeCounts, judges_of, listed, resolve
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import (
    Labelled,
    cost_of_verdict,
    items_of,
    kinds_of,
    labelled,
    units_by_id,
)
from factmark.stats import Need, simple_random
from factmark.stats.cells import VerdictCell, spread, tabulate
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import DataTable
from factmark.tables.shown_text import NO_VALUE, number, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """What a judge said of all units of a kind, and people of some.

    Attributes:
        cost: money for one verdict; None where a price is not known, 0 for a rule.
        seconds: that a verdict took, one call after the other.
        design_effect: of people's labels.
    """

    judge: str
    kind: str
    found: Labelled
    cells: tuple[VerdictCell, ...]
    cost: float | None
    seconds: float
    design_effect: float


def read_pilot(ledger: Ledger, judge: str | None = None) -> Pilot:
    """The pilot of a ledger's judge.

    Of GraphRAG answers it has those too that a rule judged, as choice replies and abstentions are:
    a score is over all of them.

    Args:
        judge: its name or the start of its id; None where there is but one that is no person.

    Raises:
        InputError: if there is none such, or several.
    """
    chosen = _chosen(ledger, judge)
    kinds = kinds_of(ledger, chosen.id)
    if not kinds:
        raise InputError(f"{ledger.path}: that judge has judged nothing yet.")
    kind = kinds[0]
    if kind not in ("pair", "triple", "graphrag"):
        raise InputError(
            f"{ledger.path}: holds units of the kind {kind}, and none of a graph. Plan with "
            "--share; answers to a benchmark are corrected by `factmark score --people`."
        )
    rules = [judge.id for judge in judges_of(ledger) if _is_exact(judge)]
    found = labelled(ledger, chosen.id, kind, others=rules if kind == "graphrag" else ())
    if not found.units:
        raise InputError(
            f"{ledger.path}: holds no verdict of {chosen.name} with its unit. Judge some first; "
            "where it is damaged, take a copy of it."
        )
    cells = tabulate(found.labels, found.people)
    effect = 1.0
    if found.people:
        effect = spread(cells, found.labels, found.people, found.clusters).design_effect
    cost, seconds = cost_of_verdict(ledger, chosen.id)
    return Pilot(
        judge=chosen.name, kind=kind, found=found, cells=cells, cost=cost, seconds=seconds,
        design_effect=effect,
    )  # fmt: skip


def draw_sheet(
    path: Path, ledger: Ledger, pilot: Pilot, wanted: Mapping[str, int], seed: int
) -> int:
    """Writes a sheet with so many units of each verdict, drawn at random; returns how many.

    Units that people have labelled are left out and count: a larger plan with the same seed adds
    to a smaller one. The units stand in random order, so that a sheet half done is a sample too.
    """
    by_verdict: defaultdict[str, list[str]] = defaultdict(list)
    for unit, label in zip(pilot.found.units, pilot.found.labels, strict=True):
        by_verdict[label or "no verdict"].append(unit)
    done = {pilot.found.units[place] for place in pilot.found.people}
    drawn = [
        unit
        for verdict, count in wanted.items()
        for unit in simple_random(by_verdict[verdict], count, seed=seed).keys
        if unit not in done
    ]
    order = simple_random(drawn, len(drawn), seed=seed).keys
    if order:
        units = list(units_by_id(ledger, order).values())
        write_sheet(path, units, items_of(ledger, [unit.item for unit in units]))
    return len(order)


def _is_exact(judge: JudgeCounts) -> bool:
    """Whether it is a rule that judges beside another judge, and only what needs none."""
    return judge.kind == "rule" and judge.name in (REPLIES.name, ABSTENTIONS.name)


def _chosen(ledger: Ledger, name: str | None) -> JudgeCounts:
    every = [judge for judge in judges_of(ledger) if judge.kind != "person"]
    judges = [
        judge
        for judge in every
        if kinds_of(ledger, judge.id) != ["retrieval"] and not _is_exact(judge)
    ] or every
    if name is not None:
        wanted = resolve(ledger.path, name, judges)
        return next(judge for judge in judges if judge.id == wanted)
    if len(judges) != 1:
        raise InputError(f"{ledger.path}: name the judge with --judge. It has {listed(judges)}.")
    return judges[0]


_COLUMNS = (
    Column[Need](name="design", key="design", value=lambda need: need.design, label=True),
    Column[Need](name="labels", key="labels", value=lambda need: need.labels),
    Column[Need](name="of them by verdict", value=lambda need: _by_verdict(need), show=str),
    Column[Need](name="verdicts", key="verdicts", value=lambda need: need.verdicts),
    Column[Need](key="half_width", value=lambda need: need.half_width),
    Column[Need](
        name="people's hours",
        value=lambda need: None if need.labels is None else need.hours,
        show=lambda hours: f"{hours:.1f}",
    ),
    Column[Need](key="hours", value=lambda need: need.hours),
    Column[Need](key="verdict_hours", value=lambda need: need.verdict_hours),
    Column[Need](key="money", value=lambda need: need.money),
)
_JUDGE_HOURS = Column[Need](
    name="judge's hours", value=lambda need: need.verdict_hours, show=lambda hours: f"{hours:.1f}"
)
_COST = Column[Need](
    name="cost",
    value=lambda need: None if need.labels is None else need.money,
    show=lambda money: f"{money:,.2f}",
)


def plan_table(
    needs: Sequence[Need], *, half_width: float, share: float, level: float
) -> DataTable:
    """One line for each design; the last is the cheapest where the judge is any good."""
    more = [_JUDGE_HOURS] * any(need.verdict_hours for need in needs)
    more += [_COST] * any(need.money for need in needs)
    return table_of(
        f"For {number(share)} ± {half_width:g} at {level * 100:g} %",
        (*_COLUMNS, *more),
        needs,
        notes=_notes(needs),
    )


def _by_verdict(need: Need) -> str:
    if not need.labels:
        return ""
    return ", ".join(f"{one_line(name)} {count:,}" for name, count in need.allocation.items())


def _notes(needs: Sequence[Need]) -> list[str]:
    notes = [
        "Labels: units that people label. Expected: about half of all studies come out a little "
        "wider. By verdict: so many drawn at random from the units of each verdict."
    ]
    if any(need.labels is None for need in needs):
        notes.append(
            f"{NO_VALUE}: with so few verdicts no number of labels is enough; judge more units."
        )
    return notes
