"""A result declared once as columns, in the formats for people and for machines."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO

import pytest

from factmark.model import Estimate
from factmark.report.columns import Column, table_of
from factmark.report.layouts import csv_table, markdown_table


@dataclass(frozen=True)
class Score:
    system: str
    part: str
    share: Estimate | None
    n: int
    seconds: float | None = None


HALF = Estimate(
    value=0.5,
    low=0.25,
    high=0.75,
    level=0.95,
    method="wilson",
    n_items=4,
    n_units=4,
    n_missing=0,
    best=0.5,
    worst=0.5,
)
COLUMNS = (
    Column[Score](name="part", key="part", value=lambda row: row.part, label=True),
    Column[Score](name="system", key="system", value=lambda row: row.system, label=True),
    Column[Score](
        name="share",
        key="share",
        value=lambda row: row.share,
        better="higher",
        estimate=True,
        meaning="Share: of the facts.",
    ),
    Column[Score](name="facts", key="n", value=lambda row: row.n),
    Column[Score](
        name="seconds",
        key="seconds",
        value=lambda row: row.seconds,
        optional=True,
        show="{:.1f}".format,
        meaning="Seconds: of the clock.",
    ),
)
ROWS = [
    Score("a\x1b[31m", "north", HALF, 4000),
    Score("b", "north", None, 0),
    Score("all", "", HALF, 4000),
]


def machine_rows(rows: list[Score]) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(csv_table(table_of("T", COLUMNS, rows)))))


def test_people_see_values_with_intervals_and_machines_get_all_parts() -> None:
    table = table_of(
        "Shares", COLUMNS, ROWS, group=lambda row: row.part, overall=lambda row: row.system == "all"
    )
    assert [[*line.labels, *(cell.text for cell in line.cells)] for line in table.lines] == [
        ["north", "a[U+001B][31m", "0.50 [0.25–0.75]", "4,000"],
        ["north", "b", "–", "0"],
        ["–", "all", "0.50 [0.25–0.75]", "4,000"],
    ]
    assert [line.starts_group for line in table.lines] == [True, False, True]
    assert [line.overall for line in table.lines] == [False, False, True]
    first, second, _ = machine_rows(ROWS)
    assert (first["share"], first["share_low"], first["share_high"]) == ("0.5", "0.25", "0.75")
    assert (second["share"], second["share_low"], second["n"]) == ("", "", "0")


def test_what_no_row_has_is_spared_people_but_not_machines() -> None:
    empty = table_of("T", COLUMNS, ROWS)
    assert [head.name for head in empty.columns] == ["share", "facts"]
    assert "Seconds" not in markdown_table(empty)
    assert "seconds" in machine_rows(ROWS)[0]
    timed = table_of("T", COLUMNS, [Score("a", "", HALF, 1, seconds=1.25)])
    assert timed.lines[0].cells[-1].value == "1.2"
    assert "Seconds: of the clock." in timed.notes[0]


def test_how_intervals_were_made_is_told_where_there_are_any() -> None:
    assert any("wilson" in note for note in table_of("T", COLUMNS, ROWS).notes)
    assert not any("wilson" in note for note in table_of("T", COLUMNS, ROWS[1:2]).notes)


def test_an_estimate_that_machines_would_get_whole_is_refused() -> None:
    wrong = Column[Score](name="share", key="share", value=lambda row: row.share)
    with pytest.raises(TypeError, match="share"):
        table_of("T", (wrong,), ROWS)
