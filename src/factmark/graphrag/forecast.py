"""What a GraphRAG run would ask and cost, told before any call is made."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.ask.chat import estimate_prompt
from factmark.ask.forecast import VERDICT_TOKENS, Forecast, Forecaster
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.graphrag.answer_units import answer_job, open_jobs, read_reply
from factmark.graphrag.answers import Replied, answer_by_rule, asked_by_id, conditions_of
from factmark.graphrag.core.answer_reply import Read
from factmark.graphrag.judging import Judging, context_jobs, hold_task, verify_task
from factmark.graphrag.study import Plan
from factmark.ledger.ledger import Ledger, reading
from factmark.runs.forecast import ANSWER_TOKENS, forecast_run, known_answer

_SOME = "word " * (4 * ANSWER_TOKENS // 5)  # as many tokens as an answer is taken to have


async def forecast_graphrag(
    plan: Plan, prices: tuple[Price | None, Price | None] = (None, None)
) -> list[Forecast]:
    """What the model and the judge would be asked, a row each; answers are followed in the ledger.

    An answer that is not there yet is taken for one that the judge is asked about.

    Args:
        prices: of the model and of the judge; None where not known.
    """
    forecasts: list[Forecast] = []
    if plan.subject is not None:
        name, spec, repeats = plan.subject.name, plan.subject.client.spec, plan.subject.repeats
        forecasts += await forecast_run(
            asked_by_id(plan.questions),
            [(name, spec, prices[0], repeats)],
            conditions_of(plan.systems, plan.questions),
            plan.ledger,
        )
    if plan.judging is not None:
        with reading(plan.ledger) as ledger:
            forecasts += await _judge(plan, plan.judging, prices[1], ledger)
    return forecasts


async def _judge(
    plan: Plan, judging: Judging, price: Price | None, ledger: Ledger | None
) -> list[Forecast]:
    """What the judge would be asked about answers, and about contexts where it is."""
    known, unknown = await _replies(plan, ledger)
    spec, samples = judging.client.spec, judging.samples
    jobs, questions = open_jobs(read_reply(reply) for reply in known)
    task = verify_task(spec, questions, batch=judging.batch, samples=samples)
    answers = Forecaster(spec, price, ledger)
    answers.add_units(jobs, task, batch=judging.batch, samples=samples)
    _add_unknown(answers, unknown, spec, samples)
    forecasts = [answers.forecast(condition="judge")]
    if judging.retrieval:
        _, jobs, questions = context_jobs((*known, *unknown))
        contexts = Forecaster(spec, price, ledger)
        contexts.add_units(jobs, hold_task(spec, questions, samples=samples), samples=samples)
        forecasts.append(contexts.forecast(condition="retrieval"))
    return forecasts


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


def _add_unknown(
    forecaster: Forecaster, unknown: Sequence[Replied], spec: ModelSpec, samples: int
) -> None:
    """Counts the answers that are yet to come, one call each and vote."""
    for reply in unknown:
        if reply.question.kind != "text" or not reply.question.references:
            continue
        item, unit = answer_job(reply, Read(said=_SOME))
        task = verify_task(spec, {item.id: reply.question}, samples=samples)
        prompt = estimate_prompt(task.request([unit]))
        forecaster.units += 1
        forecaster.assume(samples, samples * prompt, VERDICT_TOKENS)
