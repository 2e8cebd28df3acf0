"""What a run of models would ask and cost, told before any call is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from factmark.answers.core.records import Question
from factmark.answers.model_facts import facts_request
from factmark.ask.asker import Answer as Asked
from factmark.ask.budget import Account
from factmark.ask.chat import Request, ToolResult, estimate_prompt, request_key
from factmark.ask.forecast import Forecast, Forecaster
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.sources import ToolServer
from factmark.ledger.calls import KeptResult, find_reply, find_result
from factmark.ledger.ledger import Ledger, reading
from factmark.runs.running import Condition
from factmark.runs.session import Desk, Session

ANSWER_TOKENS = 200  # of a reply, assumed
TOOL_REPLIES = 3  # of a conversation with tools, the answer included, assumed
RESULT_TOKENS = 1_000  # that the tools add in each round, assumed


class _Unknown(Exception):  # noqa: N818  # it ends one question, and is caught where that began
    """The first thing of a conversation that the ledger does not have."""

    def __init__(self, request: Request | None = None) -> None:
        super().__init__()
        self.request = request


async def forecast_run(
    questions: Sequence[Question],
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
    with reading(ledger) as opened:
        for name, spec, price, repeats in models:
            sent: set[str] = set()  # the same request is sent once, whatever the condition
            for condition in conditions:
                forecaster = Forecaster(spec, price, opened, sent)
                for question in questions:
                    for sample in range(repeats):
                        reader = _Reader(spec, opened)
                        await reader.follow(question.text, condition, sample, forecaster)
                out.append(forecaster.forecast(name, condition.name))
    return out


def forecast_judge(
    name: str,
    spec: ModelSpec,
    price: Price | None,
    questions: Sequence[Question],
    asked: Sequence[Forecast],
) -> Forecast:
    """What a model that finds the facts would be asked, as if each answer were a new one.

    Args:
        asked: what the models under test would be asked, all of them.
    """
    answers = sum(row.units for row in asked)
    some = "x" * (4 * ANSWER_TOKENS)  # as many tokens as an answer is taken to have
    prompts = [estimate_prompt(facts_request((question.text, some))) for question in questions]
    forecaster = Forecaster(spec, price, None)
    forecaster.units = answers
    forecaster.assume(answers, answers * sum(prompts) // max(1, len(prompts)), ANSWER_TOKENS)
    return forecaster.forecast(name, "judge")


async def known_answer(
    question: str, condition: Condition, sample: int, spec: ModelSpec, ledger: Ledger | None
) -> str | None:
    """The answer to a question, where the ledger has the whole conversation; asks nobody."""
    session = Session(_Reader(spec, ledger).desk(), sample)
    try:
        return (await condition.answer(question, sample, session)).text
    except _Unknown:
        return None


class _Reader:
    """Reads a conversation in the ledger up to where it ends."""

    def __init__(self, spec: ModelSpec, ledger: Ledger | None) -> None:
        self._spec, self._ledger = spec, ledger
        self._replies = 0
        self._last: Request | None = None

    async def follow(
        self, question: str, condition: Condition, sample: int, forecaster: Forecaster
    ) -> None:
        """Counts the calls that an answer still needs."""
        forecaster.units += 1
        try:
            await condition.answer(question, sample, Session(self.desk(), sample))
        except _Unknown as unknown:
            request = unknown.request or self._last
            if request is None:
                raise AssertionError("a conversation begins with a request") from unknown
            if not request.tools:
                forecaster.add(request, ANSWER_TOKENS)
                return
            left = max(1, min(TOOL_REPLIES, condition.most_replies) - self._replies)
            results = RESULT_TOKENS * sum(range(left))
            forecaster.assume(left, left * estimate_prompt(request) + results, ANSWER_TOKENS)
        else:
            forecaster.judged_before += 1

    def desk(self) -> Desk:
        """A desk that asks nobody."""
        return Desk(
            ask=self._ask,
            account=Account(),
            find=self._find,
            keep=self._keep,
            call=self._call,
            searches={},
        )

    async def _ask(self, request: Request) -> Asked:
        self._last = request
        key = request_key(self._spec.parameters, request)
        reply = None if self._ledger is None else find_reply(self._ledger, key)
        if reply is None:
            raise _Unknown(request)
        self._replies += 1
        return Asked(key=key, outcome=reply, cached=True)

    def _find(self, key: str) -> KeptResult | None:
        return None if self._ledger is None else find_result(self._ledger, key)

    async def _keep(self, key: str, kept: KeptResult) -> None:
        """Nothing is kept of a forecast."""

    async def _call(
        self, server: ToolServer, name: str, arguments: Mapping[str, object]
    ) -> ToolResult:
        raise _Unknown
