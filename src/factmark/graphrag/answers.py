"""The answers of a GraphRAG run: by a model through the ledger, or by rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from factmark.answers.core.records import Question
from factmark.ask.spend import Spend
from factmark.graphrag.core.answer_from_text import extract_from_text
from factmark.graphrag.core.answer_from_triples import extract
from factmark.graphrag.core.outcomes import Given, Outcome
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.systems import System
from factmark.ledger.calls import spend_of_keys
from factmark.ledger.ledger import Ledger
from factmark.replies.plain import DONT_KNOW
from factmark.runs.running import Subject, run_models


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphAnswers:
    """All replies of a run, by system, question and sample, in the order that they were given.

    Attributes:
        outcomes: not read and not judged yet; of those that never came the status says why.
        spend: by the model; None where rules answered.
        problems: what is to be told of them, one sentence each.
    """

    outcomes: tuple[Outcome, ...]
    spend: Spend | None = None
    problems: tuple[str, ...] = ()


def asked_by_id(questions: Sequence[GraphQuestion]) -> list[Question]:
    """The questions as `run_models` takes them: what is asked is the id, see `System`."""
    return [Question(query_id=one.id, category="", text=one.id) for one in questions]


def wanted(
    questions: Sequence[GraphQuestion], systems: Sequence[System], samples: int = 1
) -> Iterator[tuple[System, Outcome]]:
    """All answers that are wanted, in the order of `run_models`, still empty."""
    for system in systems:
        for question in questions:
            given = system.given[question.id]
            for sample in range(samples):
                yield (
                    system,
                    Outcome(question=question, system=system.name, given=given, sample=sample),
                )


async def answer_by_model(
    questions: Sequence[GraphQuestion],
    systems: Sequence[System],
    subject: Subject,
    ledger: Path,
    *,
    step: Callable[[], None] = lambda: None,
) -> GraphAnswers:
    """Asks a model; what the ledger has is not asked.

    Args:
        step: called after each answer.

    Raises:
        EndpointError: not one answer came.
        LedgerError: the ledger cannot be read or written.
    """
    begun = monotonic()
    ran = await run_models(asked_by_id(questions), [subject], systems, ledger, progress=step)
    outcomes = []
    for (_, empty), answer in zip(
        wanted(questions, systems, subject.repeats), ran.answers, strict=True
    ):
        lost = ran.lost.get(answer.id)
        refused = answer.trace is not None and answer.trace.ended == "refused"
        outcome = replace(empty, reply=answer.text, refused=refused)
        if lost is not None:
            left = lost.status == "left"
            outcome = replace(outcome, status="left" if left else "failed", reason=lost.reason)
        outcomes.append(outcome)
    (spend,) = ran.spent
    keys = {key for answer in ran.answers if answer.trace for key in answer.trace.calls}
    with Ledger(ledger) as opened:
        kept = spend_of_keys(opened, keys)
    failures = [f"{count} calls for answers failed: {why}" for why, count in spend.failures.items()]
    return GraphAnswers(
        outcomes=tuple(outcomes),
        spend=replace(spend, seconds=monotonic() - begun, kept=kept),
        problems=(*ran.problems, *failures),
    )


def answer_by_rule(questions: Sequence[GraphQuestion], systems: Sequence[System]) -> GraphAnswers:
    """The answer that the best of what is given extracts to; without any, that it is not known."""
    return GraphAnswers(
        outcomes=tuple(
            replace(empty, reply=_extracted(empty.question, empty.given))
            for _, empty in wanted(questions, systems)
        )
    )


def _extracted(question: GraphQuestion, given: Given) -> str:
    if given.context is not None:
        return extract(question, given.context.facts)
    return extract_from_text(question, given.texts) if given.passages else DONT_KNOW
