"""Results as lm-evaluation-harness leaves them: samples_TASK_TIME.jsonl and results_TIME.json.

The fields are those of its version 0.4 with --log_samples. A folder per model, a task per
condition, a line per question; several answers to a question stand in one line, as repeats do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from factmark import __version__
from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import Results
from factmark.files.json_values import plain
from factmark.files.text_files import without_surrogates, write_text
from factmark.interop.runs import Row, Run, file_part, runs_of

_HIGHER = {name: not metric.lower_is_better for name, metric in METRICS.items()}


def write_lm_eval(results: Results, folder: Path, *, created: datetime | None = None) -> list[Path]:
    """Writes, per model, a file of samples for each condition and one of results.

    Args:
        created: when the results were made; now, where it is not given. It names the files.

    Raises:
        FactmarkError: if a file cannot be written.
    """
    at = (created or datetime.now(UTC)).astimezone(UTC).replace(tzinfo=None)
    stamp = at.isoformat(timespec="microseconds").replace(":", "-")
    runs: dict[str, list[Run]] = {}
    for run in runs_of(results):
        runs.setdefault(run.model, []).append(run)
    written = []
    for model, found in runs.items():
        place = folder / file_part(model)
        for run in found:
            path = place / f"samples_{file_part(task_of(run))}_{stamp}.jsonl"
            lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in samples_of(run))
            write_text(path, without_surrogates("".join(lines)))
            written.append(path)
        path = place / f"results_{stamp}.json"
        told = _results(model, found, at)
        write_text(path, json.dumps(told, ensure_ascii=False, indent=2) + "\n")
        written.append(path)
    return written


def task_of(run: Run) -> str:
    """The task's name: the benchmark and the condition."""
    return run.task.replace("/", "_")


def samples_of(run: Run) -> Iterator[dict[str, Any]]:
    """A line per question, in the order of the run."""
    rows: dict[str, list[Row]] = {}
    for row in run.rows:
        rows.setdefault(row.question.query_id, []).append(row)
    for number, found in enumerate(rows.values()):
        yield _sample(number, found)


def _sample(number: int, rows: Sequence[Row]) -> dict[str, Any]:
    question = rows[0].question
    doc = {
        "query_id": question.query_id,
        "category": question.category,
        "question": question.text,
        "ground_truth": plain(question.ground_truth),
    }
    target = json.dumps(list(question.ground_truth or ()), ensure_ascii=False)
    texts = [None if row.error else row.answer.text for row in rows]
    return {
        "doc_id": number,
        "doc": doc,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": question.text, "arg_1": {}}},
        "resps": [texts],
        "filtered_resps": texts,
        "filter": "none",
        "metrics": list(METRICS),
        "doc_hash": _hash(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": _hash(question.text),
        "target_hash": _hash(target),
        **{name: _mean(rows, name) for name in METRICS},
        "factmark": [_told(row) for row in rows],
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _mean(rows: Sequence[Row], name: str) -> float | None:
    """The mean over a question's scored answers; None where none is scored."""
    values = [getattr(row.score, name) for row in rows if row.score is not None]
    return sum(values) / len(values) if values else None


def _told(row: Row) -> dict[str, Any]:
    """What the form has no field for."""
    answer = row.answer
    return {
        "id": answer.id,
        "model": answer.model,
        "condition": answer.condition,
        "latency_seconds": answer.latency_seconds,
        "tools_called": plain(answer.tools_called),
        "chunks_retrieved": plain(answer.chunks_retrieved),
        "no_score": None if row.why is None else f"{row.why.status}: {row.why.reason}",
        **{name: None if row.score is None else getattr(row.score, name) for name in METRICS},
    }


def _results(model: str, runs: Sequence[Run], at: datetime) -> dict[str, Any]:
    tasks = {task_of(run): run for run in runs}
    counts = {task: len({row.question.query_id for row in run.rows}) for task, run in tasks.items()}
    return {
        "results": {task: _averages(task, run) for task, run in tasks.items()},
        "group_subtasks": {task: [] for task in tasks},
        "configs": {
            task: {
                "task": task,
                "output_type": "generate_until",
                "repeats": run.repeats,
                "metric_list": [
                    {"metric": name, "higher_is_better": better} for name, better in _HIGHER.items()
                ],
                "metadata": {"version": 1.0, "condition": run.condition},
            }
            for task, run in tasks.items()
        },
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": dict.fromkeys(tasks, _HIGHER),
        "n-samples": {
            task: {"original": count, "effective": count} for task, count in counts.items()
        },
        "config": {"model": "factmark", "model_args": f"model={model}"},
        "date": at.replace(tzinfo=UTC).timestamp(),
        "model_source": "factmark",
        "model_name": model,
        "model_name_sanitized": file_part(model),
        "factmark_version": __version__,
    }


def _averages(task: str, run: Run) -> dict[str, Any]:
    """The averages under the harness's names; its standard errors are not ours to give."""
    found: dict[str, Any] = {"alias": task}
    for name in METRICS:
        value = None if run.overall is None else getattr(run.overall, name).value
        found[f"{name},none"] = value
        found[f"{name}_stderr,none"] = "N/A"
    return found
