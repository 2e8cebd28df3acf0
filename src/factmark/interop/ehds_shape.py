"""Scored answers in the shape of the EHDS benchmark's results: answers and averages, flat."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from factmark.answers.core.averages import METRICS, Metric
from factmark.answers.report import answers_report
from factmark.answers.results import Results, Summary
from factmark.answers.row_columns import GIVEN_COLUMNS
from factmark.files.flat_files import json_text, to_json_value
from factmark.files.text_files import without_surrogates, write_text
from factmark.report.file_columns import FileColumn, estimate_columns, json_values
from factmark.report.files import write_rows

EHDS_FILES = ("ehds.json", "answers.csv", "averages.csv")


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


def write_ehds(results: Results, folder: Path) -> list[Path]:
    """Writes ehds.json (`benchmark`, `answers`, `averages`, `problems`, `signature`, `unscored`),
    answers.csv with a row per answer, and averages.csv with a row per model, condition, category
    and score.

    Returns:
        The files.
    """
    columns = answers_report(results).columns
    paths = [folder / name for name in EHDS_FILES]
    whole = {
        "benchmark": results.benchmark,
        "answers": [json_values(columns, row) for row in results.answers],
        "averages": to_json_value(results.summaries),
        "problems": list(results.problems),
        "signature": to_json_value(results.signature),
        "unscored": [_unscored(row) for row in results.unscored],
    }
    lines = []
    for row in results.summaries:
        for metric in METRICS.values():
            lines.append(AverageLine(row, metric))
    write_text(paths[0], without_surrogates(json_text(whole, indent=1)) + "\n")
    write_rows(paths[1], columns, (*results.answers, *results.unscored))
    write_rows(paths[2], AVERAGE_COLUMNS, lines)
    return paths


def _unscored(row: Any) -> dict[str, Any]:
    """Returns an answer without a score: which it is, and why it has none."""
    why = {"status": row.why.status, "reason": row.why.reason}
    return {**json_values(GIVEN_COLUMNS, row), **why}
