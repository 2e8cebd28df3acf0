"""Verdicts on the answers of a GraphRAG run: by rule where that is exact, else by a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Literal

from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.runner import Progress, run
from factmark.ask.spend import Spend
from factmark.ask.tasks import Claims, Job, Task, rubric_task
from factmark.errors import EndpointError
from factmark.graphrag.answer_units import RULES_VERSION, Answered, keep_verdicts, ruled_verdict
from factmark.graphrag.answering import texts_of
from factmark.graphrag.answers import Replied
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.core.verification_rubric import HOLDS, VERIFY, holds_claim, verify_evidence
from factmark.graphrag.core.verifying import verify
from factmark.ledger.calls import spend_of_judge
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict, content_hash

OVERLAP = Judge.create("rule", "token overlap", version=RULES_VERSION)


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
    concurrency: int = 64
    retrieval: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judge came to.

    Attributes:
        verdicts: id of the unit -> verdict; units without one are missing.
        missing: what becomes of those: `left` for want of budget, else `failed`.
        why_none: why they are missing; empty where none is.
    """

    judge: Judge
    verdicts: Mapping[str, Verdict]
    missing: Literal["left", "failed"] = "left"
    why_none: str = ""
    spent: Spend | None = None
    problems: tuple[str, ...] = ()


def judge_by_rule(answered: Sequence[Answered], ledger: Path) -> Judged:
    """The verdicts of token overlap on all answers that need a judge."""
    rows = []
    for one in answered:
        if one.job is None or one.ruled is not None:
            continue
        label, reason = verify(one.reply.question, one.read.said)
        rows.append((*one.job, OVERLAP, ruled_verdict(OVERLAP, one.job[1], label, reason)))
    keep_verdicts(rows, ledger)
    return Judged(judge=OVERLAP, verdicts={unit.id: said for _, unit, _, said in rows})


async def judge_by_model(
    jobs: Sequence[Job],
    questions: Mapping[str, GraphQuestion],
    judging: Judging,
    ledger: Path,
    progress: Callable[[Progress], None] | None = None,
) -> Judged:
    """Asks a model about answers; one that cannot be reached costs its verdicts, not the answers.

    Args:
        jobs, questions: as `open_jobs` gives them.

    Raises:
        LedgerError: the ledger cannot be read or written.
    """
    task = verify_task(judging.client.spec, questions, batch=judging.batch, samples=judging.samples)
    return await ask_judge(jobs, task, judging, ledger, batch=judging.batch, progress=progress)


def verify_task(
    spec: ModelSpec, questions: Mapping[str, GraphQuestion], *, batch: int = 1, samples: int = 1
) -> Task:
    """What a model is asked about answers.

    Args:
        questions: id of an item -> its question.
    """

    def asked(units: Sequence[Unit]) -> Claims:
        claims = [str(unit.data.get("original", unit.text)) for unit in units]
        return claims, verify_evidence(questions[units[0].item])

    return rubric_task(
        spec, VERIFY, asked, batch=batch, samples=samples, group=lambda unit: unit.item
    )


def hold_task(spec: ModelSpec, questions: Mapping[str, GraphQuestion], *, samples: int = 1) -> Task:
    """What a model is asked about contexts: is the reference answer in it?"""

    def asked(units: Sequence[Unit]) -> Claims:
        return [unit.text for unit in units], verify_evidence(questions[units[0].item])

    return rubric_task(spec, HOLDS, asked, batch=1, samples=samples, group=lambda unit: unit.item)


def context_jobs(
    replies: Iterable[Replied],
) -> tuple[dict[tuple[str, str], str], list[Job], dict[str, GraphQuestion]]:
    """The contexts of free-text questions that a judge is to look at, each once.

    Returns:
        (System, id of the question) -> id of its unit; the units; item -> question.
    """
    units: dict[str, Job] = {}
    names: dict[tuple[str, str], str] = {}
    questions: dict[str, GraphQuestion] = {}
    for reply in replies:
        question, texts = reply.question, texts_of(reply.given)
        key = (reply.system, question.id)
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


async def ask_judge(
    jobs: Sequence[Job],
    task: Task,
    judging: Judging,
    ledger: Path,
    *,
    batch: int = 1,
    progress: Callable[[Progress], None] | None = None,
) -> Judged:
    """The verdicts on units, as the ledger has them after the model was asked.

    Raises:
        LedgerError: the ledger cannot be read or written.
    """
    client, name = judging.client, task.judge.name
    before, begun = client.account.spend, monotonic()
    missing: Literal["left", "failed"] = "left"
    try:
        progressed = await run(
            jobs,
            task,
            client,
            ledger,
            batch=batch,
            samples=judging.samples,
            ahead=2 * judging.concurrency,
            progress=progress,
        )
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
            *(f"{count} calls of the judge {name} failed: {reason}" for reason, count in failures),
        ]
    with Ledger(ledger) as opened:
        found = opened.newest(task.judge.id, [unit.id for _, unit in jobs])
        kept = spend_of_judge(opened, task.judge.id)
    return Judged(
        judge=task.judge,
        verdicts=found,
        missing=missing,
        why_none=why,
        spent=replace(spend, kept=kept),
        problems=tuple(problems),
    )
