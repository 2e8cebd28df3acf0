"""What is told of runs: tools, grounding, endings, tokens, repeats; constants worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from factmark.answers.core import grounding
from factmark.answers.core.grounding import beyond_of, held, held_in_trace, held_of, retrieval
from factmark.answers.core.records import Trace
from factmark.answers.core.run_measures import (
    abstained,
    abstention,
    endings,
    latency,
    offer,
    tools,
    usage,
    variation,
    with_runs,
)
from factmark.answers.results import Results
from factmark.stats.comparison import Options
from traced import chunk, group, question, scored, traced, unscored, use

A, B, C = question("A"), question("B"), question("C")
TWO, ONE = question("A", ("lupus", "gout")), question("B", ("asthma",))


def tools_of(rows, *more):
    made = group(rows, more)
    return tools(made, offer(made.rows))


def retrieval_of(rows):
    return retrieval(group(rows), held_of(rows), beyond_of(rows))


def test_tool_accuracy_is_a_share_of_questions_with_their_answers_averaged_first() -> None:
    rows = [
        traced(A, "30", Trace(tools=(use("guess"), use("find")))),
        traced(A, "31", Trace(sample=1, tools=(use("guess"),))),
        traced(B, "30", Trace(tools=(use("list"),))),
        traced(C, "30", Trace(tools=())),
        traced(question("F", expected_tools=None), "", Trace(tools=())),  # expects none: not in it
    ]
    found = tools_of(rows)
    # A: one of two answers called `list` or `find`; B did; C called nothing: (1/2 + 1 + 0) / 3.
    assert found["accuracy"].value == pytest.approx(0.5)
    assert (found["accuracy"].n_items, found["accuracy"].n_units) == (3, 4)
    assert found["calls"].value == pytest.approx((1.5 + 1 + 0 + 0) / 4)
    assert found["failed"].value == 0
    assert tools_of(rows[-1:])["accuracy"] is None


def test_failed_calls_by_status() -> None:
    bad = (use(), use("x", "unknown"), use(status="timeout"), use(status="lost"))
    rows = [traced(A, "30", Trace(tools=bad)), traced(B, "30", Trace(tools=(use(),)))]
    found = tools_of([*rows, traced(C, "30", Trace(tools=()))])
    # Of the calls of A three of four failed, of B none; C made none and is in no share.
    assert (found["failed"].value, found["failed"].n_items) == (pytest.approx(0.375), 2)
    values = {status: one.value for status, one in found["failed_by"].items()}
    assert values == {"error": 0, "unknown": 0.125, "invalid": 0, "timeout": 0.125, "lost": 0.125}
    assert found["statuses"] == {"lost": 1, "ok": 2, "timeout": 1, "unknown": 1}


def test_an_answer_that_never_came_is_missing_and_widens_the_worst_and_the_best() -> None:
    found = tools_of([traced(A, "30", Trace(tools=(use(),))), unscored(A), unscored(B)], C)
    accuracy, calls = found["accuracy"], found["calls"]
    assert (accuracy.value, accuracy.n_missing) == (1, 2)  # B and C
    # A is at worst (1 + 0) / 2; B and C are 0 or 1.
    assert (accuracy.worst, accuracy.best) == (pytest.approx(0.5 / 3), 1)
    assert (calls.n_missing, calls.worst, calls.best) == (2, None, None)


def test_no_tools_offered_no_accuracy() -> None:
    assert tools_of([traced(A, "30", Trace())]) is None
    # A file's empty list tells nothing where nobody called a tool; beside a call it counts.
    empty = traced(A, "30", None, tools_called=())
    assert tools_of([empty]) is None
    found = tools_of([empty, traced(B, "30", None, tools_called=("find",))])
    assert (found["accuracy"].value, found["failed"], found["failed_by"]) == (0.5, None, {})


def test_lost_answers_of_a_condition_with_tools_are_missing_in_every_category() -> None:
    lost = question("L", category="two")
    gone = (unscored(lost, tools_called=()), unscored(B, tools_called=()))
    rows = (traced(A, "30", Trace(tools=(use(),))),)
    bare = Results(benchmark="b", answers=rows, summaries=(), unscored=gone)
    settings = Options(resamples=100)
    runs = {run.category: run.tools for run in with_runs(bare, [A, B, lost], settings).runs}
    assert (runs["two"]["accuracy"].value, runs["two"]["calls"].n_missing) == (None, 1)
    assert (runs["overall"]["calls"].value, runs["overall"]["calls"].n_missing) == (1, 2)
    assert tools_of(gone)["failed"].n_missing == 2  # not one came: tools were offered all the same


@pytest.mark.parametrize(
    ("text", "ended", "expected"),
    [
        ("I cannot say.", "answered", True),
        ("Yes.", "answered", False),
        ("There are none.", "answered", False),
        ("There are 31.", "answered", False),
        ("There are 31.", "refused", True),
    ],
)
def test_abstention(text: str, ended: str, expected: bool) -> None:
    asked = question("A", text="Does the dataset hold 30 patients?")
    assert abstained(traced(asked, text, Trace(ended=ended))) is expected  # type: ignore[arg-type]


def test_endings_and_abstention_count_refusals_and_miss_what_failed() -> None:
    rows = [traced(A, "30", Trace()), unscored(B, Trace(ended="refused")), unscored(C)]
    found = abstention(group(rows))
    assert (found.value, found.n_items, found.n_missing) == (0.5, 2, 1)
    assert endings(group(rows))["refused"].n_missing == 1
    rows = [
        traced(A, "30", Trace(rounds=6, ended="rounds")),
        traced(A, "30", Trace(rounds=2)),
        traced(B, "30", Trace(rounds=1, ended="length")),
    ]
    ends = endings(group(rows))
    assert ends["rounds"].value == pytest.approx((4 + 1) / 2)
    assert (ends["out_of_rounds"].value, ends["cut_off"].value) == (0.25, 0.5)
    assert endings(group([scored(A, 1.0)])) is None


def test_latency_by_nearest_rank() -> None:
    rows = [traced(A, "30", None, latency_seconds=float(n)) for n in range(1, 21)]
    # Of 20: the 10th and the 19th; of one: itself.
    assert latency([*rows, unscored(B)]) == {"median": 10, "p95": 19, "n": 20, "n_missing": 1}
    assert latency([scored(A, 1.0)]) is None


def test_tokens_and_cost() -> None:
    rows = [
        traced(A, "30", Trace(input_tokens=100, output_tokens=10, cost=0.5)),
        traced(A, "30", Trace(input_tokens=300, output_tokens=10, cost=0.1)),
        traced(B, "30", Trace(input_tokens=50, output_tokens=1, cost=0.3, estimated=True)),
        unscored(C),
    ]
    found = usage(group(rows))
    assert (found["input_tokens"], found["output_tokens"], found["estimated"]) == (450, 21, True)
    assert found["input_per_answer"].value == pytest.approx((200 + 50) / 2)
    assert found["cost"] == pytest.approx(0.9)
    assert found["cost_per_answer"].value == pytest.approx(0.3)
    assert (found["n"], found["n_missing"]) == (3, 1)
    assert usage(group([*rows, traced(C, "30", Trace(cost=None))]))["cost"] is None


def test_each_element_is_in_one_cell_of_retrieved_by_said() -> None:
    four = question("A", ("lupus", "gout", "asthma", "rickets"))
    trace = Trace(chunks=(chunk("Lupus"), chunk("", "Gout in 1950")))
    found = retrieval_of([traced(four, "It covers lupus and asthma.", trace)])
    # Retrieved: lupus, gout. Said: lupus, asthma.
    assert [found[name].value for name in ("both", "unsaid", "unheld", "neither")] == [0.25] * 4
    assert (found["held"].value, found["whole"].value) == (0.5, 0)
    assert (found["completeness"].value, found["completeness"].n_missing) == (None, 0)


def test_shares_of_what_was_retrieved_are_averaged_per_question_first() -> None:
    rows = [
        traced(TWO, "lupus", Trace(tools=(use(result="gout"), use(result="and lupus")))),
        traced(TWO, "lupus", Trace(sample=1, tools=())),
        traced(ONE, "none", Trace(tools=(use(result="asthma"),))),
    ]
    found = {name: estimate.value for name, estimate in retrieval_of(rows).items()}
    # Held: A (1 + 0) / 2, B 1. Both: A (1/2 + 0) / 2, B 0. Unsaid: A (1/2 + 0) / 2, B 1.
    # Unheld and neither: A (0 + 1/2) / 2. C where all of G was there: 1/2 of A, 0 of B.
    assert found == {
        "held": 0.75,
        "both": 0.125,
        "unsaid": 0.625,
        "unheld": 0.125,
        "neither": 0.125,
        "whole": 0.75,
        "completeness": 0.25,
        "beyond": 0,
    }


def test_what_of_h_was_retrieved_is_told_from_what_nothing_bears_out() -> None:
    rows = [
        traced(TWO, "They are lupus, rickets and scurvy.", Trace(chunks=(chunk("On rickets."),))),
        traced(ONE, "It is gout.", Trace(tools=())),
    ]
    # A: rickets was retrieved, scurvy was not, 1 of 3. B: gout was not, 1 of 1.
    assert retrieval_of(rows)["beyond"].value == pytest.approx((1 / 3 + 1) / 2)


def test_what_was_given_to_answers_without_a_score_or_a_ground_truth() -> None:
    other = question("D", ("x",))
    rows = [
        traced(TWO, "lupus", Trace(chunks=(chunk("lupus gout"),))),
        traced(question("E", ()), "none", Trace(chunks=(chunk("lupus"),))),
        unscored(ONE),
        unscored(other, Trace(chunks=(chunk("x"),))),
    ]
    found = retrieval_of(rows)
    assert (found["whole"].value, found["whole"].n_items, found["whole"].n_missing) == (1, 2, 1)
    # What D said is not known: it was to be scored and could not be.
    assert (found["both"].value, found["both"].n_missing) == (0.5, 2)
    rows = [
        traced(ONE, "asthma", Trace(chunks=(chunk("asthma"),))),
        unscored(TWO, Trace(chunks=(chunk("lupus"),))),  # half of G: whatever it said
        unscored(other, Trace(chunks=(chunk("x"),))),
    ]
    found = retrieval_of(rows)
    assert (found["completeness"].value, found["completeness"].n_missing) == (1, 1)
    assert retrieval_of([traced(TWO, "lupus", Trace())]) is None
    assert held_in_trace(TWO, Trace(chunks=(chunk("gout"),))) == {"lupus": False, "gout": True}


def test_texts_are_looked_through_once_for_all_shares_and_categories(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = []

    def counting(truth: tuple[str, ...], shown: tuple[str, ...]) -> tuple[bool, ...]:
        looked.append(shown)
        return held(truth, shown)

    monkeypatch.setattr(grounding, "held", counting)
    rows = [traced(one, "lupus", Trace(chunks=(chunk("lupus"),))) for one in (TWO, ONE)]
    bare = Results(benchmark="b", answers=tuple(rows), summaries=())
    assert len(with_runs(bare, [TWO, ONE], Options(resamples=100)).runs) == 2
    assert len(looked) == 3  # once an answer for G, and once for the lupus that is in none


def test_variation_is_the_mean_absolute_difference_over_pairs_and_questions() -> None:
    rows = [scored(A, s, n) for n, s in enumerate((0.0, 0.5, 1.0))]
    rows += [scored(B, 0.25, n) for n in range(2)]
    found = variation(group([*rows, scored(C, 1.0)]))
    # A: (0.5 + 1 + 0.5) / 3; B: 0; C has one answer and is not among them.
    for key in ("completeness", "hallucination_rate", "combined_score"):
        assert found[key].value == pytest.approx(1 / 3)
    assert (found["combined_score"].n_items, found["combined_score"].n_missing) == (2, 0)
    assert (found["same"].value, found["best"].value, found["worst"].value) == (0.5, 0.625, 0.125)
    assert found["answers"] == (2, 3)
    # A question left with one score is missing.
    same = variation(group([scored(A, 1.0), scored(A, 1.0, 1), scored(B, 1.0), unscored(B)]))[
        "same"
    ]
    assert (same.value, same.n_items, same.n_missing, same.worst) == (1, 1, 1, 0.5)
    assert variation(group([scored(A, 1.0), scored(B, 0.0)])) is None


def test_coverage_of_variation() -> None:
    """Yes/no scores with p uniform: two answers differ with 2p(1-p), 1/3 on average."""
    random = np.random.default_rng(7)
    asked = [question(f"Q{n}") for n in range(40)]
    held_true, values = 0, []
    for _ in range(120):
        drawn = random.random((40, 3)) < random.random((40, 1))
        rows = [
            scored(one, float(s), n)
            for one, some in zip(asked, drawn, strict=True)
            for n, s in enumerate(some)
        ]
        made = variation(group(rows))["combined_score"]
        held_true += made.low <= 1 / 3 <= made.high
        values.append(made.value)
    assert np.mean(values) == pytest.approx(1 / 3, abs=0.015)  # 1/3 ± 3 standard errors
    assert held_true >= 107  # of 120 at 95 % six miss on average, more than 13 in one of 300 runs
