"""Columns that look like ratings and are none, and ratings that do not look like any: each is read
right, or refused with what to write."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import pytest

from factmark.errors import InputError
from factmark.people.core.scales import scale_given, scales_of
from factmark.people.imports.rating_files import GivenColumns, read_ratings
from factmark.people.imports.rating_rows import RatingRow

DOCUMENTS = range(1, 13)
SYSTEMS = ("red", "blue")


def table(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """Writes a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def read(path: Path, *columns: str) -> list[RatingRow]:
    """The ratings of a file."""
    return read_ratings([path], GivenColumns(columns=columns), "utf-8", lambda _: None).rows


def by_dimension(rows: Sequence[RatingRow]) -> dict[str, float]:
    """The mean of each dimension."""
    names = dict.fromkeys(row.dimension for row in rows)
    return {n: fmean(float(row.label) for row in rows if row.dimension == n) for n in names}


def test_ratings_below_0_are_a_scale_of_their_own(tmp_path: Path) -> None:
    rows = []
    for document in DOCUMENTS:
        for system in SYSTEMS:
            for rater in ("p", "q"):
                rows.append([document, system, rater, 1 + document % 5, document % 5 - 2])
    path = table(tmp_path / "r.csv", ["doc_id", "system", "rater", "fluency", "simplicity"], rows)
    means = by_dimension(read(path))
    assert means["simplicity"] == pytest.approx(fmean(d % 5 - 2 for d in DOCUMENTS))
    scales = scales_of({"fluency": {"1": "", "5": ""}, "simplicity": {"-1": "", "2": ""}})
    assert list(scales["fluency"].values) == ["1", "2", "3", "4", "5"]
    assert list(scales["simplicity"].values) == ["-2", "-1", "0", "1", "2"]
    assert scale_given("-2-2") == scales["simplicity"]


def test_means_of_many_people_are_ratings_though_no_two_are_equal(tmp_path: Path) -> None:
    rows = []
    for document in range(80):
        for place, system in enumerate(SYSTEMS):
            score = 10 + document + place / 3
            rows.append([document, system, score, score + 5, score / 50 - 1])
    head = ["sent_id", "sys_name", "fluency", "wit", "fluency_zscore"]
    means = by_dimension(read(table(tmp_path / "r.csv", head, rows), "system=sys_name"))
    assert list(means) == ["fluency", "wit"]
    assert means["wit"] == pytest.approx(means["fluency"] + 5)


def test_what_is_the_same_for_all_systems_of_a_document_is_no_rating(tmp_path: Path) -> None:
    rows = []
    for document in DOCUMENTS:
        for place, system in enumerate(SYSTEMS):
            rows.append([document, system, 1 + document % 4, 1 + (document + place) % 5, place + 1])
    head = ["sample_id", "submission", "triples", "correctness", "fluency"]
    assert set(by_dimension(read(table(tmp_path / "r.csv", head, rows)))) == {
        "correctness",
        "fluency",
    }


def test_a_lone_column_of_numbers_that_nothing_speaks_for_is_refused(tmp_path: Path) -> None:
    """An article's number is no rating; the option that the error names reads it as one."""
    rows = [[f"t{d}", system, 100 + 7 * d + len(system)] for d in DOCUMENTS for system in SYSTEMS]
    path = table(tmp_path / "r.csv", ["doc_id", "system", "wmt_article"], rows)
    with pytest.raises(InputError, match="--column label=wmt_article"):
        read(path)
    assert len(read(path, "label=wmt_article")) == len(rows)


def test_a_comparison_of_two_texts_is_told(tmp_path: Path) -> None:
    rows = [[d, "text one", "text two", f"Sentence {'AB'[d % 2]}"] for d in DOCUMENTS]
    path = table(tmp_path / "r.csv", ["item", "a", "b", "choice"], rows)
    with pytest.raises(InputError, match="'choice' says which of two texts is better"):
        read(path)
    path = table(
        tmp_path / "s.csv", ["item", "x", "y", "winner"], [[*row[:3], "x"] for row in rows]
    )
    with pytest.raises(InputError, match="'winner' says which of two texts is better"):
        read(path)


def test_numbers_on_no_scale_of_what_is_rated_are_asked_for(tmp_path: Path) -> None:
    rows = []
    for document in DOCUMENTS:
        for place, system in enumerate(SYSTEMS):
            rows.append([document, system, 30 + document + place, 1 + (document + place) % 5])
    path = table(tmp_path / "r.csv", ["doc_id", "system", "edits", "fluency"], rows)
    with pytest.raises(InputError) as refused:
        read(path)
    assert "--column label=edits --column label=fluency" in str(refused.value)
    assert "'fluency' are ratings: --column label=fluency" in str(refused.value)
    assert set(by_dimension(read(path, "label=fluency"))) == {""}


def test_a_documents_id_counts_before_that_of_a_row(tmp_path: Path) -> None:
    rows = []
    for document in DOCUMENTS:
        for system in SYSTEMS:
            rows.append([len(rows), document, system, 1 + len(rows) % 5, 3])
    head = ["id", "original_id", "system", "rating_1", "rating_2"]
    ratings = read(table(tmp_path / "r.csv", head, rows))
    assert {row.document for row in ratings} == set(map(str, DOCUMENTS))


def test_lists_of_ratings_written_as_text_in_lines_of_json(tmp_path: Path) -> None:
    """A file of objects, one a line, may be named .json."""
    path = tmp_path / "r.json"
    lines = []
    for number in DOCUMENTS:
        scores = [1 + number % 5, 3, 5]
        lines.append(
            json.dumps({"ID": number, "model": SYSTEMS[number % 2], "Scores": str(scores)})
        )
    path.write_text("\n".join(lines), "utf-8")
    ratings = read(path)
    assert len(ratings) == 3 * len(DOCUMENTS)
    assert len({row.annotator for row in ratings}) == 3


def test_a_yes_or_no_about_a_model_is_no_system(tmp_path: Path) -> None:
    rows = [[f"image {d}", d % 3 == 0, d % 2 == 0] for d in DOCUMENTS]
    path = table(tmp_path / "r.csv", ["image", "model_was_right", "accepted"], rows)
    with pytest.raises(InputError):
        read(path)


def test_labels_with_a_comma_are_advised_and_read_by_a_bar() -> None:
    labels = dict.fromkeys(("same, but worse", "no relation"), "r.csv, line 2")
    with pytest.raises(InputError, match=r"--labels 'no relation\|same, but worse'"):
        scales_of({"": labels})
    assert dict(scale_given("no relation|same, but worse").values) == {
        "no relation": 0.0,
        "same, but worse": 1.0,
    }


def test_a_list_beside_the_ratings_stops_nothing(tmp_path: Path) -> None:
    """Cells with lists are compared like others, where columns are told apart by the rows."""
    rows = [
        [f"d{d}", f"['{d}', '{s}']", "words of a summary", d % 2] for d in DOCUMENTS for s in "xy"
    ]
    path = table(tmp_path / "r.csv", ["event", "Input.ids", "Input.summary_text", "ok"], rows)
    with pytest.raises(InputError, match="no column tells"):
        read(path)


def test_rows_that_name_nobody_are_people_or_documents(tmp_path: Path) -> None:
    """Ratings alone, a sheet of one person's: both readings are named, and each option works."""
    head = [f"{what}_{system}" for system in SYSTEMS for what in ("fluency", "coherence")]
    rows = [[1 + (d + place) % 5 for place in range(4)] for d in DOCUMENTS]
    path = table(tmp_path / "r.csv", head, rows)
    with pytest.raises(InputError) as refused:
        read(path)
    options = {}
    for place in ("annotator=ROW", "document=ROW"):
        assert f"--column {place} --siblings" in str(refused.value)
        given = GivenColumns(columns=[place], siblings="dimension/system")
        if place.startswith("annotator"):
            given = GivenColumns(columns=[place], siblings="dimension/document")
        options[place] = read_ratings([path], given, "utf-8", lambda _: None).rows
    assert len({row.annotator for row in options["annotator=ROW"]}) == len(rows)
    assert len({row.document for row in options["document=ROW"]}) == len(rows)
    assert {row.system for row in options["document=ROW"]} == set(SYSTEMS)
