"""A study from file to results, and the same results again from the ledger."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from factmark.answers.annotations import open_annotations, read_annotations

from factmark.answers.core.averages import Settings
from factmark.answers.core.evaluate import Extraction, sort_out
from factmark.answers.core.records import AnswerScore, Fact, GivenAnswer, Question, Results, Trace
from factmark.answers.core.scores import score_with
from factmark.answers.derive import Truth
from factmark.answers.extractors import load_extractor
from factmark.answers.reading import read_answers
from factmark.answers.results import answer_rows, results_from_ledger, results_json, write_results
from factmark.answers.study import score_study
from factmark.errors import FactmarkError, InputError, LedgerError
from factmark.files.flat_files import csv_text
from factmark.model import Judge
from traced import question as traced_question
from traced import traced

QUESTIONS = (
    Question(query_id="A", category="one", text="How many?", ground_truth=("30",), sparql="ASK {}"),
    Question(query_id="B", category="one", text="Which?", ground_truth=("lupus", "gout")),
    Question(query_id="C", category="two", text="Which lack it?", ground_truth=()),
    Question(query_id="D", category="two", text="Broken", ground_truth=None),
)
ROWS = [
    {"query_id": "A", "condition": "rag", "answer": "There are thirty.", "latency_seconds": 2},
    {"query_id": "A", "condition": "rag", "answer": "There are 31."},
    {"query_id": "B", "condition": "rag", "answer": "Lupus and asthma."},
    {"query_id": "B", "condition": "rag", "answer": "Lupus and asthma."},
    {"query_id": "C", "condition": "rag", "answer": "None."},
    {"query_id": "A", "condition": "mcp", "answer": "", "tools_called": ["x"]},
    {"query_id": "Z9", "condition": "rag", "answer": "lost"},
    {"query_id": "D", "condition": "rag", "answer": "lupus"},
]


def study(folder: Path, questions: tuple[Question, ...] = QUESTIONS, **changes: object) -> Results:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    arguments = {
        "truth": Truth(
            benchmark="test", questions=questions, problems=("told before",), source="here"
        ),
        "answers": read_answers(path),
        "extraction": Extraction.by_rule(),
        "settings": Settings(resamples=200),
        "ledger": folder / "ledger.db",
    }
    return score_study(**(arguments | changes))  # type: ignore[arg-type]  # changed by name


def test_scores_and_averages(tmp_path: Path) -> None:
    results = study(tmp_path)
    told = [
        (row.answer.query_id, row.answer.condition, row.score.completeness)
        for row in results.answers
    ]
    assert told == [
        ("A", "rag", 1.0),
        ("A", "rag", 0.0),
        ("A", "mcp", 0.0),
        ("B", "rag", 0.5),
        ("C", "rag", 1.0),
    ]
    averages = {(row.condition, row.category): row for row in results.summaries}
    # A was answered twice: 0.5 for it, 0.5 for B.
    assert averages["rag", "one"].completeness.value == 0.5
    assert averages["rag", "overall"].completeness.value == pytest.approx(2 / 3)
    assert averages["rag", "overall"].n_answers == 4
    assert averages["rag", "overall"].n_missing == 0
    assert averages["mcp", "overall"].n_missing == 2
    assert averages["mcp", "two"].completeness.value is None


def test_nothing_is_dropped_silently(tmp_path: Path) -> None:
    problems = study(tmp_path).problems
    assert problems[0] == "told before"
    for part in (
        "1 answer to questions that the benchmark does not have: not scored (Z9)",
        "1 answer to questions without a ground truth: not scored (D)",
        "1 answer the same as an earlier one of its question, model and condition: left out (B)",
        "1 answer empty: scored, without facts (A)",
        "1 question has several answers by one model under one condition: averaged per question"
        " (A)",
        "2 of 3 questions have no answer in mcp (B, C)",
    ):
        assert part in problems


def test_repeats_that_were_asked_for_are_no_note() -> None:
    asked = traced_question("A")
    rows = [traced(asked, "30", Trace(sample=at), id=f"{at}").answer for at in (0, 1)]
    lost = traced(asked, "", None, id="3").answer
    assert sort_out([*rows, lost, replace(lost, id="4")], {"A": asked})[1] == []
    twice = [rows[0], replace(rows[0], id="2")]
    (told,) = sort_out(twice, {"A": asked})[1]
    assert told.startswith("1 question has several answers")


def test_ledger_gives_the_same_results(tmp_path: Path) -> None:
    assert results_from_ledger(tmp_path / "ledger.db" if study(tmp_path) else tmp_path) == study(
        tmp_path
    )


def test_ledger_answers_for_its_newest_run(tmp_path: Path) -> None:
    study(tmp_path)
    only = replace(read_answers(tmp_path / "answers.jsonl"), problems=())
    second = study(tmp_path, answers=replace(only, answers=only.answers[:1]))
    assert results_from_ledger(tmp_path / "ledger.db") == second


def test_no_ledger_no_report(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no such ledger"):
        results_from_ledger(tmp_path / "nowhere.db")
    assert not (tmp_path / "nowhere.db").exists()


@pytest.mark.parametrize("cell", ["units SET data", "imports SET data"])
def test_values_of_another_form_are_told_with_the_file(tmp_path: Path, cell: str) -> None:
    study(tmp_path, ledger=tmp_path / "l.db")
    with closing(sqlite3.connect(tmp_path / "l.db", isolation_level=None)) as db:
        db.execute(f"UPDATE {cell} = '{{\"a\": []}}'")
    with pytest.raises(LedgerError, match=r"l\.db: is damaged"):
        results_from_ledger(tmp_path / "l.db")


def test_signature_tells_how_the_numbers_were_made(tmp_path: Path) -> None:
    signature = study(tmp_path).signature
    assert {"factmark", "benchmark", "ground_truth", "answers", "judge", "seed", "version"} <= set(
        signature
    )
    other = study(tmp_path, questions=(*QUESTIONS[:1], replace(QUESTIONS[1], ground_truth=("x",))))
    assert other.signature["ground_truth"] != signature["ground_truth"]


def test_files_of_the_results(tmp_path: Path) -> None:
    results = study(tmp_path)
    files = {path.name: path for path in write_results(results, tmp_path / "out")}
    loaded = json.loads(files["results.json"].read_text("utf-8"))
    assert loaded == json.loads(json.dumps(results_json(results)))
    assert list(loaded) == ["benchmark", "answers", "averages", "problems", "signature"]
    assert {
        "query_id", "category", "condition", "model", "answer", "facts", "missing", "verdict",
        "completeness", "hallucination_rate", "combined_score", "latency_seconds", "tools_called",
    } <= set(loaded["answers"][0])  # fmt: skip
    with files["answers.csv"].open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["query_id"] for row in rows] == ["A", "A", "A", "B", "C"]
    table = duckdb.read_parquet(str(files["answers.parquet"]))
    assert table.columns == list(answer_rows(results)[0])
    assert table.project("query_id, completeness, latency_seconds").fetchall()[0] == ("A", 1.0, 2.0)
    averages = duckdb.read_parquet(str(files["averages.parquet"]))
    assert len(averages.filter("n_missing > 0").fetchall()) == 9
    assert files["table.md"].read_text().startswith("**test")
    assert "\\toprule" in files["table.tex"].read_text()


def test_cells_do_not_run_in_a_spreadsheet() -> None:
    assert csv_text([{"a": "=1+1", "b": -1.5}], ["a", "b"]) == "a,b\r\n'=1+1,-1.5\r\n"


def test_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file stands here")
    with pytest.raises(FactmarkError, match="cannot be written"):
        write_results(study(tmp_path), tmp_path / "out")


def test_ledger_forgets_what_a_judge_said_before_and_not_now(tmp_path: Path) -> None:
    """A judge of the same name that finds fewer facts: those withdrawn do not come back."""
    truth = QUESTIONS[1].ground_truth or ()

    def by(*texts: str) -> Extraction:
        def scorer(question: Question, answer: GivenAnswer) -> AnswerScore:
            found = [text for text in texts if text in answer.text]
            return score_with(
                lambda: [Fact(text=t, start=0, end=len(t)) for t in found],
                question.text,
                question.ground_truth or (),
                answer.text,
            )

        return Extraction(judge=Judge.create("person", "anna"), scorer=scorer)

    assert truth
    study(tmp_path, extraction=by("Lupus", "asthma"))
    second = study(tmp_path, extraction=by("Lupus"))
    assert results_from_ledger(tmp_path / "ledger.db") == second


def test_samples_with_ids_all_count(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    said = ["30", "30", "30", "30", "7"]
    rows = [{"id": f"r{n}", "query_id": "A", "answer": text} for n, text in enumerate(said)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = study(tmp_path, answers=read_answers(path))
    assert len(results.answers) == 5
    assert results.summaries[0].completeness.value == pytest.approx(0.8)


def test_nothing_to_score_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "unknown.jsonl"
    path.write_text('{"query_id": "nope", "answer": "30"}\n')
    with pytest.raises(InputError, match=r"None of the 1 answers could be scored.*nope"):
        study(tmp_path, answers=read_answers(path))


def annotated(folder: Path, **changes: object) -> Path:
    row = {
        "query_id": "B",
        "answer": "Lupus and asthma.",
        "anna": {"facts": [{"quote": "Lupus"}], "verdict": None, "absence": False},
    }
    path = folder / "annotated.jsonl"
    path.write_text(json.dumps(row | changes) + "\n")
    return path


def test_annotations_take_the_place_of_the_rules(tmp_path: Path) -> None:
    name, scorer = read_annotations(annotated(tmp_path))
    assert name == "anna"
    answers = read_answers(tmp_path / "annotated.jsonl")
    extraction = Extraction(judge=Judge.create("person", name), scorer=scorer)
    (row,) = study(tmp_path, answers=answers, extraction=extraction).answers
    assert [fact.text for fact in row.score.facts] == ["Lupus"]
    assert (row.score.completeness, row.score.hallucination_rate) == (0.5, 0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"anna": {"facts": [{"quote": "gout"}]}}, "line 1: the quote 'gout' is not in the answer"),
        ({"anna": {"facts": "Lupus"}}, "line 1: 'facts' is not a list"),
        ({"anna": {"facts": [], "verdict": "maybe"}}, "verdict is yes, no or null"),
        ({"anna": None}, "no annotations under"),
    ],
)
def test_broken_annotations(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_annotations(annotated(tmp_path, **changes))


def test_extractor_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_extractor.py").write_text(
        "def words(question, truth, answer):\n"
        "    return [(0, 5)] if answer.startswith('Lupus') else ['30'] if '30' in answer else []\n"
        "def broken(question, truth, answer):\n    return ['not there']\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    scorer, _ = load_extractor("mine_extractor:words")
    extraction = Extraction(judge=Judge.create("rule", "mine"), scorer=scorer)
    results = study(tmp_path, extraction=extraction)
    assert [f.text for row in results.answers for f in row.score.facts] == ["Lupus"]
    broken, _ = load_extractor("mine_extractor:broken")
    failing = Extraction(judge=Judge.create("rule", "broken"), scorer=broken)
    with pytest.raises(InputError, match="failed on answer 1 to A"):
        study(tmp_path, extraction=failing)
    for wrong in ("nothing", "no_such_module_here:f", "mine_extractor:absent"):
        with pytest.raises(InputError, match="--extractor"):
            load_extractor(wrong)


def marked(folder: Path, answer: str, facts: list[object]) -> list[tuple[int, int]]:
    path = folder / "marked.jsonl"
    row = {"query_id": "D1", "answer": answer, "anna": {"facts": facts}}
    path.write_text(json.dumps(row), "utf-8")
    _, scorer = read_annotations(path)
    question = Question(query_id="D1", category="c", text="q", ground_truth=("10",))
    given = read_answers(path).answers[0]
    return [(fact.start, fact.end) for fact in scorer(question, given).facts]


@pytest.mark.parametrize(
    ("answer", "quotes", "starts"),
    [
        ("100 patients, 10 women", ["10"], [14]),
        ("10.5 and 1,10 and 10.", ["10"], [18]),
        ("30 here, 30 there", ["30 here", "30"], [0, 9]),
        ("30 here, 130 there", ["30 here", "30"], [0, 0]),
        ("x10 y10", ["x10", "10"], [0, 5]),
        ("(a) b", ["(a)", "b"], [0, 4]),
    ],
)
def test_a_quote_stands_at_whole_words(
    tmp_path: Path, answer: str, quotes: list[str], starts: list[int]
) -> None:
    found = marked(tmp_path, answer, [{"quote": quote} for quote in quotes])
    assert [start for start, _ in found] == starts


def test_a_told_place_counts(tmp_path: Path) -> None:
    facts: list[object] = [{"quote": "10", "start": 0, "end": 2}, {"quote": "12", "start": 15}]
    assert marked(tmp_path, "100 patients, (12) 12", facts) == [(0, 2), (15, 17)]


@pytest.mark.parametrize(
    "place",
    [{"start": 1}, {"start": -1}, {"start": True}, {"start": "0"}, {"end": 2},
     {"start": 0, "end": 3}, {"start": 0, "end": "2"}, {"start": 99}],
)  # fmt: skip
def test_a_wrong_place_is_refused(tmp_path: Path, place: dict[str, object]) -> None:
    with pytest.raises(FactmarkError, match=r"line 1: .*'10'"):
        marked(tmp_path, "100 patients", [{"quote": "10", **place}])


def test_broken_characters_in_annotations_match_those_of_the_answers(tmp_path: Path) -> None:
    assert marked(tmp_path, "a \ud800 10", [{"quote": "\ud800 10"}]) == [(2, 6)]


def people_of(folder: Path) -> Path:
    path = folder / "people.jsonl"
    row = {
        "query_id": "A",
        "answer": "There are 31.",
        "ana": {"facts": [{"quote": "31"}], "verdict": None, "absence": False},
    }
    path.write_text(json.dumps(row) + "\n")
    return path


def test_marks_of_people_correct_the_scores_and_are_kept(tmp_path: Path) -> None:
    results = study(tmp_path, people=open_annotations(people_of(tmp_path)))
    (made,) = results.corrections
    assert (made.condition, made.annotated, made.answers) == ("rag", 1, 4)
    assert results.signature["people"] == "ana"
    assert made.completeness.rubric == "factmark rules"
    again = results_from_ledger(tmp_path / "ledger.db")
    assert again.corrections == results.corrections
    assert results_json(again)["corrected"][0]["completeness"]["signature"]


def test_marks_of_other_answers_are_an_error(tmp_path: Path) -> None:
    path = people_of(tmp_path)
    path.write_text(path.read_text().replace("There are 31.", "There are 310."))
    with pytest.raises(InputError, match="none of its answers"):
        study(tmp_path, people=open_annotations(path))
