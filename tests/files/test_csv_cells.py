"""What is written as CSV is read back the same, and holds no formula."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from factmark.analysis.labels.label_import import import_labels
from factmark.analysis.labels.label_sheet import write_sheet
from factmark.answers.reading import read_answers
from factmark.errors import InputError
from factmark.files.flat_files import MAX_CELL, csv_lines, csv_reader, csv_writer, unguard_formula
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b"


def is_run(cell: str) -> bool:
    """Whether a spreadsheet may run a cell: as it stands, or without the blanks before it."""
    shown = [c for c in cell if not (c.isspace() or c < " " or c in "\u200b\ufeff")]
    return "".join(shown[:1]) in tuple(SIGNS) or cell[:1] in tuple("\t\r")


@given(st.lists(TEXT, min_size=2, max_size=4))
@example(["\uff1d1+1", "\n=1+1"])
@example([" =1+1", "\u200b\ufeff@SUM(A1)"])
@example(["'  \uff0b1", "\x01-1+1"])
@example(["a\rb", "=1+1"])
@example(["'=1", "''-"])
@example(["x\r=cmd()", "\r"])
def test_rows_come_back_and_no_cell_is_a_formula(cells: list[str]) -> None:
    out = StringIO(newline="")
    write = csv_writer(out)
    write(cells)
    write(["end", None])
    rows = list(csv_reader(StringIO(out.getvalue(), newline="")))
    assert [[unguard_formula(cell) for cell in row] for row in rows] == [cells, ["end", ""]]
    assert not any(map(is_run, (cell for row in rows for cell in row)))


def test_a_bare_carriage_return_in_a_passage_loses_no_label(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    item = Item(id="i", cluster="i")
    unit = Unit(
        id="u", item="i", kind="pair", text="A is B", data={"passage": 'one\r=HYPERLINK("x"),two'}
    )
    write_sheet(path, [unit], {})
    with path.open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["passage"] == unit.data["passage"]
    filled = row | {"annotator": "ada", "label": "SUPPORTED"}
    path.write_text("".join(csv_lines([filled], list(filled))), encoding="utf-8", newline="")
    with Ledger(tmp_path / "l.db") as ledger:
        judge = Judge.create("rule", "r")
        with ledger.writing():
            ledger.add_judge(judge)
            ledger.add_new_item(item)
            ledger.add_unit(unit)
        assert import_labels(path, ledger).labels == 1


def test_own_answers_are_scored_again_without_their_guard(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    columns = [
        "query_id",
        "answer",
        "facts",
        "verdict",
        "absence",
        "completeness",
        "hallucination_rate",
        "combined_score",
    ]
    row = dict.fromkeys(columns) | {"query_id": "q", "answer": "- Oslo"}
    path.write_text("".join(csv_lines([row], columns)), encoding="utf-8", newline="")
    assert [one.text for one in read_answers(path).answers] == ["- Oslo"]
    others = tmp_path / "others.csv"
    others.write_text("query_id,answer\nq,'-ol\n", encoding="utf-8")
    assert [one.text for one in read_answers(others).answers] == ["'-ol"]


def test_a_long_cell_is_read_or_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query_id,answer\nq," + "x" * 200_000 + "\n", encoding="utf-8")
    assert len(read_answers(path).answers[0].text) == 200_000
    path.write_text("query_id,answer\nq," + "x" * MAX_CELL * 2 + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        read_answers(path)
