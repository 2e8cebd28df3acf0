"""The score table: category × condition (× model) as data; `layouts` makes each format of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from factmark.answers.core.averages import OVERALL
from factmark.answers.core.records import Results, Summary
from factmark.answers.metrics import METRICS
from factmark.model import Estimate
from factmark.tables.layouts import (
    Cell,
    Head,
    Line,
    Value,
    estimate_cell,
    interval_note,
    part_names,
    parts,
)
from factmark.tables.shown_text import NO_VALUE, number, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One line: a model and condition in a category.

    Attributes:
        labels: as many as the table's `label_names`: category, then model and condition if shown.
        estimates: C, H, S.
        starts_group: whether the category differs from the line before.
        overall: whether it is over all categories.
        summary: what the line was made from.
    """

    labels: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    starts_group: bool
    overall: bool
    summary: Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """The scores of a study, ready to be laid out.

    Attributes:
        title: one line that names the benchmark, and the model where there is only one.
        label_names: the heads of the leading columns.
        rows: by category (`overall` last), then model and condition, in the order of the results.
        notes: what a reader must know: the meaning of C, H, S, the intervals, what is missing.
    """

    title: str
    label_names: tuple[str, ...]
    rows: tuple[ScoreRow, ...]
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[Head, ...]:
        """The heads of the numbers."""
        scores = (Head(name=metric.symbol, better=metric.better) for metric in METRICS)
        return (*scores, Head(name="answers"), Head(name="missing"))

    @property
    def lines(self) -> tuple[Line, ...]:
        """The rows as text."""
        return tuple(
            Line(
                labels=row.labels,
                cells=(
                    *(estimate_cell(estimate, bounds=True) for estimate in row.estimates),
                    Cell(value=str(row.summary.n_answers)),
                    Cell(value=str(row.summary.n_missing)),
                ),
                starts_group=row.starts_group,
                overall=row.overall,
            )
            for row in self.rows
        )

    @property
    def record_names(self) -> tuple[str, ...]:
        """The columns for machines."""
        scores = (name for metric in METRICS for name in part_names(metric.key))
        counts = ("n_questions", "n_answers", "n_missing")
        return ("category", "model", "condition", *scores, *counts)

    @property
    def records(self) -> tuple[tuple[Value, ...], ...]:
        """The values for machines."""
        return tuple(
            (
                *(one_line(label) for label in (made.category, made.model, made.condition)),
                *(value for estimate in row.estimates for value in parts(estimate)),
                made.n_questions,
                made.n_answers,
                made.n_missing,
            )
            for row in self.rows
            for made in [row.summary]
        )

    @property
    def groups(self) -> tuple[tuple[ScoreRow, ...], ...]:
        """The rows, category by category."""
        by_category = groupby(self.rows, key=lambda row: row.summary.category)
        return tuple(tuple(rows) for _, rows in by_category)


def score_table(results: Results) -> ScoreTable:
    """The table of all summaries; columns that would say the same in every line are left out."""
    models = _distinct(summary.model for summary in results.summaries)
    conditions = _distinct(summary.condition for summary in results.summaries)
    with_model = len(models) > 1
    with_condition = len(conditions) > 1 or any(conditions)
    names = ["category", *["model"] * with_model, *["condition"] * with_condition]
    rows: list[ScoreRow] = []
    for summary in in_order(results.summaries):
        labels = (
            summary.category,
            *[summary.model] * with_model,
            *[summary.condition] * with_condition,
        )
        rows.append(
            ScoreRow(
                labels=tuple(one_line(label) or NO_VALUE for label in labels),
                estimates=tuple(metric.of(summary) for metric in METRICS),
                starts_group=not rows or rows[-1].summary.category != summary.category,
                overall=summary.category == OVERALL,
                summary=summary,
            )
        )
    title = f"{one_line(results.benchmark)}: completeness, hallucination, combined score"
    if len(models) == 1 and models[0]:
        title += f" of {one_line(models[0])}"
    return ScoreTable(
        title=title, label_names=tuple(names), rows=tuple(rows), notes=_notes(results.summaries)
    )


def in_order(summaries: Sequence[Summary]) -> list[Summary]:
    """By category (`overall` last), then model, then condition, each as first seen."""
    categories = _distinct(summary.category for summary in summaries)
    models = _distinct(summary.model for summary in summaries)
    conditions = _distinct(summary.condition for summary in summaries)

    def key(summary: Summary) -> tuple[bool, int, int, int]:
        return (
            summary.category == OVERALL,
            categories.index(summary.category),
            models.index(summary.model),
            conditions.index(summary.condition),
        )

    return sorted(summaries, key=key)


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _notes(summaries: Sequence[Summary]) -> tuple[str, ...]:
    """The legend, how the intervals were made, and what is missing."""
    legend = ", ".join(f"{m.symbol} {m.name} ({m.better} is better)" for m in METRICS)
    estimates = [metric.of(summary) for summary in summaries for metric in METRICS]
    notes = [f"{legend}.", *interval_note(estimates)]
    if any(e.value is None for e in estimates):
        notes.append(f"{NO_VALUE}: no value, because nothing was observed.")
    notes += [note for summary in in_order(summaries) if (note := _missing_note(summary))]
    return tuple(notes)


def _missing_note(summary: Summary) -> str:
    """For an overall line with missing answers: how far they could move S; else empty."""
    score = summary.combined_score
    if summary.category != OVERALL or not summary.n_missing:
        return ""
    name = " ".join(filter(None, (one_line(summary.model), one_line(summary.condition)))) or OVERALL
    note = f"{name}: {summary.n_missing} of {summary.n_questions} questions without an answer"
    if score.worst is None or score.best is None:
        return f"{note}."
    return f"{note}; whatever they say, S lies in {number(score.worst)}–{number(score.best)}."
