"""The table of a forecast: what a run of models would ask and cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from factmark.ask.forecast import Forecast, sum_of
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import Cell, DataTable
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

_COLUMNS = (
    Column[Forecast](name="model", value=lambda row: row.model, key="model", label=True),
    Column[Forecast](
        name="condition",
        value=lambda row: row.condition,
        key="condition",
        label=True,
        show=one_line,  # that of the total is empty
    ),
    Column[Forecast](name="answers", value=lambda row: row.units, key="answers"),
    Column[Forecast](name="in the ledger", value=lambda row: row.judged_before, key="known"),
    Column[Forecast](name="calls", value=lambda row: row.calls, key="calls"),
    Column[Forecast](name="tokens in", value=lambda row: row.input_tokens, key="input_tokens"),
    Column[Forecast](name="tokens out", value=lambda row: row.output_tokens, key="output_tokens"),
    Column[Forecast](
        name="cost",
        value=lambda row: Cell(value="unknown" if row.cost is None else f"{row.cost:.4g}"),
    ),
    Column[Forecast](value=lambda row: row.cost, key="cost"),
)


def forecast_rows(forecasts: Sequence[Forecast]) -> list[dict[str, Any]]:
    """The forecasts as JSON values."""
    keyed = [column for column in _COLUMNS if column.key]
    return [{column.key: column.value(row) for column in keyed} for row in forecasts]


def forecast_table(forecasts: Sequence[Forecast], note: str = WITH_TOOLS) -> DataTable:
    """Per model and condition, then in all.

    Args:
        note: how it was reckoned.
    """
    total = sum_of(forecasts)
    unknown = "The cost is not known where no price is: give --prices."
    return table_of(
        "What the run would ask",
        _COLUMNS,
        [*forecasts, total],
        group=lambda row: row.model,
        overall=lambda row: row is total,
        notes=(note, *([unknown] if total.cost is None else [])),
    )
