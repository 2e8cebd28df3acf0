"""Answers from files: JSON Lines, CSV/TSV, results in JSON, and the logs of other harnesses."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any

from factmark.answers.answer_rows import SCORES, AnswerFile, answers_of
from factmark.errors import InputError
from factmark.files.flat_files import csv_reader, unguarded
from factmark.files.rows import check_separator
from factmark.files.text_files import check_lines, json_value, read_text, why_no_json

_SHOWN = 8  # problems named where there are no answers
_OURS = {"query_id", "answer", "facts", "verdict", "absence", *SCORES}  # of our answers.csv

__all__ = ["AnswerFile", "json_lines", "read_answers"]


def read_answers(
    path: Path, *, encoding: str = "utf-8", model: str = "", condition: str = ""
) -> AnswerFile:
    """Reads answers: `query_id` and `answer`; optional `id`, `model`, `condition`,
    `latency_seconds`, `tools_called` and `chunks_retrieved`.

    Args:
        path: `.jsonl`/`.ndjson` (an object a line, or lm-evaluation-harness's samples),
            `.csv`/`.tsv` (with a header), `.json` (a list of objects, each an answer or, as the
            original harness writes it, a question with its answers under `results`; or an object
            with such a list under `results`, or under `answers`, as results.json has it; or a log
            of inspect_ai), `.eval` (a log of inspect_ai), or a folder of such logs and samples.
            An answer that a row tells an error in place of is `lost`.
        model, condition: for rows that name none.

    Raises:
        InputError: for a file that cannot be read as meant, which names the line; where there are
            no answers in the file, or in the whole folder.
    """
    found = _read(path, encoding, model, condition)
    if all(answer.lost is not None for answer in found.answers):
        told = " ".join(f"{problem}." for problem in found.problems[:_SHOWN])
        raise InputError(f"{path}: holds no answers. {told}".rstrip())
    return found


def _read(path: Path, encoding: str, model: str, condition: str) -> AnswerFile:
    if path.is_dir():
        return _read_folder(path, encoding, model, condition)
    suffix = path.suffix.casefold()
    if suffix == ".eval":
        from factmark.interop.inspect_read import read_eval

        return read_eval(path, model=model, condition=condition)
    if suffix not in (".csv", ".tsv", ".json"):
        check_lines(path)
    text = read_text(path, encoding)
    if suffix in (".csv", ".tsv"):
        rows = _csv_rows(path, text, "\t" if suffix == ".tsv" else ",")
    elif suffix == ".json":
        return _from_json(path, text, model, condition)
    else:
        rows = json_lines(path, text)
        first = next(rows, None)
        rows = chain(() if first is None else (first,), rows)
        if first is not None and _is_sample(first[1]):
            from factmark.interop.lm_eval import answers_of_samples

            return answers_of_samples(path, rows, model=model, condition=condition)
    return answers_of(path, rows, model=model, condition=condition)


def _read_folder(path: Path, encoding: str, model: str, condition: str) -> AnswerFile:
    """The answers of all logs and samples in a folder and those within, by name."""
    found = [one for one in sorted(path.rglob("*")) if one.is_file() and _is_log(one)]
    if not found:
        raise InputError(
            f"{path}: a folder without logs (*.eval) or samples (samples_*.jsonl). Name a file of "
            "answers."
        )
    read = [_read(one, encoding, model, condition) for one in found]
    return AnswerFile(
        answers=tuple(answer for one in read for answer in one.answers),
        problems=tuple(problem for one in read for problem in one.problems),
    )


def _is_log(path: Path) -> bool:
    return path.suffix == ".eval" or bool(re.fullmatch(r"samples_.*\.jsonl", path.name))


def _is_sample(row: object) -> bool:
    """Whether a line is one of lm-evaluation-harness's."""
    return isinstance(row, Mapping) and "doc_id" in row and "query_id" not in row


def _from_json(path: Path, text: str, model: str, condition: str) -> AnswerFile:
    value = json_value(path, text)
    if isinstance(value, Mapping) and "eval" in value and "version" in value:
        from factmark.interop.inspect_read import answers_of_log

        return answers_of_log(path, value, model=model, condition=condition)
    rows = _json_rows(path, value)
    return answers_of(path, rows, model=model, condition=condition)


def json_lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """The values of a JSON Lines text, each with the name of its line; blank lines are skipped."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"line {number}", _parse(path, number, line)


def _parse(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        why = why_no_json(error)
        raise InputError(f"{path}, line {number}, column {error.colno}: {why}.") from error
    except RecursionError as error:
        raise InputError(f"{path}, line {number}: nested too deeply.") from error
    except ValueError as error:  # a number of more digits than Python reads
        raise InputError(f"{path}, line {number}: a number is too long.") from error


def _json_rows(path: Path, value: Any) -> Iterator[tuple[str, Any]]:
    rows: object = value
    ours = isinstance(value, dict) and "results" not in value and "signature" in value
    if isinstance(value, dict):
        rows = value.get("results", value.get("answers"))
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InputError(
            f"{path}: is neither a list of answers nor an object with a list under 'results'."
        )
    unscored = value.get("unscored") if ours else None
    all_rows = [*rows, *(unscored if isinstance(unscored, list) else ())]
    for number, row in enumerate(all_rows, start=1):
        yield f"answer {number}", _without_scores(row) if ours else row


def _without_scores(row: Any) -> Any:
    """A row of results.json; that its scores are made anew goes without saying."""
    if not isinstance(row, Mapping):
        return row
    return {name: value for name, value in row.items() if name not in SCORES}


def _csv_rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[str, Any]]:
    if "\0" in text:
        raise InputError(f"{path}: holds NUL bytes; it is no CSV file in this encoding.")
    reader = csv_reader(StringIO(text, newline=""), delimiter)
    try:
        header = [name.strip() for name in next(reader, [])]
        check_separator(path, header, delimiter)
        for needed in ("query_id", "answer"):
            if needed not in header:
                found = ", ".join(header[:12]) or "nothing"
                raise InputError(f"{path}, line 1: no column {needed!r}. Found: {found}.")
        twice = [name for name, count in Counter(header).items() if name and count > 1]
        if twice:
            raise InputError(f"{path}, line 1: the column {twice[0]!r} stands twice.")
        ours = set(header) >= _OURS
        for cells in reader:
            if not any(cells):
                continue
            if len(cells) != len(header):
                raise InputError(
                    f"{path}, line {reader.line_num}: {len(cells)} cells under {len(header)} "
                    "columns; is a quote missing?"
                )
            texts = map(unguarded, cells) if ours else cells
            row = {name: cell for name, cell in zip(header, texts, strict=True) if name}
            yield f"line {reader.line_num}", row
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}; is a quote missing?") from error
