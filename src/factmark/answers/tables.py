"""The tables of a study of answers: C, H and S, and corrected by people."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from factmark.answers.core.averages import METRICS, OVERALL
from factmark.answers.core.records import (
    CorrectedSummary,
    Results,
    RunSummary,
    Summary,
)
from factmark.tables.columns import Column, Shown, table_of
from factmark.tables.layouts import Cell, DataTable
from factmark.tables.shown_text import NO_VALUE, number, one_line


def score_table(results: Results) -> DataTable:
    """All averages; columns that would say the same in every line are left out."""
    rows = in_order(results.summaries)
    models = list(dict.fromkeys(row.model for row in rows))
    conditions = list(dict.fromkeys(row.condition for row in rows))
    labels = {"category": True, "model": len(models) > 1}
    labels["condition"] = len(conditions) > 1 or any(conditions)
    columns: tuple[Column[Summary], ...] = (
        *(
            Column[Summary](name=name * shown, key=name, value=partial(_field, name), label=True)
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
        Column(key="n_questions", value=lambda row: row.n_questions),
        Column(name="answers", key="n_answers", value=lambda row: row.n_answers, show=str),
        Column(name="missing", key="n_missing", value=lambda row: row.n_missing, show=str),
    )
    notes = [note for row in rows if (note := _missing_note(row))]
    if any(metric.estimate(row).value is None for row in rows for metric in METRICS.values()):
        notes.insert(0, f"{NO_VALUE}: no value, because nothing was observed.")
    title = f"{results.benchmark}: completeness, hallucination, combined score"
    if len(models) == 1 and models[0]:
        title += f" of {models[0]}"
    return table_of(
        title,
        columns,
        rows,
        group=lambda row: row.category,
        overall=lambda row: row.category == OVERALL,
        notes=notes,
    )


def _field(name: str, row: object) -> Shown:
    value: Shown = getattr(row, name)
    return value


def in_order(summaries: Sequence[Summary]) -> list[Summary]:
    """By category (`overall` last), then model, then condition, each as first seen."""
    categories, models, conditions = (
        list(dict.fromkeys(getattr(summary, name) for summary in summaries))
        for name in ("category", "model", "condition")
    )

    def key(summary: Summary) -> tuple[bool, int, int, int]:
        return (
            summary.category == OVERALL,
            categories.index(summary.category),
            models.index(summary.model),
            conditions.index(summary.condition),
        )

    return sorted(summaries, key=key)


def _missing_note(summary: Summary) -> str:
    """For an overall line with missing answers: how far they could move S; else empty."""
    score = summary.combined_score
    if summary.category != OVERALL or not summary.n_missing:
        return ""
    questions = f"{summary.n_missing} of {summary.n_questions} questions"
    note = f"{system_name(summary)}: {questions} without an answer"
    if score.worst is None or score.best is None:
        return f"{note}."
    return f"{note}; whatever they say, S lies in {number(score.worst)}–{number(score.best)}."


def system_name(row: Summary | RunSummary) -> str:
    """A model and condition in one line."""
    return " ".join(filter(None, map(one_line, (row.model, row.condition)))) or OVERALL


def corrected_table(results: Results) -> DataTable:
    """Each model and condition as its judge scored it, and as people would have."""
    judge = str(results.signature.get("judge", "judge"))
    judged = {
        (row.model, row.condition): row for row in results.summaries if row.category == OVERALL
    }
    rows: list[Summary | CorrectedSummary] = []
    for row in results.corrections:
        rows += [judged[row.model, row.condition], row]
    columns: tuple[Column[Summary | CorrectedSummary], ...] = (
        Column(name="model", value=lambda row: row.model, label=True),
        Column(name="condition", value=lambda row: row.condition, label=True),
        Column(
            name="by",
            value=lambda row: judge if isinstance(row, Summary) else "corrected",
            label=True,
            meaning="Corrected: what people would have scored all answers, from those that they "
            "marked, within cells of the judge's score. It holds where the marked answers were "
            "drawn at random. Marked: answers whose facts people marked.",
        ),
        *(Column(name=m.symbol, value=m.estimate, better=m.better) for m in METRICS.values()),
        Column(
            name="marked",
            value=lambda row: Cell(value="" if isinstance(row, Summary) else str(row.annotated)),
        ),
        Column(
            name="answers",
            value=lambda row: row.n_answers if isinstance(row, Summary) else row.answers,
            show=str,
        ),
    )
    return table_of(
        "Corrected by people, overall",
        columns,
        rows,
        overall=lambda row: isinstance(row, CorrectedSummary),
    )
