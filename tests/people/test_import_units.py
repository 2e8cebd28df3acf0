"""What was rated, and by how many people, where no column's name says it: the rows tell."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.people.imports.rating_files import GivenColumns, read_ratings
from factmark.people.imports.rating_rows import RatingRow

TEXTS = [f"Text number {n} has some words of its own and is long enough." for n in range(12)]


def table(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """Writes a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def read(path: Path) -> tuple[list[RatingRow], str]:
    """The ratings of a file, and what is told of them."""
    notes: list[str] = []
    return read_ratings([path], GivenColumns(), "utf-8", notes.append).rows, " ".join(notes)


def test_as_many_rows_of_each_unit_are_several_nameless_peoples(tmp_path: Path) -> None:
    rows = [[f"d{n}", 1 + (n + who) % 5, 3] for n in range(12) for who in range(3)]
    ratings, notes = read(table(tmp_path / "r.csv", ["doc_id", "fluency", "coherence"], rows))
    assert len({row.annotator for row in ratings}) == 3
    assert len({row.document for row in ratings}) == 12
    assert "up to 3 people rated each unit" in notes


def test_a_spreadsheets_error_is_an_empty_cell(tmp_path: Path) -> None:
    """People who rated a part each: `#N/A` is no label, and no reason to pass a person over."""
    rows = [[f"d{n}", n % 5, "#N/A" if n % 3 else (n + 1) % 5] for n in range(60)]
    path = table(tmp_path / "t.csv", ["document", "rater_1", "rater_2"], rows)
    ratings, _ = read(path)
    assert {row.annotator for row in ratings} == {"rater_1", "rater_2"}
    assert len(ratings) == 60 + 20


def test_copies_of_one_sheet_are_of_the_same_rows(tmp_path: Path) -> None:
    """What all copies have is no rating, though its name is that of one."""
    for place, name in enumerate(("ann", "bob")):
        rows = [[text, n % 2, (n + place) % 3] for n, text in enumerate(TEXTS)]
        table(tmp_path / f"{name}.csv", ["sentence", "label", "assessor_label"], rows)
    ratings, _ = read(tmp_path)
    assert len(ratings) == 2 * len(TEXTS)
    assert {row.label for row in ratings} == {"0", "1", "2"}
    assert len({(row.document, row.part) for row in ratings}) == len(TEXTS)


def test_objects_alike_in_a_row_are_rows(tmp_path: Path) -> None:
    rows = []
    for n, text in enumerate(TEXTS):
        sheets = {f"annotator_{who}": {"fluency": 1 + (n + who) % 5} for who in (1, 2)}
        rows.append({"id": n, "source": text, "by": sheets})
    path = tmp_path / "r.json"
    path.write_text(json.dumps(rows), "utf-8")
    ratings, _ = read(path)
    assert {row.annotator for row in ratings} == {"annotator_1", "annotator_2"}
    assert len(ratings) == 2 * len(TEXTS)


def test_numbers_with_commas_between_are_several_peoples(tmp_path: Path) -> None:
    rows = [[n, text, n % 2, f"{1 + n % 4},3,2"] for n, text in enumerate(TEXTS)]
    head = ["ID", "sentence", "translated", "full-ratings"]
    ratings, _ = read(table(tmp_path / "r.csv", head, rows))
    assert len(ratings) == 3 * len(TEXTS)
    assert len({row.annotator for row in ratings}) == 3


def test_what_nothing_tells_to_be_a_rating_is_asked_for(tmp_path: Path) -> None:
    rows = [[n, n % 2, 2 + n % 7] for n in range(30)]
    with pytest.raises(InputError, match="no column tells the label"):
        read(table(tmp_path / "r.csv", ["SEGID", "BINLABEL", "NUMANNOT"], rows))


def test_a_number_that_compares_two_sides_is_no_rating(tmp_path: Path) -> None:
    rows = [[n, text, text[::-1], who, 1 + n % 2] for n, text in enumerate(TEXTS) for who in "pq"]
    path = table(tmp_path / "r.csv", ["task_id", "story_a", "story_b", "worker_id", "label"], rows)
    with pytest.raises(InputError, match="'label' says which of two texts is better"):
        read(path)
