"""Tools, endings, seconds, tokens and cost of runs: constants worked by hand."""

from __future__ import annotations

import pytest

from factmark.answers.core.records import Results, Trace
from factmark.answers.core.run_measures import (
    abstained,
    abstention,
    endings,
    latency,
    sensible,
    tools,
    usage,
    with_runs,
)
from traced import group, question, scored, traced, unscored, use

A, B, C = question("A"), question("B"), question("C")


def test_tool_accuracy_is_a_share_of_questions_with_their_answers_averaged_first() -> None:
    rows = [
        traced(A, "30", Trace(tools=(use("guess"), use("find")))),
        traced(A, "31", Trace(sample=1, tools=(use("guess"),))),
        traced(B, "30", Trace(tools=(use("list"),))),
        traced(C, "30", Trace(tools=())),
    ]
    found = tools(group(rows))
    assert found is not None
    assert found.accuracy is not None
    # A: one of two answers called `list` or `find`; B did; C called nothing: (1/2 + 1 + 0) / 3.
    assert found.accuracy.value == pytest.approx(0.5)
    assert (found.accuracy.n_items, found.accuracy.n_units) == (3, 4)
    # Calls: A (2 + 1) / 2, B 1, C 0.
    assert found.calls.value == pytest.approx((1.5 + 1 + 0) / 3)
    assert found.failed is not None
    assert found.failed.value == 0


def test_questions_without_expected_tools_are_not_among_those_of_the_accuracy() -> None:
    free = question("F", expected_tools=None)
    found = tools(group([traced(A, "30", Trace(tools=())), traced(free, "", Trace(tools=()))]))
    assert found is not None
    assert found.accuracy is not None
    assert (found.accuracy.value, found.accuracy.n_items, found.accuracy.n_missing) == (0, 1, 0)
    assert sensible(free, traced(free, "", Trace(tools=())).answer) is None
    only = tools(group([traced(free, "", Trace(tools=(use(),)))]))
    assert only is not None
    assert only.accuracy is None


def test_failed_calls_by_status() -> None:
    bad = (use(), use("x", "unknown"), use(status="timeout"), use(status="lost"))
    rows = [traced(A, "30", Trace(tools=bad)), traced(B, "30", Trace(tools=(use(),)))]
    found = tools(group([*rows, traced(C, "30", Trace(tools=()))]))
    assert found is not None
    assert found.failed is not None
    # Of the calls of A three of four failed, of B none; C made none and is in no share.
    assert found.failed.value == pytest.approx(0.375)
    assert found.failed.n_items == 2
    told = {status: one.value for status, one in found.failed_by.items()}
    assert told == {"error": 0, "unknown": 0.125, "invalid": 0, "timeout": 0.125, "lost": 0.125}
    assert found.statuses == {"lost": 1, "ok": 2, "timeout": 1, "unknown": 1}


def test_an_answer_that_never_came_is_missing_and_widens_the_worst_and_the_best() -> None:
    rows = [traced(A, "30", Trace(tools=(use(),))), unscored(A), unscored(B)]
    found = tools(group(rows, [C]))
    assert found is not None
    assert found.accuracy is not None
    assert (found.accuracy.value, found.accuracy.n_missing) == (1, 2)  # B and C
    # A is at worst (1 + 0) / 2; B and C are 0 or 1.
    assert found.accuracy.worst == pytest.approx(0.5 / 3)
    assert found.accuracy.best == 1
    assert found.calls.n_missing == 2
    assert (found.calls.worst, found.calls.best) == (None, None)


def test_no_tools_offered_no_accuracy() -> None:
    assert tools(group([traced(A, "30", Trace())])) is None
    assert tools(group([scored(A, 1.0)])) is None
    # A file's empty list tells nothing where nobody called a tool; beside a call it counts.
    empty = traced(A, "30", None, tools_called=())
    assert tools(group([empty])) is None
    found = tools(group([empty, traced(B, "30", None, tools_called=("find",))]))
    assert found is not None
    assert found.accuracy is not None
    assert found.accuracy.value == 0.5
    assert (found.failed, found.failed_by) == (None, {})


def test_lost_answers_of_a_condition_with_tools_are_missing_in_every_category() -> None:
    lost = question("L", category="two")
    rows = (traced(A, "30", Trace(tools=(use(),))),)
    gone = (unscored(lost, tools_called=()), unscored(B, tools_called=()))
    bare = Results(benchmark="b", answers=rows, summaries=(), unscored=gone)
    runs = {run.category: run.tools for run in with_runs(bare, [A, B, lost], resamples=100).runs}
    two = runs["two"]
    assert two is not None
    assert two.accuracy is not None
    assert (two.accuracy.value, two.accuracy.n_missing, two.calls.n_missing) == (None, 1, 1)
    every = runs["overall"]
    assert every is not None
    assert (every.calls.value, every.calls.n_missing) == (1, 2)
    # Not one answer came: tools were offered all the same.
    all_gone = tools(group(gone))
    assert all_gone is not None
    assert all_gone.failed is not None
    assert (all_gone.calls.n_missing, all_gone.failed.n_missing) == (2, 2)


@pytest.mark.parametrize(
    ("text", "ended", "expected"),
    [
        ("", "answered", True),
        ("I cannot say.", "answered", True),
        ("Yes.", "answered", False),
        ("There are none.", "answered", False),
        ("There are 31.", "answered", False),
        ("There are 31.", "refused", True),
    ],
)
def test_abstention(text: str, ended: str, expected: bool) -> None:
    asked = question("A", text="Does the dataset hold 30 patients?")
    trace = Trace(ended=ended)  # type: ignore[arg-type]  # one of the endings
    assert abstained(traced(asked, text, trace)) is expected


def test_abstention_counts_refusals_and_misses_what_failed() -> None:
    refused = unscored(B, Trace(ended="refused"))
    rows = [traced(A, "30", Trace()), refused, unscored(C)]
    found = abstention(group(rows))
    assert (found.value, found.n_items, found.n_missing) == (0.5, 2, 1)
    ends = endings(group(rows))
    assert ends is not None
    assert (ends.refused.value, ends.refused.n_missing) == (0.5, 1)


def test_endings() -> None:
    rows = [
        traced(A, "30", Trace(rounds=6, ended="rounds")),
        traced(A, "30", Trace(rounds=2)),
        traced(B, "30", Trace(rounds=1, ended="length")),
    ]
    found = endings(group(rows))
    assert found is not None
    assert found.rounds.value == pytest.approx((4 + 1) / 2)
    assert (found.out_of_rounds.value, found.cut_off.value) == (0.25, 0.5)
    assert endings(group([scored(A, 1.0)])) is None


def test_latency_by_nearest_rank() -> None:
    rows = [traced(A, "30", None, latency_seconds=float(n)) for n in range(1, 21)]
    found = latency([*rows, unscored(B)])
    assert found is not None
    # Of 20: the 10th and the 19th; of one: itself.
    assert (found.median, found.p95, found.n, found.n_missing) == (10, 19, 20, 1)
    one = latency(rows[:1])
    assert one is not None
    assert (one.median, one.p95) == (1, 1)
    assert latency([scored(A, 1.0)]) is None


def test_tokens_and_cost() -> None:
    rows = [
        traced(A, "30", Trace(input_tokens=100, output_tokens=10, cost=0.5)),
        traced(A, "30", Trace(input_tokens=300, output_tokens=10, cost=0.1)),
        traced(B, "30", Trace(input_tokens=50, output_tokens=1, cost=0.3, estimated=True)),
        unscored(C),
    ]
    found = usage(group(rows))
    assert found is not None
    assert (found.input_tokens, found.output_tokens, found.estimated) == (450, 21, True)
    assert found.input_per_answer.value == pytest.approx((200 + 50) / 2)
    assert found.cost == pytest.approx(0.9)
    assert found.cost_per_answer is not None
    assert found.cost_per_answer.value == pytest.approx(0.3)
    assert (found.n, found.n_missing) == (3, 1)
    unpriced = usage(group([*rows, traced(C, "30", Trace(cost=None))]))
    assert unpriced is not None
    assert (unpriced.cost, unpriced.cost_per_answer) == (None, None)
