"""The table of C, H and S that people's marks correct."""

from __future__ import annotations

from collections.abc import Iterator

from factmark.answers.core.averages import OVERALL
from factmark.answers.core.records import CorrectedSummary, Results, Summary
from factmark.answers.metrics import METRICS
from factmark.tables.layouts import (
    Cell,
    DataTable,
    Head,
    Line,
    Value,
    estimate_cell,
    part_names,
    parts,
)
from factmark.tables.shown_text import NO_VALUE, one_line


def corrected_table(results: Results) -> DataTable:
    """Each model and condition as its judge scored it, and as people would have."""
    columns = tuple(Head(name=metric.symbol, better=metric.better) for metric in METRICS)
    lines, records = [], []
    for model, condition, by, row, annotated, answers in _rows(results):
        lines.append(
            Line(
                labels=(model, condition, by),
                cells=(
                    *(estimate_cell(getattr(row, metric.key)) for metric in METRICS),
                    Cell(value=str(annotated) if annotated else ""),
                    Cell(value=str(answers)),
                ),
                starts_group=True,
                overall=bool(annotated),
            )
        )
        values: list[Value] = [model, condition, by]
        for metric in METRICS:
            values += parts(getattr(row, metric.key))
        records.append((*values, annotated, answers))
    names = [name for metric in METRICS for name in part_names(metric.key)]
    return DataTable(
        title="Corrected by people, overall",
        label_names=("model", "condition", "by"),
        columns=(*columns, Head(name="marked"), Head(name="answers")),
        lines=tuple(lines),
        notes=(
            "Corrected: what people would have scored all answers, from those that they marked, "
            "within cells of the judge's score. It holds where the marked answers were drawn at "
            "random. Marked: answers whose facts people marked.",
        ),
        record_names=("model", "condition", "by", *names, "marked", "answers"),
        records=tuple(records),
    )


def _rows(
    results: Results,
) -> Iterator[tuple[str, str, str, Summary | CorrectedSummary, int, int]]:
    judge = one_line(str(results.signature.get("judge", "judge")))
    judged = {
        (row.model, row.condition): row for row in results.summaries if row.category == OVERALL
    }
    for made in results.corrections:
        model = one_line(made.model) or NO_VALUE
        condition = one_line(made.condition) or NO_VALUE
        alone = judged[made.model, made.condition]
        yield model, condition, judge, alone, 0, alone.n_answers
        yield model, condition, "corrected", made, made.annotated, made.answers
