"""What a run of models would ask and cost, told before any call is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from factmark.answers.core.records import Question
from factmark.answers.model_facts import facts_request
from factmark.ask.asker import Answer as Asked
from factmark.ask.budget import Account
from factmark.ask.chat import Request, Usage, estimate_prompt, request_key
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ledger.calls import find_reply
from factmark.ledger.ledger import Ledger
from factmark.ledger.tool_results import KeptResult, find_result
from factmark.runs.running import Condition
from factmark.runs.session import Desk, Session
from factmark.runs.sources import ToolResult, ToolServer

ANSWER_TOKENS = 200  # of a reply, assumed
TOOL_REPLIES = 3  # of a conversation with tools, the answer included, assumed
RESULT_TOKENS = 1_000  # that the tools add in each round, assumed


@dataclass(frozen=True, slots=True, kw_only=True)
class RunForecast:
    """What one model would be asked under one condition.

    Attributes:
        answers: all that are wanted.
        known: those that the ledger has whole.
        calls: requests that would be sent; with tools, assumed.
        input_tokens, output_tokens: estimated from the lengths of the prompts.
        cost: None if the price is not known.
    """

    model: str
    condition: str
    answers: int
    known: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None


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
) -> list[RunForecast]:
    """Follows each conversation as far as the ledger has it; asks no model and calls no tool.

    Args:
        models: name, parameters, price, and repeats of each.
        ledger: it need not be there, and is not made.

    Raises:
        EndpointError: a question cannot be looked up.
    """
    with ExitStack() as stack:
        there = ledger.is_file()  # noqa: ASYNC240  # one look, before anything else runs
        opened = stack.enter_context(Ledger(ledger, read_only=True)) if there else None
        return await _all(questions, models, conditions, opened)


def forecast_judge(
    name: str,
    spec: ModelSpec,
    price: Price | None,
    questions: Sequence[Question],
    asked: Sequence[RunForecast],
) -> RunForecast:
    """What a model that finds the facts would be asked, as if each answer were a new one.

    Args:
        asked: what the models under test would be asked, all of them.
    """
    answers = sum(row.answers for row in asked)
    some = "x" * (4 * ANSWER_TOKENS)  # as many tokens as an answer is taken to have
    prompts = [estimate_prompt(facts_request((question.text, some))) for question in questions]
    tokens = answers * sum(prompts) // max(1, len(prompts))
    said = answers * min(spec.max_tokens, ANSWER_TOKENS)
    return RunForecast(
        model=name,
        condition="judge",
        answers=answers,
        known=0,
        calls=answers,
        input_tokens=tokens,
        output_tokens=said,
        cost=price.cost(Usage(input=tokens, output=said)) if price else None,
    )


async def _all(
    questions: Sequence[Question],
    models: Sequence[tuple[str, ModelSpec, Price | None, int]],
    conditions: Sequence[Condition],
    ledger: Ledger | None,
) -> list[RunForecast]:
    out = []
    for name, spec, price, repeats in models:
        sent: set[str] = set()  # the same request is sent once, whatever the condition
        for condition in conditions:
            calls = asked = known = 0
            for question in questions:
                for sample in range(repeats):
                    found = await _one(question, condition, sample, spec, ledger, sent)
                    known += found is None
                    more, prompt = found or (0, 0)
                    calls += more
                    asked += prompt
            said = min(spec.max_tokens, ANSWER_TOKENS) * calls
            out.append(
                RunForecast(
                    model=name,
                    condition=condition.name,
                    answers=len(questions) * repeats,
                    known=known,
                    calls=calls,
                    input_tokens=asked,
                    output_tokens=said,
                    cost=price.cost(Usage(input=asked, output=said)) if price else None,
                )
            )
    return out


async def known_answer(
    question: str, condition: Condition, sample: int, spec: ModelSpec, ledger: Ledger | None
) -> str | None:
    """The answer to a question, where the ledger has the whole conversation; asks nobody."""
    desk = _Reader(spec, ledger).desk()
    try:
        return (await condition.answer(question, sample, Session(desk, sample))).text
    except _Unknown:
        return None


async def _one(
    question: Question,
    condition: Condition,
    sample: int,
    spec: ModelSpec,
    ledger: Ledger | None,
    sent: set[str],
) -> tuple[int, int] | None:
    """Calls and tokens of their prompts that an answer still needs; None if it is there."""
    desk = _Reader(spec, ledger)
    try:
        await condition.answer(question.text, sample, Session(desk.desk(), sample))
    except _Unknown as unknown:
        request = unknown.request or desk.last
        if request is None:
            raise AssertionError("a conversation begins with a request") from unknown
        tokens = estimate_prompt(request)
        if not request.tools:
            key = request_key(spec.parameters, request)
            new = key not in sent
            sent.add(key)
            return int(new), tokens * new
        left = max(1, min(TOOL_REPLIES, condition.most_replies) - desk.replies)
        return left, sum(tokens + turn * RESULT_TOKENS for turn in range(left))
    return None


class _Reader:
    """Reads a conversation in the ledger up to where it ends."""

    def __init__(self, spec: ModelSpec, ledger: Ledger | None) -> None:
        self._spec, self._ledger = spec, ledger
        self.replies = 0
        self.last: Request | None = None

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
        self.last = request
        key = request_key(self._spec.parameters, request)
        reply = None if self._ledger is None else find_reply(self._ledger, key)
        if reply is None:
            raise _Unknown(request)
        self.replies += 1
        return Asked(key=key, outcome=reply, cached=True)

    def _find(self, key: str) -> KeptResult | None:
        return None if self._ledger is None else find_result(self._ledger, key)

    async def _keep(self, key: str, kept: KeptResult) -> None:
        """Nothing is kept of a forecast."""

    async def _call(
        self, server: ToolServer, name: str, arguments: Mapping[str, object]
    ) -> ToolResult:
        raise _Unknown
