"""Results as runs: a model under one condition, which other harnesses keep together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import Row, ScoredAnswer, score_of
from factmark.answers.results import Results, Summary
from factmark.files.flat_files import json_text, to_json_value
from factmark.files.text_files import without_surrogates, write_text
from factmark.model import content_hash

CONDITIONS = ("baseline", "rag", "mcp", "context")


def error_of(row: Row) -> str | None:
    """Returns why there is no answer at all, or None where there is one."""
    if isinstance(row, ScoredAnswer) or row.answer.text:
        return None
    return f"{row.why.status}: {row.why.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The answers of a model under a condition.

    Attributes:
        overall: the averages over all its answers, or None where nothing was scored.
    """

    benchmark: str
    model: str
    condition: str
    rows: tuple[Row, ...]
    overall: Summary | None

    @property
    def task(self) -> str:
        """What it is called by others."""
        return "/".join(filter(None, (self.benchmark, self.condition)))

    @property
    def answers(self) -> dict[str, list[Row]]:
        """Id of a question -> its answers."""
        rows: dict[str, list[Row]] = {}
        for row in self.rows:
            rows.setdefault(row.question.query_id, []).append(row)
        return rows

    @property
    def repeats(self) -> int:
        """The most answers to one question."""
        return max(map(len, self.answers.values()), default=1)

    def id(self, of: str) -> str:
        """A name of 22 characters that follows from what the run is."""
        texts = [row.answer.text for row in self.rows]
        return content_hash([of, self.benchmark, self.model, self.condition, texts])[:22]


def runs_of(results: Results) -> tuple[Run, ...]:
    """Returns the runs in results, by model and condition."""
    rows: dict[tuple[str, str], list[Row]] = {}
    given: tuple[Row, ...] = (*results.answers, *results.unscored)
    for row in given:
        rows.setdefault((row.answer.model, row.answer.condition), []).append(row)
    overall = {}
    for summary in results.summaries:
        if summary.category == "overall":
            overall[(summary.model, summary.condition)] = summary
    return tuple(
        Run(
            benchmark=results.benchmark,
            model=model,
            condition=condition,
            rows=tuple(run),
            overall=overall.get((model, condition)),
        )
        for (model, condition), run in sorted(rows.items())
    )


def file_part(text: str) -> str:
    """Returns a text as part of a file's name: no separators, no dots in front, not too long, not
    empty.
    """
    plain = re.sub(r"[^A-Za-z0-9.=+-]+", "-", text).strip(".-")[:80]
    if plain == text and plain:
        return plain
    return f"{plain or 'x'}-{content_hash(text)[:8]}"


def condition_of(task: str) -> str:
    """Returns the condition that a task's name ends with, or none."""
    last = re.split(r"[/_]", task)[-1]
    if last in CONDITIONS:
        return last
    return ""


def write_harness(results: Results, folder: Path) -> list[Path]:
    """Writes `answers.json`: under `results` a row per answer; scores are null where none is.

    Raises:
        FactmarkError: if it cannot be written.
    """
    rows = []
    for run in runs_of(results):
        for row in run.rows:
            rows.append(harness_row(row))
    path = folder / "answers.json"
    value = {"benchmark": results.benchmark, "results": rows}
    write_text(path, without_surrogates(json_text(value, indent=1)) + "\n")
    return [path]


def harness_row(row: Row) -> dict[str, Any]:
    """Returns one answer as a row; where there is none, `answer` is null and `error` says why."""
    answer = row.answer
    score = score_of(row)
    error = error_of(row)
    lost = {}
    if error is not None:
        lost = {"error": error}
    return lost | {
        "id": answer.id,
        "query_id": answer.query_id,
        "condition": answer.condition,
        "model": answer.model,
        "answer": None if lost else answer.text,
        "tools_called": to_json_value(answer.tools_called),
        "chunks_retrieved": to_json_value(answer.chunks_retrieved),
        **{name: None if score is None else getattr(score, name) for name in METRICS},
        "latency_seconds": answer.latency_seconds,
    }
