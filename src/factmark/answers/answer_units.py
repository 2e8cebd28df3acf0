"""Answers as units that any judge can be given, and what it finds in them.

An answer to a question is a unit; the verdict on it is what it says to a question of yes or no. The
facts and elements of its score are verdicts of their own, which the study keeps.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from factmark.answers.core.evaluate import Scorer, answer_as_scored
from factmark.answers.core.records import AnswerScore, GivenAnswer, NoScore, Question
from factmark.answers.core.rows import question_item, read_question
from factmark.ask.judges.unit_judge import UnitJudge
from factmark.ask.tasks import Job
from factmark.model import Item, Judge, Unit, Verdict, content_hash

_BATCH = 64  # answers between two looks at the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFinding:
    """What a judge found in an answer.

    Attributes:
        quotes, dropped: of a model how many quotes it gave, and how many the answer does not hold.
    """

    score: AnswerScore | NoScore
    quotes: int = 0
    dropped: int = 0


Findings = dict[str, AnswerFinding]
"""Id of a unit -> what the judge found in it."""


def answer_jobs(
    benchmark: str, questions: Mapping[str, Question], answers: Iterable[GivenAnswer]
) -> dict[tuple[str, str], Job]:
    """Returns answers as units, each text once for its question: (id of the question, text) -> the
    unit with its item."""
    items = {}
    for name, question in questions.items():
        items[name] = question_item(benchmark, question)
    jobs: dict[tuple[str, str], Job] = {}
    for given in answers:
        answer = answer_as_scored(given)
        key = answer.query_id, answer.text
        if given.lost is None and key not in jobs:
            jobs[key] = _job(items[answer.query_id], answer)
    return jobs


def _job(item: Item, answer: GivenAnswer) -> Job:
    """Returns an answer as a unit, which has all that it is judged by."""
    name = content_hash("answer", item.id, answer.text)
    data = {"id": answer.id, "question": item.data}
    return item, Unit(id=name, item=item.id, kind="answer", text=answer.text, data=data)


def answer_of(unit: Unit) -> tuple[Question, GivenAnswer]:
    """Returns the question and the answer that a unit was made of."""
    data: Mapping[str, Any] = unit.data
    question = read_question(Item(id=unit.item, cluster=unit.item, data=data["question"]))
    return question, GivenAnswer(id=data["id"], query_id=question.query_id, text=unit.text)


def verdict_on(unit: Unit, judge: Judge, score: AnswerScore | NoScore) -> Verdict | None:
    """Returns the verdict on an answer; None where a budget has no room for it."""
    if isinstance(score, AnswerScore):
        return Verdict(unit=unit.id, judge=judge.id, label=score.verdict or "none")
    if score.status == "left":
        return None
    return Verdict(unit=unit.id, judge=judge.id, status=score.status, reason=score.reason)


def scoring_judge(identity: Judge, scorer: Scorer, findings: Findings) -> UnitJudge:
    """Returns a judge that scores each answer by a function."""

    async def judge(units: Sequence[Unit]) -> AsyncIterator[Verdict]:
        for unit in units:
            score = scorer(*answer_of(unit))
            findings[unit.id] = AnswerFinding(score=score)
            verdict = verdict_on(unit, identity, score)
            if verdict:
                yield verdict

    return UnitJudge(identity=identity, judge=judge, batch=_BATCH)
