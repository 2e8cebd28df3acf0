"""Columns of files, declared once: what CSV, Parquet and JSON are given of a row."""

from __future__ import annotations

from typing import Any

from factmark.model import Estimate
from factmark.report.file_columns import (
    FileColumn,
    estimate_columns,
    file_rows,
    json_values,
    parquet_types,
)

Row = dict[str, Any]

COLUMNS: tuple[FileColumn[Row], ...] = (
    FileColumn(name="name", value=lambda row: row["name"]),
    FileColumn(name="parts", value=lambda row: row["parts"]),
    FileColumn(name="n", type="BIGINT", value=lambda row: len(row["parts"])),
)
ROW = {"name": "Über", "parts": ["ä", "b"]}


def test_a_list_is_a_list_in_json_and_text_in_a_cell() -> None:
    assert json_values(COLUMNS, ROW) == {"name": "Über", "parts": ["ä", "b"], "n": 2}
    assert list(file_rows(COLUMNS, [ROW])) == [{"name": "Über", "parts": '["ä", "b"]', "n": 2}]


def test_types_are_those_of_the_columns_in_their_order() -> None:
    types = {"name": "VARCHAR", "parts": "VARCHAR", "n": "BIGINT"}
    assert list(parquet_types(COLUMNS).items()) == list(types.items())


def test_an_estimate_fills_its_columns_and_a_missing_one_leaves_them_empty() -> None:
    """The named columns alone, in the order in which they are named."""
    estimate = Estimate(
        value=0.5, low=0.4, high=0.7, level=0.95, method="m", n_items=3, n_units=6, worst=0.1
    )
    columns = estimate_columns(lambda row: row["estimate"], "high", "value", "worst", "best")
    given: list[Row] = [{"estimate": estimate}, {"estimate": None}]
    assert [list(row.items()) for row in file_rows(columns, given)] == [
        [("high", 0.7), ("value", 0.5), ("worst", 0.1), ("best", None)],
        [("high", None), ("value", None), ("worst", None), ("best", None)],
    ]
    assert "signature" in parquet_types(estimate_columns(lambda row: row["estimate"]))
