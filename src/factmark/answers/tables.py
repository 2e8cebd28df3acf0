"""What a study of answers shows: the columns of its files, a row per answer, average, measure or
pair, each declared once for CSV, Parquet, JSON and the documentation; and the tables of its scores.

A column is added here, and nowhere else. `run_tables` has the tables of runs, `instrument_tables`
those of the rules' error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any, NamedTuple

from factmark.answers.core.averages import METRICS, OVERALL, Metric
from factmark.answers.core.grounding import held_in_trace
from factmark.answers.core.instrument import not_read, style_of, to_review
from factmark.answers.core.records import Row, ScoredAnswer, Trace, score_of
from factmark.answers.core.row_scores import row_completeness
from factmark.answers.core.run_measures import abstained
from factmark.answers.instrument_tables import (
    agreement_table,
    has_styles,
    instrument_notes,
    styles_table,
    system_name,
)
from factmark.answers.results import (
    CorrectedSummary,
    Results,
    RowSummary,
    Summary,
)
from factmark.files.flat_files import to_json_value
from factmark.model import Estimate
from factmark.report.columns import Column, table_of
from factmark.report.file_columns import FileColumn, estimate_columns, file_rows, json_values
from factmark.report.layouts import DataTable
from factmark.text.shown_text import NO_VALUE, number, one_line

_WHAT_H_COUNTS = "H counts what is not in the ground truth, true or not."


def score_table(results: Results) -> DataTable:
    """The averages of C, H and S, a line per category, model and condition."""
    rows = in_order(results.summaries)
    models = list(dict.fromkeys(row.model for row in rows))
    conditions = list(dict.fromkeys(row.condition for row in rows))
    labels = {"category": True, "model": len(models) > 1}
    labels["condition"] = len(conditions) > 1 or any(conditions)
    columns: tuple[Column[Summary], ...] = (
        *(
            Column[Summary](name=name * shown, key=name, value=attrgetter(name), label=True)
            for name, shown in labels.items()
        ),
        *(
            Column[Summary](
                name=metric.symbol,
                key=key,
                value=metric.estimate,
                better=metric.better,
                bounds=True,
                estimate=True,
                meaning=f"{metric.symbol} {metric.name} ({metric.better} is better)"
                + ("." if key == "combined_score" else ","),
            )
            for key, metric in METRICS.items()
        ),
        *(_corrected_column(results, metric) for metric in METRICS.values() if results.corrections),
        Column(key="n_questions", value=lambda row: row.n_questions),
        Column(name="answers", key="n_answers", value=lambda row: row.n_answers, show=str),
        Column(name="missing", key="n_missing", value=lambda row: row.n_missing, show=str),
    )
    notes = [_WHAT_H_COUNTS, *(note for row in rows if (note := _missing_note(row)))]
    if any(metric.estimate(row).value is None for row in rows for metric in METRICS.values()):
        notes.insert(0, f"{NO_VALUE}: no value, because nothing was observed.")
    notes += instrument_notes(results)
    title = f"{results.benchmark}: completeness, hallucination, combined score"
    if len(models) == 1 and models[0]:
        title += f" of {models[0]}"
    if results.corrections:
        title += f", by {one_line(str(results.signature['judge']))}, uncorrected"
    return table_of(
        title,
        columns,
        rows,
        group=lambda row: row.category,
        overall=lambda row: row.category == OVERALL,
        notes=notes,
    )


def _corrected_column(results: Results, metric: Metric) -> Column[Summary]:
    """A column for machines: the overall average corrected by people's marks."""
    known = {(row.model, row.condition): row for row in results.corrections}

    def value(row: Summary) -> Estimate | None:
        corrected = known.get((row.model, row.condition))
        return None if corrected is None or row.category != OVERALL else metric.estimate(corrected)

    return Column(key=f"{metric.key}_corrected", value=value, estimate=True)


def in_order(summaries: Sequence[Summary]) -> list[Summary]:
    """The averages by category (`overall` first), model and condition, each as first seen."""
    places = {
        name: list(dict.fromkeys(getattr(summary, name) for summary in summaries))
        for name in ("category", "model", "condition")
    }

    def key(summary: Summary) -> tuple[bool, *tuple[int, ...]]:
        seen = (known.index(getattr(summary, name)) for name, known in places.items())
        return (summary.category != OVERALL, *seen)

    return sorted(summaries, key=key)


def _missing_note(summary: Summary) -> str:
    """For an overall line with missing answers, how far they could move S; else an empty text."""
    score = summary.combined_score
    if summary.category != OVERALL or not summary.n_missing:
        return ""
    questions = f"{summary.n_missing} of {summary.n_questions} questions"
    note = f"{system_name(summary)}: {questions} without an answer"
    if score.worst is None or score.best is None:
        return f"{note}."
    return f"{note}; whatever they say, S lies in {number(score.worst)}–{number(score.best)}."


def corrected_table(results: Results) -> DataTable:
    """A line per system as people would have scored it, and under it one as the judge scored it."""
    judge = str(results.signature.get("judge", "judge"))
    corrected = {(row.model, row.condition): row for row in results.corrections}
    rows: list[Summary | CorrectedSummary] = []
    for row in results.summaries:
        if row.category == OVERALL:
            better = corrected.get((row.model, row.condition))
            rows += [row] if better is None else [better, row]

    def who(row: Summary | CorrectedSummary) -> str:
        return f"{judge}, uncorrected" if isinstance(row, Summary) else "corrected by people"

    columns: tuple[Column[Summary | CorrectedSummary], ...] = (
        *(
            Column[Summary | CorrectedSummary](name=name, value=attrgetter(name), label=True)
            for name in ("model", "condition")
            if len({getattr(row, name) for row in rows}) > 1
        ),
        Column(
            name="by",
            value=who,
            label=True,
            meaning="Corrected: what people would have scored all answers, from those that they "
            "marked, within cells of the judge's score. It holds where the marked answers were "
            "drawn at random. Marked: answers whose facts people marked.",
        ),
        *(Column(name=m.symbol, value=m.estimate, better=m.better) for m in METRICS.values()),
        Column(name="marked", value=lambda row: getattr(row, "annotated", None), optional=True),
        Column(
            name="answers",
            show=str,
            value=lambda row: row.n_answers if isinstance(row, Summary) else row.answers,
        ),
    )
    return table_of(
        f"{results.benchmark}: completeness, hallucination, combined score, corrected by people",
        columns,
        rows,
        group=lambda row: (row.model, row.condition),
        overall=lambda row: isinstance(row, CorrectedSummary),
    )


def main_tables(results: Results) -> tuple[DataTable, ...]:
    """The tables of scores: corrected, by the judge, styles, rows of G, agreement with people.

    The first table is the one to go by: the scores as people's marks correct them, where there are
    marks. Then those of the judge by category, what the rules are off by, row by row where G has
    rows, and how far the judge agrees with people.
    """
    tables = [corrected_table(results)] if results.corrections else []
    tables.append(score_table(results))
    if any(map(has_styles, results.styles)):
        tables.append(styles_table(results))
    if results.by_rows:
        tables.append(rows_table(results))
    if results.agreement:
        tables.append(agreement_table(results))
    return tuple(tables)


def rows_table(results: Results) -> DataTable:
    """The share of the rows of G that each system says together, where G has several columns."""
    columns: tuple[Column[RowSummary], ...] = (
        *(
            Column[RowSummary](name=name, key=name, value=attrgetter(name), label=True)
            for name in ("model", "condition")
            if any(map(attrgetter(name), results.by_rows))
        ),
        Column(
            name="rows",
            key="row_completeness",
            value=attrgetter("row_completeness"),
            better="higher",
            bounds=True,
            estimate=True,
            meaning="The share of the rows of G whose cells an answer says together: the name of "
            "one row with what belongs to another is none (higher is better).",
        ),
        Column(name="questions", key="n_questions", value=attrgetter("n_questions"), show=str),
    )
    return table_of(f"{results.benchmark}: row by row", columns, results.by_rows)


# The columns of files


def _score_field(name: str) -> Callable[[Row], Any]:
    """A column's value from a field of the score; None for an answer without one."""

    def value(row: Row) -> Any:
        score = score_of(row)
        return None if score is None else to_json_value(getattr(score, name))

    return value


def _if_scored(value: Callable[[Row], Any]) -> Callable[[Row], Any]:
    """The same value for scored answers; None for others."""
    return lambda row: value(row) if isinstance(row, ScoredAnswer) else None


def _trace_field(value: Callable[[Trace], Any]) -> Callable[[Row], Any]:
    """A column's value from a trace; None for an answer without one."""

    def of_row(row: Row) -> Any:
        trace = row.answer.trace
        return None if trace is None else value(trace)

    return of_row


def _why_no_score(row: Row) -> str | None:
    """Why an answer has no score; None where it has one."""
    return None if isinstance(row, ScoredAnswer) else row.why.reason or row.why.status


def _chunk_ids(row: Row) -> list[str] | None:
    """The ids of the passages as the file tells them, else those of the trace; None for none."""
    answer = row.answer
    if answer.chunks_retrieved is not None:
        return list(answer.chunks_retrieved)
    chunks = None if answer.trace is None else answer.trace.chunks
    return None if chunks is None else [chunk.id for chunk in chunks]


def _chunks(trace: Trace) -> list[dict[str, Any]] | None:
    """The passages of a trace by id, title and score; the ledger has their texts."""
    if trace.chunks is None:
        return None
    return [{"id": c.id, "title": c.title, "score": c.score} for c in trace.chunks]


def _retrieved_elements(row: Row) -> list[str] | None:
    """The elements of G that stood in what the model was given; None where it was given nothing."""
    held = held_in_trace(row.question, row.answer.trace)
    return None if held is None else [element for element in held if held[element]]


GIVEN_COLUMNS: tuple[FileColumn[Row], ...] = (
    FileColumn(name="id", value=lambda row: row.answer.id),
    FileColumn(name="query_id", value=lambda row: row.answer.query_id),
    FileColumn(name="category", value=lambda row: row.question.category),
    FileColumn(name="condition", value=lambda row: row.answer.condition),
    FileColumn(name="model", value=lambda row: row.answer.model),
    FileColumn(name="answer", value=lambda row: row.answer.text),
)
"""Which answer it is."""


def score_columns(judge: str) -> tuple[FileColumn[Row], ...]:
    """The columns that tell what was found in an answer.

    Args:
        judge: who found the facts, by name: what was not read depends on it.
    """
    return (
        FileColumn(
            name="facts",
            value=_score_field("facts"),
            meaning="F: text, start, end; the element of G that each matches, and the rule.",
        ),
        FileColumn(
            name="missing", value=_score_field("missing"), meaning="Elements of G without a fact."
        ),
        FileColumn(
            name="verdict",
            value=_score_field("verdict"),
            meaning="`yes` or `no`, where it says one.",
        ),
        FileColumn(
            name="absence",
            type="BOOLEAN",
            value=_score_field("absence"),
            meaning="Whether it reports that there is nothing.",
        ),
        *(
            FileColumn[Row](
                name=key,
                type="DOUBLE",
                value=_score_field(key),
                meaning=f"{metric.symbol}. {metric.meaning}",
            )
            for key, metric in METRICS.items()
        ),
        FileColumn(
            name="latency_seconds",
            type="DOUBLE",
            value=_if_scored(lambda row: row.answer.latency_seconds),
        ),
        FileColumn(
            name="tools_called",
            value=_if_scored(lambda row: to_json_value(row.answer.tools_called)),
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


ERROR_COLUMN: FileColumn[Row] = FileColumn(
    name="error", value=_why_no_score, meaning="Why it has no score; it is missing then, not empty."
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

CHUNK_COLUMN: FileColumn[Row] = FileColumn(
    name="chunks_retrieved", value=_chunk_ids, meaning="Ids of passages, best first."
)

TRACE_COLUMNS: tuple[FileColumn[Row], ...] = (
    FileColumn(
        name="sample",
        type="BIGINT",
        value=_trace_field(lambda trace: trace.sample),
        meaning="Which of several answers to the same question it is, from 0.",
    ),
    FileColumn(
        name="rounds",
        type="BIGINT",
        value=_trace_field(lambda trace: trace.rounds),
        meaning="Replies of the model, the last one included.",
    ),
    FileColumn(
        name="ended",
        value=_trace_field(lambda trace: trace.ended),
        meaning="`answered`; `rounds`: told to answer without more tools; `length`: cut off; "
        "`refused`.",
    ),
    FileColumn(
        name="tool_calls",
        value=_trace_field(lambda trace: to_json_value(trace.tools)),
        meaning="Each call with its arguments, status and what the model was shown.",
    ),
    FileColumn(
        name="chunks",
        value=_trace_field(_chunks),
        meaning="Passages that the model was given: id, title, score.",
    ),
    FileColumn(
        name="input_tokens", type="BIGINT", value=_trace_field(lambda trace: trace.input_tokens)
    ),
    FileColumn(
        name="output_tokens", type="BIGINT", value=_trace_field(lambda trace: trace.output_tokens)
    ),
    FileColumn(name="cost", type="DOUBLE", value=_trace_field(lambda trace: trace.cost)),
    FileColumn(
        name="retrieved",
        value=_retrieved_elements,
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
    """The columns of answers.csv: more where answers have a trace, or a ground truth has rows."""
    traced = any(row.answer.trace is not None for row in results.answers)
    return (
        *GIVEN_COLUMNS,
        *score_columns(_judge_name(results)),
        ERROR_COLUMN,
        *(ROW_COLUMNS if results.by_rows else ()),
        *((CHUNK_COLUMN, *TRACE_COLUMNS) if traced else ()),
    )


def _judge_name(results: Results) -> str:
    """The name of who found the facts; empty where it is not known."""
    return str(results.signature.get("judge", ""))


def answer_rows(results: Results) -> list[dict[str, Any]]:
    """One flat row per answer; lists (facts, missing elements, tools) as JSON text.

    Those without a score come last, with their `error`.
    """
    rows: tuple[Row, ...] = (*results.answers, *results.unscored)
    return file_rows(answer_columns(results), rows)


def answers_json(results: Results) -> list[dict[str, Any]]:
    """The scored answers as in results.json, each without the columns that do not apply to it."""
    scores = score_columns(_judge_name(results))
    return [
        json_values((*GIVEN_COLUMNS, *scores, *(ROW_COLUMNS if row.question.rows else ())), row)
        | _trace_json(row)
        for row in results.answers
    ]


def unscored_json(results: Results) -> list[dict[str, Any]]:
    """The answers without a score as in results.json."""
    return [
        json_values(GIVEN_COLUMNS, row) | asdict(row.why) | _trace_json(row)
        for row in results.unscored
    ]


def _trace_json(row: Row) -> dict[str, Any]:
    """The trace of an answer for results.json; empty where it has none."""
    chunks = (CHUNK_COLUMN,) if _chunk_ids(row) is not None else ()
    return json_values((*chunks, *(TRACE_COLUMNS if row.answer.trace is not None else ())), row)


class AverageLine(NamedTuple):
    """A row of averages.csv."""

    summary: Summary
    metric: Metric


AVERAGE_COLUMNS: tuple[FileColumn[AverageLine], ...] = (
    FileColumn(name="model", value=lambda line: line.summary.model),
    FileColumn(name="condition", value=lambda line: line.summary.condition),
    FileColumn(name="category", value=lambda line: line.summary.category),
    FileColumn(name="metric", value=lambda line: line.metric.key),
    *estimate_columns(lambda line: line.metric.estimate(line.summary)),
)


def average_rows(results: Results) -> list[dict[str, Any]]:
    """One flat row per model, condition, category and metric."""
    lines = (AverageLine(row, metric) for row in results.summaries for metric in METRICS.values())
    return file_rows(AVERAGE_COLUMNS, lines)
