"""The table of a forecast: what a run of models would ask and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from factmark.tables.layouts import Cell, DataTable, Head, Line
from factmark.tables.shown_text import one_line

WITH_TOOLS = (
    "Tokens are estimated from the lengths of the prompts. Of conversations with tools the "
    "number of calls and what the tools return are assumed. A model that finds the facts "
    "is asked about each answer; those that it knows already cost nothing."
)
JUDGED_BY_RULE = (
    "Tokens are estimated from the lengths of the prompts. The judge's calls are an upper bound, "
    "but for replies that must be asked for again: each answer in free text that is yet to come "
    "counts, and choices and abstentions are judged by rule. What is in the ledger costs nothing."
)

_COUNTS = {
    "answers": "answers",
    "known": "in the ledger",
    "calls": "calls",
    "input_tokens": "tokens in",
    "output_tokens": "tokens out",
}


def forecast_table(rows: Sequence[Mapping[str, Any]], note: str = WITH_TOOLS) -> DataTable:
    """Per model and condition, then in all.

    Args:
        rows: the fields of `RunForecast`.
        note: how it was reckoned.
    """
    costs = [row["cost"] for row in rows]
    total: dict[str, Any] = {name: sum(row[name] for row in rows) for name in _COUNTS}
    total |= {"model": "all", "condition": ""}
    total["cost"] = None if None in costs else sum(costs)
    every = [*rows, total]
    names = ("model", "condition")
    return DataTable(
        title="What the run would ask",
        label_names=names,
        columns=(*(Head(name=head) for head in _COUNTS.values()), Head(name="cost")),
        lines=tuple(_line(row, before, row is total) for row, before in _with_before(every)),
        notes=(
            note,
            *(["The cost is not known where no price is: give --prices."] if None in costs else []),
        ),
        record_names=(*names, *_COUNTS, "cost"),
        records=tuple(tuple(row[name] for name in (*names, *_COUNTS, "cost")) for row in every),
    )


def _with_before(
    rows: Sequence[Mapping[str, Any]],
) -> list[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
    return list(zip(rows, [None, *rows[:-1]], strict=True))


def _line(row: Mapping[str, Any], before: Mapping[str, Any] | None, overall: bool) -> Line:
    cost = "unknown" if row["cost"] is None else f"{row['cost']:.4g}"
    return Line(
        labels=(one_line(row["model"]), row["condition"]),
        cells=(*(Cell(value=f"{row[name]:,}") for name in _COUNTS), Cell(value=cost)),
        starts_group=before is None or before["model"] != row["model"],
        overall=overall,
    )
