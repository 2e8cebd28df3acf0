"""Results as files: results.json; answers, averages and runs as CSV and Parquet; tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from factmark.answers.core.averages import METRICS, Row
from factmark.answers.core.grounding import held_for
from factmark.answers.core.records import PairedDifference, Results, RunSummary, ScoredAnswer
from factmark.answers.core.run_measures import abstained
from factmark.answers.run_tables import run_tables
from factmark.answers.tables import score_table
from factmark.files.flat_files import csv_text, plain, write_parquet
from factmark.files.text_files import without_surrogates, write_text
from factmark.model import Estimate
from factmark.tables.latex import latex_table
from factmark.tables.layouts import DataTable, markdown_table

_BOUNDS = {"low": "DOUBLE", "high": "DOUBLE", "level": "DOUBLE", "method": "VARCHAR"}
_EXTREMES = {"worst": "DOUBLE", "best": "DOUBLE"}
_COUNTS = {"n_items": "BIGINT", "n_units": "BIGINT", "n_missing": "BIGINT"}
_SYSTEM = {"model": "VARCHAR", "condition": "VARCHAR", "category": "VARCHAR"}
ANSWER_COLUMNS = {
    "id": "VARCHAR", "query_id": "VARCHAR", "category": "VARCHAR", "condition": "VARCHAR",
    "model": "VARCHAR", "answer": "VARCHAR", "facts": "VARCHAR", "missing": "VARCHAR",
    "verdict": "VARCHAR", "absence": "BOOLEAN", **dict.fromkeys(METRICS, "DOUBLE"),
    "latency_seconds": "DOUBLE", "tools_called": "VARCHAR",
}  # fmt: skip
TRACE_COLUMNS = {
    "chunks_retrieved": "VARCHAR", "sample": "BIGINT", "rounds": "BIGINT", "ended": "VARCHAR",
    "tool_calls": "VARCHAR", "chunks": "VARCHAR", "input_tokens": "BIGINT",
    "output_tokens": "BIGINT", "cost": "DOUBLE", "retrieved": "VARCHAR", "abstained": "BOOLEAN",
}  # fmt: skip
AVERAGE_COLUMNS = {
    **_SYSTEM, "metric": "VARCHAR", "value": "DOUBLE", **_BOUNDS, **_COUNTS, **_EXTREMES,
    "design_effect": "DOUBLE", "n_effective": "DOUBLE", "signature": "VARCHAR",
}  # fmt: skip
RUN_COLUMNS = {
    **_SYSTEM, "measure": "VARCHAR", "value": "DOUBLE", **_BOUNDS, **_COUNTS, **_EXTREMES,
    "signature": "VARCHAR",
}  # fmt: skip
DIFFERENCE_COLUMNS = {
    "between": "VARCHAR", "of": "VARCHAR", "score": "VARCHAR", "a": "VARCHAR", "b": "VARCHAR",
    "difference": "DOUBLE", **_BOUNDS, "value_a": "DOUBLE", "value_b": "DOUBLE",
    "p_permutation": "DOUBLE", "p_adjusted": "DOUBLE", "wins": "BIGINT", "ties": "BIGINT",
    "losses": "BIGINT", "n_both": "BIGINT", "only_a": "BIGINT", "only_b": "BIGINT",
    "neither": "BIGINT", **_EXTREMES, "signature": "VARCHAR",
}  # fmt: skip

Flat = dict[str, Any]
"""Column -> cell"""


def results_json(results: Results) -> dict[str, Any]:
    """Results as JSON values: `answers`, then `averages`, then `signature`.

    Answers without a score come last, as `unscored`, where there are any.
    """
    parts = {
        "benchmark": results.benchmark,
        "answers": [_answer(row) for row in results.answers],
        "averages": [plain(row) for row in results.summaries],
        "corrected": plain(results.corrections),
        "runs": plain(results.runs),
        "differences": [
            {
                "between": row.between,
                "of": row.of,
                "score": row.score,
                **plain(row.comparison),
                "told_apart": row.comparison.told_apart,
            }
            for row in results.differences
        ],
        "problems": list(results.problems),
        "signature": dict(results.signature),
        "unscored": [
            _named(row) | {"status": row.why.status, "reason": row.why.reason} | trace_json(row)
            for row in results.unscored
        ],
    }
    optional = ("corrected", "runs", "differences", "unscored")
    return {name: part for name, part in parts.items() if part or name not in optional}


def _named(row: Row) -> Flat:
    return {
        "id": row.answer.id,
        "query_id": row.answer.query_id,
        "category": row.question.category,
        "condition": row.answer.condition,
        "model": row.answer.model,
        "answer": row.answer.text,
    }


def _answer(row: ScoredAnswer) -> Flat:
    score = row.score
    return _named(row) | {
        "facts": [asdict(fact) for fact in score.facts],
        "missing": list(score.missing),
        "verdict": score.verdict,
        "absence": score.absence,
        **{key: metric.of(score) for key, metric in METRICS.items()},
        "latency_seconds": row.answer.latency_seconds,
        "tools_called": plain(row.answer.tools_called),
        **trace_json(row),
    }


def trace_json(row: Row) -> Flat:
    """What is told of how an answer came about; nothing where it has no trace.

    Of chunks the ids, titles and scores, not the texts: the ledger has those.
    """
    answer, trace = row.answer, row.answer.trace
    out: Flat = {}
    if answer.chunks_retrieved is not None:
        out["chunks_retrieved"] = list(answer.chunks_retrieved)
    elif trace is not None and trace.chunks is not None:
        out["chunks_retrieved"] = [chunk.id for chunk in trace.chunks]
    if trace is None:
        return out
    known = held_for(row.question, trace)
    return out | {
        "sample": trace.sample,
        "rounds": trace.rounds,
        "ended": trace.ended,
        "tool_calls": plain(trace.tools),
        "chunks": None
        if trace.chunks is None
        else [{"id": one.id, "title": one.title, "score": one.score} for one in trace.chunks],
        "input_tokens": trace.input_tokens,
        "output_tokens": trace.output_tokens,
        "cost": trace.cost,
        "retrieved": None if known is None else [element for element in known if known[element]],
        "abstained": abstained(row),
    }


def answer_rows(results: Results) -> list[Flat]:
    """One flat row per answer; lists (facts, missing elements, tools) as JSON text."""
    columns = answer_columns(results)
    rows = []
    for row in results.answers:
        values = _answer(row)
        rows.append({name: _cell(values.get(name)) for name in columns})
    return rows


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


def answer_columns(results: Results) -> dict[str, str]:
    """The columns of `answer_rows` with their types; more where answers have a trace."""
    traced = any(row.answer.trace is not None for row in results.answers)
    return ANSWER_COLUMNS | (TRACE_COLUMNS if traced else {})


def average_rows(results: Results) -> list[Flat]:
    """One flat row per model, condition, category and metric."""
    return [
        _system(row) | {"metric": key, **plain(metric.estimate(row))}
        for row in results.summaries
        for key, metric in METRICS.items()
    ]


def _system(row: Any) -> Flat:
    return {name: getattr(row, name) for name in _SYSTEM}


def run_rows(results: Results) -> list[Flat]:
    """One flat row per model, condition, category and measure, for example `tools.accuracy`.

    Counts and totals have a value alone.
    """
    blank = dict.fromkeys(RUN_COLUMNS)
    rows = []
    for run in results.runs:
        for name, value in _measures(run):
            cells = plain(value) if isinstance(value, Estimate) else {"value": value}
            known = {key: cell for key, cell in cells.items() if key in RUN_COLUMNS}
            rows.append(blank | _system(run) | {"measure": name} | known)
    return rows


def _measures(run: RunSummary) -> Iterator[tuple[str, Estimate | float]]:
    """All that is measured of a run by name; what is not known is left out."""
    yield "abstained", run.abstained
    for part in ("tools", "retrieval", "endings", "latency", "usage", "variation"):
        yield from _flattened(part, getattr(run, part))
    yield "n_questions", run.n_questions
    yield "n_answers", run.n_answers


def _flattened(name: str, value: Any) -> Iterator[tuple[str, Estimate | float]]:
    if isinstance(value, Estimate):
        yield name, value
    elif isinstance(value, bool | int | float):
        yield name, float(value)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flattened(f"{name}.{key}", inner)
    elif isinstance(value, tuple):
        for key, inner in zip(("least", "most"), value, strict=True):
            yield from _flattened(f"{name}.{key}", inner)


def difference_rows(results: Results) -> list[Flat]:
    """One flat row per pair and score."""
    return [_difference(row) for row in results.differences]


def _difference(row: PairedDifference) -> Flat:
    pair = row.comparison
    cells = {name: getattr(pair, name) for name in DIFFERENCE_COLUMNS if hasattr(pair, name)}
    cells |= {k: v for k, v in plain(pair.difference).items() if k in DIFFERENCE_COLUMNS}
    return cells | {
        "between": row.between,
        "of": row.of,
        "score": row.score,
        "difference": pair.difference.value,
        "value_a": pair.value_a.value,
        "value_b": pair.value_b.value,
    }


def write_results(results: Results, folder: Path) -> list[Path]:
    """Writes all forms of the results into a folder; each file appears whole or not at all.

    Returns:
        The files: results.json, answers and averages as .csv and .parquet, table.md, table.tex;
        where there are runs, also runs and differences as .csv and .parquet, runs.md, runs.tex.
    """
    whole = json.dumps(results_json(results), ensure_ascii=False, indent=1) + "\n"
    texts = {"results.json": without_surrogates(whole)}
    flat: dict[str, tuple[Sequence[Flat], Mapping[str, str]]] = {
        "answers": (answer_rows(results), answer_columns(results)),
        "averages": (average_rows(results), AVERAGE_COLUMNS),
    }
    tables: dict[str, tuple[DataTable, ...]] = {"table": (score_table(results),)}
    if results.runs:
        flat["runs"] = run_rows(results), RUN_COLUMNS
        flat["differences"] = difference_rows(results), DIFFERENCE_COLUMNS
        tables["runs"] = run_tables(results)
    for name, (rows, columns) in flat.items():
        texts[f"{name}.csv"] = csv_text(rows, list(columns))
    for name, some in tables.items():
        texts[f"{name}.md"] = "\n".join(map(markdown_table, some))
        texts[f"{name}.tex"] = "\n".join(map(latex_table, some))
    for name, text in texts.items():
        write_text(folder / name, text)
    for name, (rows, columns) in flat.items():
        write_parquet(folder / f"{name}.parquet", rows, columns)
    return [folder / name for name in (*texts, *(f"{name}.parquet" for name in flat))]
