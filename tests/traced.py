"""Answers with hand-made traces, and a study of them; for what is told of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from factmark.answers.core.averages import AnswerGroup, Row
from factmark.answers.core.records import (
    AnswerScore,
    GivenAnswer,
    NoScore,
    Question,
    ScoredAnswer,
    ToolUse,
    Trace,
    UnscoredAnswer,
)
from factmark.answers.core.run_measures import with_runs
from factmark.answers.core.scores import score_answer
from factmark.answers.results import Results
from factmark.model import Chunk, ToolStatus
from factmark.stats.comparison import Options
from sample_results import sample_results

CATALOGUE = "Coastal Asthma Registry, Harbour COPD Registry and ten more.\n" + "Catalogue. " * 400


def question(name: str, truth: Sequence[str] = ("30",), **changes: object) -> Question:
    """A question of the category `one`, unless changed, with the expected tool `list`."""
    made = Question(
        query_id=name,
        category="one",
        text=f"What of {name}?",
        ground_truth=tuple(truth),
        expected_tools=("list", "find"),
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # by name


def use(name: str = "list", status: ToolStatus = "ok", result: str = "", at: int = 1) -> ToolUse:
    return ToolUse(
        round=at,
        name=name,
        arguments='{"page": 1}',
        result=result,
        status=status,
        seconds=0.25,
        size=len(result),
    )


def chunk(text: str, title: str = "t", score: float = 0.5) -> Chunk:
    return Chunk(id=f"id {title}", title=title, text=text, score=score)


def traced(asked: Question, text: str, trace: Trace | None, **changes: object) -> ScoredAnswer:
    """An answer of model `m` under `mcp`, with the score that the rules give it."""
    answer = GivenAnswer(
        id="",
        query_id=asked.query_id,
        text=text,
        model="m",
        condition="mcp",
        trace=trace,
        tools_called=None
        if trace is None or trace.tools is None
        else tuple(one.name for one in trace.tools),
    )
    answer = replace(answer, **changes)  # type: ignore[arg-type]  # by name
    return ScoredAnswer(
        question=asked,
        answer=answer,
        score=score_answer(asked.text, asked.ground_truth or (), text),
    )


def scored(asked: Question, s: float, place: int = 0) -> ScoredAnswer:
    """An answer without a trace whose S, C and 1 - H are all `s`."""
    score = AnswerScore(
        facts=(),
        missing=(),
        verdict="yes",
        absence=False,
        completeness=s,
        hallucination_rate=1 - s,
        combined_score=s,
    )
    answer = GivenAnswer(
        id=f"{place}", query_id=asked.query_id, text="", model="m", condition="mcp"
    )
    return ScoredAnswer(question=asked, answer=answer, score=score)


def unscored(asked: Question, trace: Trace | None = None, **changes: object) -> UnscoredAnswer:
    """An answer that never came, unless it has a trace."""
    answer = traced(asked, "", trace, **changes).answer
    why = NoScore(status="failed" if trace is None else "unparsed", reason="no reply in 60 s")
    return UnscoredAnswer(question=asked, answer=answer, why=why)


def group(rows: Sequence[Row], asked: Sequence[Question] = ()) -> AnswerGroup:
    """The answers as one group; the questions are theirs and any others that are named."""
    known = {row.question.query_id: row.question for row in rows}
    known |= {one.query_id: one for one in asked}
    return AnswerGroup(
        model="m",
        condition="mcp",
        category="overall",
        asked=tuple(known.values()),
        rows=tuple(rows),
        settings=Options(resamples=200),
    )


def traced_results(*, models: Sequence[str] = ("example-model-8b",), copies: int = 1) -> Results:
    """The sample study as if factmark had run it: chunks under rag, tool calls under mcp."""
    results = sample_results(models=models, copies=copies)
    answers = tuple(
        replace(row, answer=replace(row.answer, trace=_trace(row))) for row in results.answers
    )
    questions = tuple({row.question.query_id: row.question for row in answers}.values())
    return with_runs(replace(results, answers=answers), questions, Options(resamples=200))


def hostile_traces(results: Results, text: str) -> Results:
    """The results with a trace on every answer that has the text in every field."""
    calls = tuple(
        ToolUse(round=at, name=text, arguments=text, result=text * times, status="error", size=7)
        for at, times in enumerate((1, 40), 1)
    )
    chunks = (Chunk(id=text, title=text, text=text * 40), Chunk(id=text, title=text, text=text))
    trace = Trace(tools=calls, chunks=chunks, offered=(text,), calls=(text,), ended="rounds")
    rows = tuple(
        replace(row, answer=replace(row.answer, trace=trace, chunks_retrieved=(text,)))
        for row in results.answers
    )
    questions = {row.question.query_id: row.question for row in rows}
    return with_runs(
        replace(results, answers=rows), list(questions.values()), Options(resamples=100)
    )


def _trace(row: ScoredAnswer) -> Trace:
    truth = row.question.ground_truth or ()
    base = Trace(input_tokens=900, output_tokens=40, cost=0.0004)
    if row.answer.condition == "rag":
        held = "; ".join(truth[:1])
        chunks = (chunk(CATALOGUE, "Catalogue", 0.71), chunk(f"It holds {held}.", "Detail", 0.4))
        return replace(base, chunks=chunks)
    if row.answer.condition == "mcp":
        calls = (
            use("list_datasets", result=CATALOGUE),
            use("run_sparql", "error", "syntax error at line 1", 2),
            use("run_sparql", result=f"rows: {', '.join(truth)}", at=3),
        )
        return replace(base, rounds=4, tools=calls, offered=("list_datasets", "run_sparql"))
    return base
