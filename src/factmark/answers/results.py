"""Results as files: results.json, answers and averages as CSV and Parquet, and tables."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import Results, ScoredAnswer, Summary, UnscoredAnswer
from factmark.answers.run_results import (
    DIFFERENCE_COLUMNS,
    RUN_COLUMNS,
    TRACE_COLUMNS,
    difference_rows,
    run_rows,
    runs_json,
    trace_cells,
    trace_json,
)
from factmark.answers.run_tables import run_tables
from factmark.answers.tables import score_table
from factmark.files.csv_cells import csv_writer
from factmark.files.json_values import plain
from factmark.files.text_files import replacing, without_surrogates, write_text
from factmark.tables.latex import latex_table
from factmark.tables.layouts import markdown_table


def results_json(results: Results) -> dict[str, Any]:
    """Results as JSON values: `answers`, then `averages`, then `signature`.

    Answers without a score come last, as `unscored`, where there are any.
    """
    found = {
        "benchmark": results.benchmark,
        "answers": [_answer(row) for row in results.answers],
        "averages": [_average(row) for row in results.summaries],
        **({"corrected": plain(results.corrections)} if results.corrections else {}),
        **runs_json(results),
        "problems": list(results.problems),
        "signature": dict(results.signature),
    }
    lost = [_unscored(row) for row in results.unscored]
    return found | {"unscored": lost} if lost else found


def _answer(row: ScoredAnswer) -> dict[str, Any]:
    score = row.score
    return {
        "id": row.answer.id,
        "query_id": row.answer.query_id,
        "category": row.question.category,
        "condition": row.answer.condition,
        "model": row.answer.model,
        "answer": row.answer.text,
        "facts": [asdict(fact) for fact in score.facts],
        "missing": list(score.missing),
        "verdict": score.verdict,
        "absence": score.absence,
        "completeness": score.completeness,
        "hallucination_rate": score.hallucination_rate,
        "combined_score": score.combined_score,
        "latency_seconds": row.answer.latency_seconds,
        "tools_called": None if row.answer.tools_called is None else list(row.answer.tools_called),
        **trace_json(row),
    }


def _unscored(row: UnscoredAnswer) -> dict[str, Any]:
    return {
        "id": row.answer.id,
        "query_id": row.answer.query_id,
        "category": row.question.category,
        "condition": row.answer.condition,
        "model": row.answer.model,
        "answer": row.answer.text,
        "status": row.why.status,
        "reason": row.why.reason,
        **trace_json(row),
    }


def _average(row: Summary) -> dict[str, Any]:
    return {
        "model": row.model,
        "condition": row.condition,
        "category": row.category,
        **{metric: plain(getattr(row, metric)) for metric in METRICS},
        "n_questions": row.n_questions,
        "n_answers": row.n_answers,
        "n_missing": row.n_missing,
    }


_ANSWER_COLUMNS = {
    "id": "VARCHAR", "query_id": "VARCHAR", "category": "VARCHAR", "condition": "VARCHAR",
    "model": "VARCHAR", "answer": "VARCHAR", "facts": "VARCHAR", "missing": "VARCHAR",
    "verdict": "VARCHAR", "absence": "BOOLEAN", "completeness": "DOUBLE",
    "hallucination_rate": "DOUBLE", "combined_score": "DOUBLE", "latency_seconds": "DOUBLE",
    "tools_called": "VARCHAR",
}  # fmt: skip
_AVERAGE_COLUMNS = {
    "model": "VARCHAR", "condition": "VARCHAR", "category": "VARCHAR", "metric": "VARCHAR",
    "value": "DOUBLE", "low": "DOUBLE", "high": "DOUBLE", "level": "DOUBLE", "method": "VARCHAR",
    "n_items": "BIGINT", "n_units": "BIGINT", "n_missing": "BIGINT", "worst": "DOUBLE",
    "best": "DOUBLE", "design_effect": "DOUBLE", "n_effective": "DOUBLE",
    "signature": "VARCHAR",
}  # fmt: skip


def answer_rows(results: Results) -> list[dict[str, Any]]:
    """One flat row per answer; facts, missing elements and tools as JSON text."""
    rows, traced = [], _traced(results)
    for row in results.answers:
        flat = _answer(row)
        for name in ("facts", "missing", "tools_called"):
            flat[name] = None if flat[name] is None else json.dumps(flat[name], ensure_ascii=False)
        rows.append(flat | trace_cells(row) if traced else flat)
    return rows


def answer_columns(results: Results) -> dict[str, str]:
    """The columns of `answer_rows` with their types; more where answers have a trace."""
    return _ANSWER_COLUMNS | (TRACE_COLUMNS if _traced(results) else {})


def _traced(results: Results) -> bool:
    return any(row.answer.trace is not None for row in results.answers)


def average_rows(results: Results) -> list[dict[str, Any]]:
    """One flat row per model, condition, category and metric."""
    return [
        {
            "model": row.model,
            "condition": row.condition,
            "category": row.category,
            "metric": metric,
            **plain(getattr(row, metric)),
        }
        for row in results.summaries
        for metric in METRICS
    ]


def write_results(results: Results, folder: Path) -> list[Path]:
    """Writes all forms of the results into a folder; each file appears whole or not at all.

    Returns:
        The files: results.json, answers and averages as .csv and .parquet, table.md, table.tex;
        where there are runs, also runs and differences as .csv and .parquet, runs.md, runs.tex.
    """
    table, columns = score_table(results), answer_columns(results)
    answers, averages = answer_rows(results), average_rows(results)
    writers: dict[str, Callable[[Path], None]] = {
        "results.json": lambda path: write_text(
            path,
            without_surrogates(json.dumps(results_json(results), ensure_ascii=False, indent=1))
            + "\n",
        ),
        "answers.csv": lambda path: write_text(path, csv_text(answers, list(columns))),
        "averages.csv": lambda path: write_text(path, csv_text(averages, list(_AVERAGE_COLUMNS))),
        "answers.parquet": lambda path: write_parquet(path, answers, columns),
        "averages.parquet": lambda path: write_parquet(path, averages, _AVERAGE_COLUMNS),
        "table.md": lambda path: write_text(path, markdown_table(table)),
        "table.tex": lambda path: write_text(path, latex_table(table)),
    }
    if results.runs:
        writers |= _run_writers(results)
    for name, write in writers.items():
        write(folder / name)
    return [folder / name for name in writers]


def _run_writers(results: Results) -> dict[str, Callable[[Path], None]]:
    tables = run_tables(results)
    runs, differences = run_rows(results), difference_rows(results)
    return {
        "runs.csv": lambda path: write_text(path, csv_text(runs, list(RUN_COLUMNS))),
        "runs.parquet": lambda path: write_parquet(path, runs, RUN_COLUMNS),
        "differences.csv": lambda path: write_text(
            path, csv_text(differences, list(DIFFERENCE_COLUMNS))
        ),
        "differences.parquet": lambda path: write_parquet(path, differences, DIFFERENCE_COLUMNS),
        "runs.md": lambda path: write_text(path, "\n".join(map(markdown_table, tables))),
        "runs.tex": lambda path: write_text(path, "\n".join(map(latex_table, tables))),
    }


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Rows as CSV (`csv_writer`); half of a pair of surrogates, which no file can hold, becomes
    U+FFFD."""
    out = io.StringIO()
    write = csv_writer(out)
    write(columns)
    for row in rows:
        write(row[name] for name in columns)
    return without_surrogates(out.getvalue())


def write_parquet(
    path: Path, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]
) -> None:
    """Writes rows as Parquet with the given column types."""
    import duckdb

    with replacing(path) as temporary:
        lines = temporary.with_name(temporary.name + ".jsonl")
        try:
            with lines.open("w", encoding="utf-8") as out:
                for row in rows:
                    told = {name: row[name] for name in columns}
                    out.write(without_surrogates(json.dumps(told, ensure_ascii=False)) + "\n")
            fields = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
            with duckdb.connect() as db:
                db.execute(
                    f"COPY (SELECT * FROM read_json($source, format='newline_delimited', "  # noqa: S608
                    f"columns={{{fields}}}, maximum_object_size=1073741824)) "
                    "TO $target (FORMAT parquet, COMPRESSION zstd)",
                    {"source": str(lines), "target": str(temporary)},
                )
        except duckdb.Error as error:
            raise OSError(str(error)) from error
        finally:
            lines.unlink(missing_ok=True)
