"""Results as logs of inspect_ai: one file per model and condition, which its viewer shows.

The form is that of inspect_ai 0.3 (log version 2), `.eval`: a zip of JSON files. Written without
inspect_ai itself; members are deflated, which every version reads.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import (
    AnswerScore,
    Row,
    ScoredAnswer,
    ToolUse,
    Trace,
    score_of,
)
from factmark.answers.results import Results
from factmark.files.flat_files import json_text, to_json_value
from factmark.files.text_files import replace_at_end, without_surrogates
from factmark.interop.runs import Run, error_of, file_part, runs_of
from factmark.model import content_hash
from factmark.version import __version__

VERSION = 2
_MAX_DEPTH = 20
_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-00-00_")  # of a log, at its beginning
_ERRORS = {"timeout": "timeout", "invalid": "parsing"}
_STOPS = {"length": "max_tokens", "refused": "content_filter"}


def write_inspect_logs(
    results: Results, folder: Path, *, created: datetime | None = None
) -> list[Path]:
    """Writes a log per model and condition; the log that this wrote of the same run into the
    folder before is replaced.

    Args:
        created: when the results were made; now, where it is not given.

    Raises:
        FactmarkError: if a file cannot be written.
    """
    at = (created or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    written = []
    for run in runs_of(results):
        name = f"{at.replace(':', '-').replace('+', '-')}_{file_part(run.task)}_{run.id('task')}"
        path = folder / f"{name}.eval"
        _write_log(path, run, results, at)
        for old in set(folder.glob(f"*_{run.id('task')}.eval")) - {path}:
            if _NAME.match(old.name) and _is_log_of(run, old):
                old.unlink(missing_ok=True)
        written.append(path)
    return written


def _is_log_of(run: Run, path: Path) -> bool:
    """Returns whether a path is a log, no link to one, that factmark wrote of a run."""
    try:
        with zipfile.ZipFile(path) as log:
            spec = json.loads(log.read("_journal/start.json"))["eval"]
        ours = "factmark" in spec["packages"] and spec["run_id"] == run.id("run")
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile, RuntimeError):
        return False
    return ours and not path.is_symlink()


def _write_log(path: Path, run: Run, results: Results, at: str) -> None:
    """Writes the log of a run, its samples and its summaries, in place of one that is there."""
    samples = []
    for rows in run.answers.values():
        for epoch, row in enumerate(rows, start=1):
            samples.append(_sample_json(row, epoch))
    header = _log_header(run, results, at, samples)
    start = {name: header[name] for name in ("version", "eval", "plan")}
    with (
        replace_at_end(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        _write_member(out, "_journal/start.json", start)
        for sample in samples:
            _write_member(out, f"samples/{sample['id']}_epoch_{sample['epoch']}.json", sample)
        summaries = [_sample_summary(sample) for sample in samples]
        _write_member(out, "_journal/summaries/1.json", summaries)
        _write_member(out, "summaries.json", summaries)
        _write_member(out, "header.json", header)


def _write_member(out: zipfile.ZipFile, name: str, value: object) -> None:
    """Writes a JSON file into the zip, dated the same each time."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    out.writestr(info, without_surrogates(json_text(value)))


def _log_header(
    run: Run, results: Results, at: str, samples: list[dict[str, Any]]
) -> dict[str, Any]:
    """Returns all of a log but its samples."""
    usages = [sample["output"]["usage"] for sample in samples]
    names = dict.fromkeys(name for usage in usages for name in usage)
    usage = {name: sum(usage.get(name, 0) for usage in usages) for name in names}
    used = {}
    if usage.get("total_tokens"):
        used = {run.model: usage}
    return {
        "version": VERSION,
        "status": "success",
        "eval": _eval_spec(run, results, at),
        "plan": {"name": run.condition or "answers", "steps": [], "config": {}},
        "results": _eval_results(run),
        "stats": {"started_at": at, "completed_at": at, "model_usage": used, "role_usage": {}},
    }


def _eval_spec(run: Run, results: Results, at: str) -> dict[str, Any]:
    """Returns what was run, as the `eval` part of a log: task, model, dataset and ids."""
    ids = list(map(file_part, run.answers))
    scorer = {"name": "factmark", "options": {}, "metrics": [{"name": "mean"}], "metadata": {}}
    return {
        "eval_id": run.id("eval"),
        "run_id": run.id("run"),
        "created": at,
        "task": run.task,
        "task_id": run.id("task"),
        "task_version": 0,
        "task_display_name": run.task,
        "task_attribs": {},
        "task_args": {"condition": run.condition},
        "task_args_passed": {"condition": run.condition},
        "dataset": {
            "name": run.benchmark,
            "samples": len(ids),
            "sample_ids": ids,
            "shuffled": False,
        },
        "model": run.model or "unknown",
        "model_generate_config": {},
        "model_args": {},
        "config": {"epochs": run.repeats, "log_samples": True},
        "packages": {"factmark": __version__},
        "scorers": [scorer],
        "metadata": {
            "factmark": {
                "signature": to_json_value(results.signature),
                "problems": list(results.problems),
            }
        },
    }


def _eval_results(run: Run) -> dict[str, Any]:
    """Returns the averages of a run, as the `results` part of a log."""
    scored = sum(isinstance(row, ScoredAnswer) for row in run.rows)
    scores = []
    if run.overall is not None:
        for name in METRICS:
            estimate = getattr(run.overall, name)
            values = {"mean": estimate.value, "low": estimate.low, "high": estimate.high}
            scores.append(
                {
                    "name": name,
                    "scorer": "factmark",
                    "scored_samples": scored,
                    "unscored_samples": len(run.rows) - scored,
                    "params": {},
                    "metrics": {
                        key: {"name": key, "value": value, "params": {}}
                        for key, value in values.items()
                        if value is not None
                    },
                }
            )
    counts = {"total_samples": len(run.rows), "completed_samples": scored}
    shown = {"scorer": "factmark", "score": "combined_score", "metric": "mean"}
    return counts | {"scores": scores, "headline": shown if scores else None}


def _sample_json(row: Row, epoch: int) -> dict[str, Any]:
    """Returns one answer as a sample."""
    answer = row.answer
    trace = row.answer.trace or Trace()
    usage = _usage_json(trace)
    output = {
        "model": answer.model or "unknown",
        "choices": [
            {"message": _final_message(row), "stop_reason": _STOPS.get(trace.ended, "stop")}
        ],
        "completion": answer.text,
        "usage": usage,
        "time": answer.latency_seconds,
    }
    sample: dict[str, Any] = {
        "id": file_part(row.question.query_id),  # a name of a file
        "epoch": epoch,
        "input": row.question.text,
        "target": list(row.question.ground_truth or ()),
        "messages": _conversation_json(row, epoch),
        "output": output,
        "scores": _scores_json(row),
        "metadata": _sample_metadata(row),
        "store": {},
        "events": [],
        "model_usage": {answer.model: usage} if usage["total_tokens"] else {},
        "total_time": answer.latency_seconds,
        "working_time": answer.latency_seconds,
        "attachments": {},
        "turn_count": trace.rounds,
    }
    reason = error_of(row)
    if reason is not None:
        sample["error"] = {"message": reason, "traceback": reason, "traceback_ansi": reason}
        sample["output"] |= {"choices": [], "error": reason}
    return sample


def _usage_json(trace: Trace) -> dict[str, Any]:
    """Returns the tokens of an answer, and its cost where it is known."""
    usage: dict[str, Any] = {
        "input_tokens": trace.input_tokens,
        "output_tokens": trace.output_tokens,
        "total_tokens": trace.input_tokens + trace.output_tokens,
    }
    return usage | ({} if trace.cost is None else {"total_cost": trace.cost})


def _scores_json(row: Row) -> dict[str, Any]:
    """Returns C, H and S as one score of three values, with the facts as its explanation."""
    score = score_of(row)
    if score is None:
        return {}
    value = {name: getattr(score, name) for name in METRICS}
    about = {
        "facts": to_json_value(score.facts),
        "missing": list(score.missing),
        "verdict": score.verdict,
    }
    explanation = _explanation(score)
    details = {"answer": row.answer.text, "explanation": explanation, "metadata": about}
    return {"factmark": {"value": value} | details | {"history": []}}


def _explanation(score: AnswerScore) -> str:
    """Returns which facts matched, which did not, and which are missing, as text."""
    parts = {
        "Matched facts": [
            f"{f.text} (matches {f.match})" for f in score.facts if f.match is not None
        ],
        "Unmatched facts": [fact.text for fact in score.facts if fact.match is None],
        "Missing": score.missing,
    }
    lists = []
    for name, lines in parts.items():
        if lines:
            lists.append(f"{name}:\n- " + "\n- ".join(lines))
    return "\n\n".join(lists) or "No facts in the answer, and nothing was expected."


def _sample_metadata(row: Row) -> dict[str, Any]:
    """Returns the whole answer under factmark's name, which is read back; the rest is
    for people.
    """
    noted = to_json_value(row.answer)
    del noted["text"]  # the completion
    about = {"category": row.question.category, "condition": row.answer.condition}
    why = None
    if not isinstance(row, ScoredAnswer):
        why = to_json_value(row.why)
    return about | {"no_score": why, "factmark": noted}


def _sample_summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a sample as the overview has it: long texts cut."""
    kept = ("id", "epoch", "input", "target", "scores", "model_usage", "total_time", "working_time")
    summary = {name: sample[name] for name in kept}
    summary["metadata"] = {name: sample["metadata"][name] for name in ("category", "condition")}
    summary["scores"] = {
        name: {"value": score["value"], "answer": score["answer"][:350]}
        for name, score in sample["scores"].items()
    }
    if "error" in sample:
        summary["error"] = sample["error"]["message"]
    counted = {"message_count": len(sample["messages"]), "turn_count": sample["turn_count"]}
    return summary | counted | {"completed": True, "retries": 0}


def _conversation_json(row: Row, epoch: int) -> list[dict[str, Any]]:
    """Returns the conversation: a system message per chunk, the question, calls and results, the
    answer.
    """
    trace = row.answer.trace or Trace()
    messages: list[dict[str, Any]] = []
    for chunk in trace.chunks or ():
        messages.append({"role": "system", "content": f"{chunk.title}\n\n{chunk.text}"})
    messages.append({"role": "user", "content": row.question.text, "source": "input"})
    numbered = enumerate(trace.tools or (), start=1)
    for _, uses in groupby(numbered, key=lambda numbered_use: numbered_use[1].round):
        messages += _round_messages(row, list(uses))
    messages.append(_final_message(row))
    seed = (row.question.query_id, row.answer.model, row.answer.condition, epoch)
    return [{"id": content_hash(*seed, at)[:22]} | message for at, message in enumerate(messages)]


def _final_message(row: Row) -> dict[str, Any]:
    """Returns the message that is the answer itself."""
    return {
        "role": "assistant",
        "content": row.answer.text,
        "source": "generate",
        "model": row.answer.model,
    }


def _round_messages(row: Row, uses: list[tuple[int, ToolUse]]) -> Iterator[dict[str, Any]]:
    """Yields one turn of the model with its calls, numbered as in the whole conversation, and
    results.
    """
    calls = [_call_json(use, f"call_{number}") for number, use in uses]
    turn = {"role": "assistant", "content": "", "source": "generate", "model": row.answer.model}
    yield turn | {"tool_calls": calls}
    for number, use in uses:
        yield _result_message(use, f"call_{number}")


def _call_json(use: ToolUse, call_id: str) -> dict[str, Any]:
    """Returns a call of a tool, with an error where its arguments are no JSON."""
    given = _readable_arguments(use.arguments)
    call = {"id": call_id, "function": use.name, "arguments": given or {}, "type": "function"}
    if given is None:
        call["parse_error"] = f"The arguments cannot be shown as JSON: {use.arguments[:500]}"
    return call


def _readable_arguments(text: str) -> dict[str, Any] | None:
    """Returns the arguments of a call, without lone surrogates.

    None where they are no JSON object, or one that others could not read back: with NaN or a
    number without end in it, or nested more than 20 deep.
    """
    try:
        value = json.loads(text)
        if not isinstance(value, dict) or _deeper_than(value, _MAX_DEPTH):
            return None
        clean = without_surrogates(json.dumps(value, ensure_ascii=False, allow_nan=False))
        return dict(json.loads(clean))
    except (ValueError, RecursionError):
        return None


def _deeper_than(value: object, levels: int) -> bool:
    """Returns whether a JSON value is nested deeper than so many levels."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper_than(value, levels - 1) for value in inner)


def _result_message(use: ToolUse, call_id: str) -> dict[str, Any]:
    """Returns the message with the result of a call, and what went wrong with it."""
    message: dict[str, Any] = {
        "role": "tool",
        "content": use.result,
        "tool_call_id": call_id,
        "function": use.name,
    }
    if use.status != "ok":
        kind = _ERRORS.get(use.status, "unknown")
        message["error"] = {"type": kind, "message": use.result or use.status}
    return message
