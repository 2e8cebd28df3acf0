"""What a GraphRAG run would ask and cost, told before any call is made."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from factmark.ask.chat import Usage, estimate_prompt, request_key
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.tasks import Job, Task, batches
from factmark.graphrag.answer_units import answer_job, open_jobs, read_reply
from factmark.graphrag.answers import Replied, answer_by_rule, asked_by_id, conditions_of
from factmark.graphrag.core.answer_reply import Read
from factmark.graphrag.judging import context_jobs, hold_task, verify_task
from factmark.graphrag.study import Plan
from factmark.ledger.calls import find_reply
from factmark.ledger.ledger import Ledger
from factmark.runs.forecast import ANSWER_TOKENS, RunForecast, forecast_run, known_answer

VERDICT_TOKENS = 32  # of a reply, assumed for each answer in it
_SOME = "word " * (4 * ANSWER_TOKENS // 5)  # as many tokens as an answer is taken to have


async def forecast_graphrag(
    plan: Plan, prices: tuple[Price | None, Price | None] = (None, None)
) -> list[RunForecast]:
    """What the model and the judge would be asked, a row each; answers are followed in the ledger.

    An answer that is not there yet is taken for one that the judge is asked about.

    Args:
        prices: of the model and of the judge; None where not known.
    """
    rows: list[RunForecast] = []
    if plan.subject is not None:
        name, spec, repeats = plan.subject.name, plan.subject.client.spec, plan.subject.repeats
        rows += await forecast_run(
            asked_by_id(plan.questions),
            [(name, spec, prices[0], repeats)],
            conditions_of(plan.systems, plan.questions),
            plan.ledger,
        )
    if plan.judging is None:
        return rows
    with ExitStack() as stack:
        opened = None
        if plan.ledger.is_file():
            opened = stack.enter_context(Ledger(plan.ledger, read_only=True))
        known, unknown = await _replies(plan, opened)
        judging, price = plan.judging, prices[1]
        spec = judging.client.spec
        jobs, questions = open_jobs(read_reply(reply) for reply in known)
        made = verify_task(spec, questions, batch=judging.batch, samples=judging.samples)
        row = _row("judge", jobs, made, spec, price, opened, judging.batch, judging.samples)
        rows.append(_with_unknown(row, unknown, spec, price, judging.samples))
        if judging.retrieval:
            _, jobs, questions = context_jobs((*known, *unknown))
            made = hold_task(spec, questions, samples=judging.samples)
            rows.append(_row("retrieval", jobs, made, spec, price, opened, 1, judging.samples))
    return rows


async def _replies(plan: Plan, ledger: Ledger | None) -> tuple[list[Replied], list[Replied]]:
    """The replies that are known, and those that will come, without their texts."""
    subject = plan.subject
    if subject is None:
        return list(answer_by_rule(plan.questions, plan.systems).replies), []
    known: list[Replied] = []
    unknown: list[Replied] = []
    conditions = conditions_of(plan.systems, plan.questions)
    for system, condition in zip(plan.systems, conditions, strict=True):
        for question in plan.questions:
            for sample in range(subject.repeats):
                spec = subject.client.spec
                text = await known_answer(question.id, condition, sample, spec, ledger)
                reply = Replied(
                    question=question,
                    system=system.name,
                    given=system.given[question.id],
                    sample=sample,
                    text=text or "",
                )
                (unknown if text is None else known).append(reply)
    return known, unknown


def _row(
    what: str,
    jobs: Sequence[Job],
    task: Task,
    spec: ModelSpec,
    price: Price | None,
    ledger: Ledger | None,
    batch: int,
    samples: int,
) -> RunForecast:
    """What the judge would be asked about these units."""
    statuses = ledger.statuses(task.judge.id, [unit.id for _, unit in jobs]) if ledger else {}
    keys: set[str] = set()
    before = asked = said = 0
    for some in batches(jobs, task, batch):
        todo = [unit for _, unit in some if statuses.get(unit.id, "failed") == "failed"]
        before += len(some) - len(todo)
        for sample in range(samples if todo else 0):
            request = task.request(todo, sample=sample)
            key = request_key(spec.parameters, request)
            if key in keys or (ledger is not None and find_reply(ledger, key) is not None):
                continue
            keys.add(key)
            asked += estimate_prompt(request)
            said += min(spec.max_tokens, VERDICT_TOKENS * len(todo))
    return RunForecast(
        model=spec.name,
        condition=what,
        answers=len(jobs),
        known=before,
        calls=len(keys),
        input_tokens=asked,
        output_tokens=said,
        cost=price.cost(Usage(input=asked, output=said)) if price else None,
    )


def _with_unknown(
    row: RunForecast,
    unknown: Sequence[Replied],
    spec: ModelSpec,
    price: Price | None,
    samples: int,
) -> RunForecast:
    """The row with the answers that are yet to come, one call each and vote."""
    asked = said = calls = 0
    for reply in unknown:
        if reply.question.kind != "text" or not reply.question.references:
            continue
        item, unit = answer_job(reply, Read(said=_SOME))
        task = verify_task(spec, {item.id: reply.question}, samples=samples)
        calls += samples
        asked += samples * estimate_prompt(task.request([unit]))
        said += samples * min(spec.max_tokens, VERDICT_TOKENS)
    more = Usage(input=row.input_tokens + asked, output=row.output_tokens + said)
    return replace(
        row,
        answers=row.answers + calls // max(1, samples),
        calls=row.calls + calls,
        input_tokens=more.input,
        output_tokens=more.output,
        cost=price.cost(more) if price else None,
    )
