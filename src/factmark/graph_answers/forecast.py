"""What a GraphRAG run would ask and cost, before any call is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from factmark.ask.chat import estimate_prompt
from factmark.ask.client import ChatClient
from factmark.ask.forecast import VERDICT_TOKENS, Forecast, Forecaster
from factmark.ask.model_spec import ModelSpec
from factmark.graph_answers.core.records import GraphAnswer
from factmark.graph_answers.core.rubrics import HOLDS, VERIFY
from factmark.graph_answers.core.units import unit_of_answer, units_of_contexts
from factmark.graph_answers.judges import answer_model_task
from factmark.graph_answers.study import Plan
from factmark.graph_answers.systems import answer_by_rule, asked_by_id, empty_answers
from factmark.graph_answers.verdicts import jobs_for_judge, read_reply
from factmark.ledger.ledger import Ledger, open_to_read
from factmark.runs.forecast import ANSWER_TOKENS, forecast_run, known_answer

_SOME = "word " * (4 * ANSWER_TOKENS // 5)  # as many tokens as an answer is taken to have


async def forecast_graphrag(plan: Plan) -> list[Forecast]:
    """Returns what the model and the judge would be asked, a row each; asks nothing.

    An answer that is not there yet is taken for one that the judge is asked about.
    """
    forecasts: list[Forecast] = []
    subject = plan.subject
    if subject is not None:
        client = subject.client
        models = [(subject.name, client.spec, client.price, subject.repeats)]
        asked = asked_by_id(plan.questions)
        forecasts += await forecast_run(asked, models, plan.systems, plan.ledger)
    if plan.judging.client is not None:
        with open_to_read(plan.ledger) as ledger:
            forecasts += await _forecast_judging(plan, plan.judging.client, ledger)
    return forecasts


async def _forecast_judging(
    plan: Plan, client: ChatClient, ledger: Ledger | None
) -> list[Forecast]:
    """Returns what the judge would be asked about answers, and about contexts if it judges them."""
    known, unknown = await _known_and_unknown(plan, ledger)
    spec = client.spec
    price = client.price
    asked = plan.judging.recipe.parameters
    batch = asked["batch"]
    samples = asked["samples"]
    jobs, questions = jobs_for_judge(map(read_reply, known))
    task = answer_model_task(VERIFY, spec, questions, batch=batch, samples=samples)
    answers = Forecaster(spec, price, ledger)
    answers.add_units(jobs, task, batch=batch, samples=samples)
    _add_unknown(answers, unknown, spec, samples)
    forecasts = [answers.forecast(condition="judge")]
    if plan.judging.retrieval:
        _, jobs, questions = units_of_contexts((*known, *unknown))
        contexts = Forecaster(spec, price, ledger)
        task = answer_model_task(HOLDS, spec, questions, samples=samples)
        contexts.add_units(jobs, task, samples=samples)
        forecasts.append(contexts.forecast(condition="retrieval"))
    return forecasts


async def _known_and_unknown(
    plan: Plan, ledger: Ledger | None
) -> tuple[list[GraphAnswer], list[GraphAnswer]]:
    """Returns the answers whose replies are in the ledger, and those still to come, without
    replies."""
    subject = plan.subject
    if subject is None:
        return answer_by_rule(plan.questions, plan.systems), []
    known: list[GraphAnswer] = []
    unknown: list[GraphAnswer] = []
    for system, empty in empty_answers(plan.questions, plan.systems, subject.repeats):
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
    """Adds the calls that judging the answers to come will take: one for each answer and vote."""
    for answer in unknown:
        if answer.question.kind != "text" or not answer.question.references:
            continue
        item, unit = unit_of_answer(replace(answer, said=_SOME))
        task = answer_model_task(VERIFY, spec, {item.id: answer.question}, samples=samples)
        prompt = estimate_prompt(task.request([unit]))
        forecaster.units += 1
        forecaster.assume(samples, samples * prompt, VERDICT_TOKENS)
