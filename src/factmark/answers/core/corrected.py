"""C, H and S as people would have scored all answers, by their marks of some: averages of systems,
and their differences.

The score by rule, or by a model, is the number that a line corrects (`stats.judge_line`), and
answers to one question are one cluster. The marked answers are to be drawn at random; differences
are closest where the systems' answers to the same questions are marked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from factmark.answers.core.averages import METRICS, Metric, by_system
from factmark.answers.core.records import AnswerScore, ScoredAnswer
from factmark.answers.results import CorrectedSummary, PairedDifference
from factmark.evaluated.columns import column_of_numbers
from factmark.evaluated.corrected import How, corrected_by_judges, judged_side
from factmark.evaluated.table import Evaluated, table_of_judge
from factmark.model import Estimate, Target
from factmark.stats.comparison import Options
from factmark.stats.contest import with_holm
from factmark.stats.judge_line.difference import JudgedSide
from factmark.stats.judge_line.pairs import corrected_pairs

MarkedAnswer = tuple[str, AnswerScore, Mapping[str, float] | None]
"""The question of an answer, its score, and metric -> its value by people, None where unmarked."""


def summaries_by_people(
    scored: Sequence[ScoredAnswer],
    people: Mapping[str, Mapping[str, float]],
    *,
    level: float = 0.95,
    target: Target = "process",
    rubric: str = "",
) -> tuple[CorrectedSummary, ...]:
    """C, H and S of each system of whose answers people marked some.

    Args:
        people: answer id -> metric -> its value by people.
    """

    def estimate(rows: Sequence[ScoredAnswer], metric: Metric) -> Estimate:
        answers = [(row.answer.query_id, row.score, people.get(row.answer.id)) for row in rows]
        table = table_of_marks(answers, metric)
        corrected = corrected_by_judges(table, [metric.key], How(level=level, target=target))
        return replace(corrected, rubric=rubric)

    summaries = []
    for (model, condition), rows in by_system(scored).items():
        answers = [row for row in rows if isinstance(row, ScoredAnswer)]
        annotated = sum(row.answer.id in people for row in answers)
        if annotated:
            summaries.append(
                CorrectedSummary(
                    model=model,
                    condition=condition,
                    annotated=annotated,
                    answers=len(answers),
                    **{key: estimate(answers, metric) for key, metric in METRICS.items()},
                )
            )
    return tuple(summaries)


def sides_of_marks(answers: Sequence[MarkedAnswer]) -> dict[str, JudgedSide]:
    """Returns metric -> a system's answers with their scores by the judge and by people; nothing
    where people marked none."""
    sides = {}
    for key, metric in METRICS.items():
        side = judged_side(table_of_marks(answers, metric), key, How())
        if side is not None:
            sides[key] = side
    return sides


def table_of_marks(answers: Sequence[MarkedAnswer], metric: Metric) -> Evaluated:
    """Returns one score of answers, by the judge and by people."""
    judged = {place: metric.of(score) for place, (_, score, _) in enumerate(answers)}
    marks = {}
    for place, (_, _, people) in enumerate(answers):
        if people is not None:
            marks[place] = people[metric.key]
    return table_of_judge(
        column_of_numbers(metric.key, judged, len(answers)),
        marks,
        clusters=[question for question, _, _ in answers],
    )


def differences_by_people(
    differences: Sequence[PairedDifference],
    scored: Sequence[ScoredAnswer],
    people: Mapping[str, Mapping[str, float]],
    settings: Options,
) -> tuple[PairedDifference, ...]:
    """Returns the paired differences with what people's marks make of them, see `corrected_pairs`;
    Holm's p anew over the pairs of a kind by one score."""
    sides = {}
    for system, rows in by_system(scored).items():
        answers: list[MarkedAnswer] = []
        for row in rows:
            if isinstance(row, ScoredAnswer):
                answers.append((row.answer.query_id, row.score, people.get(row.answer.id)))
        sides[system] = sides_of_marks(answers)
    families: dict[tuple[str, str], list[int]] = {}
    for place, gap in enumerate(differences):
        families.setdefault((gap.between, gap.score), []).append(place)
    corrected = list(differences)
    for (_, key), places in families.items():
        options = replace(settings, lower_is_better=METRICS[key].lower_is_better)
        pairs = [
            corrected_pairs(
                [differences[place].comparison], _marks(differences[place], sides), options
            )
            for place in places
        ]
        if all(pair.people for (pair,) in pairs):
            for place, pair in zip(places, with_holm([pair for (pair,) in pairs]), strict=True):
                corrected[place] = replace(differences[place], comparison=pair)
    return tuple(corrected)


def _marks(
    row: PairedDifference, sides: Mapping[tuple[str, str], Mapping[str, JudgedSide]]
) -> dict[str, JudgedSide]:
    """Returns the two systems of a difference by the names that it calls them, of those with
    marks."""
    marks = {}
    for name in (row.comparison.a, row.comparison.b):
        system = (row.of, name)
        if row.between == "models":
            system = (name, row.of)
        if row.score in sides.get(system, {}):
            marks[name] = sides[system][row.score]
    return marks
