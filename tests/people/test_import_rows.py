"""Ratings that tools spread over columns and lists, and rows that are no ratings."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.people.core.scales import scales_of
from factmark.people.imports.rating_files import GivenColumns, read_ratings

GIVEN = {
    ("d1", "ann"): 4,
    ("d1", "bob"): 5,
    ("d2", "ann"): 2,
    ("d2", "bob"): 2,
    ("d3", "ann"): 1,
    ("d3", "bob"): 3,
}
RIGHT = {(document, person, str(value)) for (document, person), value in GIVEN.items()}


def table(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def read(path: Path, notes: list[str] | None = None) -> set[tuple[str, str, str]]:
    note = (notes if notes is not None else []).append
    rows = read_ratings([path], GivenColumns(), "utf-8", note).rows
    return {(row.document, row.annotator, row.label) for row in rows}


@pytest.mark.parametrize(("on", "off"), [("true", "false"), ("1", "0"), (None, "")])
def test_a_column_for_each_label_of_a_question(tmp_path: Path, on: str | None, off: str) -> None:
    rows: list[list[object]] = []
    for (document, person), value in GIVEN.items():
        cells = [off] * 5
        cells[value - 1] = str(value) if on is None else on
        rows.append([document, person, *cells])
    head = ["doc_id", "worker_id", *(f"Answer.faithfulness.{label}" for label in range(1, 6))]
    assert read(table(tmp_path / "r.csv", head, rows)) == RIGHT


def test_dimensions_of_which_several_are_met_stay_columns(tmp_path: Path) -> None:
    flags = [("true", "true"), ("false", "true"), ("true", "false"), ("false", "false")]
    rows = [[f"d{place}", "ann", *of_row] for place, of_row in enumerate(flags)]
    path = table(tmp_path / "r.csv", ["doc_id", "rater", "ok.fluent", "ok.faithful"], rows)
    ratings = read_ratings([path], GivenColumns(), "utf-8", print).rows
    assert {rating.dimension for rating in ratings} == {"fluent", "faithful"}


def test_people_in_a_list_beside_their_ratings(tmp_path: Path) -> None:
    """What an answer's status calls a draft or discarded is no rating, and is counted."""
    rows = []
    for document in ("d1", "d2", "d3"):
        people = ["bob", "ann", "eve"]
        values = [GIVEN[document, "bob"], GIVEN[document, "ann"], 1]
        status = ["submitted", "submitted", "draft"]
        rows.append(
            {"doc_id": document, "q.responses": values, "q.users": people, "q.status": status}
        )
    path = tmp_path / "r.json"
    path.write_text(json.dumps(rows))
    notes: list[str] = []
    assert read(path, notes) == RIGHT
    assert "3 rows of answers that their status calls unfinished, left out" in "\n".join(notes)


def test_checks_and_totals_are_no_ratings(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        [document, person, "bart", value] for (document, person), value in GIVEN.items()
    ]
    rows.append(["d9", "ann", "attention_check", 5])
    rows.append(["Mean", "", "", 2.83])
    notes: list[str] = []
    path = table(tmp_path / "r.csv", ["document", "rater", "system", "rating"], rows)
    assert read(path, notes) == RIGHT
    assert "1 rows of checks of attention, left out" in "\n".join(notes)
    assert "1 rows of totals below the table, left out" in "\n".join(notes)


def test_a_head_of_two_lines(tmp_path: Path) -> None:
    """A survey's question stands above its first part alone."""
    head = ["Email Address", "Start Date", "How faithful is it?", "", ""]
    parts = ["", "", "d1", "d2", "d3"]
    lines: list[list[object]] = []
    for person in ("ann", "bob"):
        values = [GIVEN[document, person] for document in ("d1", "d2", "d3")]
        lines.append([f"{person}@x.org", "05/01/2026", *values])
    path = table(tmp_path / "r.csv", head, [parts, *lines])
    rows = {(document, person.partition("@")[0], label) for document, person, label in read(path)}
    assert rows == RIGHT


def test_a_folder_for_each_person(tmp_path: Path) -> None:
    for person in ("ann", "bob"):
        (tmp_path / person).mkdir()
        lines = []
        for document in ("d1", "d2", "d3"):
            value = str(GIVEN[document, person])
            record = {"id": document, "displayed_text": f"A text on {document}, long enough here."}
            lines.append(json.dumps({**record, "label_annotations": {"q": {value: value}}}))
        (tmp_path / person / "annotated.jsonl").write_text("\n".join(lines))
    assert read(tmp_path) == RIGHT


def test_scores_by_people_beside_a_models_are_not_taken_for_all(tmp_path: Path) -> None:
    """Half of the scores are not left out without a word."""
    head = ["doc_id", "annotator", *(f"{d}_{w}_score" for d in "fc" for w in ("human", "model"))]
    head = [name.replace("f_", "fluency_").replace("c_", "coverage_") for name in head]
    rows = [[f"d{n}", f"a{n % 2}", n % 3 + 1, n % 2 + 1, n % 3 + 2, n % 2 + 2] for n in range(12)]
    with pytest.raises(InputError, match="--siblings dimension/system"):
        read(table(tmp_path / "r.csv", head, rows))


def test_the_later_of_two_answers_counts_wherever_it_stands(tmp_path: Path) -> None:
    from factmark.people.imports.import_table import import_table
    from factmark.people.imports.keeping import ImportTarget, draft_imports

    def alpha(rows: list[list[object]]) -> object:
        path = table(tmp_path / "r.csv", ["document", "rater", "score", "submitted_at"], rows)
        read_rows = read_ratings([path], GivenColumns(), "utf-8", print).rows
        target = ImportTarget(ledger=tmp_path / "none.db", name="r")
        campaigns = draft_imports(read_rows, target, print)
        return [line["alpha"] for line in import_table(campaigns, ["r"]).rows()]

    rows: list[list[object]] = [
        [document, person, value, "2026-05-01T10:00:00Z"]
        for (document, person), value in GIVEN.items()
    ]
    early: list[object] = ["d1", "ann", 1, "2026-05-01T09:00:00Z"]
    assert alpha([early, *rows]) == alpha([*rows, early])


def test_files_of_a_person_each_are_no_documents(tmp_path: Path) -> None:
    """What people were shown stands in rows of several files; a file is one person's."""
    stories = {
        f"{place}": f"Once upon a time, on day {place}, nothing came. " * 4 for place in "123"
    }
    for person in ("ann", "bob"):
        rows = []
        for place, story in stories.items():
            rows.append([person, place, GIVEN[(f"d{place}", person)], story])
        table(tmp_path / f"{person}_1.csv", ["annotator", "qid", "label", "model_output"], rows)
    ratings = read_ratings([tmp_path], GivenColumns(), "utf-8", print).rows
    read_back = {(f"d{row.document}", row.annotator, row.label) for row in ratings}
    assert read_back == RIGHT
    assert {row.dimension for row in ratings} == {""}


def test_names_of_people_before_a_dimension_where_the_system_is_known(tmp_path: Path) -> None:
    rows = []
    for place in range(8):
        rows.append([f"c{place}", "ab"[place % 2], 1 + place % 5, 1 + place % 4, 5, 1 + place % 5])
    people = ("Ada_coherence", "Ben_coherence", "Ada_factuality", "Ben_factuality")
    path = table(tmp_path / "r.csv", ["case", "model", *people], rows)
    ratings = read_ratings([path], GivenColumns(), "utf-8", print).rows
    given = {(row.annotator, row.dimension) for row in ratings}
    assert given == {(who, what) for who in ("Ada", "Ben") for what in ("coherence", "factuality")}


def test_lists_of_one_word_each_in_a_file_a_person(tmp_path: Path) -> None:
    """As doccano writes them, with the file of one who labelled nothing."""
    words = {"admin": "   ", "ines": "fhf", "jorge": "ffh"}
    names = {"f": ["faithful"], "h": ["hallucinated"], " ": []}
    for person, said in words.items():
        rows = []
        for place, letter in enumerate(said):
            text = f"An answer, number {place}."
            rows.append(
                {"id": place, "text": text, "system": "ab"[place % 2], "label": names[letter]}
            )
        lines = "\n".join(map(json.dumps, rows))
        (tmp_path / f"{person}.jsonl").write_text(lines + "\n", encoding="utf-8")
    read_back = {}
    for row in read_ratings([tmp_path], GivenColumns(), "utf-8", print).rows:
        read_back[row.annotator, row.document] = row.label
    assert {label for (who, _), label in read_back.items() if who == "ines"} == {
        "faithful",
        "hallucinated",
    }
    assert len(read_back) == 6
    assert scales_of({"": dict.fromkeys(read_back.values(), "")})[""].values == {
        "faithful": 1.0,
        "hallucinated": 0.0,
    }
