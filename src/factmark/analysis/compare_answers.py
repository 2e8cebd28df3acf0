"""results.json of `factmark score`, read back to be compared question by question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from factmark.answers.core.averages import SCORES, question_units
from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.stats.contest import OVERALL, Contest

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Text = Annotated[str, AfterValidator(without_surrogates)]


class UnscoredRow(BaseModel):
    """Who answered which question, without a score."""

    query_id: Annotated[Text, Field(min_length=1)]
    category: Text = ""
    condition: Text = ""
    model: Text = ""

    @property
    def scores(self) -> Mapping[str, float] | None:
        """By their keys; None without."""
        return None


class ScoredRow(UnscoredRow):
    """Who answered which question, and how well."""

    completeness: Share
    hallucination_rate: Share
    combined_score: Share

    @property
    def scores(self) -> Mapping[str, float]:
        """By their keys."""
        return {score.key: getattr(self, score.key) for score in SCORES}


class AverageRow(BaseModel):
    """How many questions the benchmark has in a category, answered or not."""

    category: str
    n_questions: Annotated[int, Field(ge=0)]


class AnswerResults(BaseModel):
    """What a results.json says of its answers."""

    benchmark: str = ""
    answers: tuple[ScoredRow, ...]
    averages: tuple[AverageRow, ...]
    unscored: tuple[UnscoredRow, ...] = ()
    signature: Mapping[str, Any] = {}

    @property
    def rows(self) -> tuple[UnscoredRow, ...]:
        """All answers, scored or not."""
        return (*self.answers, *self.unscored)


def read_answers(path: Path, value: object) -> AnswerResults:
    """What the JSON values of results say of answers.

    Args:
        path: where they are from, for messages.

    Raises:
        InputError: they are not such as `factmark score` writes; names the row.
    """
    if not isinstance(value, dict) or not {"answers", "averages"} <= set(value):
        raise InputError(
            f"{path}: is no results.json of `factmark score`; that holds `answers` and `averages`."
        )
    try:
        results = AnswerResults.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = " ".join(
            str(part + 1) if isinstance(part, int) else str(part) for part in first["loc"]
        )
        raise InputError(f"{path}, {where}: {first['msg']}.") from error
    if not results.rows:
        raise InputError(f"{path}: holds no answers.")
    return results


def answers_contest(
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
    systems: defaultdict[tuple[str, ...], dict[str, list[Mapping[str, float] | None]]] = (
        defaultdict(dict)
    )
    for file, results in files.items():
        for row in results.rows:
            strata.setdefault(row.query_id, row.category)
            model = row.model if by in ("all", "model") else ""
            condition = row.condition if by in ("all", "condition") else ""
            systems[file, model, condition].setdefault(row.query_id, []).append(row.scores)
    if len(systems) < 2:
        ((file, *parts),) = systems
        about = f" ({', '.join(filter(None, parts))})" if any(parts) else ""
        alone = f"{file}: holds one system{'' if by == 'all' else f' by {by}'}{about}."
        raise InputError(f"{alone} Name a second file{'' if by == 'all' else ', or another --by'}.")
    strata |= _never_answered(strata, files.values())
    return Contest(
        measure="answers",
        item="questions",
        unit="questions",
        scores=SCORES,
        systems={
            name: {score.key: question_units(given, strata, score.key) for score in SCORES}
            for name, given in zip(_names(list(systems)), systems.values(), strict=True)
        },
        stratum="category",
        strata=strata,
        problems=tuple(_problems(files, by)),
        signature={**signature, "by": by},
    )


def _names(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """The fewest parts of the keys (file, model, condition) that tell them apart."""
    for size in (1, 2, 3):
        for places in combinations(range(3), size):
            names = [", ".join(key[place] or "none" for place in places) for key in keys]
            if len(set(names)) == len(names):
                return names
    return [repr(key) for key in keys]


def _never_answered(strata: Mapping[str, str], files: Iterable[AnswerResults]) -> dict[str, str]:
    """A stand-in for each question that the benchmark has and no file has an answer to."""
    asked: Counter[str] = Counter()
    for results in files:
        for row in results.averages:
            if row.category != OVERALL:
                asked[row.category] = max(asked[row.category], row.n_questions)
    known = Counter(strata.values())
    return {
        f"({category}: unanswered {number})": category
        for category, count in asked.items()
        for number in range(known[category], count)
    }


def _problems(files: Mapping[str, AnswerResults], by: str) -> Iterator[str]:
    """What differs between the files besides the systems, and what is averaged over."""
    origins = {
        "benchmarks": {results.benchmark for results in files.values()},
        "ground truths": {results.signature.get("ground_truth", "") for results in files.values()},
        "judges": {results.signature.get("judge_id", "") for results in files.values()},
    }
    for what, values in origins.items():
        if len(values) > 1:
            yield f"The files were scored with different {what}; a difference may come from that."
    for what in ("model", "condition"):
        most = max(len({getattr(row, what) for row in results.rows}) for results in files.values())
        if most > 1 and by not in ("all", what):
            yield f"Each system is averaged over up to {most} {what}s."
