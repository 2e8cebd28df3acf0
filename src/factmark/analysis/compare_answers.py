"""results.json of `factmark score`, read back to be compared question by question."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factmark.answers.core.averages import SCORES, question_units
from factmark.errors import InputError
from factmark.files.text_files import read_text, without_surrogates
from factmark.stats.contest import OVERALL, Contest

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Answer(BaseModel):
    """Who answered which question; without a score where it is among `unscored`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    query_id: Annotated[str, Field(min_length=1)]
    category: str = ""
    condition: str = ""
    model: str = ""


class _Scored(_Answer):
    completeness: Share
    hallucination_rate: Share
    combined_score: Share


class _Average(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    category: str
    n_questions: Annotated[int, Field(ge=0)]


class _Results(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    benchmark: str = ""
    answers: tuple[_Scored, ...]
    averages: tuple[_Average, ...]
    unscored: tuple[_Answer, ...] = ()
    signature: Mapping[str, Any] = {}


AnswerRow = tuple[str, str, str, str, Mapping[str, float] | None]
"""Question, category, model, condition, and the scores; None without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResults:
    """What a results.json says of its answers.

    Attributes:
        rows: every answer.
        asked: category -> questions of the benchmark in it, answered or not.
        made: what must be the same for two files to be compared without a caveat.
    """

    rows: tuple[AnswerRow, ...]
    asked: Mapping[str, int]
    made: Mapping[str, str]


def read_answer_results(path: Path) -> AnswerResults:
    """Reads a results.json.

    Raises:
        InputError: names the file and the line or the row.
    """
    return answer_results(path, _parsed(path))


def answer_results(path: Path, value: object) -> AnswerResults:
    """What the JSON values of results say of its answers.

    Args:
        path: where they are from, for messages.

    Raises:
        InputError: they are not such as `factmark score` writes.
    """
    found = _validated(path, value)
    asked: dict[str, int] = {}
    for average in found.averages:
        if average.category != OVERALL:
            asked[average.category] = max(asked.get(average.category, 0), average.n_questions)
    rows = [
        *(_row(row, {one.key: getattr(row, one.key) for one in SCORES}) for row in found.answers),
        *(_row(row, None) for row in found.unscored),
    ]
    if not rows:
        raise InputError(f"{path}: holds no answers.")
    made = {
        "benchmarks": found.benchmark,
        "ground truths": str(found.signature.get("ground_truth", "")),
        "judges": str(found.signature.get("judge_id", "")),
    }
    return AnswerResults(rows=tuple(rows), asked=asked, made=made)


def _row(row: _Answer, values: Mapping[str, float] | None) -> AnswerRow:
    query_id, category = without_surrogates(row.query_id), without_surrogates(row.category)
    model, condition = without_surrogates(row.model), without_surrogates(row.condition)
    return query_id, category, model, condition, values


def _parsed(path: Path) -> object:
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}, line {error.lineno}, column {error.colno}: {error.msg}. Is the file cut off?"
        ) from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply.") from error
    except ValueError as error:
        raise InputError(f"{path}: a number is too long.") from error


def _validated(path: Path, value: object) -> _Results:
    if not isinstance(value, dict) or not {"answers", "averages"} <= set(value):
        raise InputError(
            f"{path}: is no results.json of `factmark score`; that holds `answers` and `averages`."
        )
    try:
        return _Results.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = " ".join(
            str(part + 1) if isinstance(part, int) else str(part) for part in first["loc"]
        )
        raise InputError(f"{path}, {where}: {first['msg']}.") from error


def contest(
    files: Mapping[str, AnswerResults], by: str, signature: Mapping[str, object]
) -> Contest:
    """The contest of all systems in these files, question by question.

    A question that some file asked and a system has no scored answer to is missing there. Of
    questions that nobody answered a file tells only how many there are.

    Args:
        by: `all` for a system per file, model and condition; or `file`, `model`, `condition`,
            which is averaged over what it leaves out, in each file.

    Raises:
        InputError: for fewer than two systems.
    """
    strata: dict[str, str] = {}
    systems: dict[tuple[str, ...], dict[str, list[Mapping[str, float] | None]]] = {}
    for file, read in files.items():
        for query_id, category, model, condition, values in read.rows:
            strata.setdefault(query_id, category)
            key = _key(file, model, condition, by)
            systems.setdefault(key, {}).setdefault(query_id, []).append(values)
    if len(systems) < 2:
        raise InputError(_alone(systems, files, by))
    strata |= _never_answered(strata, files.values())
    names = _names(list(systems))
    return Contest(
        measure="answers",
        item="questions",
        unit="questions",
        scores=SCORES,
        systems={
            name: {score.key: question_units(given, strata, score.key) for score in SCORES}
            for name, given in zip(names, systems.values(), strict=True)
        },
        stratum="category",
        strata=strata,
        problems=(*_unlike(files), *_pooled(files, by)),
        signature={**signature, "by": by},
    )


def _key(file: str, model: str, condition: str, by: str) -> tuple[str, ...]:
    return (
        file,
        model if by in ("all", "model") else "",
        condition if by in ("all", "condition") else "",
    )


def _names(keys: list[tuple[str, ...]]) -> list[str]:
    """The fewest parts of the keys (file, model, condition) that tell them apart."""
    for size in (1, 2, 3):
        for places in combinations(range(3), size):
            names = [", ".join(key[place] or "none" for place in places) for key in keys]
            if len(set(names)) == len(names):
                return names
    return [repr(key) for key in keys]


def _never_answered(strata: Mapping[str, str], files: Iterable[AnswerResults]) -> dict[str, str]:
    """A stand-in for each question that the benchmark has and no file has an answer to."""
    known: dict[str, int] = {}
    for category in strata.values():
        known[category] = known.get(category, 0) + 1
    asked: dict[str, int] = {}
    for file in files:
        for category, count in file.asked.items():
            asked[category] = max(asked.get(category, 0), count)
    return {
        f"({category}: unanswered {number})": category
        for category, count in asked.items()
        for number in range(known.get(category, 0), count)
    }


def _alone(systems: Iterable[tuple[str, ...]], files: Iterable[str], by: str) -> str:
    (file,), ((_, model, condition),) = files, systems
    named = ", ".join(filter(None, (model, condition)))
    told = f" ({named})" if named else ""
    if by != "all":
        return f"{file}: holds one system by {by}{told}. Name a second file, or another --by."
    return f"{file}: holds one system{told}. Name a second file to compare it with."


def _unlike(files: Mapping[str, AnswerResults]) -> list[str]:
    """What differs between the files besides the systems."""
    out = []
    for what in ("benchmarks", "ground truths", "judges"):
        if len({file.made[what] for file in files.values()}) > 1:
            out.append(
                f"The files were scored with different {what}; a difference may come from that."
            )
    return out


def _pooled(files: Mapping[str, AnswerResults], by: str) -> list[str]:
    """What is averaged over, where --by leaves it out."""
    out = []
    for what, place in (("model", 2), ("condition", 3)):
        most = max(len({row[place] for row in file.rows}) for file in files.values())
        if most > 1 and by not in ("all", what):
            out.append(f"Each system is averaged over up to {most} {what}s.")
    return out
