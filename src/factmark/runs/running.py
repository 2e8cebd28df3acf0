"""Getting answers: questions x models x conditions x repeats, through the ledger."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from factmark.answers.core.records import GivenAnswer, NoScore
from factmark.ask.asker import Asker
from factmark.ask.budget import Spend
from factmark.ask.client import ChatClient
from factmark.errors import EndpointError
from factmark.http.async_tools import first_error, gather_all
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.replies.tools.tool_calls import quotes_call
from factmark.runs.conditions import AskedQuestion, Condition
from factmark.runs.conversation import Conversation, LedgerDesk, NoReply, Searches
from factmark.runs.tool_replies import UNREAD_CALL
from factmark.text.shown_text import some

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


_Asked = tuple[Condition, AskedQuestion, int]  # the last: which repeat


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
            desks = []
            for subject in subjects:
                asker = Asker(subject.client, opened, writer, leases, subject.client.spec.identity)
                desks.append(
                    LedgerDesk(
                        asker=await stack.enter_async_context(asker),
                        ledger=opened,
                        writer=writer,
                        slots=slots,
                        searches=searches,
                    )
                )
            given = await gather_all(
                [
                    _answers_of_model(subject, questions, conditions, desk, progress)
                    for subject, desk in zip(subjects, desks, strict=True)
                ]
            )
    answers = tuple(answer for theirs in given for answer in theirs)
    _raise_if_none(answers)
    spent = tuple(desk.asker.spend for desk in desks)
    return Ran(answers=answers, spent=spent, problems=tuple(_run_notes(subjects, spent, answers)))


async def _answers_of_model(
    subject: Subject,
    questions: Sequence[AskedQuestion],
    conditions: Sequence[Condition],
    desk: LedgerDesk,
    progress: Callable[[], None],
) -> list[GivenAnswer]:
    """All answers of one model, by condition and question; the first error ends them all.

    A question is asked under every condition before the next, so that a budget that ends leaves
    the same questions to all.
    """
    asked = list(product(conditions, questions, range(subject.repeats)))
    answers: dict[int, GivenAnswer] = {}

    async def work(places: Iterator[int]) -> None:
        for place in places:
            answers[place] = await _answer_or_why_not(subject, asked[place], desk)
            progress()

    def turn(place: int) -> tuple[int, int, int]:
        condition, _, sample = asked[place]
        question = place // subject.repeats % len(questions)
        return sample, question, -condition.most_replies  # of one question, the longest first

    shared = iter(sorted(range(len(asked)), key=turn))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(subject.client.ahead, len(asked))):
                group.create_task(work(shared))
    except BaseExceptionGroup as errors:
        raise first_error(errors) from errors
    return [answers[place] for place in range(len(asked))]


async def _answer_or_why_not(subject: Subject, asked: _Asked, desk: LedgerDesk) -> GivenAnswer:
    """The answer, or why there is none."""
    condition, question, sample = asked
    lost = None
    try:
        answer = await condition.answer(question.text, sample, Conversation(desk, sample))
    except NoReply as error:
        lost = NoScore(status=error.status, reason=error.reason)
    except EndpointError as error:
        lost = NoScore(status="failed", reason=str(error))
    if lost is not None:
        # offered, whatever came of it
        tools = None
        if condition.most_replies > 1:
            tools = ()
        answer = GivenAnswer(id="", query_id="", text="", tools_called=tools, lost=lost)
    repeat = []
    if subject.repeats > 1:
        repeat = [str(sample + 1)]
    return replace(
        answer,
        id="/".join([subject.name, condition.name, question.query_id, *repeat]),
        query_id=question.query_id,
        model=subject.name,
        condition=condition.name,
    )


def _raise_if_none(answers: Sequence[GivenAnswer]) -> None:
    """Raises EndpointError where not one answer came and calls failed."""
    failed = []
    for a in answers:
        if a.lost is not None and a.lost.status == "failed":
            failed.append(a.lost)
    if failed and all(answer.lost is not None for answer in answers):
        reason, _ = Counter(why.reason for why in failed).most_common(1)[0]
        hint = ""
        if _GONE in reason:
            hint = " Is the server running? --base-url names another."
        raise EndpointError(f"Not one of {len(answers)} answers came: {reason.rstrip('.')}.{hint}")


def _run_notes(
    subjects: Sequence[Subject], spent: Sequence[Spend], answers: Sequence[GivenAnswer]
) -> Iterator[str]:
    """Sentences on what servers told, and on answers cut off, refused or out of rounds."""
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
    calling = []
    for a in answers:
        if a.lost and a.lost.reason.startswith(UNREAD_CALL):
            calling.append(a)
    kinds.append(("tool calls that could not be carried out: missing, and not scored", calling))
    quoting = []
    for a in answers:
        if a.trace is not None and quotes_call(a.text, a.trace.offered):
            quoting.append(a)
    kinds.append(("given with tool calls as text amid other words, scored as they are", quoting))
    for text, these in kinds:
        counts = Counter(f"{a.model} {a.condition}" for a in these)
        if counts:
            where = some([f"{name} {count}" for name, count in counts.most_common()], _NAMED)
            yield f"{len(these)} of {len(answers)} answers were {text} ({where})"
