"""Scored answers, compared question by question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from factmark.answers.core.averages import SCORES, question_units
from factmark.answers.core.records import Row, score_of
from factmark.answers.results import Results
from factmark.errors import InputError
from factmark.stats.contest import OVERALL, Contest


def answers_contest(
    files: Mapping[str, Results], by: str, signature: Mapping[str, object]
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
        for row in _rows(results):
            question, answer, score = row.question, row.answer, score_of(row)
            strata.setdefault(question.query_id, question.category)
            model = answer.model if by in ("all", "model") else ""
            condition = answer.condition if by in ("all", "condition") else ""
            values = None if score is None else {s.key: getattr(score, s.key) for s in SCORES}
            systems[file, model, condition].setdefault(question.query_id, []).append(values)
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


def _rows(results: Results) -> tuple[Row, ...]:
    return (*results.answers, *results.unscored)


def _names(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """The fewest parts of the keys (file, model, condition) that tell them apart."""
    for size in (1, 2, 3):
        for places in combinations(range(3), size):
            names = [", ".join(key[place] or "none" for place in places) for key in keys]
            if len(set(names)) == len(names):
                return names
    return [repr(key) for key in keys]


def _never_answered(strata: Mapping[str, str], files: Iterable[Results]) -> dict[str, str]:
    """A stand-in for each question that the benchmark has and no file has an answer to."""
    asked: Counter[str] = Counter()
    for results in files:
        for row in results.summaries:
            if row.category != OVERALL:
                asked[row.category] = max(asked[row.category], row.n_questions)
    known = Counter(strata.values())
    return {
        f"({category}: unanswered {number})": category
        for category, count in asked.items()
        for number in range(known[category], count)
    }


def _problems(files: Mapping[str, Results], by: str) -> Iterator[str]:
    """What differs between the files besides the systems, and what is averaged over."""
    origins: dict[str, set[object]] = {
        "benchmarks": {results.benchmark for results in files.values()},
        "ground truths": {results.signature.get("ground_truth", "") for results in files.values()},
        "judges": {results.signature.get("judge_id", "") for results in files.values()},
    }
    for what, values in origins.items():
        if len(values) > 1:
            yield f"The files were scored with different {what}; a difference may come from that."
    for what in ("model", "condition"):
        most = max(
            len({getattr(row.answer, what) for row in _rows(results)}) for results in files.values()
        )
        if most > 1 and by not in ("all", what):
            yield f"Each system is averaged over up to {most} {what}s."
