"""Verdicts on answers: by rule where that is exact, else by a judge; and on what was retrieved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Literal, NamedTuple

from factmark.ask.budget import Spend
from factmark.ask.client import ChatClient
from factmark.ask.judges.model_judge import asking_judge
from factmark.ask.judges.own_function import OwnFunction, function_judge
from factmark.ask.judges.unit_judge import UnitJudge, ready, rule_judge
from factmark.ask.model_spec import ModelSpec
from factmark.ask.runner import JudgingProgress, run
from factmark.ask.tasks import Claims, Job, Task, rubric_task
from factmark.errors import EndpointError
from factmark.graphrag.campaign import answer_unit
from factmark.graphrag.core.answer_reply import ReadAnswer, read_answer
from factmark.graphrag.core.records import (
    CORRECT,
    INCORRECT,
    VERIFIED,
    GraphAnswer,
    GraphQuestion,
)
from factmark.graphrag.core.rubrics import HOLDS, VERIFY, holds_claim, verify_evidence
from factmark.graphrag.core.verifying import verify
from factmark.ledger.calls import spend_of_judge
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict, content_hash
from factmark.replies.rubric import Rubric
from factmark.tables.shown_text import count

RULES_VERSION = "3"  # part of the rule judges' identity: raise it when they judge otherwise
REPLIES = Judge.create("rule", "choice replies", version=RULES_VERSION)
ABSTENTIONS = Judge.create("rule", "abstentions", version=RULES_VERSION)
OVERLAP = Judge.create("rule", "token overlap", version=RULES_VERSION)
NO_REFERENCE = "(none: the right answer is that it is not known)"
_OR = "; or: "
_BLOCK = 2_000

Ruled = tuple[Judge, Verdict]
HeldBy = Mapping[tuple[str, str], bool | None]
"""(System, id of a question) -> whether its context holds the answer; None without a verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How a model is asked to judge.

    Attributes:
        batch: answers to the same question in one call.
        samples: votes for each answer; most win.
        retrieval: whether it also decides which contexts hold the reference answer.
    """

    client: ChatClient
    batch: int = 1
    samples: int = 1
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
        """The unit that a judge is to look at."""
        return self.job if self.ruled is None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedReplies:
    """What a judge came to.

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
        """An answer with its verdict, by a rule or by this judge."""
        answer = reply.answer
        if reply.job is None:
            return answer
        verdict = reply.ruled[1] if reply.ruled else self.verdicts.get(answer.unit)
        if verdict is None:
            return replace(answer, status=self.missing, reason=self.why_none)
        return replace(answer, status=verdict.status, label=verdict.label, reason=verdict.reason)


def read_reply(answer: GraphAnswer) -> ReadReply:
    """What a reply says, as a unit to judge, and the verdict where a rule can give it."""
    if answer.status != "ok":
        return ReadReply(answer)
    read = read_answer(answer.question, answer.reply)
    answer = replace(answer, said=read.said, abstained=read.abstained)
    item, unit = answer_job(answer)
    answer = replace(answer, unit=unit.id)
    return ReadReply(answer, (item, unit), _ruled(answer, read))


def answer_job(answer: GraphAnswer) -> Job:
    """An answer as a unit of the kind `graphrag`, under its question.

    It is the unit that a campaign makes of the same answer, so that people's verdicts land beside
    the judge's.
    """
    question = answer.question
    item, unit = answer_unit(
        question=question.asked.replace("\n", "\n\n"),
        reference=_OR.join(question.references) or NO_REFERENCE,
        answer=answer.said or answer.reply.strip() or "(nothing)",
        system=answer.system,
        id=str(answer.sample),
    )
    return replace(item, strata={**question.strata}), unit


def _ruled(answer: GraphAnswer, read: ReadAnswer) -> Ruled | None:
    """The verdict that no judge is asked for."""
    question, unit = answer.question, answer.unit
    if answer.refused:
        return _by(ABSTENTIONS, unit, INCORRECT, "the model declined to answer")
    if read.abstained and not question.references:
        return _by(ABSTENTIONS, unit, CORRECT, "the question has no answer, and it says so")
    if read.abstained:
        return _by(ABSTENTIONS, unit, INCORRECT, "it says that it does not know")
    if read.unparsed:
        reason = "no answer in the reply"
        return REPLIES, Verdict(unit=unit, judge=REPLIES.id, status="unparsed", reason=reason)
    if not question.references:
        return _by(ABSTENTIONS, unit, INCORRECT, "it answers a question that has no answer")
    if question.kind == "text":
        return None
    right = [question.right] if question.right else list(question.references)
    label = CORRECT if read.said in right else INCORRECT
    return _by(REPLIES, unit, label, f"{read.said} was said, {right[0]} is right")


def _by(judge: Judge, unit: str, label: str, reason: str) -> Ruled:
    value = VERIFIED[label]
    return judge, Verdict(unit=unit, judge=judge.id, label=label, value=value, reason=reason)


def keep_ruled(replies: Iterable[ReadReply], ledger: Path) -> None:
    """Keeps the verdicts of rules; those that are known are not written again."""
    rows = [(reply.job, reply.ruled) for reply in replies if reply.job and reply.ruled]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with Ledger(ledger) as opened:
        for start in range(0, len(rows), _BLOCK):
            with opened.writing():
                for (item, unit), (judge, verdict) in rows[start : start + _BLOCK]:
                    opened.add_judge(judge)
                    opened.add_new_item(item)
                    opened.add_unit(unit)
                    opened.add_verdict(verdict, now)


def open_jobs(replies: Iterable[ReadReply]) -> tuple[list[Job], dict[str, GraphQuestion]]:
    """The units that need a judge, each once, those of a question together; item -> question."""
    jobs: dict[str, dict[str, Job]] = {}
    questions: dict[str, GraphQuestion] = {}
    for reply in replies:
        if (job := reply.open) is not None:
            item, unit = job
            questions.setdefault(item.id, reply.answer.question)
            jobs.setdefault(item.id, {}).setdefault(unit.id, job)
    return [job for units in jobs.values() for job in units.values()], questions


def overlap(questions: Mapping[str, GraphQuestion]) -> UnitJudge:
    """The rule judge of free text, by words that answer and reference share.

    Args:
        questions: id of an item -> its question.
    """

    def by_words(unit: Unit) -> tuple[str | None, str]:
        return verify(questions[unit.item], _answer_in(unit))

    return rule_judge(OVERLAP, by_words, VERIFIED)


def _answer_in(unit: Unit) -> str:
    """The answer that a unit is, as it was given; its text is blinded for people."""
    return str(unit.data.get("original", unit.text))


def judge_task(
    rubric: Rubric,
    spec: ModelSpec,
    questions: Mapping[str, GraphQuestion],
    *,
    batch: int = 1,
    samples: int = 1,
) -> Task:
    """What a model is asked about answers (`VERIFY`) or contexts (`HOLDS`).

    Args:
        questions: id of an item -> its question.
    """

    def asked(units: Sequence[Unit]) -> Claims:
        return [_answer_in(unit) for unit in units], verify_evidence(questions[units[0].item])

    return rubric_task(
        spec, rubric, asked, batch=batch, samples=samples, group=lambda unit: unit.item
    )


def by_function(function: OwnFunction, questions: Mapping[str, GraphQuestion]) -> UnitJudge:
    """A function of the user's own as a judge of free text.

    It is given the `question`, its `references`, and the answer as the `claim`; as `evidence`
    question and references as a model would read them. Whose answer it is is not told.

    Args:
        questions: id of an item -> its question.
    """

    def shown(unit: Unit) -> dict[str, object]:
        question = questions[unit.item]
        return {
            "kind": unit.kind,
            "claim": _answer_in(unit),
            "evidence": verify_evidence(question),
            "question": question.asked,
            "references": list(question.references),
        }

    return function_judge(function, shown, VERIFIED)


async def judge_replies(
    replies: Iterable[ReadReply],
    judging: Judging | OwnFunction | None,
    ledger: Path,
    progress: Callable[[JudgingProgress], None] | None = None,
) -> JudgedReplies:
    """Has what the replies leave open judged: by a model, somebody's function, or rules.

    A model that cannot be reached costs its verdicts, not the answers.

    Args:
        judging: None for the rules.

    Raises:
        LedgerError: the ledger cannot be read or written.
    """
    jobs, questions = open_jobs(replies)
    if isinstance(judging, Judging):
        spec, batch = judging.client.spec, judging.batch
        task = judge_task(VERIFY, spec, questions, batch=batch, samples=judging.samples)
        return await _ask(jobs, task, judging, ledger, batch=batch, progress=progress)
    judge = overlap(questions) if judging is None else by_function(judging, questions)
    judged = await run(jobs, ready(judge), ledger, progress=progress)
    return JudgedReplies(
        judge=judge.identity,
        verdicts=_verdicts(jobs, judge.identity, ledger),
        problems=[
            f"{count(n, 'answer', 'answers')} failed: {why}"
            for why, n in judged.spend.failures.items()
        ],
    )


def _verdicts(jobs: Sequence[Job], judge: Judge, ledger: Path) -> dict[str, Verdict]:
    with Ledger(ledger) as opened:
        return opened.newest(judge.id, [unit.id for _, unit in jobs])


async def look_at_contexts(
    answers: Iterable[GraphAnswer], judging: Judging, ledger: Path
) -> tuple[JudgedReplies, HeldBy, int]:
    """Asks a model which contexts hold the answer.

    Returns:
        What the judge came to; which contexts hold it; how many have no verdict for want of a call.
    """
    names, jobs, questions = context_jobs(answers)
    task = judge_task(HOLDS, judging.client.spec, questions, samples=judging.samples)
    judged = await _ask(jobs, task, judging, ledger)
    verdicts = {key: judged.verdicts.get(unit) for key, unit in names.items()}
    held = {
        key: None if verdict is None or verdict.value is None else verdict.value >= 1.0
        for key, verdict in verdicts.items()
    }
    unlooked = [v for v in verdicts.values() if v is None or v.status == "failed"]
    return judged, held, len(unlooked)


def context_jobs(
    answers: Iterable[GraphAnswer],
) -> tuple[dict[tuple[str, str], str], list[Job], dict[str, GraphQuestion]]:
    """The contexts of free-text questions that a judge is to look at, each once.

    Returns:
        (System, id of the question) -> id of its unit; the units; item -> question.
    """
    units: dict[str, Job] = {}
    names: dict[tuple[str, str], str] = {}
    questions: dict[str, GraphQuestion] = {}
    for answer in answers:
        question, texts = answer.question, answer.given.texts
        key = (answer.system, question.id)
        if key in names or question.kind != "text" or not question.references or not texts:
            continue
        data = {"question": question.asked, "references": list(question.references)}
        name = f"retrieval:{content_hash('retrieval', data)}"
        unit = Unit(
            id=content_hash("retrieval", name, list(texts)),
            item=name,
            kind="retrieval",
            text=holds_claim(texts),
        )
        questions.setdefault(name, question)
        units.setdefault(unit.id, (Item(id=name, cluster=name, data=data), unit))
        names[key] = unit.id
    return names, list(units.values()), questions


def with_held(answer: GraphAnswer, held: HeldBy) -> GraphAnswer:
    """An answer with what the judge said of its context, where it was to look at it."""
    key = (answer.system, answer.question.id)
    if key not in held:
        return answer
    given, holds = answer.given, held[key]
    in_graph = given.in_graph
    if holds and given.context is not None and answer.question.answerable is not False:
        in_graph = True
    carriers = given.carriers if holds else ()
    given = replace(given, held=holds, held_by="judge", carriers=carriers, in_graph=in_graph)
    return replace(answer, given=given)


async def _ask(
    jobs: Sequence[Job],
    task: Task,
    judging: Judging,
    ledger: Path,
    *,
    batch: int = 1,
    progress: Callable[[JudgingProgress], None] | None = None,
) -> JudgedReplies:
    """The verdicts on units, as the ledger has them after the model was asked."""
    client, name = judging.client, task.judge.name
    before, begun = client.account.spend, monotonic()
    missing: Literal["left", "failed"] = "left"
    try:
        model = asking_judge(client, task, batch=batch, samples=judging.samples)
        progressed = await run(jobs, model, ledger, progress=progress)
    except EndpointError as error:
        missing, why = "failed", f"the judge {name} could not be asked: {error}"
        problems = [why]
        spend = replace(client.account.spend.since(before), seconds=monotonic() - begun, stopped="")
    else:
        spend = progressed.spend
        why = spend.stopped
        failures = spend.failures.items()
        problems = [
            *spend.notes,
            *(
                f"{count(n, 'call', 'calls')} of the judge {name} failed: {reason}"
                for reason, n in failures
            ),
        ]
    with Ledger(ledger) as opened:
        kept = spend_of_judge(opened, task.judge.id)
    return JudgedReplies(
        judge=task.judge,
        verdicts=_verdicts(jobs, task.judge, ledger),
        missing=missing,
        why_none=why,
        spend=replace(spend, kept=kept),
        problems=problems,
    )
