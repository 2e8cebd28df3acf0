"""Answers from files of any kind: our own forms, and the logs of other harnesses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from factmark.answers.answer_files.answer_rows import rows_of
from factmark.answers.reading import AnswerFile, answers_of
from factmark.errors import InputError
from factmark.files.text_files import json_value, read_text
from factmark.intake.inspect_logs import LOG, is_log


def read_answers(
    path: Path,
    *,
    encoding: str = "utf-8",
    model: str = "",
    condition: str = "",
    columns: Mapping[str, str] = MappingProxyType({}),
) -> AnswerFile:
    """Returns answers as `answers.reading.read_answers` does, and also those of a log of inspect_ai
    (.eval, .json), samples of lm-evaluation-harness (.jsonl), or a folder of such logs and samples.

    Raises:
        InputError: as there; a folder without any of these.
    """
    if not path.is_dir():
        return _read_file(path, encoding, (model, condition), columns).checked(path)
    logs = []
    for file in sorted(path.rglob("*")):
        if file.is_file() and _is_log(file):
            logs.append(file)
    if not logs:
        raise InputError(
            f"{path}: a folder without logs (*.eval) or samples (samples_*.jsonl). Name a file of "
            "answers."
        )
    parts = []
    for log in logs:
        parts.append(_read_file(log, encoding, (model, condition), columns))
    return AnswerFile(
        answers=tuple(answer for part in parts for answer in part.answers),
        problems=tuple(problem for part in parts for problem in part.problems),
    ).checked(path)


def _is_log(path: Path) -> bool:
    """Returns whether a file is a log of inspect_ai or samples of lm-evaluation-harness, by its
    name.
    """
    return path.suffix == LOG or bool(re.fullmatch(r"samples_.*\.jsonl", path.name))


def _read_file(
    path: Path, encoding: str, system: tuple[str, str], columns: Mapping[str, str]
) -> AnswerFile:
    """Returns the answers of one file, read by what its name and content say that it is."""
    model, condition = system
    suffix = path.suffix.casefold()
    log = None
    if suffix == ".json" and '"eval"' in (text := read_text(path, encoding)):
        log = json_value(path, text)
    if suffix == LOG or is_log(log):
        from factmark.interop.inspect_read import answers_of_log

        return answers_of_log(path, log, model=model, condition=condition)
    notes: list[str] = []
    rows = rows_of(path, encoding, columns, notes.append)
    first = next(rows, None)
    rows = chain([] if first is None else [first], rows)
    row = first and first[1]
    if isinstance(row, Mapping) and "doc_id" in row and "query_id" not in row:
        from factmark.interop.lm_eval import answers_of_samples

        return answers_of_samples(path, rows, model=model, condition=condition)
    read = answers_of(path, rows, model=model, condition=condition)
    return replace(read, problems=(*notes, *read.problems))
