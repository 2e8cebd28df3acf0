"""A row per answer, declared once: the columns of rows.csv, rows.parquet, JSON and frames."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from factmark.answers.core.asserted import asserted
from factmark.answers.core.averages import METRICS
from factmark.answers.core.grounding import held_in_trace
from factmark.answers.core.instrument import not_read, style_of, to_review
from factmark.answers.core.records import Row, ScoredAnswer
from factmark.answers.core.row_scores import row_completeness
from factmark.answers.core.run_measures import abstained
from factmark.answers.results import Results
from factmark.files.flat_files import to_json_value
from factmark.report.file_columns import FileColumn, SqlType, attributes


def _if_scored(value: Callable[[ScoredAnswer], Any]) -> Callable[[Row], Any]:
    """Returns a column's value for scored answers; None for others."""
    return lambda row: to_json_value(value(row)) if isinstance(row, ScoredAnswer) else None


def _if_asserted(name: str) -> Callable[[Row], Any]:
    """Returns a column's value for answers to questions that ask to choose; None for others."""

    def value(row: ScoredAnswer) -> Any:
        choice = asserted(row)
        if choice is None:
            return None
        return getattr(choice, name)

    return _if_scored(value)


def _score_field(name: str, meaning: str, kind: SqlType = "VARCHAR") -> FileColumn[Row]:
    """Returns the column of a field of the score."""
    value = _if_scored(attrgetter(f"score.{name}"))
    return FileColumn(name=name, type=kind, value=value, meaning=meaning)


def _trace_column(
    name: str, kind: SqlType = "VARCHAR", meaning: str = "", field: str = ""
) -> FileColumn[Row]:
    """Returns the column of a field of the trace; an answer without a trace has None."""

    def value(row: Row) -> Any:
        trace = row.answer.trace
        if trace is None:
            return None
        return to_json_value(getattr(trace, field or name))

    return FileColumn(name=name, type=kind, value=value, meaning=meaning)


def _status(row: Row) -> str:
    """Returns `ok`, or why an answer has no score, in a word."""
    if isinstance(row, ScoredAnswer):
        return "ok"
    return row.why.status


def _error(row: Row) -> str | None:
    """Returns why an answer has no score; None where it has one."""
    if isinstance(row, ScoredAnswer):
        return None
    return row.why.reason or row.why.status


def _chunk_ids(row: Row) -> list[str] | None:
    """Returns the ids of the passages as the file has them, else those of the trace; None for
    none."""
    answer = row.answer
    if answer.chunks_retrieved is not None:
        return list(answer.chunks_retrieved)
    chunks = None
    if answer.trace is not None:
        chunks = answer.trace.chunks
    if chunks is None:
        return None
    return [chunk.id for chunk in chunks]


def _chunks(row: Row) -> list[dict[str, Any]] | None:
    """Returns the passages of a trace by id, title and score; the ledger has their texts."""
    trace = row.answer.trace
    if trace is None or trace.chunks is None:
        return None
    chunks = []
    for c in trace.chunks:
        chunks.append({"id": c.id, "title": c.title, "score": c.score})
    return chunks


def _retrieved(row: Row) -> list[str] | None:
    """Returns the elements of G that stood in what the model was given; None where it was given
    nothing."""
    held = held_in_trace(row.question, row.answer.trace)
    if held is None:
        return None
    return [element for element in held if held[element]]


GIVEN_COLUMNS: tuple[FileColumn[Row], ...] = (
    *attributes("id", "query_id", of="answer"),
    *attributes("category", of="question"),
    *attributes("condition", "model", of="answer"),
    FileColumn(name="answer", value=attrgetter("answer.text")),
)
"""Which answer it is."""


def score_columns(judge: str) -> tuple[FileColumn[Row], ...]:
    """Returns the columns that say what was found in an answer.

    Args:
        judge: who found the facts, by name: what was not read depends on it.
    """
    return (
        FileColumn(name="status", value=_status, meaning="`ok`, or in a word why it has no score."),
        FileColumn(
            name="error",
            value=_error,
            meaning="Why it has no score; it is missing then, not empty.",
        ),
        _score_field(
            "facts", "F: text, start, end; the element of G that each matches, and the rule."
        ),
        _score_field("missing", "Elements of G without a fact."),
        _score_field("verdict", "`yes` or `no`, where it says one."),
        _score_field("absence", "Whether it reports that there is nothing.", "BOOLEAN"),
        *(
            _score_field(key, f"{metric.symbol}. {metric.meaning}", "DOUBLE")
            for key, metric in METRICS.items()
        ),
        FileColumn(
            name="latency_seconds",
            type="DOUBLE",
            value=_if_scored(attrgetter("answer.latency_seconds")),
        ),
        FileColumn(
            name="tools_called",
            value=_if_scored(attrgetter("answer.tools_called")),
            meaning="Names of tools, in the order of their calls.",
        ),
        FileColumn(
            name="style",
            value=_if_scored(lambda row: style_of(row.answer.text)),
            meaning="What its surface looks like: prose, a list, JSON, ...",
        ),
        FileColumn(
            name="not_read",
            value=lambda row: list(not_read(row, judge)),
            meaning="What of it the rules did not read, and why.",
        ),
        FileColumn(
            name="review",
            value=lambda row: to_review(row) or None,
            meaning="Why a person should look at it.",
        ),
    )


ROW_COLUMNS: tuple[FileColumn[Row], ...] = (
    FileColumn(
        name="row_completeness",
        type="DOUBLE",
        value=_if_scored(lambda row: row_completeness(row.question, row.answer.text)),
        meaning="Share of the rows of G whose cells it says together.",
    ),
)
"""Where a ground truth has rows of several columns."""

ASSERTED_COLUMNS: tuple[FileColumn[Row], ...] = (
    FileColumn(
        name="chosen",
        value=_if_asserted("chosen"),
        meaning="The candidates of the question that it gives as its answer, or its yes or no.",
    ),
    *(
        FileColumn(
            name=f"asserted_{key}",
            type="DOUBLE",
            value=_if_asserted(key),
            meaning=f"{metric.symbol} of what it chooses, where the question offers a choice.",
        )
        for key, metric in METRICS.items()
    ),
)
"""What it asserts, where questions name candidates."""

TRACE_COLUMNS: tuple[FileColumn[Row], ...] = (
    FileColumn(name="chunks_retrieved", value=_chunk_ids, meaning="Ids of passages, best first."),
    _trace_column(
        "sample", "BIGINT", "Which of several answers to the same question it is, from 0."
    ),
    _trace_column("rounds", "BIGINT", "Replies of the model, the last one included."),
    _trace_column(
        "ended",
        meaning="`answered`; `rounds`: told to answer without more tools; `length`: cut off; "
        "`refused`.",
    ),
    _trace_column(
        "tool_calls",
        meaning="Each call with its arguments, status and what the model was shown.",
        field="tools",
    ),
    FileColumn(
        name="chunks",
        value=_chunks,
        meaning="Passages that the model was given: id, title, score.",
    ),
    _trace_column("input_tokens", "BIGINT"),
    _trace_column("output_tokens", "BIGINT"),
    _trace_column("cost", "DOUBLE"),
    FileColumn(
        name="retrieved",
        value=_retrieved,
        meaning="Elements of G that stood in what the model was given.",
    ),
    FileColumn(
        name="abstained",
        type="BOOLEAN",
        value=lambda row: None if row.answer.trace is None else abstained(row),
        meaning="Whether it states nothing that can be checked.",
    ),
)
"""How it came about, where answers have a trace."""


def answer_columns(results: Results) -> tuple[FileColumn[Row], ...]:
    """Returns the columns of rows: more where a ground truth has rows, or answers have a trace."""
    columns = [*GIVEN_COLUMNS, *score_columns(str(results.signature.get("judge", "")))]
    if results.by_rows:
        columns += ROW_COLUMNS
    if results.asserted:
        columns += ASSERTED_COLUMNS
    rows: tuple[Row, ...] = (*results.answers, *results.unscored)
    if any(row.answer.trace is not None for row in rows):
        columns += TRACE_COLUMNS
    elif any(row.answer.chunks_retrieved is not None for row in rows):
        columns += TRACE_COLUMNS[:1]
    return tuple(columns)
