"""Answers from lm-evaluation-harness's samples, our own and others'."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from factmark.answers.answer_rows import AnswerFile, answers_of, count_of
from factmark.errors import InputError
from factmark.files.text_files import read_text, without_surrogates
from factmark.interop.runs import condition_of

_IDS = ("query_id", "question_id", "id", "_id")
_NAMED = re.compile(r"samples_(?P<task>.*)_(?P<time>\d{4}-\d\d-\d\dT[^_]*)")
_Reply = tuple[str, dict[str, Any], str | None]
_OURS = ("id", "model", "condition", "latency_seconds", "tools_called", "chunks_retrieved")


def answers_of_samples(
    path: Path, rows: Iterable[tuple[str, Any]], *, model: str = "", condition: str = ""
) -> AnswerFile:
    """The answers in `samples_TASK_TIME.jsonl`: what the model said, before any filter.

    A question stands in the file once for each filter; it is read once. The model's name is that
    in `results_TIME.json` beside the file, where it is there.

    Raises:
        InputError: for a line that is no sample, or a task without texts (multiple choice).
    """
    named = _NAMED.fullmatch(path.stem)
    task = named["task"] if named else path.stem.removeprefix("samples_")
    found = list(_rows(path, rows))
    missing = sum(text is None for _, _, text in found)
    model = _model(path, named["time"] if named else None) or model
    condition = condition or condition_of(task)
    named_rows = _with_ids(found, (model, condition), f"{path.parent.name}/{path.stem}")
    given = [(where, row) for where, row, text in named_rows if text is not None]
    read = answers_of(path, given, model=model, condition=condition)
    told = f"{count_of(missing, 'sample')} {'has' if missing == 1 else 'have'}"
    lost = (f"{path.name}: {told} no answer",) if missing else ()
    return AnswerFile(answers=read.answers, problems=(*read.problems, *lost))


def _with_ids(rows: Iterable[_Reply], run: tuple[str, str], file: str) -> Iterator[_Reply]:
    """The rows with an id each, so that equal replies to a question are so many answers."""
    seen: Counter[str] = Counter()
    for where, row, text in rows:
        seen[row["query_id"]] += 1
        made = "/".join((*run, row["query_id"], str(seen[row["query_id"]]), file))
        yield where, {"id": made, **row}, text


def _rows(path: Path, rows: Iterable[tuple[str, Any]]) -> Iterator[_Reply]:
    """Rows as of a file of answers, one per reply, with the text or None where there is none."""
    seen: dict[str, str] = {}
    for where, row in rows:
        if not isinstance(row, Mapping) or "doc_id" not in row:
            raise InputError(f"{path}, {where}: a sample is an object with doc_id and resps.")
        key, kind = json.dumps(row["doc_id"]), str(row.get("filter", "none"))
        if seen.setdefault(key, kind) != kind:
            continue
        ours = row.get("factmark")
        notes = ours if isinstance(ours, list) else []
        texts = _texts(path, where, row)
        if notes and len(notes) != len(texts):
            raise InputError(f"{path}, {where}: {len(texts)} replies and {len(notes)} notes.")
        for at, text in enumerate(texts):
            note = notes[at] if notes and isinstance(notes[at], Mapping) else {}
            told = {name: note[name] for name in _OURS if note.get(name) is not None}
            yield where, {"query_id": _id(row), "answer": text, **told}, text


def _id(row: Mapping[str, Any]) -> str:
    """The question's own id, where it has one, else its number."""
    doc = row.get("doc")
    if isinstance(doc, Mapping):
        for name in _IDS:
            if isinstance(doc.get(name), str | int) and doc[name] != "":
                return str(doc[name])
    return str(row["doc_id"])


def _texts(path: Path, where: str, row: Mapping[str, Any]) -> list[str | None]:
    """The replies: `resps` holds a list per request; else what the filter left."""
    replies = row.get("resps", row.get("filtered_resps"))
    if isinstance(replies, list) and len(replies) == 1 and isinstance(replies[0], list):
        replies = replies[0]
    if not isinstance(replies, list) or not all(
        one is None or isinstance(one, str) for one in replies
    ):
        raise InputError(
            f"{path}, {where}: its replies are no texts. Tasks that compare likelihoods (multiple "
            "choice) have no answers to score; use a task that generates."
        )
    return replies


def _model(path: Path, time: str | None) -> str:
    """The model's name from the results of the same run, or empty."""
    beside = path.with_name(f"results_{time}.json")
    if time is None or not beside.is_file():
        return ""
    try:
        told = json.loads(read_text(beside))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{beside}: is no JSON ({error}).") from error
    if not isinstance(told, Mapping):
        return ""
    name = told.get("model_name")
    config = told.get("config")
    other = config.get("model") if isinstance(config, Mapping) else None
    return without_surrogates(next((one for one in (name, other) if isinstance(one, str)), ""))
