"""Sheets of workbooks are tables: one by itself, one of several by its name, with two lines of
names."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import read_rows
from factmark.intake.table_file import open_table
from factmark.people.imports.rating_files import GivenColumns, read_ratings


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    """Writes a workbook with these sheets."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(line)
    book.save(path)
    return path


def test_the_only_sheet_with_rows_is_read(tmp_path: Path) -> None:
    at = datetime(2026, 5, 1, 10, 30)
    lines = [["id", "score", "at", None], ["a", 3, at, "beside"], [], [" ", None], ["b", 4.5, None]]
    path = workbook(tmp_path / "one.xlsx", Read=[["rated in May"]], Scores=lines)
    problems = Problems()
    assert list(read_rows(path, problems)) == [
        ("line 2", {"id": "a", "score": 3, "at": "2026-05-01T10:30:00"}),
        ("line 5", {"id": "b", "score": 4.5, "at": None}),
    ]
    assert problems.rows == 2


def test_of_several_sheets_one_is_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "two.xlsx", May=[["x"], [1]], June=[["x"], [2]])
    with pytest.raises(InputError, match="--rows May; --rows June"):
        open_table(path)
    assert [row for _, row in open_table(path, rows="June").rows(Problems())] == [{"x": 2}]
    with pytest.raises(InputError, match="no sheet 'July'"):
        open_table(path, rows="July")


def test_a_second_line_of_names_belongs_to_the_spans_above_it(tmp_path: Path) -> None:
    head = [["doc", "system", "rater 1", None, "rater 2", None]]
    head.append([None, None, "fluency", "faithfulness", "fluency", "faithfulness"])
    rows = [[f"d{n}", system, 1 + n % 5, 2, 5, 1 + n % 3] for n in range(8) for system in "ab"]
    path = workbook(tmp_path / "spans.xlsx", Ratings=head + rows)
    read = read_ratings([path], GivenColumns(), "utf-8", lambda _: None)
    ratings = {(row.annotator, row.dimension, row.document): row.label for row in read.rows}
    assert len(read.rows) == 64
    assert ratings["rater 1", "fluency", "d4"] == "5"
    assert ratings["rater 2", "faithfulness", "d5"] == "3"


def test_without_openpyxl_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match=r"factmark\[xlsx\]"):
        list(read_rows(path, Problems()))


def test_a_damaged_workbook_is_an_error_with_its_name(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"PK\x03\x04 no zip")
    with pytest.raises(InputError, match=r"a\.xlsx: cannot be read as a workbook"):
        list(read_rows(path, Problems()))
