"""The table of a plan: what each way of sampling needs for an interval of the wanted width."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.stats import Need
from factmark.tables.layouts import Cell, DataTable, Head, Line
from factmark.tables.shown_text import NO_VALUE, number, one_line


def plan_table(
    needs: Sequence[Need], *, half_width: float, share: float, level: float
) -> DataTable:
    """One line for each design; the last is the cheapest where the judge is any good."""
    with_money = any(need.money for need in needs)
    with_time = any(need.verdict_hours for need in needs)
    names = ["labels", "of them by verdict", "verdicts", "people's hours"]
    names += ["judge's hours"] * with_time + ["cost"] * with_money
    return DataTable(
        title=f"For {number(share)} ± {half_width:g} at {level * 100:g} %",
        label_names=("design",),
        columns=tuple(Head(name=name) for name in names),
        lines=tuple(
            Line(
                labels=(need.design,),
                cells=_cells(need, with_time, with_money),
                starts_group=True,
                overall=False,
            )
            for need in needs
        ),
        notes=tuple(_notes(needs)),
        record_names=(
            "design", "labels", "verdicts", "half_width", "hours", "verdict_hours", "money",
        ),
        records=tuple(
            (
                need.design, need.labels, need.verdicts, need.half_width, need.hours,
                need.verdict_hours, need.money,
            )
            for need in needs
        ),
    )  # fmt: skip


def _cells(need: Need, with_time: bool, with_money: bool) -> tuple[Cell, ...]:
    texts = [
        NO_VALUE if need.labels is None else f"{need.labels:,}",
        ", ".join(f"{one_line(name)} {count:,}" for name, count in need.allocation.items())
        if need.labels
        else "",
        f"{need.verdicts:,}",
        NO_VALUE if need.labels is None else f"{need.hours:.1f}",
    ]
    if with_time:
        texts.append(f"{need.verdict_hours:.1f}")
    if with_money:
        texts.append(NO_VALUE if need.labels is None else f"{need.money:,.2f}")
    return tuple(Cell(value=text) for text in texts)


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
