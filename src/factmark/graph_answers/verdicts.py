"""Verdicts on answers: by rule where that is exact, else by a judge; and on what was retrieved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple

from factmark.ask.budget import Spend
from factmark.ask.client import ChatClient
from factmark.ask.judges.recipe import RULES, Recipe
from factmark.ask.judges.unit_judge import NamedJudge
from factmark.ask.runner import JudgingProgress, run
from factmark.ask.tasks import Job
from factmark.cli.judge_recipes import open_judge
from factmark.errors import EndpointError
from factmark.graph_answers.core.answer_reply import ReadAnswer, read_answer
from factmark.graph_answers.core.records import (
    CORRECT,
    INCORRECT,
    VERIFIED,
    GraphAnswer,
    GraphQuestion,
)
from factmark.graph_answers.core.rubrics import HOLDS
from factmark.graph_answers.core.units import unit_of_answer, units_of_contexts
from factmark.graph_answers.judges import (
    ABSTENTIONS,
    REPLIES,
    answer_openers,
)
from factmark.ledger.calls import spend_of_judge
from factmark.ledger.ledger import Ledger
from factmark.model import Judge, Verdict
from factmark.text.shown_text import count

_BLOCK = 2_000
_BY_RULES: Any = {
    "judges": "graphrag",
    "by": "rules",
    "name": RULES,
    "parameters": {"batch": 1, "samples": 1},
}

Ruled = tuple[Judge, Verdict]
ContextVerdicts = Mapping[tuple[str, str], bool | None]
"""(System, id of a question) -> whether its context holds the answer; None without a verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Who judges, and how.

    Attributes:
        recipe: of the judge.
        client: of a model; None for others.
        retrieval: whether it also decides which contexts hold the reference answer.
    """

    recipe: Recipe = field(default_factory=lambda: Recipe(**_BY_RULES))
    client: ChatClient | None = None
    retrieval: bool = False


class ReadReply(NamedTuple):
    """A reply as it was read.

    Attributes:
        answer: with what was said, and its unit.
        job: the unit with its item; None where no reply came.
        ruled: the verdict that needs no judge, by which rule; None where a judge is to say.
    """

    answer: GraphAnswer
    job: Job | None = None
    ruled: Ruled | None = None

    @property
    def open(self) -> Job | None:
        """The unit that a judge is needed for; None if a rule decided."""
        if self.ruled is None:
            return self.job
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedReplies:
    """The verdicts of one judge on answers or contexts.

    Attributes:
        verdicts: id of the unit -> verdict; units without one are missing.
        missing: what becomes of those: `left` for want of budget, else `failed`.
        why_none: why they are missing; empty where none is.
    """

    judge: Judge
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    missing: Literal["left", "failed"] = "left"
    why_none: str = ""
    spend: Spend | None = None
    problems: Sequence[str] = ()

    def answer(self, reply: ReadReply) -> GraphAnswer:
        """Returns the answer with its verdict, by a rule or by this judge."""
        answer = reply.answer
        if reply.job is None:
            return answer
        verdict: Verdict | None
        if reply.ruled:
            verdict = reply.ruled[1]
        else:
            verdict = self.verdicts.get(answer.unit)
        if verdict is None:
            return replace(answer, status=self.missing, reason=self.why_none)
        return replace(answer, status=verdict.status, label=verdict.label, reason=verdict.reason)


def read_reply(answer: GraphAnswer) -> ReadReply:
    """Returns what a reply says, as a unit to judge, and the verdict if a rule can give it."""
    if answer.status != "ok":
        return ReadReply(answer)
    read = read_answer(answer.question, answer.reply)
    answer = replace(answer, said=read.said, abstained=read.abstained)
    item, unit = unit_of_answer(answer)
    answer = replace(answer, unit=unit.id)
    return ReadReply(answer, (item, unit), _verdict_by_rule(answer, read))


def _verdict_by_rule(answer: GraphAnswer, read: ReadAnswer) -> Ruled | None:
    """Returns the verdict on an answer that needs no judge; None if a judge is needed."""
    question = answer.question
    unit = answer.unit
    if answer.refused:
        return _rule_verdict(ABSTENTIONS, unit, INCORRECT, "the model declined to answer")
    if read.abstained and not question.references:
        return _rule_verdict(
            ABSTENTIONS, unit, CORRECT, "the question has no answer, and it says so"
        )
    if read.abstained:
        return _rule_verdict(ABSTENTIONS, unit, INCORRECT, "it says that it does not know")
    if read.unparsed:
        reason = "no answer in the reply"
        return REPLIES, Verdict(unit=unit, judge=REPLIES.id, status="unparsed", reason=reason)
    if not question.references:
        return _rule_verdict(
            ABSTENTIONS, unit, INCORRECT, "it answers a question that has no answer"
        )
    if question.kind == "text":
        return None
    if question.right:
        right = [question.right]
    else:
        right = list(question.references)
    if read.said in right:
        label = CORRECT
    else:
        label = INCORRECT
    return _rule_verdict(REPLIES, unit, label, f"{read.said} was said, {right[0]} is right")


def _rule_verdict(judge: Judge, unit: str, label: str, reason: str) -> Ruled:
    """Returns a verdict with the rule that gave it."""
    value = VERIFIED[label]
    return judge, Verdict(unit=unit, judge=judge.id, label=label, value=value, reason=reason)


def keep_rule_verdicts(replies: Iterable[ReadReply], ledger: Path) -> None:
    """Writes the verdicts of rules to the ledger; known ones are not written again."""
    rows = []
    for reply in replies:
        if reply.job and reply.ruled:
            rows.append((reply.job, reply.ruled))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with Ledger(ledger) as opened:
        for start in range(0, len(rows), _BLOCK):
            with opened.writing():
                for (item, unit), (judge, verdict) in rows[start : start + _BLOCK]:
                    opened.add_judge(judge)
                    opened.add_new_item(item)
                    opened.add_unit(unit)
                    opened.add_verdict(verdict, now)


def jobs_for_judge(replies: Iterable[ReadReply]) -> tuple[list[Job], dict[str, GraphQuestion]]:
    """Returns the units that need a judge, each once, those of a question together; and item ->
    question."""
    jobs: dict[str, dict[str, Job]] = {}
    questions: dict[str, GraphQuestion] = {}
    for reply in replies:
        job = reply.open
        if job is not None:
            item, unit = job
            questions.setdefault(item.id, reply.answer.question)
            jobs.setdefault(item.id, {}).setdefault(unit.id, job)
    return [job for units in jobs.values() for job in units.values()], questions


async def judge_replies(
    replies: Iterable[ReadReply],
    judging: Judging,
    ledger: Path,
    progress: Callable[[JudgingProgress], None] | None = None,
) -> JudgedReplies:
    """Has what rules leave open judged, by a model, one of the user's own or the rule judge;
    returns the verdicts.

    A model that cannot be reached costs its verdicts, not the answers.

    Raises:
        LedgerError: the ledger cannot be read or written.
    """
    jobs, questions = jobs_for_judge(replies)
    recipe = judging.recipe
    client = judging.client
    judge = open_judge(recipe, answer_openers(recipe, questions), client=client)
    if client is not None:
        return await _ask_model(jobs, judge, client, ledger, progress=progress)
    judged = await run(jobs, judge, ledger, progress=progress)
    return JudgedReplies(
        judge=judged.judge,
        verdicts=_verdicts_in_ledger(jobs, judged.judge, ledger),
        problems=[
            f"{count(n, 'answer', 'answers')} failed: {why}"
            for why, n in judged.spend.failures.items()
        ],
    )


def _verdicts_in_ledger(jobs: Sequence[Job], judge: Judge, ledger: Path) -> dict[str, Verdict]:
    """Returns unit -> verdict of a judge, as the ledger has them."""
    with Ledger(ledger) as opened:
        return opened.newest(judge.id, [unit.id for _, unit in jobs])


async def judge_contexts(
    answers: Iterable[GraphAnswer], recipe: Recipe, client: ChatClient, ledger: Path
) -> tuple[JudgedReplies, ContextVerdicts, int]:
    """Asks a model which contexts hold the answer.

    Returns:
        What the judge came to; which contexts hold it; how many have no verdict for want of a call.
    """
    names, jobs, questions = units_of_contexts(answers)
    judge = open_judge(recipe, answer_openers(recipe, questions, HOLDS), client=client)
    judged = await _ask_model(jobs, judge, client, ledger)
    verdicts = {key: judged.verdicts.get(unit) for key, unit in names.items()}
    held = {}
    for key, verdict in verdicts.items():
        held[key] = None if verdict is None or verdict.value is None else verdict.value >= 1.0
    unlooked = []
    for v in verdicts.values():
        if v is None or v.status == "failed":
            unlooked.append(v)
    return judged, held, len(unlooked)


def with_judged_context(answer: GraphAnswer, held: ContextVerdicts) -> GraphAnswer:
    """Returns the answer with what the judge said of its context; unchanged if it was not asked
    about it."""
    key = (answer.system, answer.question.id)
    if key not in held:
        return answer
    given = answer.given
    holds = held[key]
    named = given.named
    if holds and given.context is not None and answer.question.answerable is not False:
        named = True
    carriers: tuple[int, ...] = ()
    if holds:
        carriers = given.carriers
    given = replace(given, held=holds, held_by="judge", carriers=carriers, named=named)
    return replace(answer, given=given)


async def _ask_model(
    jobs: Sequence[Job],
    model: NamedJudge,
    client: ChatClient,
    ledger: Path,
    *,
    progress: Callable[[JudgingProgress], None] | None = None,
) -> JudgedReplies:
    """Asks a model about units; returns the verdicts that the ledger has then, and what they
    took."""
    judge = model.identity
    before = client.account.spend
    begun = monotonic()
    missing: Literal["left", "failed"] = "left"
    try:
        progressed = await run(jobs, model, ledger, progress=progress)
    except EndpointError as error:
        missing = "failed"
        why = f"the judge {judge.name} could not be asked: {error}"
        problems = [why]
        spend = replace(client.account.spend.since(before), seconds=monotonic() - begun, stopped="")
    else:
        spend = progressed.spend
        why = spend.stopped
        failures = spend.failures.items()
        problems = [
            *spend.notes,
            *(
                f"{count(n, 'call', 'calls')} of the judge {judge.name} failed: {reason}"
                for reason, n in failures
            ),
        ]
    with Ledger(ledger) as opened:
        kept = spend_of_judge(opened, judge.id)
    return JudgedReplies(
        judge=judge,
        verdicts=_verdicts_in_ledger(jobs, judge, ledger),
        missing=missing,
        why_none=why,
        spend=replace(spend, kept=kept),
        problems=problems,
    )
