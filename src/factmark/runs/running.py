"""Getting answers: questions x models x conditions x repeats, through the ledger."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from factmark.answers.core.records import GivenAnswer, NoScore, Trace
from factmark.ask.asker import Asker
from factmark.ask.budget import Spend
from factmark.ask.client import ChatClient
from factmark.errors import EndpointError
from factmark.http.async_tools import first_error, gather_all
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.replies.tool_calls import holds_call
from factmark.runs.conditions import AskedQuestion, Condition
from factmark.runs.conversation import (
    Attempt,
    Conversation,
    LedgerDesk,
    NoReply,
    Searches,
)

_TOOLS_AT_ONCE = 8
_GONE = "cannot be reached"  # as the transport tells it
_NAMED = 8  # models and conditions that one line names before it says how many more there are


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A model under test.

    Attributes:
        name: as results name it.
        repeats: answers to each question under each condition.
    """

    name: str
    client: ChatClient
    repeats: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a run brought.

    Attributes:
        answers: by model, condition, question and repeat, in the order that they were given;
            those that have no text for want of a reply are among them.
        spent: by each model.
        problems: what is to be told of the run, one sentence each.
    """

    answers: tuple[GivenAnswer, ...]
    spent: tuple[Spend, ...]
    problems: tuple[str, ...]

    @property
    def lost(self) -> dict[str, NoScore]:
        """Why an answer is none, by its id."""
        return {answer.id: answer.lost for answer in self.answers if answer.lost is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    question: AskedQuestion
    condition: Condition
    sample: int


async def run_models(
    questions: Sequence[AskedQuestion],
    subjects: Sequence[Subject],
    conditions: Sequence[Condition],
    ledger: Path,
    *,
    progress: Callable[[], None] = lambda: None,
) -> Ran:
    """Asks every model every question under every condition; what the ledger has is not asked.

    Models are asked side by side. A model or a tool server that is gone costs its own answers, not
    those of others.

    Args:
        ledger: where each reply, and each result of a tool, is kept before it is used.
        progress: called after each answer.

    Raises:
        EndpointError: not one answer came.
        LedgerError: the ledger cannot be read or written.
    """
    with Ledger(ledger) as opened:
        async with (
            LedgerWriter(ledger) as writer,
            Leases(opened, writer) as leases,
            AsyncExitStack() as stack,
        ):
            slots = asyncio.Semaphore(_TOOLS_AT_ONCE)
            searches: Searches = {}
            askers = [
                await stack.enter_async_context(
                    Asker(s.client, opened, writer, leases, s.client.spec.identity)
                )
                for s in subjects
            ]
            desks = [
                LedgerDesk(
                    asker=asker, ledger=opened, writer=writer, slots=slots, searches=searches
                )
                for asker in askers
            ]
            jobs = [_jobs(subject, questions, conditions) for subject in subjects]
            attempts = await gather_all(
                [
                    _all(theirs, desk, subject.client.ahead, progress)
                    for theirs, desk, subject in zip(jobs, desks, subjects, strict=True)
                ]
            )
    answers = [
        _answer(subject, job, attempt)
        for subject, theirs, came in zip(subjects, jobs, attempts, strict=True)
        for job, attempt in zip(theirs, came, strict=True)
    ]
    _raise_if_none(answers)
    spent = tuple(asker.spend for asker in askers)
    return Ran(
        answers=tuple(answers),
        spent=spent,
        problems=tuple(_problems(subjects, spent, answers)),
    )


def _jobs(
    subject: Subject, questions: Sequence[AskedQuestion], conditions: Sequence[Condition]
) -> list[_Job]:
    return [
        _Job(question=question, condition=condition, sample=sample)
        for condition in conditions
        for question in questions
        for sample in range(subject.repeats)
    ]


async def _all(
    jobs: Sequence[_Job], desk: LedgerDesk, ahead: int, progress: Callable[[], None]
) -> list[Attempt]:
    """All answers of a model, in the order of the jobs; after an error none goes on."""
    attempts: dict[int, Attempt] = {}

    async def work(places: Iterator[int]) -> None:
        for place in places:
            attempts[place] = await _attempt(jobs[place], desk)
            progress()

    # Conversations are begun first: they take longest.
    shared = iter(sorted(range(len(jobs)), key=lambda place: -jobs[place].condition.most_replies))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(ahead, len(jobs))):
                group.create_task(work(shared))
    except BaseExceptionGroup as errors:
        raise first_error(errors) from errors
    return [attempts[place] for place in range(len(jobs))]


async def _attempt(job: _Job, desk: LedgerDesk) -> Attempt:
    """The answer, or why there is none."""
    conversation = Conversation(desk, job.sample)
    try:
        return await job.condition.answer(job.question.text, job.sample, conversation)
    except NoReply as error:
        lost = NoScore(status=error.status, reason=error.reason)
    except EndpointError as error:
        lost = NoScore(status="failed", reason=str(error))
    tools = () if job.condition.most_replies > 1 else None  # offered, whatever came of it
    trace = Trace(sample=job.sample, rounds=0, tools=tools)
    return Attempt(text="", trace=trace, latency=0.0, lost=lost)


def _answer(subject: Subject, job: _Job, attempt: Attempt) -> GivenAnswer:
    parts = [subject.name, job.condition.name, job.question.query_id]
    if subject.repeats > 1:
        parts.append(str(job.sample + 1))
    trace, lost = attempt.trace, attempt.lost
    return GivenAnswer(
        id="/".join(parts),
        query_id=job.question.query_id,
        text=attempt.text,
        model=subject.name,
        condition=job.condition.name,
        latency_seconds=None if lost else attempt.latency,
        tools_called=None if trace.tools is None else tuple(use.name for use in trace.tools),
        chunks_retrieved=None if trace.chunks is None else tuple(c.id for c in trace.chunks),
        trace=None if lost else trace,
        lost=lost,
    )


def _raise_if_none(answers: Sequence[GivenAnswer]) -> None:
    failed = [a.lost for a in answers if a.lost is not None and a.lost.status == "failed"]
    if failed and all(answer.lost is not None for answer in answers):
        reason, _ = Counter(why.reason for why in failed).most_common(1)[0]
        hint = " Is the server running? --base-url names another." if _GONE in reason else ""
        raise EndpointError(f"Not one of {len(answers)} answers came: {reason.rstrip('.')}.{hint}")


def _problems(
    subjects: Sequence[Subject], spent: Sequence[Spend], answers: Sequence[GivenAnswer]
) -> Iterator[str]:
    """What servers tell, then one line for each way in which answers ended but were not done."""
    for subject, spend in zip(subjects, spent, strict=True):
        for note in spend.notes:
            yield f"{subject.name}: {note}"
    endings = {
        "length": "cut off at the limit of --max-tokens, and scored as they are",
        "rounds": "given after the last round of tools, when the model was asked to answer",
        "refused": "refusals, scored as answers that state nothing",
    }
    kinds = [
        (text, [a for a in answers if a.trace is not None and a.trace.ended == ended])
        for ended, text in endings.items()
    ]
    calling = [a for a in answers if a.trace is not None and holds_call(a.text, a.trace.offered)]
    kinds.append(("tool calls as text that could not be carried out, scored as they are", calling))
    for text, these in kinds:
        counts = Counter(f"{a.model} {a.condition}" for a in these)
        if counts:
            where = ", ".join(f"{name} {count}" for name, count in counts.most_common(_NAMED))
            more = f" and {len(counts) - _NAMED} more" if len(counts) > _NAMED else ""
            yield f"{len(these)} of {len(answers)} answers were {text} ({where}{more})"
