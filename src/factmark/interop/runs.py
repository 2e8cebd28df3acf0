"""Results as runs: a model under one condition, which other harnesses keep together."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import (
    AnswerScore,
    GivenAnswer,
    NoScore,
    Question,
    Results,
    Summary,
)
from factmark.files.flat_files import plain
from factmark.files.text_files import without_surrogates, write_text
from factmark.model import content_hash

CONDITIONS = ("baseline", "rag", "mcp", "context")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAnswer:
    """An answer in a run.

    Attributes:
        repeat: which of several answers to the same question this is, from 0.
        score: None where there is none; then `why` says so.
    """

    question: Question
    answer: GivenAnswer
    repeat: int
    score: AnswerScore | None = None
    why: NoScore | None = None

    @property
    def error(self) -> str | None:
        """Why there is no answer at all, or None where there is one."""
        lost = self.why is not None and not self.answer.text
        return f"{self.why.status}: {self.why.reason}" if lost and self.why else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The answers of a model under a condition.

    Attributes:
        overall: the averages over all its answers, or None where nothing was scored.
    """

    benchmark: str
    model: str
    condition: str
    rows: tuple[RunAnswer, ...]
    overall: Summary | None

    @property
    def task(self) -> str:
        """What it is called by others."""
        return "/".join(filter(None, (self.benchmark, self.condition)))

    @property
    def repeats(self) -> int:
        """The most answers to one question."""
        return 1 + max((row.repeat for row in self.rows), default=0)

    def id(self, of: str) -> str:
        """A name of 22 characters that follows from what the run is."""
        texts = [row.answer.text for row in self.rows]
        return content_hash([of, self.benchmark, self.model, self.condition, texts])[:22]


def runs_of(results: Results) -> tuple[Run, ...]:
    """The runs in results, by model and condition."""
    rows: dict[tuple[str, str], list[RunAnswer]] = {}
    repeats: Counter[tuple[str, str, str]] = Counter()
    scored = [(row.question, row.answer, row.score, None) for row in results.answers]
    lost = [(row.question, row.answer, None, row.why) for row in results.unscored]
    for question, answer, score, why in (*scored, *lost):
        key = (answer.model, answer.condition, question.query_id)
        row = RunAnswer(question=question, answer=answer, repeat=repeats[key], score=score, why=why)
        repeats[key] += 1
        rows.setdefault(key[:2], []).append(row)
    overall = {
        (summary.model, summary.condition): summary
        for summary in results.summaries
        if summary.category == "overall"
    }
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
    """A text as part of a file's name: no separators, no dots in front, not too long, not empty."""
    plain = re.sub(r"[^A-Za-z0-9.=+-]+", "-", text).strip(".-")[:80]
    return plain if plain == text and plain else f"{plain or 'x'}-{content_hash(text)[:8]}"


def condition_of(task: str) -> str:
    """The condition that a task's name ends with, or none."""
    last = re.split(r"[/_]", task)[-1]
    return last if last in CONDITIONS else ""


def write_harness(results: Results, folder: Path) -> list[Path]:
    """Writes `answers.json`: under `results` a row per answer; scores are null where none is.

    Raises:
        FactmarkError: if it cannot be written.
    """
    rows = [harness_row(row) for run in runs_of(results) for row in run.rows]
    path = folder / "answers.json"
    value = {"benchmark": results.benchmark, "results": rows}
    write_text(path, without_surrogates(json.dumps(value, ensure_ascii=False, indent=1)) + "\n")
    return [path]


def harness_row(row: RunAnswer) -> dict[str, Any]:
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
        **{name: None if score is None else getattr(score, name) for name in METRICS},
        "latency_seconds": answer.latency_seconds,
    }
