"""Answers drawn for people to mark on a sheet, and the sheet read back as their marks."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest

import shell
from factmark.answers.core.records import GivenAnswer, ScoredAnswer
from factmark.answers.marks.annotations import open_annotations
from factmark.answers.marks.sheet import COLUMNS, draw, write_sheet
from factmark.answers.reading import read_answers
from factmark.errors import InputError
from traced import question, traced

Cells = dict[str, str]


def answers(**texts: Iterable[str]) -> list[ScoredAnswer]:
    """The answers of conditions, each to questions Q0, Q1, ... in turn."""
    return [
        traced(question(f"Q{at}", ["14"]), text, None, condition=condition, id=f"{condition}{at}")
        for condition, given in texts.items()
        for at, text in enumerate(given)
    ]


def many(n: int) -> list[ScoredAnswer]:
    return answers(plain=[f"{at} looms" for at in range(n)], rag=[f"{at} mills" for at in range(n)])


def test_so_many_of_each_condition_are_drawn_and_of_the_same_questions() -> None:
    drawn = draw(many(50), {}, 20, 0)
    asked = {
        condition: {row.answer.query_id for row in drawn if row.answer.condition == condition}
        for condition in ("plain", "rag")
    }
    assert {name: len(ids) for name, ids in asked.items()} == {"plain": 20, "rag": 20}
    assert asked["plain"] == asked["rag"]
    assert [row.answer.condition for row in drawn] != sorted(row.answer.condition for row in drawn)


def test_a_larger_draw_adds_to_a_smaller_one_and_leaves_out_what_is_marked() -> None:
    rows = many(50)
    first, more = draw(rows, {}, 10, 3), draw(rows, {}, 15, 3)
    ids = [{row.answer.id for row in drawn} for drawn in (first, more)]
    assert ids[0] < ids[1]
    again = draw(rows, dict.fromkeys(ids[0]), 15, 3)
    assert {row.answer.id for row in again} == ids[1] - ids[0]
    other = {row.answer.id for row in draw(rows, {}, 10, 4)}
    assert other != ids[0]


def test_each_answer_is_as_likely_as_any_other_to_be_drawn() -> None:
    """Of 20 answers 5 are drawn by each of 400 seeds: 100 times each, give or take 5 σ."""
    rows = answers(plain=[f"{at} looms" for at in range(20)])
    times = Counter(row.answer.id for seed in range(400) for row in draw(rows, {}, 5, seed))
    assert sum(times.values()) == 2_000
    assert all(56 <= times[row.answer.id] <= 144 for row in rows)


def test_several_answers_to_one_question_can_all_be_drawn_and_many_take_no_time() -> None:
    """Time grows with the answers, not with their square."""
    (row,) = answers(plain=["14 looms"])
    same = [
        replace(row, answer=replace(row.answer, id=str(at), text=f"{at} looms"))
        for at in range(20_000)
    ]
    begun = process_time()
    assert len({row.answer.id for row in draw(same, {}, 30_000, 0)}) == 20_000
    assert process_time() - begun < 10  # 0.4 s; 100 s by comparing each with each


def test_answers_in_the_same_words_to_one_question_stand_once_on_a_sheet() -> None:
    drawn = draw(answers(plain=["14 looms", "no"], rag=["14 looms", "none"]), {}, 40, 0)
    assert len(drawn) == 3


def sheet_of(path: Path, rows: list[ScoredAnswer]) -> list[Cells]:
    write_sheet(path, rows)
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def save(path: Path, rows: list[Cells]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_sheet_tells_nobody_whose_answer_it_is_or_what_the_judge_said(tmp_path: Path) -> None:
    [row] = sheet_of(tmp_path / "s.csv", answers(secretive=["=14 looms, of Leeds"]))
    assert row["answer"] == "'=14 looms, of Leeds"  # no spreadsheet runs it
    assert row["ground_truth"] == "14"
    assert "secretive" not in str(row)
    assert not any(row[name] for name in COLUMNS[5:])


def test_marks_on_a_sheet_score_as_annotated_answers_do(tmp_path: Path) -> None:
    rows = answers(plain=["=14 looms, of Leeds", "There is nothing.", "Yes, 14."])
    cells = sheet_of(tmp_path / "s.csv", rows)
    cells[0] |= {"annotator": "Ada", "facts": "14\nLeeds"}
    cells[1] |= {"annotator": "Ada", "absence": "Yes"}
    cells[2] |= {"annotator": "Ada", "facts": "14", "verdict": "YES"}
    marks = [
        {"facts": [{"quote": "14"}, {"quote": "Leeds"}], "verdict": None, "absence": False},
        {"facts": [], "verdict": None, "absence": True},
        {"facts": [{"quote": "14"}], "verdict": "yes", "absence": False},
    ]
    lines = [
        {"query_id": row.answer.query_id, "answer": row.answer.text, "Ada": given}
        for row, given in zip(rows, marks, strict=True)
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    by_sheet = open_annotations(save(tmp_path / "s.csv", cells))
    by_lines = open_annotations(tmp_path / "a.jsonl")
    assert by_sheet.name == by_lines.name == "Ada"
    for row in rows:
        score = by_sheet.score(row.question, row.answer)
        assert score is not None
        assert score == by_lines.score(row.question, row.answer)


@pytest.mark.parametrize(
    ("cell", "is_absent"),
    [
        *((cell, True) for cell in ("yes", "Yes", "TRUE", "x", "1", " yes ")),
        *((cell, False) for cell in ("", "no", "No", "FALSE", "0")),
    ],
)
def test_yes_and_no_as_people_and_spreadsheets_write_them(
    tmp_path: Path, cell: str, is_absent: bool
) -> None:
    [row] = rows = answers(plain=["There is nothing."])
    [cells] = sheet_of(tmp_path / "s.csv", rows)
    cells |= {"annotator": "Ada", "absence": cell, "comment": "looked at"}
    score = open_annotations(save(tmp_path / "s.csv", [cells])).score(row.question, row.answer)
    if score is None:  # nothing was filled in
        assert not is_absent
    else:
        assert score.absence == is_absent


def test_a_spreadsheet_may_rewrite_the_cells_that_are_to_be_read(tmp_path: Path) -> None:
    """It takes 007 for 7 and a date for another; facts may be in another case, over two lines."""
    [row] = rows = answers(plain=["Agent 007 of the\nLoom Works"])
    [cells] = sheet_of(tmp_path / "s.csv", rows)
    cells |= {"answer": "7", "annotator": "Ada", "facts": "loom  works | 007"}
    score = open_annotations(save(tmp_path / "s.csv", [cells])).score(row.question, row.answer)
    assert score is not None
    assert [fact.text for fact in score.facts] == ["Loom Works", "007"]
    assert all(row.answer.text[fact.start : fact.end] == fact.text for fact in score.facts)


def test_rows_that_nobody_filled_in_are_left_out(tmp_path: Path) -> None:
    rows = answers(plain=["14 looms", "15 looms"])
    cells = sheet_of(tmp_path / "s.csv", rows)
    cells[1] |= {"annotator": "Ada"}  # who found no fact in it
    people = open_annotations(save(tmp_path / "s.csv", cells))
    assert people.score(rows[0].question, rows[0].answer) is None
    score = people.score(rows[1].question, rows[1].answer)
    assert score is not None
    assert score.facts == ()


def test_of_two_annotators_one_can_be_named(tmp_path: Path) -> None:
    [row] = rows = answers(plain=["14 looms of Leeds"])
    [cells] = sheet_of(tmp_path / "s.csv", rows)
    given = [{"annotator": "Ada", "facts": "14"}, {"annotator": "Ben", "facts": "14|Leeds"}]
    save(tmp_path / "s.csv", [cells | marks for marks in given])
    sizes = {}
    for name in (None, "Ada", "Ben"):
        score = open_annotations(tmp_path / "s.csv", name).score(row.question, row.answer)
        sizes[name] = score and len(score.facts)
    assert sizes == {None: 1, "Ada": 1, "Ben": 2}
    with pytest.raises(InputError, match="no annotations under 'Cleo'"):
        open_annotations(tmp_path / "s.csv", "Cleo")


@pytest.mark.parametrize(
    ("filled", "told"),
    [
        ({"facts": "14"}, "line 2: marks without an annotator"),
        ({"annotator": "Ada", "absence": "maybe"}, "line 2: absence is yes"),
        ({"annotator": "Ada", "verdict": "perhaps"}, "line 2: verdict is yes, no"),
        ({}, "no row is filled in"),
        ({"annotator": "Ada", "facts": "Bristol"}, "line 2: the quote 'Bristol' is not in"),
    ],
)
def test_what_is_filled_in_otherwise_is_told_with_its_line(
    tmp_path: Path, filled: Cells, told: str
) -> None:
    [row] = rows = answers(plain=["14 looms"])
    [cells] = sheet_of(tmp_path / "s.csv", rows)
    with pytest.raises(InputError, match=told):
        open_annotations(save(tmp_path / "s.csv", [cells | filled])).score(row.question, row.answer)


def test_another_table_is_no_sheet(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("query_id,answer\nQ1,14\n")
    with pytest.raises(InputError, match=r"no column 'row'.*plan --answers"):
        open_annotations(path)


def test_the_identity_of_an_annotator_depends_on_all_marks(tmp_path: Path) -> None:
    """Not on those of the last answer alone."""
    digests = set()
    for quote in ("14", "looms"):
        row = {"query_id": "Q1", "answer": "14 looms", "Ada": {"facts": [{"quote": quote}]}}
        last = {"query_id": "Q2", "answer": "none", "Ada": {"facts": []}}
        path = tmp_path / "a.jsonl"
        path.write_text(json.dumps(row) + "\n" + json.dumps(last) + "\n")
        digests.add(open_annotations(path).digest)
    assert len(digests) == 2


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """Results of 6 answers of two conditions, and in `call` what a command printed."""
    benchmark = [
        {"id": f"Q{at}", "question": "How many looms?", "ground_truth": ["14"]} for at in range(3)
    ]
    rows = [
        {"query_id": f"Q{at}", "condition": condition, "answer": f"There are {n} looms, in Leeds."}
        for condition, n in (("plain", 12), ("rag", 14))
        for at in range(3)
    ]
    for name, lines in (("benchmark.jsonl", benchmark), ("answers.jsonl", rows)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / name).write_text(text)
    given = ("score", "answers.jsonl", "--benchmark", "benchmark.jsonl", "--resamples", "200")
    assert shell.run(*given, "--out", "out", cwd=tmp_path).returncode == 0
    return tmp_path


def marked(folder: Path, mark: Callable[[Cells], Cells]) -> None:
    with (folder / "marks.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    save(folder / "marks.csv", [row | mark(row) for row in rows])


def test_the_advice_on_the_screen_leads_to_corrected_scores_first(scored: Path) -> None:
    advice = shell.run("report", "out", cwd=scored).stdout
    assert "`factmark plan --answers FOLDER --sheet marks.csv` draws 40" in " ".join(advice.split())
    drawn = shell.run("plan", "--answers", "out", "--sheet", "marks.csv", cwd=scored)
    assert "6 answers to mark, 3 of plain, 3 of rag" in drawn.stderr
    # People take Leeds for no fact, where the rules do: H by people is 0 where all of G is said.
    marked(scored, lambda row: {"annotator": "Ada", "facts": row["answer"].split()[2]})
    done = shell.run("report", "out", "--people", "marks.csv", "--out", "by-people", cwd=scored)
    assert done.returncode == 0, done.stderr
    first = done.stdout.index("corrected by people")
    assert first < done.stdout.index("factmark rules, uncorrected")
    results = json.loads((scored / "by-people" / "results.json").read_text("utf-8"))
    values = {
        row["condition"]: row["hallucination_rate"]["value"]
        for row in results["details"]["corrected"]
    }
    assert values == {"plain": 1.0, "rag": 0.0}
    html = (scored / "by-people" / "report.html").read_text("utf-8")
    assert html.index("as people would score them") < html.index("by the judge, uncorrected")
    table = (scored / "by-people" / "tables.md").read_text("utf-8")
    _, first_table = table.split("\n\n", 1)  # after the sentence that says the result
    assert first_table.startswith(
        "**benchmark: completeness, hallucination, combined score, corrected"
    )
    by = {(row["condition"], row["by"]): row for row in results["tables"]["corrected"]}
    assert by["rag", "corrected by people"]["hallucination_rate"] == 0.0
    assert by["rag", "factmark rules, uncorrected"]["hallucination_rate"] == 0.5


def test_marks_of_other_answers_are_told_and_a_sheet_is_not_written_over(scored: Path) -> None:
    drawn = ("plan", "--answers", "out", "--each", "2", "--sheet", "marks.csv")
    assert shell.run(*drawn, cwd=scored).returncode == 0
    assert "is there already" in shell.run(*drawn, cwd=scored).stderr
    assert shell.run(*drawn, "--replace", cwd=scored).returncode == 0
    other = {"query_id": "Q1", "row": "of-another-run"}
    marked(scored, lambda row: {"annotator": "Ada"} | (other if "12" in row["answer"] else {}))
    with (scored / "marks.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["row"]: row for row in csv.DictReader(file)}
    save(scored / "marks.csv", list(rows.values()))
    some = shell.run("report", "out", "--people", "marks.csv", cwd=scored)
    assert "1 of 3 marked answers are none of those that are scored: not used" in some.stderr
    save(scored / "marks.csv", [rows["of-another-run"]])
    none = shell.run("report", "out", "--people", "marks.csv", cwd=scored)
    assert "none of its answers is among those" in none.stderr
    wrong = shell.run("plan", "--answers", "out", "--labels", "5", "--sheet", "m.csv", cwd=scored)
    assert (wrong.returncode, "no other plan" in wrong.stderr) == (2, True)
    nameless = shell.run("plan", "--answers", "out", cwd=scored)
    assert "--sheet marks.csv" in nameless.stderr


def test_a_sheet_can_be_marked_on_a_page_as_well(scored: Path) -> None:
    shell.run("plan", "--answers", "out", "--sheet", "marks.csv", cwd=scored)
    given = ("marks.csv", "--form", "facts", "--benchmark", "benchmark.jsonl")
    done = shell.run("annotate", "create", *given, "--annotators", "Ada,Ben", cwd=scored)
    assert done.returncode == 0, done.stderr
    assert "6 of 6 units" in done.stdout


def test_the_answers_of_a_sheet_are_read_as_they_were(tmp_path: Path) -> None:
    """Without the apostrophe that keeps a spreadsheet from running them."""
    texts = ["=14 looms", "- Ashby\n- Corrie", "'tis 14"]
    write_sheet(tmp_path / "s.csv", answers(plain=texts))
    assert [answer.text for answer in read_answers(tmp_path / "s.csv").answers] == texts


def test_annotations_hold_for_answers_of_that_question_alone(tmp_path: Path) -> None:
    [cells] = sheet_of(tmp_path / "s.csv", answers(plain=["14 looms"]))
    people = open_annotations(save(tmp_path / "s.csv", [cells | {"annotator": "Ada"}]))
    other = GivenAnswer(id="x", query_id="Q9", text="14 looms")
    assert people.score(question("Q9", ["14"]), other) is None
