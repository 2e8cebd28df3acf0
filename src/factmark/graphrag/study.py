"""A GraphRAG run from end to end: contexts in, answers and verdicts in the ledger, outcomes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from factmark import __version__
from factmark.ask.runner import Progress
from factmark.ask.spend import Spend
from factmark.graphrag.answer_units import Answered, keep_ruled, open_jobs, read_reply
from factmark.graphrag.answers import (
    Answers,
    Replied,
    answer_by_model,
    answer_by_rule,
    conditions_of,
)
from factmark.graphrag.contexts import System
from factmark.graphrag.core.outcomes import Given, Outcome
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.judging import (
    Judged,
    Judging,
    ask_judge,
    context_jobs,
    hold_task,
    judge_by_model,
    judge_by_rule,
)
from factmark.model import Judge, content_hash
from factmark.runs.running import Subject

RULES = "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be run.

    Attributes:
        systems: graphs and controls, each with what it answers from.
        subject: the model that answers; None for the rules.
        judging: the model that judges; None for the rules.
        ledger: where replies and verdicts are kept.
        made: how it was set up, for the signature.
    """

    questions: tuple[GraphQuestion, ...]
    systems: tuple[System, ...]
    ledger: Path
    subject: Subject | None = None
    judging: Judging | None = None
    made: Mapping[str, object] = field(default_factory=dict)

    @property
    def answers(self) -> int:
        """How many are wanted."""
        repeats = self.subject.repeats if self.subject else 1
        return len(self.questions) * len(self.systems) * repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphragRun:
    """What a run came to; nothing that came in is missing.

    Attributes:
        outcomes: by system, question and sample.
        model: the name of what answered.
        judge: of free text.
        answering: what the model took; None where rules answered.
        judging: what the judge took; None where rules judged.
        retrieval: what judging the contexts took; None where rules did.
        unlooked: contexts that the judge was to look at and did not.
        problems: what is to be told, one sentence each.
        signature: how it was made.
    """

    outcomes: tuple[Outcome, ...]
    model: str
    judge: Judge
    answering: Spend | None = None
    judging: Spend | None = None
    retrieval: Spend | None = None
    unlooked: int = 0
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether each answer came and was judged, and each context that was to be looked at."""
        lost = any(one.status in ("failed", "left") for one in self.outcomes)
        return not lost and not self.unlooked


Step = Callable[[], None]
Tell = Callable[[Progress], None]


@contextmanager
def _unseen(_total: int) -> Iterator[Step]:
    yield lambda: None


@contextmanager
def _untold(_total: int) -> Iterator[Tell | None]:
    yield None


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who is told how far it is; both are given how much there is.

    Attributes:
        answers: gives what is called after each answer.
        verdicts: gives what is told where the judging stands.
    """

    answers: Callable[[int], AbstractContextManager[Step]] = _unseen
    verdicts: Callable[[int], AbstractContextManager[Tell | None]] = _untold


async def run_graphrag(plan: Plan, watch: Watch | None = None) -> GraphragRun:
    """Answers and judges; killed at any moment it goes on, run again it asks nothing.

    Model and judge are closed at the end.

    Raises:
        EndpointError: not one answer came.
        LedgerError: the ledger cannot be read or written.
    """
    watch = watch or Watch()
    async with AsyncExitStack() as stack:
        for who in (plan.subject, plan.judging):
            if who is not None:
                await stack.enter_async_context(who.client)
        answers = await _answers(plan, watch)
        answered = [read_reply(reply) for reply in answers.replies]
        keep_ruled(answered, plan.ledger)
        if plan.judging is None:
            judged = judge_by_rule(answered, plan.ledger)
        else:
            jobs, questions = open_jobs(answered)
            with watch.verdicts(len(jobs)) as tell:
                judged = await judge_by_model(jobs, questions, plan.judging, plan.ledger, tell)
        held, looked, unlooked = await _held(answers.replies, plan)
    outcomes = tuple(_outcome(one, judged, held) for one in answered)
    told = [*answers.problems, *judged.problems, *_stops(outcomes)]
    if looked is not None:
        told += [*looked.problems, *_unlooked(looked, unlooked, held)]
    return GraphragRun(
        outcomes=outcomes,
        model=plan.subject.name if plan.subject else RULES,
        judge=judged.judge,
        answering=answers.spent,
        judging=judged.spent,
        retrieval=looked.spent if looked else None,
        unlooked=unlooked,
        problems=tuple(dict.fromkeys(told)),
        signature=_signature(plan, judged.judge, looked),
    )


async def _answers(plan: Plan, watch: Watch) -> Answers:
    if plan.subject is None:
        return answer_by_rule(plan.questions, plan.systems)
    with watch.answers(plan.answers) as step:
        return await answer_by_model(
            plan.questions, plan.systems, plan.subject, plan.ledger, step=step
        )


async def _held(
    replies: Sequence[Replied], plan: Plan
) -> tuple[dict[tuple[str, str], bool | None], Judged | None, int]:
    """(System, id of the question) -> whether its context holds the answer, by the judge.

    An empty context holds nothing; one that the judge gave no verdict on is not known.

    Returns:
        This, what the judge came to, and how many contexts have no verdict for want of
        a call.
    """
    if plan.judging is None or not plan.judging.retrieval:
        return {}, None, 0
    names, jobs, questions = context_jobs(replies)
    task = hold_task(plan.judging.client.spec, questions, samples=plan.judging.samples)
    judged = await ask_judge(jobs, task, plan.judging, plan.ledger)
    values = {unit: said.value for unit, said in judged.verdicts.items()}
    found = {key: values.get(unit) for key, unit in names.items()}
    held = {key: None if said is None else said >= 1.0 for key, said in found.items()}
    done = {unit for unit, said in judged.verdicts.items() if said.status != "failed"}
    return held, judged, sum(unit not in done for unit in names.values())


def _outcome(one: Answered, judged: Judged, held: Mapping[tuple[str, str], bool | None]) -> Outcome:
    reply, read = one.reply, one.read
    made = Outcome(
        question=reply.question,
        system=reply.system,
        given=_given(reply, held),
        sample=reply.sample,
        reply=reply.text,
        said=read.said,
        abstained=read.abstained,
    )
    if one.job is None:
        return replace(
            made, status="left" if reply.status == "left" else "failed", reason=reply.reason
        )
    made = replace(made, unit=one.job[1].id)
    verdict = one.ruled[1] if one.ruled else judged.verdicts.get(made.unit)
    if verdict is None:
        return replace(made, status=judged.missing, reason=judged.why_none)
    return replace(made, status=verdict.status, label=verdict.label, reason=verdict.reason)


def _given(reply: Replied, held: Mapping[tuple[str, str], bool | None]) -> Given:
    key = (reply.system, reply.question.id)
    if key not in held:
        return reply.given
    found = held[key]
    carriers = reply.given.carriers if found else ()
    in_graph = reply.given.in_graph
    if found and reply.given.context is not None and reply.question.answerable is not False:
        in_graph = True
    return replace(reply.given, held=found, carriers=carriers, in_graph=in_graph)


def _stops(outcomes: Sequence[Outcome]) -> Iterable[str]:
    """What is missing, and why, one sentence for each reason."""
    counts: dict[tuple[bool, str], int] = {}
    for one in outcomes:
        if one.status == "left":
            key = (bool(one.unit), one.reason)
            counts[key] = counts.get(key, 0) + 1
    for (answered, reason), count in counts.items():
        what = "answers stay to be judged" if answered else "answers stay to be asked for"
        yield f"{count} of {len(outcomes)} {what}: {reason}. The same command goes on."


def _unlooked(looked: Judged, count: int, held: Mapping[tuple[str, str], object]) -> Iterable[str]:
    """How many contexts stay to be looked at; why calls failed is told elsewhere."""
    if count:
        why = f": {looked.why_none}" if looked.missing == "left" and looked.why_none else ""
        yield (
            f"{count} of {len(held)} contexts stay to be looked at by the judge{why}. The same "
            "command goes on."
        )


def _signature(plan: Plan, judge: Judge, looked: Judged | None) -> dict[str, object]:
    subject = plan.subject
    asked = [[one.id, one.asked, list(one.references)] for one in plan.questions]
    made: dict[str, object] = {
        "factmark": __version__,
        "model": RULES if subject is None else subject.client.spec.parameters,
        "repeats": 1 if subject is None else subject.repeats,
        "judge": judge.name,
        "judge_id": judge.id,
        **{f"judge_{name}": value for name, value in judge.parameters.items()},
        "retrieval_by": "rules" if looked is None else looked.judge.id,
        "questions": content_hash(asked),
        "systems": {one.name: one.settings for one in conditions_of(plan.systems, plan.questions)},
        **plan.made,
    }
    return dict(sorted(made.items()))
