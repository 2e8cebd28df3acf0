"""What a GraphRAG run would ask and cost, told before any call is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from factmark.ask.chat import estimate_prompt
from factmark.ask.forecast import VERDICT_TOKENS, Forecast, Forecaster
from factmark.ask.model_spec import ModelSpec
from factmark.graphrag.core.records import GraphAnswer
from factmark.graphrag.core.rubrics import HOLDS, VERIFY
from factmark.graphrag.core.units import answer_job, context_jobs
from factmark.graphrag.judges import judge_task
from factmark.graphrag.study import Plan
from factmark.graphrag.systems import answer_by_rule, asked_by_id, wanted
from factmark.graphrag.verdicts import Judging, open_jobs, read_reply
from factmark.ledger.ledger import Ledger, open_to_read
from factmark.runs.forecast import ANSWER_TOKENS, forecast_run, known_answer

_SOME = "word " * (4 * ANSWER_TOKENS // 5)  # as many tokens as an answer is taken to have


async def forecast_graphrag(plan: Plan) -> list[Forecast]:
    """What the model and the judge would be asked, a row each; answers are followed in the ledger.

    An answer that is not there yet is taken for one that the judge is asked about.
    """
    forecasts: list[Forecast] = []
    if (subject := plan.subject) is not None:
        client = subject.client
        models = [(subject.name, client.spec, client.price, subject.repeats)]
        asked = asked_by_id(plan.questions)
        forecasts += await forecast_run(asked, models, plan.systems, plan.ledger)
    if plan.judging is not None:
        with open_to_read(plan.ledger) as ledger:
            forecasts += await _judge(plan, plan.judging, ledger)
    return forecasts


async def _judge(plan: Plan, judging: Judging, ledger: Ledger | None) -> list[Forecast]:
    """What the judge would be asked about answers, and about contexts where it is."""
    known, unknown = await _replies(plan, ledger)
    spec, price, samples = judging.client.spec, judging.client.price, judging.samples
    jobs, questions = open_jobs(map(read_reply, known))
    task = judge_task(VERIFY, spec, questions, batch=judging.batch, samples=samples)
    answers = Forecaster(spec, price, ledger)
    answers.add_units(jobs, task, batch=judging.batch, samples=samples)
    _add_unknown(answers, unknown, spec, samples)
    forecasts = [answers.forecast(condition="judge")]
    if judging.retrieval:
        _, jobs, questions = context_jobs((*known, *unknown))
        contexts = Forecaster(spec, price, ledger)
        task = judge_task(HOLDS, spec, questions, samples=samples)
        contexts.add_units(jobs, task, samples=samples)
        forecasts.append(contexts.forecast(condition="retrieval"))
    return forecasts


async def _replies(
    plan: Plan, ledger: Ledger | None
) -> tuple[list[GraphAnswer], list[GraphAnswer]]:
    """The replies that are known, and those that will come, without their texts."""
    subject = plan.subject
    if subject is None:
        return answer_by_rule(plan.questions, plan.systems), []
    known: list[GraphAnswer] = []
    unknown: list[GraphAnswer] = []
    for system, empty in wanted(plan.questions, plan.systems, subject.repeats):
        spec = subject.client.spec
        reply = await known_answer(empty.question.id, system, empty.sample, spec, ledger)
        if reply is None:
            unknown.append(empty)
        else:
            known.append(replace(empty, reply=reply))
    return known, unknown


def _add_unknown(
    forecaster: Forecaster, unknown: Sequence[GraphAnswer], spec: ModelSpec, samples: int
) -> None:
    """Counts the answers that are yet to come, one call each and vote."""
    for answer in unknown:
        if answer.question.kind != "text" or not answer.question.references:
            continue
        item, unit = answer_job(replace(answer, said=_SOME))
        task = judge_task(VERIFY, spec, {item.id: answer.question}, samples=samples)
        prompt = estimate_prompt(task.request([unit]))
        forecaster.units += 1
        forecaster.assume(samples, samples * prompt, VERDICT_TOKENS)
