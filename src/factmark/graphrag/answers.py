"""The answers of a GraphRAG run: by a model through the ledger, or by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

from factmark.answers.core.records import Question
from factmark.ask.spend import Spend
from factmark.graphrag.core.answer_from_text import extract_from_text
from factmark.graphrag.core.answer_from_triples import extract
from factmark.graphrag.core.records import Given, GraphAnswer, GraphQuestion
from factmark.graphrag.systems import GraphRagSystem
from factmark.ledger.calls import spend_of_keys
from factmark.ledger.ledger import Ledger
from factmark.replies.plain import DONT_KNOW
from factmark.runs.running import Subject, run_models


def asked_by_id(questions: Sequence[GraphQuestion]) -> list[Question]:
    """The questions as `run_models` takes them: what is asked is the id, see `GraphRagSystem`."""
    return [Question(query_id=question.id, category="", text=question.id) for question in questions]


def wanted(
    questions: Sequence[GraphQuestion], systems: Sequence[GraphRagSystem], samples: int = 1
) -> Iterator[tuple[GraphRagSystem, GraphAnswer]]:
    """All answers that are wanted, in the order of `run_models`, still empty."""
    for system in systems:
        for question in questions:
            given = system.given[question.id]
            empty = GraphAnswer(question=question, system=system.name, given=given)
            for sample in range(samples):
                yield system, replace(empty, sample=sample)


async def answer_by_model(
    questions: Sequence[GraphQuestion],
    systems: Sequence[GraphRagSystem],
    subject: Subject,
    ledger: Path,
    *,
    step: Callable[[], None] = lambda: None,
) -> tuple[list[GraphAnswer], Spend, list[str]]:
    """Asks a model; what the ledger has is not asked.

    Args:
        step: called after each answer.

    Returns:
        The answers, not read and not judged yet; what they took; what is to be told of them.

    Raises:
        EndpointError: not one answer came.
        LedgerError: the ledger cannot be read or written.
    """
    begun = monotonic()
    ran = await run_models(asked_by_id(questions), [subject], systems, ledger, progress=step)
    answers = []
    empties = (empty for _, empty in wanted(questions, systems, subject.repeats))
    for empty, reply in zip(empties, ran.answers, strict=True):
        refused = reply.trace is not None and reply.trace.ended == "refused"
        answer = replace(empty, reply=reply.text, refused=refused)
        if (lost := ran.lost.get(reply.id)) is not None:
            left = lost.status == "left"
            answer = replace(answer, status="left" if left else "failed", reason=lost.reason)
        answers.append(answer)
    (spend,) = ran.spent
    keys = {key for reply in ran.answers if reply.trace for key in reply.trace.calls}
    with Ledger(ledger) as opened:
        kept = spend_of_keys(opened, keys)
    failures = [f"{count} calls for answers failed: {why}" for why, count in spend.failures.items()]
    spend = replace(spend, seconds=monotonic() - begun, kept=kept)
    return answers, spend, [*ran.problems, *failures]


def answer_by_rule(
    questions: Sequence[GraphQuestion], systems: Sequence[GraphRagSystem]
) -> list[GraphAnswer]:
    """The answer that the best of what is given extracts to; without any, that it is not known."""
    return [
        replace(empty, reply=_extracted(empty.question, empty.given))
        for _, empty in wanted(questions, systems)
    ]


def _extracted(question: GraphQuestion, given: Given) -> str:
    if given.context is not None:
        return extract(question, given.context.facts)
    return extract_from_text(question, given.texts) if given.passages else DONT_KNOW
