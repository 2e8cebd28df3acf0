"""One set of ratings in many shapes: each is read with the right means and alpha, or refused.

What is right is reckoned here, by the formula of Krippendorff's alpha for interval data.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path
from random import Random
from statistics import fmean

import pytest

from factmark.errors import InputError
from factmark.people.core.scales import scales_of
from factmark.people.imports.rating_files import GivenColumns, read_ratings
from factmark.people.imports.rating_rows import RatingRow, with_plain_labels

DOCUMENTS = [f"doc{number}" for number in range(8)]
SYSTEMS = ("alpha", "beta", "gamma")
PEOPLE = ("ann", "bob", "cleo")
UNITS = list(product(DOCUMENTS, SYSTEMS))
HEAD = ["document", "system"]

Given = dict[tuple[str, str, str], int]


def given() -> Given:
    """What three people gave, of most units two or all of them."""
    random = Random(41)
    ratings = {}
    for unit in UNITS:
        true = random.randint(1, 5)
        for person in PEOPLE:
            if random.random() < 0.8:
                ratings[(*unit, person)] = min(5, max(1, true + random.choice([-1, 0, 0, 1])))
    return ratings


GIVEN = given()


def alpha(units: Sequence[Sequence[float]]) -> float:
    """Krippendorff's, for interval data: 1 - what is observed / what chance would give."""
    several = [unit for unit in units if len(unit) > 1]
    every = [value for unit in several for value in unit]
    observed = sum(
        sum((a - b) ** 2 for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in several
    )
    expected = sum((a - b) ** 2 for a, b in permutations(every, 2)) / (len(every) - 1)
    return 1 - observed / expected


def measured(ratings: dict[tuple[str, str, str], float]) -> tuple[int, float, dict[str, float]]:
    """How many ratings, alpha, and the mean of each system over its units."""
    units: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for (document, system, _), value in ratings.items():
        units[document, system].append(value)
    means: defaultdict[str, list[float]] = defaultdict(list)
    for (_, system), values in units.items():
        means[system].append(fmean(values))
    averages = {system: round(fmean(values), 9) for system, values in means.items()}
    return len(ratings), round(alpha(list(units.values())), 9), averages


RIGHT = measured({key: float(value) for key, value in GIVEN.items()})


def table(
    path: Path, head: Sequence[str], rows: Sequence[Sequence[object]], sep: str = ","
) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file, delimiter=sep)
        write.writerow(head)
        write.writerows(rows)
    return path


def read(*paths: Path, siblings: str = "", columns: Sequence[str] = ()) -> list[RatingRow]:
    options = GivenColumns(columns=columns, siblings=siblings)
    rows = read_ratings(paths, options, "utf-8", lambda note: None).rows
    return with_plain_labels(rows, (), lambda note: None)


def dimensions(rows: Sequence[RatingRow]) -> dict[str, tuple[int, float, dict[str, float]]]:
    """Dimension -> what its ratings come to."""
    found: defaultdict[str, dict[tuple[str, str, str], float]] = defaultdict(dict)
    for row in rows:
        found[row.dimension][row.document, row.system, row.annotator] = float(row.label)
    return {name: measured(ratings) for name, ratings in found.items()}


def wide(value: str = "") -> list[list[object]]:
    return [[*unit, *(GIVEN.get((*unit, person), value) for person in PEOPLE)] for unit in UNITS]


def long() -> list[list[object]]:
    return [[*key, value] for key, value in GIVEN.items()]


def form(question: str) -> tuple[list[str], list[list[object]]]:
    """A row a person, a column a unit."""
    head = ["Timestamp", "Email Address"]
    head += [question.format(d=document, s=system) for document, system in UNITS]
    rows: list[list[object]] = []
    for minute, person in enumerate(PEOPLE):
        cells = [GIVEN.get((*unit, person), "") for unit in UNITS]
        rows.append([f"2026-05-01 10:0{minute}", f"{person}@x.org", *cells])
    return head, rows


@pytest.mark.parametrize(
    "head",
    [
        ["document", "system", "annotator", "rating"],
        ["item_id", "model", "PROLIFIC_PID", "response"],
        ["Dokument", "Modell", "Bewerter", "Bewertung"],
        ["texte", "système", "juge", "note"],
        ["stimulus", "condition", "subject_nr", "resp"],
        ["story", "Sys", "Rater", "Q1"],
    ],
)
@pytest.mark.parametrize("sep", [",", ";", "\t"])
def test_a_row_a_rating(tmp_path: Path, head: list[str], sep: str) -> None:
    rows = [[*row, 900 + place] for place, row in enumerate(long())]
    path = table(tmp_path / "r.csv", [*head, "rt"], rows, sep)
    assert dimensions(read(path)) == {"": RIGHT}


@pytest.mark.parametrize(
    "people",
    [
        ["rater_1", "rater_2", "rater_3"],
        ["annA", "annB", "annC"],
        ["ann", "bob", "cleo"],  # by how they are filled, and agree
        ["ann@x.org", "bob@x.org", "cleo@x.org"],
        ["score_1", "score_2", "score_3"],
    ],
)
def test_a_column_a_rater(tmp_path: Path, people: list[str]) -> None:
    path = table(tmp_path / "r.csv", [*HEAD, *people], wide())
    assert dimensions(read(path)) == {"": RIGHT}


@pytest.mark.parametrize(
    "question",
    [
        "How faithful is it? [{d} / {s}]",
        "{s} - {d}",
        "{d}_{s}",
        "Rate faithfulness ({d}, {s})",
        "Faithfulness of {s} on {d}",
    ],
)
def test_what_was_rated_stands_in_the_questions_of_a_form(tmp_path: Path, question: str) -> None:
    head, rows = form(question)
    assert dimensions(read(table(tmp_path / "f.csv", head, rows))) == {"": RIGHT}


def test_qualtrics_has_its_questions_in_the_second_line(tmp_path: Path) -> None:
    head, rows = form("How faithful? - {d} / {s}")
    names = ["StartDate", "RecipientEmail", *(f"Q1_{n}" for n, _ in enumerate(UNITS))]
    ids = [json.dumps({"ImportId": name}) for name in names]
    path = table(tmp_path / "q.csv", names, [head, ids, *rows])
    assert dimensions(read(path)) == {"": RIGHT}


def test_a_file_a_rater_in_a_folder(tmp_path: Path) -> None:
    for person in PEOPLE:
        own = [[*key[:2], value] for key, value in GIVEN.items() if key[2] == person]
        table(tmp_path / f"{person}.csv", ["doc", "model", "rating"], own)
    rows = read(tmp_path)
    assert {row.annotator for row in rows} == set(PEOPLE)
    assert dimensions(rows) == {"": RIGHT}


def argilla() -> list[object]:
    records: list[object] = []
    for document, system in UNITS:
        answers = []
        for person in PEOPLE:
            value = GIVEN.get((document, system, person))
            if value is not None:
                answers.append({"user_id": person, "value": value, "status": "submitted"})
        answers.append({"user_id": "dan", "value": 1, "status": "draft"})
        records.append(
            {
                "id": f"{document}-{system}",
                "fields": {"summary": f"What {system} says of {document}, in some words."},
                "metadata": {"doc_id": document, "model": system},
                "responses": {"faithfulness": answers},
            }
        )
    return records


def label_studio() -> list[object]:
    tasks: list[object] = []
    for number, (document, system) in enumerate(UNITS):
        annotations = []
        for place, person in enumerate(PEOPLE):
            value = GIVEN.get((document, system, person))
            result = [{"from_name": "q", "type": "rating", "value": {"rating": value}}]
            annotations.append(
                {"completed_by": place, "was_cancelled": value is None, "result": result}
            )
        data = {"document": document, "system": system}
        tasks.append({"id": number, "data": data, "annotations": annotations})
    return tasks


def prodigy() -> list[object]:
    return [
        {
            "text": f"What {system} says of {document}.",
            "meta": {"doc": document, "system": system},
            "_task_hash": number,
            "accept": [value],
            "answer": "accept",
            "_annotator_id": f"set-{person}",
            "_session_id": f"set-{person}",
        }
        for number, ((document, system, person), value) in enumerate(GIVEN.items())
    ]


def potato() -> list[object]:
    return [
        {
            "user_id": person,
            "instance_id": document,
            "system": system,
            "label_annotations": {"faithfulness": {f"scale_{value}": str(value)}},
        }
        for (document, system, person), value in GIVEN.items()
    ]


def lists_of_sheets() -> list[object]:
    rows: list[object] = []
    for document, system in UNITS:
        values = [GIVEN.get((document, system, person)) for person in PEOPLE]
        sheets = [{"rater": p, "score": v} for p, v in zip(PEOPLE, values, strict=True) if v]
        rows.append({"doc": document, "system": system, "annotations": sheets})
    return rows


@pytest.mark.parametrize(
    ("records", "dimension"),
    [
        (argilla(), "faithfulness"),
        (label_studio(), ""),
        (prodigy(), ""),
        (potato(), ""),
        (lists_of_sheets(), ""),
    ],
)
def test_exports_of_tools(tmp_path: Path, records: list[object], dimension: str) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(records))
    assert dimensions(read(path)) == {dimension: RIGHT}


def test_dimensions_and_people_in_one_name(tmp_path: Path) -> None:
    rows: list[list[object]] = []
    for unit in UNITS:
        values = [GIVEN.get((*unit, person), "") for person in PEOPLE]
        turned = [6 - value if isinstance(value, int) else "" for value in values]
        rows.append([*unit, *values, *turned])
    names = [f"{what}_{n}" for what in ("fluency", "coherence") for n in (1, 2, 3)]
    found = dimensions(read(table(tmp_path / "r.csv", [*HEAD, *names], rows)))
    assert found["fluency"] == RIGHT
    assert found["coherence"][:2] == RIGHT[:2]  # 6 - x agrees as x does


def test_columns_that_may_be_people_or_dimensions_are_refused_with_both_options(
    tmp_path: Path,
) -> None:
    full = [row for row in wide() if "" not in row]
    path = table(tmp_path / "r.csv", [*HEAD, "p", "q", "r"], full)
    with pytest.raises(InputError) as refused:
        read(path)
    assert "each is a person: --siblings annotator" in str(refused.value)
    assert "each is a dimension: --siblings dimension" in str(refused.value)
    assert {row.annotator for row in read(path, siblings="annotator")} == {"p", "q", "r"}
    assert {row.dimension for row in read(path, siblings="dimension")} == {"p", "q", "r"}


def test_a_unit_that_nobody_is_named_for_is_not_one_persons_twice(tmp_path: Path) -> None:
    """The advice works as it is written, and alpha does not depend on who is who."""
    rows = [[document, system, value] for (document, system, _), value in GIVEN.items()]
    path = table(tmp_path / "r.csv", [*HEAD, "label"], rows)
    with pytest.raises(InputError, match="--column annotator=none"):
        read(path)
    assert dimensions(read(path, columns=["annotator=none"])) == {"": RIGHT}


def test_a_column_that_nobody_can_name_is_refused_with_what_it_may_be(tmp_path: Path) -> None:
    path = table(tmp_path / "r.csv", [*HEAD, "xyz", "label"], long())
    with pytest.raises(InputError) as refused:
        read(path)
    for option in ("--column annotator=xyz", "--column dimension=xyz"):
        assert option in str(refused.value)
    assert dimensions(read(path, columns=["annotator=xyz"])) == {"": RIGHT}


def test_an_age_or_a_property_of_a_text_is_no_dimension(tmp_path: Path) -> None:
    """What all have the same of a unit says something of the unit; in ratings people differ."""
    ages = dict(zip(PEOPLE, (33, 41, 27), strict=True))
    rows = []
    for key, value in GIVEN.items():
        rows.append([*key, value, 6 - value, ages[key[2]], len(key[0] + key[1])])
    head = [*HEAD, "annotator", "good", "fair", "lived", "entities"]
    found = dimensions(read(table(tmp_path / "r.csv", head, rows)))
    assert set(found) == {"good", "fair"}
    assert found["good"] == RIGHT


def test_a_system_within_the_documents_ids_is_not_passed_over(tmp_path: Path) -> None:
    rows = [[f"{d}__{s}", person, value] for (d, s, person), value in GIVEN.items()]
    path = table(tmp_path / "r.csv", ["id", "rater", "rating"], rows)
    notes: list[str] = []
    rows_read = read_ratings([path], GivenColumns(), "utf-8", notes.append).rows
    assert len(rows_read) == len(GIVEN)
    assert "'a part of id' may be it" in "\n".join(notes)


def test_words_of_a_usual_scale_are_advised_in_their_order() -> None:
    labels = dict.fromkeys(("Agree", "Disagree", "Neutral", "Strongly agree"), "r.csv, line 2")
    with pytest.raises(InputError, match="--labels 'Disagree,Neutral,Agree,Strongly agree'"):
        scales_of({"": labels})
