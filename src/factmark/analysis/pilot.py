"""A pilot in a ledger: what its judges said and cost, what people said, and units to label next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from factmark.errors import InputError
from factmark.graphrag.answer_units import ABSTENTIONS, REPLIES
from factmark.ledger.export import JudgeCounts, judges_of
from factmark.ledger.judge_names import listed, resolve
from factmark.ledger.labels import Labelled, items_of, labelled, units_of, write_sheet
from factmark.ledger.ledger import Ledger
from factmark.stats import simple_random
from factmark.stats.cells import Cell, tabulate
from factmark.stats.clustered_cells import spread


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
    cells: tuple[Cell, ...]
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
    kind = _kind(ledger, chosen.id)
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
    cost, seconds = _price(ledger, chosen.id)
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
        units = units_of(ledger, order)
        write_sheet(path, units, items_of(ledger, [unit.item for unit in units]))
    return len(order)


def _is_exact(judge: JudgeCounts) -> bool:
    """Whether it is a rule that judges beside another judge, and only what needs none."""
    return judge.kind == "rule" and judge.name in (REPLIES.name, ABSTENTIONS.name)


def _chosen(ledger: Ledger, name: str | None) -> JudgeCounts:
    every = [judge for judge in judges_of(ledger) if judge.kind != "person"]
    of_contexts = {
        judge
        for (judge,) in ledger.connection.execute(
            "SELECT v.judge FROM verdicts v JOIN units u ON u.id = v.unit GROUP BY v.judge "
            "HAVING min(u.kind) = 'retrieval' AND max(u.kind) = 'retrieval'"
        )
    }
    judges = [one for one in every if one.id not in of_contexts and not _is_exact(one)] or every
    if name is not None:
        wanted = resolve(ledger.path, name, judges)
        return next(judge for judge in judges if judge.id == wanted)
    if len(judges) != 1:
        raise InputError(f"{ledger.path}: name the judge with --judge. It has {listed(judges)}.")
    return judges[0]


def _kind(ledger: Ledger, judge: str) -> str:
    row = ledger.connection.execute(
        "SELECT u.kind FROM verdicts v JOIN units u ON u.id = v.unit WHERE v.judge = ? "
        "GROUP BY u.kind ORDER BY count(*) DESC LIMIT 1",
        (judge,),
    ).fetchone()
    if row is None:
        raise InputError(f"{ledger.path}: that judge has judged nothing yet.")
    return str(row[0])


def _price(ledger: Ledger, judge: str) -> tuple[float | None, float]:
    """Money and seconds for one verdict, from the calls that its verdicts came from."""
    db = ledger.connection
    (count,) = db.execute(
        "SELECT count(DISTINCT unit) FROM verdicts WHERE judge = ?", (judge,)
    ).fetchone()
    cost, priced, seconds, calls = db.execute(
        "SELECT sum(cost), count(cost), sum(latency), count(*) FROM calls WHERE judge = ?",
        (judge,),
    ).fetchone()
    if not calls:
        return 0.0, 0.0
    return (cost / count if priced == calls else None), (seconds or 0.0) / count
