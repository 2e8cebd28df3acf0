"""What an answer asserts, scored beside what it mentions: C, H and S as published stay.

Where the question names candidates of which some are in G, the second figure takes those that the
answer gives as its answer: *AGC has more than TK* has C 1 by the letter and asserts AGC. Where G is
a yes or no, it is the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from factmark.answers.core.averages import OVERALL, AnswerGroup, answer_groups
from factmark.answers.core.elements.candidates import candidates_of
from factmark.answers.core.extraction.chosen import chosen
from factmark.answers.core.extraction.sentences import read
from factmark.answers.core.records import Question, Row, ScoredAnswer
from factmark.answers.core.scores import combined_score, is_boolean, targets_of
from factmark.answers.results import AssertedSummary
from factmark.model import Estimate
from factmark.stats.comparison import Options
from factmark.text.words import normalise


@dataclass(frozen=True, slots=True, kw_only=True)
class Asserted:
    """What an answer gives as its answer, against the elements of G that were to be chosen.

    Attributes:
        chosen: the candidates that it commits itself to, or its yes or no.
        completeness, hallucination_rate, combined_score: as C, H and S, of the choice alone.
    """

    chosen: tuple[str, ...]
    completeness: float
    hallucination_rate: float
    combined_score: float


def candidates_in_truth(question: Question) -> dict[str, frozenset[str]]:
    """Returns each candidate that a question names with the elements of G that it is; none where
    none of them is in G, so that nothing is to be chosen."""
    names: tuple[str, ...] = ()
    if question.ground_truth:
        names = candidates_of(question.text)
    if not names or is_boolean(question.ground_truth or ()):
        return {}
    targets = targets_of(question)
    known: dict[str, frozenset[str]] = {}
    for name in names:
        known[name] = frozenset(targets.elements[at] for at in targets.matches(normalise(name)))
    if any(known.values()):
        return known
    return {}


def asserted(row: ScoredAnswer) -> Asserted | None:
    """Returns what an answer asserts; None where its question offers nothing to choose from."""
    question = row.question
    score = row.score
    if is_boolean(question.ground_truth or ()):
        given: tuple[str] | tuple[()] = ()
        if score.verdict:
            given = (score.verdict,)
        return _asserted(given, score.completeness, score.hallucination_rate)
    elements = candidates_in_truth(question)
    if not elements:
        return None
    names = chosen(question.text, tuple(elements), read(row.answer.text))
    wanted = frozenset[str]().union(*elements.values())
    covered = frozenset[str]().union(*(elements[name] for name in names))
    wrong = []
    for name in names:
        if not elements[name]:
            wrong.append(name)
    return _asserted(names, len(covered) / len(wanted), len(wrong) / max(1, len(names)))


def _asserted(names: Sequence[str], completeness: float, hallucination_rate: float) -> Asserted:
    """The record with its combined score."""
    return Asserted(
        chosen=tuple(names),
        completeness=completeness,
        hallucination_rate=hallucination_rate,
        combined_score=combined_score(completeness, hallucination_rate),
    )


def asks_to_choose(question: Question) -> bool:
    """Whether a question asks to choose: among candidates, or between yes and no."""
    return is_boolean(question.ground_truth or ()) or bool(candidates_in_truth(question))


def summarise_asserted(
    rows: Iterable[Row], questions: Sequence[Question], settings: Options
) -> tuple[AssertedSummary, ...]:
    """Returns what is asserted per model and condition, over the questions that ask to choose; none
    where no question names candidates: a yes or no is then what C and H say already."""
    if not any(map(candidates_in_truth, questions)):
        return ()
    asked = set()
    for question in questions:
        if asks_to_choose(question):
            asked.add(question.query_id)

    def estimate(group: AnswerGroup, metric: str) -> Estimate:
        def values(row: Row) -> list[float] | None:
            if not isinstance(row, ScoredAnswer):
                return None
            choice = asserted(row)
            if choice is None:
                return []
            return [float(getattr(choice, metric))]

        return group.share(
            f"asserted {metric}",
            values,
            among=lambda question: question.query_id in asked,
            lower_is_better=metric == "hallucination_rate",
        )

    return tuple(
        AssertedSummary(
            model=group.model,
            condition=group.condition,
            completeness=estimate(group, "completeness"),
            hallucination_rate=estimate(group, "hallucination_rate"),
            combined_score=estimate(group, "combined_score"),
            n_questions=len(asked),
        )
        for group in answer_groups(rows, questions, settings)
        if group.category == OVERALL
    )
