"""The answers of a GraphRAG run: by a model through the ledger, or by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Literal

from factmark.answers.core.records import Question
from factmark.ask.spend import Spend
from factmark.graphrag.answering import FromGiven, texts_of
from factmark.graphrag.contexts import System
from factmark.graphrag.core.answer_from_text import extract_from_text
from factmark.graphrag.core.answer_from_triples import extract
from factmark.graphrag.core.outcomes import Given
from factmark.graphrag.core.questions import GraphQuestion
from factmark.ledger.calls import spend_of_keys
from factmark.ledger.ledger import Ledger
from factmark.replies.abstaining import DONT_KNOW
from factmark.runs.running import Subject, run_models


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """What came of asking one question.

    Attributes:
        sample: which of several replies to the same question, from 0.
        text: as it was written; empty where none came.
        status: `ok`; `failed`: no reply came; `left`: the budget had no room.
        reason: why there is none.
        refused: whether the model or its provider declined to answer.
    """

    question: GraphQuestion
    system: str
    given: Given
    sample: int = 0
    text: str = ""
    status: Literal["ok", "failed", "left"] = "ok"
    reason: str = ""
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """All replies of a run, by system, question and sample, in the order that they were given.

    Attributes:
        spent: by the model; None where rules answered.
        problems: what is to be told of them, one sentence each.
    """

    replies: tuple[Replied, ...]
    spent: Spend | None = None
    problems: tuple[str, ...] = ()


def conditions_of(systems: Sequence[System], questions: Sequence[GraphQuestion]) -> list[FromGiven]:
    """How a model is asked for each system."""
    by_id = {question.id: question for question in questions}
    return [
        FromGiven(name=one.name, kind=one.kind, questions=by_id, given=one.given, source=one.source)
        for one in systems
    ]


def asked_by_id(questions: Sequence[GraphQuestion]) -> list[Question]:
    """The questions as `run_models` takes them: what is asked is the id, see `FromGiven`."""
    return [Question(query_id=one.id, category="", text=one.id) for one in questions]


async def answer_by_model(
    questions: Sequence[GraphQuestion],
    systems: Sequence[System],
    subject: Subject,
    ledger: Path,
    *,
    step: Callable[[], None] = lambda: None,
) -> Answers:
    """Asks a model; what the ledger has is not asked.

    Args:
        step: called after each answer.

    Raises:
        EndpointError: not one answer came.
        LedgerError: the ledger cannot be read or written.
    """
    begun = monotonic()
    ran = await run_models(
        asked_by_id(questions), [subject], conditions_of(systems, questions), ledger, progress=step
    )
    replies = []
    wanted = _wanted(questions, systems, subject.repeats)
    for (system, question, sample), answer in zip(wanted, ran.answers, strict=True):
        lost = ran.lost.get(answer.id)
        replies.append(
            Replied(
                question=question,
                system=system.name,
                given=system.given[question.id],
                sample=sample,
                text=answer.text,
                status="ok" if lost is None else "left" if lost.status == "left" else "failed",
                reason="" if lost is None else lost.reason,
                refused=answer.trace is not None and answer.trace.ended == "refused",
            )
        )
    (spend,) = ran.spent
    keys = {key for answer in ran.answers if answer.trace for key in answer.trace.calls}
    with Ledger(ledger) as opened:
        kept = spend_of_keys(opened, keys)
    failures = [f"{count} calls for answers failed: {why}" for why, count in spend.failures.items()]
    return Answers(
        replies=tuple(replies),
        spent=replace(spend, seconds=monotonic() - begun, kept=kept),
        problems=(*ran.problems, *failures),
    )


def answer_by_rule(questions: Sequence[GraphQuestion], systems: Sequence[System]) -> Answers:
    """The answer that the best of what is given extracts to; without any, that it is not known."""
    return Answers(
        replies=tuple(
            Replied(
                question=question,
                system=system.name,
                given=system.given[question.id],
                text=_extracted(question, system.given[question.id]),
            )
            for system, question, _ in _wanted(questions, systems, 1)
        )
    )


def _extracted(question: GraphQuestion, given: Given) -> str:
    if given.context is not None:
        return extract(question, given.context.facts)
    return extract_from_text(question, texts_of(given)) if given.passages else DONT_KNOW


def _wanted(
    questions: Sequence[GraphQuestion], systems: Sequence[System], samples: int
) -> Iterator[tuple[System, GraphQuestion, int]]:
    """In the order of `run_models`."""
    for system in systems:
        for question in questions:
            for sample in range(samples):
                yield system, question, sample
