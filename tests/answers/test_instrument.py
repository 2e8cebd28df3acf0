"""What is told of the rules as an instrument: style, bias, what was not read, what to look at."""

from __future__ import annotations

import csv
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from factmark.answers import score_tables as tables_of_scores
from factmark.answers.core import instrument
from factmark.answers.core.averages import METRICS
from factmark.answers.core.evaluate import evaluate
from factmark.answers.core.instrument import (
    bias_over_writers,
    not_read,
    own_errors,
    style_of,
    to_review,
    unseen,
)
from factmark.answers.core.records import (
    GivenAnswer,
    NoScore,
    Question,
    Trace,
)
from factmark.answers.core.rows import RULES
from factmark.answers.report import answers_report
from factmark.answers.results import Results
from factmark.answers.score_tables import (
    instrument_notes,
    score_table,
)
from factmark.stats.comparison import Options
from page import answers_html
from traced import question, traced, unscored

SAID = {
    "tool envelope": "Action: count_looms[hall 2]\nObservation: 14\nFinal answer: 14 looms.",
    "JSON": '```json\n{"looms": 14}\n```',
    "table": "| Hall | Looms |\n|---|---:|\n| 2 | 14 |",
    "list": "The mills are:\n\n* Ashby\n* Corrie [2]",
    "headings": "## Looms\nThere are 14 of them in hall 2, all of them from Leeds.",
    "citations": "Hall 2 has 14 looms [3], and most of these came from Leeds in 1902.",
    "passages": "The passages name 14 looms in hall 2, which were built in Leeds.",
    "hedged": "As far as I recall there were 14 looms, but I would not bet on that.",
    "declined": "I do not have access to the register of this mill, sorry about it.",
    "short": "14 looms, in hall 2.",
    "prose": "There are 14 looms in hall 2, and all of them were built in Leeds.",
}


BOLD = [
    ("headings", "**Hall 2**\nIt has 14 looms, all of them from Leeds."),
    ("headings", "**Hall 2:** it has 14 looms, all of them from Leeds."),
    ("headings", "**Hall 2**: it has 14 looms, all of them from Leeds."),
    ("prose", "**Hall 2** and **Hall 3** have 14 looms, all of them from Leeds."),
]


@pytest.mark.parametrize(("style", "answer"), [*SAID.items(), *BOLD])
def test_a_style_is_seen_from_the_surface(style: str, answer: str) -> None:
    assert style_of(answer) == style


@pytest.mark.parametrize(
    "unit", ["-", "| -", "\n", "[1", "•", "1. ", "a_", "**", "(a, ", "{ ", "“"]
)
def test_a_style_is_seen_in_linear_time(unit: str) -> None:
    """0.1 s at most here; a pattern that goes back to each place for each takes half a minute."""
    begun = time.process_time()
    style_of(unit * (40_000 // len(unit)))
    assert time.process_time() - begun < 3


def test_the_errors_of_new_domains_styles_and_writers_were_measured() -> None:
    """`make unseen` writes them."""
    for what in ("domain", "style", "writer"):
        measured = unseen()[what]
        assert all(0 < measured["error"][key] < 0.2 for key in METRICS)
        assert sum(kind["answers"] for kind in measured["truths"].values()) == measured["answers"]
    writers = unseen()["writer"]["writers"].values()
    assert len(writers) >= 10
    assert sum(writer["answers"] for writer in writers) == unseen()["writer"]["answers"]
    for low, high in bias_over_writers().values():
        assert -0.5 < low < high < 0.5


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that err by 0.05; three writers' averages of C were off by -0.1, 0 and 0.04."""
    figures = {
        "domain": {
            "rules": "4",
            "answers": 200,
            "error": dict.fromkeys(METRICS, 0.05),
            "truths": {
                kind: {"answers": 100, "error": dict.fromkeys(METRICS, error)}
                for kind, error in (("elements", 0.05), ("none", 0.25), ("verdict", 0.1))
            },
        },
        "writer": {
            "writers": {
                name: {"answers": 50, "bias": dict.fromkeys(METRICS, bias)}
                for name, bias in (("A", -0.1), ("B", 0.0), ("C", 0.04))
            }
        },
    }
    for module in (instrument, tables_of_scores):
        monkeypatch.setattr(module, "unseen", lambda: figures)


@pytest.mark.usefixtures("measured")
def test_the_error_to_expect_goes_by_what_is_asked() -> None:
    truths = [["14"], ["Leeds", "York"], [], ["true"]]
    expected = (2 * 0.05 + 0.25 + 0.1) / 4
    assert instrument.expected_error(truths) == pytest.approx(dict.fromkeys(METRICS, expected))


CITED = "The hall has {} looms [3], and most of these came from Leeds [4]."
PROSE = "The hall has {} looms, and it is said that most came from Leeds."


def results_of(**answers: list[str]) -> Results:
    """Results of conditions that answer questions on looms; right is 14."""
    most = max(map(len, answers.values()))
    questions = [question(f"Q{at}", ["14"]) for at in range(most)]
    given = [
        GivenAnswer(id="", query_id=f"Q{at}", text=text, model="m", condition=condition)
        for condition, texts in answers.items()
        for at, text in enumerate(texts)
    ]
    settings = Options(resamples=100)
    return evaluate("b", questions, given, signature={"judge": RULES}, settings=settings)


@pytest.mark.usefixtures("measured")
def test_a_report_tells_how_far_averages_of_other_writers_were_off() -> None:
    notes = " ".join(instrument_notes(results_of(a=[PROSE.format(14)] * 2)))
    assert (
        "Averages of 3 writers that they had not learnt from were off C by -0.10 to +0.04" in notes
    )
    assert "style" not in notes
    assert "Have 20 of your answers marked" in notes


@pytest.mark.usefixtures("measured")
def test_twenty_marked_answers_take_the_place_of_other_writers() -> None:
    """People give each of twenty answers C 0.75 that the rules give 1: the average is off by 0.25.
    Nineteen are too few."""
    results = results_of(a=[PROSE.format(14)] * 25)
    marks = {"completeness": 0.75, "hallucination_rate": 0.0, "combined_score": 0.75}
    ids = [row.answer.id for row in results.answers]
    for many in (19, 20):
        marked = replace(results, people=dict.fromkeys(ids[:many], marks))
        notes = " ".join(instrument_notes(marked))
        assert ("on the 20 of these answers that people marked" in notes) == (many == 20)
        assert ("not learnt from" in notes) == (many == 19)
    assert own_errors(marked)["completeness"].bias.value == pytest.approx(0.25)
    assert own_errors(marked)["completeness"].error == pytest.approx(0.25)
    assert "C by +0.25" in notes
    details = answers_report(marked).as_json()["details"]["instrument"]
    assert details["marked"]["completeness"]["error"] == pytest.approx(0.25)


@pytest.mark.usefixtures("measured")
def test_systems_that_differ_by_less_than_the_error_are_named() -> None:
    notes = " ".join(instrument_notes(results_of(a=[PROSE.format(14)] * 2, b=[CITED.format(14)])))
    assert "Differ by less than the rules are off: m a and m b in C" in notes
    apart = " ".join(instrument_notes(results_of(a=[PROSE.format(14)], b=[PROSE.format(15)])))
    assert "Differ by less" not in apart


@pytest.mark.usefixtures("measured")
def test_nothing_is_told_of_rules_where_others_found_the_facts() -> None:
    results = results_of(a=[PROSE.format(14)])
    others = replace(results, signature={"judge": "Ada"})
    assert list(instrument_notes(others)) == []
    assert "instrument" not in answers_report(others).as_json()["details"]
    assert not any("rules" in note for note in score_table(others).notes)


def test_what_was_not_read_is_told_with_its_reason() -> None:
    asked = question("A", ["14"])
    query = "It is 14.\n```sparql\nSELECT ?n\nWHERE {}\n```\n[the register](https://r.example/)"
    row = traced(asked, query, None)
    assert not_read(row, RULES) == ("a SPARQL query of 2 lines", "the target of 1 link")
    assert not_read(row, "openai:some-model") == ()  # it reads all of an answer
    refused = traced(asked, "I will not say 14.", Trace(ended="refused"))
    assert not_read(refused, RULES) == ("all of it: the model refused",)
    assert not_read(unscored(asked), RULES) == ("all of it: no score (no reply in 60 s)",)
    verdict = traced(question("B", ["true"]), "Yes, it has 14 looms and 3 wheels.", None)
    assert "all but the verdict" in not_read(verdict, RULES)[0]


@pytest.mark.parametrize(
    ("answer", "truth", "why"),
    [
        ("It is hard to say what this could be in the end.", ["14"], "was read as one"),
        ("There are no looms in any of the halls of it.", [], "report that there is nothing"),
        ("That depends on whom of them you would ask about it.", ["true"], "neither yes nor no"),
        ("It is hard to say, really.", ["14"], ""),  # six words
        ("There are 14 looms in hall 2 and 3 wheels.", ["14"], ""),
    ],
)
def test_long_answers_without_a_fact_are_to_be_looked_at(
    answer: str, truth: list[str], why: str
) -> None:
    review = to_review(traced(question("A", truth), answer, None))
    assert why in review
    assert bool(review) == bool(why)


def with_one_of_each() -> Results:
    """An answer with rows and a query, one without a fact, and one that never came."""
    asked = Question(
        query_id="A",
        category="c",
        text="Which looms, of when?",
        ground_truth=("Ashby", "1902"),
        rows=(("Ashby", "1902"), ("Corrie", "1911")),
    )
    given = [
        ("Ashby is of 1902.\n```sparql\nSELECT ?n {}\n```", None),
        ("It is hard to say what this could be in the end.", None),
        ("", NoScore(status="failed", reason="no reply in 60 s")),
    ]
    answers = [
        GivenAnswer(id=f"a{at}", query_id="A", text=text, model="m", condition="c", lost=lost)
        for at, (text, lost) in enumerate(given)
    ]
    return evaluate("b", [asked], answers, signature={"judge": RULES})


def test_files_tell_of_each_answer_how_it_was_read(tmp_path: Path) -> None:
    results = with_one_of_each()
    answers_report(results).write(tmp_path)
    with (tmp_path / "rows.csv").open(newline="", encoding="utf-8") as file:
        read, vague, lost = csv.DictReader(file)
    assert (read["style"], read["review"], read["error"]) == ("prose", "", "")
    assert json.loads(read["not_read"]) == ["a SPARQL query of 1 line"]
    assert float(read["row_completeness"]) == 0.5
    assert "nothing that it states" in vague["review"]
    assert (lost["id"], lost["error"], lost["completeness"]) == ("a2", "no reply in 60 s", "")
    assert json.loads(lost["not_read"]) == ["all of it: no score (no reply in 60 s)"]
    rows = json.loads((tmp_path / "results.json").read_text("utf-8"))["rows"]
    assert [row["row_completeness"] for row in rows] == [0.5, 0.0, None]
    assert [row["status"] for row in rows] == ["ok", "ok", "failed"]
    assert any("no fact was found" in problem for problem in results.problems)


def test_rows_that_do_not_come_read_again_are_still_missing(tmp_path: Path) -> None:
    """rows.csv has those without a score, and reading it must not make them empty answers."""
    from factmark.answers.reading import read_answers

    answers_report(with_one_of_each()).write(tmp_path)
    again = read_answers(tmp_path / "rows.csv").answers
    assert [answer.lost is not None for answer in again] == [False, False, True]


def test_a_report_of_one_nameless_system_has_its_rows() -> None:
    """The table of rows has no column of names then."""
    results = with_one_of_each()
    asked = [row.question for row in results.answers[:1]]
    answer = GivenAnswer(id="a", query_id="A", text="Ashby is of 1902.")
    html = answers_html(evaluate("b", asked, [answer], signature={"judge": RULES}))
    assert "b: row by row" in html


def test_the_report_lists_what_to_look_at_and_what_has_no_score() -> None:
    html = answers_html(with_one_of_each())
    assert '<a href="#answer-2"><bdi>A</bdi>' in html
    assert html.count(" data-review>") == 1
    assert "Not read: a SPARQL query of 1 line" in html
    assert "Answers without a score" in html
    assert "<dt>Rows said together</dt><dd>0.50</dd>" in html
    assert len(answers_report(with_one_of_each()).rows) == 3
