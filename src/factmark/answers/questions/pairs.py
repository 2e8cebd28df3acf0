"""Questions and answers as Python has them: pairs and plain texts, as rows of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from factmark.errors import InputError


def question_rows(given: Any) -> Any:
    """Returns pairs of a question and its ground truth as rows, their ids counted from 1; whatever
    else is given as it is.

    Raises:
        InputError: a pair whose ground truth is no list of texts.
    """
    if not _is_list(given) or not given or not all(map(_is_pair, given)):
        return given
    rows = []
    for number, (question, truth) in enumerate(given, 1):
        if not _is_list(truth) or not all(isinstance(element, str) for element in truth):
            raise InputError(
                f"benchmark, question {number}: its ground truth is {truth!r}; give a list of "
                'texts, as ("How many cohorts are there?", ["30"]).'
            )
        rows.append({"id": str(number), "question": question, "ground_truth": list(truth)})
    return rows


def answer_rows(given: Any) -> Any:
    """Returns plain texts as rows, the first an answer to question 1; None and NaN are no answers.
    Whatever else is given stays as it is."""
    if not _is_list(given) or not any(isinstance(answer, str) for answer in given):
        return given
    rows = []
    for number, answer in enumerate(given, 1):
        if answer is None or (isinstance(answer, float) and isnan(answer)):
            continue
        if not isinstance(answer, str):
            raise InputError(f"answers, answer {number}: is {answer!r}, beside texts.")
        rows.append({"query_id": str(number), "answer": answer})
    return rows


def _is_list(given: Any) -> bool:
    """Whether something is a sequence of things, and no text or table."""
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)


def _is_pair(given: Any) -> bool:
    """Whether something is a question and what belongs to it."""
    return (
        _is_list(given)
        and not isinstance(given, Mapping)
        and len(given) == 2
        and isinstance(given[0], str)
    )
