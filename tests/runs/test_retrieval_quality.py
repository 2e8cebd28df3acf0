"""How often passages hold the ground truth: by hand, per category, with what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from factmark.answers.core.records import Question
from factmark.answers.questions.ground_truths import Truth
from factmark.report.layouts import markdown_table
from factmark.runs.report import RetrievalResults, retrieval_report, retrieval_sentence
from factmark.runs.retrieval_quality import Retrieved, questions_held, retrieval_quality


def row(name: str, truth: tuple[str, ...] | None, *texts: str, category: str = "one") -> Retrieved:
    return Retrieved(question=asked(name, truth, category), texts=texts)


def asked(name: str, truth: tuple[str, ...] | None, category: str, **more: Any) -> Question:
    return Question(query_id=name, category=category, text="Which?", ground_truth=truth, **more)


ROWS = (
    row("A", ("gout",), "nothing", "of gout"),
    row("B", ("lupus", "asthma", "acne"), "lupus", "asthma and eczema"),
    row("C", (), "whatever"),
    row("D", ("30",), "30 datasets", "x", category="two"),
    row("E", None, "x", category="two"),
    row("F", ("male",), "females only", category="two"),
)


def test_by_hand() -> None:
    found = {(one.category, one.k): one for one in retrieval_quality(ROWS, (1, 2), resamples=200)}
    first = found["one", 1]  # A: 0 of 1, B: 1 of 3; C is empty
    assert first.whole.value == 0
    assert first.elements.value == pytest.approx((0 + 1 / 3) / 2)
    assert (first.n_questions, first.n_empty, first.n_larger, first.n_unknown) == (3, 1, 1, 0)
    second = found["one", 2]  # A: 1 of 1, B: 2 of 3
    assert second.whole.value == 1 / 2
    assert second.elements.value == pytest.approx((1 + 2 / 3) / 2)
    two = found["two", 1]  # D: 1 of 1, F: 0 of 1; E is not known
    assert two.whole.value == 1 / 2
    assert (two.whole.n_missing, two.n_unknown) == (1, 1)
    assert (two.whole.worst, two.whole.best) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    overall = found["overall", 2]  # A, D whole; B two thirds; F nothing
    assert overall.elements.value == pytest.approx((1 + 2 / 3 + 1 + 0) / 4)
    assert overall.n_questions == 6


def test_by_chance_is_what_the_passages_of_another_question_hold() -> None:
    rows = (row("A", ("gout",), "asthma"), row("B", ("asthma",), "asthma"))
    (one, _) = retrieval_quality(rows, (1,), resamples=200)
    assert one.elements.value == 1 / 2  # B
    assert one.by_chance.value == 1 / 2  # B again, by A's passage


def test_what_is_held_and_what_is_missing() -> None:
    found = {(one.query_id, one.k): one for one in questions_held(ROWS, (1, 2))}
    assert found["B", 1].held == ("lupus",)
    assert found["B", 2].missing == ("acne",)
    assert ("C", 1) not in found


def test_an_alias_of_an_element_holds_it() -> None:
    question = asked("A", ("Ann Weir", "258"), "one", aliases={"Ann Weir": ("A. M. Weir",)})
    passages = Retrieved(question=question, texts=("By A. M. Weir, in 4 minutes 18 seconds.",))
    (held,) = questions_held((passages,), (1,))
    assert (held.held, held.missing) == (("Ann Weir",), ("258",))


def test_nothing_to_measure() -> None:
    assert questions_held((), (1,)) == ()
    (overall,) = retrieval_quality((), (1,), resamples=200)
    assert overall.whole.value is None


def results_of(rows: Sequence[Retrieved], ks: Sequence[int]) -> RetrievalResults:
    """What `factmark rag check` comes to on these rows."""
    return RetrievalResults(
        searched="lexical | x",
        truth=Truth(benchmark="b", questions=tuple(row.question for row in rows)),
        quality=retrieval_quality(rows, ks, resamples=200),
        questions=questions_held(rows, ks),
    )


def test_the_tables_of_all_questions_and_by_category() -> None:
    result = retrieval_report(results_of(ROWS, (1, 2)))
    table, by_category = result.tables.values()
    assert [line.labels for line in table.lines] == [("1",), ("2",)]
    assert [line.labels for line in by_category.lines] == [
        ("overall", "1"),
        ("overall", "2"),
        ("one", "1"),
        ("one", "2"),
        ("two", "1"),
        ("two", "2"),
    ]
    assert any("1 question has an empty ground truth" in note for note in table.notes)
    assert any("1 question has no known ground truth" in note for note in table.notes)
    assert table.rows()[0]["whole"] == result.averages["held whole by passage"].value
    assert "lexical \\| x" in markdown_table(table)
    rows = {(row["query_id"], row["k"]): row for row in result.json_rows()}
    assert rows["B", 2]["missing"] == ["acne"]


def test_the_sentence_tells_how_many_the_passages_of_a_run_hold_and_the_most() -> None:
    quality = retrieval_quality(ROWS, (1, 5, 9), resamples=200)
    shown = {row.k: f"{row.whole.value:.2f}" for row in quality if row.category == "overall"}
    sentence = retrieval_sentence(quality).sentence
    assert sentence.startswith("Of 4 questions, this share has its whole ground truth in what is")
    assert f"found: {shown[5]} [" in sentence
    assert f"by the best 5 passages and {shown[9]} [" in sentence
    assert "by the best 9 passages (in brackets 95 % intervals)" in sentence
    alone = retrieval_sentence(retrieval_quality(ROWS, (1,), resamples=200)).sentence
    assert "by the best passage (" in alone
    nothing = retrieval_sentence(retrieval_quality((), (1,), resamples=200)).sentence
    assert nothing.startswith("No question has a ground truth")
