"""Results in the fields of the original harness."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from factmark.answers.core.records import Results
from factmark.files.json_values import plain
from factmark.files.text_files import without_surrogates, write_text
from factmark.interop.runs import Row, runs_of


def write_harness(results: Results, folder: Path) -> list[Path]:
    """Writes `answers.json`: under `results` a row per answer; scores are null where none is.

    Raises:
        FactmarkError: if it cannot be written.
    """
    rows = [harness_row(row) for run in runs_of(results) for row in run.rows]
    path = folder / "answers.json"
    told = {"benchmark": results.benchmark, "results": rows}
    write_text(path, without_surrogates(json.dumps(told, ensure_ascii=False, indent=1)) + "\n")
    return [path]


def harness_row(row: Row) -> dict[str, Any]:
    """One answer; where there is none, `answer` is null and `error` says why."""
    answer, score = row.answer, row.score
    lost = {} if row.error is None else {"error": row.error}
    return lost | {
        "id": answer.id,
        "query_id": answer.query_id,
        "condition": answer.condition,
        "model": answer.model,
        "answer": None if lost else answer.text,
        "tools_called": plain(answer.tools_called),
        "chunks_retrieved": plain(answer.chunks_retrieved),
        "completeness": None if score is None else score.completeness,
        "hallucination_rate": None if score is None else score.hallucination_rate,
        "combined_score": None if score is None else score.combined_score,
        "latency_seconds": answer.latency_seconds,
    }
