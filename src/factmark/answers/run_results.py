"""How answers came about and what is told of runs, as JSON values and as flat rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

from factmark.answers.core.averages import Row
from factmark.answers.core.grounding import found
from factmark.answers.core.records import PairedDifference, Results, RunSummary
from factmark.answers.core.run_measures import abstained
from factmark.files.json_values import plain
from factmark.model import Estimate

RUN_COLUMNS = {
    "model": "VARCHAR", "condition": "VARCHAR", "category": "VARCHAR", "measure": "VARCHAR",
    "value": "DOUBLE", "low": "DOUBLE", "high": "DOUBLE", "level": "DOUBLE", "method": "VARCHAR",
    "n_items": "BIGINT", "n_units": "BIGINT", "n_missing": "BIGINT", "worst": "DOUBLE",
    "best": "DOUBLE", "signature": "VARCHAR",
}  # fmt: skip
DIFFERENCE_COLUMNS = {
    "between": "VARCHAR", "of": "VARCHAR", "score": "VARCHAR", "a": "VARCHAR", "b": "VARCHAR",
    "difference": "DOUBLE", "low": "DOUBLE", "high": "DOUBLE", "level": "DOUBLE",
    "method": "VARCHAR", "value_a": "DOUBLE", "value_b": "DOUBLE", "p_permutation": "DOUBLE",
    "p_adjusted": "DOUBLE", "wins": "BIGINT", "ties": "BIGINT", "losses": "BIGINT",
    "n_both": "BIGINT", "only_a": "BIGINT", "only_b": "BIGINT", "neither": "BIGINT",
    "worst": "DOUBLE", "best": "DOUBLE", "signature": "VARCHAR",
}  # fmt: skip
TRACE_COLUMNS = {
    "chunks_retrieved": "VARCHAR", "sample": "BIGINT", "rounds": "BIGINT", "ended": "VARCHAR",
    "tool_calls": "VARCHAR", "chunks": "VARCHAR", "input_tokens": "BIGINT",
    "output_tokens": "BIGINT", "cost": "DOUBLE", "retrieved": "VARCHAR", "abstained": "BOOLEAN",
}  # fmt: skip


def trace_json(row: Row) -> dict[str, Any]:
    """What is told of how an answer came about; nothing where it has no trace.

    Of chunks the ids, titles and scores, not the texts: the ledger has those.
    """
    answer, trace = row.answer, row.answer.trace
    out: dict[str, Any] = {}
    if answer.chunks_retrieved is not None:
        out["chunks_retrieved"] = list(answer.chunks_retrieved)
    elif trace is not None and trace.chunks is not None:
        out["chunks_retrieved"] = [chunk.id for chunk in trace.chunks]
    if trace is None:
        return out
    given = found(row.question, trace)
    return out | {
        "sample": trace.sample,
        "rounds": trace.rounds,
        "ended": trace.ended,
        "tool_calls": None if trace.tools is None else [asdict(use) for use in trace.tools],
        "chunks": None
        if trace.chunks is None
        else [{"id": one.id, "title": one.title, "score": one.score} for one in trace.chunks],
        "input_tokens": trace.input_tokens,
        "output_tokens": trace.output_tokens,
        "cost": trace.cost,
        "retrieved": None if given is None else list(given.retrieved),
        "abstained": abstained(row),
    }


def runs_json(results: Results) -> dict[str, Any]:
    """`runs` and `differences`, where there are any."""
    out: dict[str, Any] = {}
    if results.runs:
        out["runs"] = plain(results.runs)
    if results.differences:
        out["differences"] = [
            {
                "between": row.between,
                "of": row.of,
                "score": row.score,
                **plain(row.comparison),
                "told_apart": row.comparison.told_apart,
            }
            for row in results.differences
        ]
    return out


def run_rows(results: Results) -> list[dict[str, Any]]:
    """One flat row per model, condition, category and measure, for example `tools.accuracy`.

    Counts and totals have a value alone.
    """
    blank = dict.fromkeys(RUN_COLUMNS)
    return [
        {
            **blank,
            "model": run.model,
            "condition": run.condition,
            "category": run.category,
            "measure": name,
            **(
                {key: one for key, one in plain(value).items() if key in RUN_COLUMNS}
                if isinstance(value, Estimate)
                else {"value": value}
            ),
        }
        for run in results.runs
        for name, value in measures(run)
    ]


def measures(run: RunSummary) -> Iterator[tuple[str, Estimate | float]]:
    """All that is measured of a run by name; what is not known is left out."""
    yield "abstained", run.abstained
    for part in ("tools", "retrieval", "endings", "latency", "usage", "variation"):
        record = getattr(run, part)
        for field in fields(record) if record is not None else ():
            yield from _named(f"{part}.{field.name}", getattr(record, field.name))
    yield "n_questions", run.n_questions
    yield "n_answers", run.n_answers


def _named(name: str, value: Any) -> Iterator[tuple[str, Estimate | float]]:
    if isinstance(value, Estimate):
        yield name, value
    elif isinstance(value, bool | int | float):
        yield name, float(value)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _named(f"{name}.{key}", one)
    elif isinstance(value, tuple):  # the fewest and the most
        for key, one in zip(("least", "most"), value, strict=True):
            yield from _named(f"{name}.{key}", one)


def difference_rows(results: Results) -> list[dict[str, Any]]:
    """One flat row per pair and score."""
    return [_difference(row) for row in results.differences]


def _difference(row: PairedDifference) -> dict[str, Any]:
    made = row.comparison
    told = {name: getattr(made, name) for name in DIFFERENCE_COLUMNS if hasattr(made, name)}
    gap = {k: v for k, v in plain(made.difference).items() if k in DIFFERENCE_COLUMNS}
    return told | gap | {
        "between": row.between,
        "of": row.of,
        "score": row.score,
        "difference": made.difference.value,
        "value_a": made.value_a.value,
        "value_b": made.value_b.value,
    }  # fmt: skip


def trace_cells(row: Row) -> dict[str, Any]:
    """`trace_json` as cells: lists as JSON text, nothing as None."""
    told = trace_json(row)
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
        for name, value in ((name, told.get(name)) for name in TRACE_COLUMNS)
    }
