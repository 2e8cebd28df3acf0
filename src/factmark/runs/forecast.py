"""What a run of models would ask and cost, told before any call is made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from factmark.answers.model_facts import facts_request
from factmark.ask.chat import estimate_prompt
from factmark.ask.forecast import Forecast, Forecaster
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ledger.ledger import Ledger, open_to_read
from factmark.runs.conditions import AskedQuestion, Condition
from factmark.runs.conversation import Conversation, NoReply, ReadingDesk, UnknownReply

ANSWER_TOKENS = 200  # of a reply, assumed
TOOL_REPLIES = 3  # of a conversation with tools, the answer included, assumed
RESULT_TOKENS = 1_000  # that the tools add in each round, assumed


async def forecast_run(
    questions: Sequence[AskedQuestion],
    models: Sequence[tuple[str, ModelSpec, Price | None, int]],
    conditions: Sequence[Condition],
    ledger: Path,
) -> list[Forecast]:
    """Follows each conversation as far as the ledger has it; asks no model and calls no tool.

    Args:
        models: name, parameters, price, and repeats of each.
        ledger: it need not be there, and is not made.

    Raises:
        EndpointError: a question cannot be looked up.
    """
    out = []
    with open_to_read(ledger) as opened:
        for name, spec, price, repeats in models:
            sent: set[str] = set()  # the same request is sent once, whatever the condition
            for condition in conditions:
                forecaster = Forecaster(spec, price, opened, sent)
                for question in questions:
                    for sample in range(repeats):
                        await _follow(
                            ReadingDesk(spec, opened), question.text, condition, sample, forecaster
                        )
                out.append(forecaster.forecast(name, condition.name))
    return out


def forecast_judge(
    name: str,
    spec: ModelSpec,
    price: Price | None,
    questions: Sequence[AskedQuestion],
    asked: Sequence[Forecast],
) -> Forecast:
    """The calls, tokens and cost of a model that finds the facts, as if each answer were new.

    Args:
        asked: what the models under test would be asked, all of them.
    """
    count = sum(row.units for row in asked)
    answer = "x" * (4 * ANSWER_TOKENS)  # as many tokens as an answer is taken to have
    prompts = []
    for question in questions:
        prompts.append(estimate_prompt(facts_request((question.text, answer))))
    forecaster = Forecaster(spec, price, None)
    forecaster.units = count
    forecaster.assume(count, count * sum(prompts) // max(1, len(prompts)), ANSWER_TOKENS)
    return forecaster.forecast(name, "judge")


async def known_answer(
    question: str, condition: Condition, sample: int, spec: ModelSpec, ledger: Ledger | None
) -> str | None:
    """The answer to a question, where the ledger has the whole conversation; asks nobody."""
    conversation = Conversation(ReadingDesk(spec, ledger), sample)
    try:
        return (await condition.answer(question, sample, conversation)).text
    except (UnknownReply, NoReply):
        return None


async def _follow(
    desk: ReadingDesk, question: str, condition: Condition, sample: int, forecaster: Forecaster
) -> None:
    """Counts the calls that an answer still needs."""
    forecaster.units += 1
    try:
        await condition.answer(question, sample, Conversation(desk, sample))
    except UnknownReply as unknown:
        request = desk.last_request
        if request is None:
            raise AssertionError("a conversation begins with a request") from unknown
        if not request.tools:
            forecaster.add(request, ANSWER_TOKENS)
            return
        left = max(1, min(TOOL_REPLIES, condition.most_replies) - desk.replies)
        results = RESULT_TOKENS * sum(range(left))
        forecaster.assume(left, left * estimate_prompt(request) + results, ANSWER_TOKENS)
    except NoReply:  # there is one, without an answer
        forecaster.judged_before += 1
    else:
        forecaster.judged_before += 1
