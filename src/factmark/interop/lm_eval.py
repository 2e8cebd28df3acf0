"""Results as lm-evaluation-harness leaves them, written and read: samples_TASK_TIME.jsonl and
results_TIME.json.

The fields are those of its version 0.4 with --log_samples. A folder per model, a task per
condition, a line per question; several answers to a question stand in one line, as repeats do.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import Row, ScoredAnswer
from factmark.answers.reading import AnswerFile, answers_of
from factmark.answers.results import Results
from factmark.errors import InputError
from factmark.files.flat_files import json_text, to_json_value
from factmark.files.text_files import read_text, without_surrogates, write_text
from factmark.intake.tools import tool_forms
from factmark.interop.runs import (
    Run,
    condition_of,
    error_of,
    file_part,
    harness_row,
    runs_of,
)
from factmark.text.shown_text import count
from factmark.version import __version__

_NAMED = re.compile(r"samples_(?P<task>.*)_(?P<time>\d{4}-\d\d-\d\dT[^_]*)")
_OURS = ("id", "model", "condition", "latency_seconds", "tools_called", "chunks_retrieved")
_HIGHER = {name: not metric.lower_is_better for name, metric in METRICS.items()}


def write_lm_eval(results: Results, folder: Path, *, created: datetime | None = None) -> list[Path]:
    """Writes a folder for each model: a file of samples for each condition and one file of
    averages. Returns the files' paths.

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
    for model, theirs in runs.items():
        place = folder / file_part(model)
        for run in theirs:
            path = place / f"samples_{file_part(_task_name(run))}_{stamp}.jsonl"
            lines = (json_text(sample) + "\n" for sample in _sample_lines(run))
            write_text(path, without_surrogates("".join(lines)))
            written.append(path)
        path = place / f"results_{stamp}.json"
        averages = _results_json(model, theirs, at)
        write_text(path, json_text(averages, indent=2) + "\n")
        written.append(path)
    return written


def _task_name(run: Run) -> str:
    """Returns the task's name: the benchmark and the condition."""
    return run.task.replace("/", "_")


def _sample_lines(run: Run) -> Iterator[dict[str, Any]]:
    """Yields a line per question, in the order of the run."""
    for number, answers in enumerate(run.answers.values()):
        yield _sample_line(number, answers)


def _sample_line(number: int, rows: Sequence[Row]) -> dict[str, Any]:
    """Returns the line of a question with all its answers."""
    question = rows[0].question
    doc = {
        "query_id": question.query_id,
        "category": question.category,
        "question": question.text,
        "ground_truth": to_json_value(question.ground_truth),
    }
    target = json.dumps(list(question.ground_truth or ()), ensure_ascii=False)
    texts = []
    for row in rows:
        texts.append(None if error_of(row) else row.answer.text)
    return {
        "doc_id": number,
        "doc": doc,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": question.text, "arg_1": {}}},
        "resps": [texts],
        "filtered_resps": texts,
        "filter": "none",
        "metrics": list(METRICS),
        "doc_hash": _sha256(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": _sha256(question.text),
        "target_hash": _sha256(target),
        **{name: _mean_score(rows, name) for name in METRICS},
        "factmark": [_own_fields(row) for row in rows],
    }


def _sha256(text: str) -> str:
    """Returns the SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _mean_score(rows: Sequence[Row], name: str) -> float | None:
    """Returns the mean over a question's scored answers; None where none is scored."""
    values = []
    for row in rows:
        if isinstance(row, ScoredAnswer):
            values.append(getattr(row.score, name))
    return sum(values) / len(values) if values else None


def _own_fields(row: Row) -> dict[str, Any]:
    """Returns what the form has no field for."""
    noted = harness_row(row)
    why = None
    if not isinstance(row, ScoredAnswer):
        why = f"{row.why.status}: {row.why.reason}"
    return {name: noted[name] for name in (*_OURS, *METRICS)} | {"no_score": why}


def _results_json(model: str, runs: Sequence[Run], at: datetime) -> dict[str, Any]:
    """Returns the results of a model's runs as the harness's results file has them."""
    tasks = {_task_name(run): run for run in runs}
    counts = {}
    for task, run in tasks.items():
        counts[task] = len(run.answers)
    return {
        "results": {task: _task_averages(task, run) for task, run in tasks.items()},
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


def _task_averages(task: str, run: Run) -> dict[str, Any]:
    """Returns the averages under the harness's names; its standard errors are not ours to give."""
    averages: dict[str, Any] = {"alias": task}
    for name in METRICS:
        value = None
        if run.overall is not None:
            value = getattr(run.overall, name).value
        averages[f"{name},none"] = value
        averages[f"{name}_stderr,none"] = "N/A"
    return averages


def answers_of_samples(
    path: Path, rows: Iterable[tuple[str, Any]], *, model: str = "", condition: str = ""
) -> AnswerFile:
    """Returns the answers in `samples_TASK_TIME.jsonl`: what the model said, before any filter.

    A question stands in the file once for each filter; it is read once. The model's name is that
    in `results_TIME.json` beside the file, where it is there.

    Raises:
        InputError: for a line that is no sample, or a task without texts (multiple choice).
    """
    named = _NAMED.fullmatch(path.stem)
    if named:
        task = named["task"]
    else:
        task = path.stem.removeprefix("samples_")
    model = _model_name(path, named["time"] if named else None) or model
    condition = condition or condition_of(task)
    given: list[tuple[str, dict[str, Any]]] = []
    missing = 0
    replies = Counter[str]()
    for where, row in _answer_rows(path, rows):
        query_id = row["query_id"]
        replies[query_id] += 1  # equal replies to a question are so many answers
        file = f"{path.parent.name}/{path.stem}"
        name = f"{model}/{condition}/{query_id}/{replies[query_id]}/{file}"
        missing += row["answer"] is None
        if row["answer"] is None:
            given += []
        else:
            given += [(where, {"id": name, **row})]
    read = answers_of(path, given, model=model, condition=condition)
    samples = count(missing, "sample has", "samples have")
    lost: tuple[str] | tuple[()] = ()
    if missing:
        lost = (f"{path.name}: {samples} no answer",)
    return AnswerFile(answers=read.answers, problems=(*read.problems, *lost))


def _answer_rows(
    path: Path, rows: Iterable[tuple[str, Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields rows as of a file of answers, one per reply; `answer` is None where there is none."""
    seen: dict[str, str] = {}
    forms = [form for form in tool_forms() if form.tool == "lm_eval"]
    form = next(form for form in forms if "query_id" in form.columns)
    for where, row in rows:
        if not isinstance(row, Mapping) or "doc_id" not in row:
            raise InputError(f"{path}, {where}: a sample is an object with doc_id and resps.")
        key = json.dumps(row["doc_id"])
        kind = str(row.get("filter", "none"))
        if seen.setdefault(key, kind) != kind:
            continue
        query_id = str(form.values_of(row)["query_id"])
        ours = row.get("factmark")
        notes = []
        if isinstance(ours, list):
            notes = ours
        texts = _reply_texts(path, where, row)
        if notes and len(notes) != len(texts):
            raise InputError(f"{path}, {where}: {len(texts)} replies and {len(notes)} notes.")
        for at, text in enumerate(texts):
            note = {}
            if notes and isinstance(notes[at], Mapping):
                note = notes[at]
            fields = {}
            for name in _OURS:
                if note.get(name) is not None:
                    fields[name] = note[name]
            yield where, {"query_id": query_id, "answer": text, **fields}


def _reply_texts(path: Path, where: str, row: Mapping[str, Any]) -> list[str | None]:
    """Returns the replies: `resps` holds a list per request; else what the filter left."""
    replies = row.get("resps", row.get("filtered_resps"))
    if isinstance(replies, list) and len(replies) == 1 and isinstance(replies[0], list):
        replies = replies[0]
    if not isinstance(replies, list) or not all(
        text is None or isinstance(text, str) for text in replies
    ):
        raise InputError(
            f"{path}, {where}: its replies are no texts. Tasks that compare likelihoods (multiple "
            "choice) have no answers to score; use a task that generates."
        )
    return replies


def _model_name(path: Path, time: str | None) -> str:
    """Returns the model's name from the results of the same run, or empty."""
    beside = path.with_name(f"results_{time}.json")
    if time is None or not beside.is_file():
        return ""
    try:
        results = json.loads(read_text(beside))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{beside}: is no JSON ({error}).") from error
    if not isinstance(results, Mapping):
        return ""
    name = results.get("model_name")
    config = results.get("config")
    other = None
    if isinstance(config, Mapping):
        other = config.get("model")
    return without_surrogates(next((text for text in (name, other) if isinstance(text, str)), ""))
