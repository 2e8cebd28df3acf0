"""What a run may spend, and what it has spent."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from factmark.ask.chat import Usage
from factmark.ask.prices import BATCHED, Price
from factmark.errors import InputError

_FIRST_OUTPUT = 128  # tokens of a reply, until replies tell how long they are
_COUNTS = (
    *("calls", "replies", "cached", "judged_before", "input_tokens", "cached_tokens"),
    *("output_tokens", "thinking_tokens", "seconds"),
)
_KEPT = (
    *("replies", "input_tokens", "output_tokens", "thinking_tokens"),
    *("estimated_usage", "cost"),
)
_TOLD = (
    *("calls", "cached", "judged_before", "input_tokens", "cached_tokens", "output_tokens"),
    *("thinking_tokens", "estimated_usage", "cost", "seconds", "stopped"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """What asking a model took; nothing, as it stands.

    Attributes:
        calls: requests sent, those that failed included.
        replies: requests that brought a reply.
        cached: replies read back from the ledger.
        judged_before: units that needed nothing.
        cached_tokens: of the input, those that the server read from its own cache of prompts.
        thinking_tokens: those of the output that came before the answers.
        estimated_usage: whether the server did not count (all) tokens.
        cost: in US dollars; None where a price is not known.
        stopped: why asking stopped before the end; empty if it did not.
        failures: why calls failed, with how often, the most frequent first.
        notes: what else the user should know of how the model was asked.
        kept: what the replies in the ledger took, those of earlier runs too; None where that is
            not told.
    """

    calls: int = 0
    replies: int = 0
    cached: int = 0
    judged_before: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thinking_tokens: int = 0
    estimated_usage: bool = False
    cost: float | None = 0.0
    seconds: float = 0.0
    stopped: str = ""
    failures: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    kept: Spend | None = None

    def __add__(self, other: Spend) -> Spend:
        """Both together; the cost is known where both are."""
        names = {*self.failures, *other.failures}
        return Spend(
            **{name: getattr(self, name) + getattr(other, name) for name in _COUNTS},
            estimated_usage=self.estimated_usage or other.estimated_usage,
            cost=None if self.cost is None or other.cost is None else self.cost + other.cost,
            stopped=self.stopped or other.stopped,
            failures={n: self.failures.get(n, 0) + other.failures.get(n, 0) for n in sorted(names)},
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            kept=self.kept + other.kept if self.kept and other.kept else self.kept or other.kept,
        )

    def since(self, before: Spend) -> Spend:
        """What was spent after an earlier look at the same account."""
        counts = {name: getattr(self, name) - getattr(before, name) for name in _COUNTS}
        cost = None if self.cost is None else self.cost - (before.cost or 0.0)
        return replace(self, **counts, cost=cost)

    def as_json(self) -> dict[str, object]:
        """As results files have it."""
        kept = self.kept and {name: getattr(self.kept, name) for name in _KEPT}
        return {name: getattr(self, name) for name in _TOLD} | {"kept": kept}


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Bounds of a run; None is no bound.

    Attributes:
        max_calls: requests sent, those that failed included; not those that were turned away.
        max_cost: in the price table's currency. A call is not started where those in flight and
            this one, at the usual length of a reply, would pass it; each model's first reply
            tells that length, and its other calls wait for it.
    """

    max_calls: int | None = None
    max_cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """What is set aside for a call in flight: its likely cost, and the guess at its prompt."""

    cost: float
    prompt: int


class Purse:
    """What the accounts of a run spend together. Use it in one event loop."""

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.calls = 0
        self.in_flight = 0
        self.exhausted = ""
        self.spent = 0.0
        self.reserved = 0.0
        self._settled = asyncio.Event()

    def full(self) -> bool:
        """Whether no call has room any more; says so in `exhausted`."""
        if self.budget.max_calls is not None and self.calls >= self.budget.max_calls:
            self.exhausted = f"--max-calls {self.budget.max_calls} reached"
        return bool(self.exhausted)

    def fits(self, expected: float) -> bool:
        """Whether a call that is expected to cost this has room beside those in flight."""
        if self.budget.max_cost is None:
            return True
        total = self.spent + self.reserved + expected
        return self.spent < self.budget.max_cost and total <= self.budget.max_cost + 1e-12

    async def wait(self) -> None:
        """Waits for a call in flight to end; without any, the money is at its end."""
        if not self.in_flight:
            self.exhausted = f"--max-cost {self.budget.max_cost:g} reached"
            return
        self._settled.clear()
        await self._settled.wait()

    def take(self, expected: float) -> None:
        """Sets aside what a call is expected to cost."""
        self.calls += 1
        self.in_flight += 1
        self.reserved += expected

    def give_back(self, expected: float, cost: float, calls: int = 1) -> None:
        """Books what it came to."""
        self.in_flight -= 1
        self.calls += calls - 1
        self.reserved -= expected
        self.spent += cost
        self._settled.set()


class Account:
    """Counts the calls, tokens and cost of a model; says whether there is room for another call.

    Args:
        budget: of this account alone.
        price: of the model; None if it is not known, so that the cost is not known either.
        purse: what it shares with other accounts, in place of a budget of its own.
        name: of the model, for messages.

    Raises:
        InputError: if the cost is bounded and the price is not known.
    """

    def __init__(
        self,
        budget: Budget | None = None,
        price: Price | None = None,
        *,
        purse: Purse | None = None,
        name: str = "the model",
    ) -> None:
        self.purse = purse or Purse(budget)
        self.price = price
        if self.purse.budget.max_cost is not None and price is None:
            raise InputError(
                f"--max-cost needs the price of {name}, which is not known. Give a price table "
                "with --prices, or bound the run with --max-calls."
            )
        self.in_flight = 0
        self._sum = Spend()
        self._stopped = ""
        self._priced = 0  # replies whose cost is known
        self._guessed = 0

    @property
    def budget(self) -> Budget:
        """The bounds that it keeps to."""
        return self.purse.budget

    @property
    def exhausted(self) -> str:
        """Why no call is made any more; empty as long as there is room."""
        return self._stopped or self.purse.exhausted

    def stop(self, why: str) -> None:
        """Admits no call of this model any more; the first reason stays."""
        self._stopped = self._stopped or why

    def cost_of(self, usage: Usage) -> float | None:
        """What a call cost: by the price, else what the server says that it charged."""
        return usage.cost if self.price is None else self.price.cost(usage)

    @property
    def spend(self) -> Spend:
        """What was spent so far."""
        replies = self._sum.replies
        known = self._priced == replies and (replies or self.price is not None)
        cost = self._sum.cost if known else None
        return replace(self._sum, cost=cost, stopped=self.exhausted)

    async def admit(self, prompt: int, longest: int) -> Reserved | None:
        """Counts a call that is about to be made; None if there is no room for it.

        Waits for calls in flight where their cost decides.

        Args:
            prompt: tokens of the prompt, about.
            longest: the most tokens of the reply.

        Returns:
            What was set aside for the call, to be given to `settle`.
        """
        while not (self._stopped or self.purse.full()):
            expected = self._expected(prompt, longest)
            replies = self._sum.replies
            first = not replies and not self.in_flight  # it tells what a reply costs
            if not (replies or first) and self.budget.max_cost is not None:
                await self.purse.wait()
                continue
            if self.purse.fits(0.0 if first else expected):
                return self.take(expected, prompt)
            await self.purse.wait()
        return None

    def admit_now(self, prompt: int, longest: int) -> Reserved | None:
        """As `admit`, for a call in a batch: it is not submitted before all of it has room."""
        if self._stopped or self.purse.full():
            return None
        expected = BATCHED * self._expected(prompt, longest)
        if self.purse.fits(expected):
            return self.take(expected, prompt)
        self.purse.exhausted = f"--max-cost {self.budget.max_cost:g} would be passed"
        return None

    def take(self, expected: float = 0.0, prompt: int = 0) -> Reserved:
        """Counts a call that is about to be made, or was made by an earlier run."""
        self._sum += Spend(calls=1)
        self.in_flight += 1
        self.purse.take(expected)
        return Reserved(cost=expected, prompt=prompt)

    def settle(self, reserved: Reserved, usage: Usage | None, *, calls: int = 1) -> float | None:
        """Books the end of a call.

        Args:
            usage: what it used, or None if it failed.
            calls: 0 where the server turned it away.

        Returns:
            Its cost, or None if the price is not known.
        """
        cost = None if usage is None else self.cost_of(usage)
        self.in_flight -= 1
        self.purse.give_back(reserved.cost, cost or 0.0, calls)
        booked = Spend(calls=calls - 1)
        if usage is not None:
            self._priced += cost is not None
            self._guessed += reserved.prompt
            booked = replace(
                booked,
                replies=1,
                input_tokens=usage.input,
                cached_tokens=usage.cached,
                output_tokens=usage.output,
                thinking_tokens=usage.thinking,
                estimated_usage=usage.estimated,
                cost=cost or 0.0,
            )
        self._sum += booked
        return cost

    @property
    def usual_output(self) -> int:
        """Tokens of a reply, about."""
        total = self._sum
        return round(total.output_tokens / total.replies) if total.replies else _FIRST_OUTPUT

    def _expected(self, prompt: int, longest: int) -> float:
        if self.price is None or self.budget.max_cost is None:
            return 0.0
        counted = self._sum.input_tokens / self._guessed if self._guessed else 1.0
        guess = Usage(input=round(prompt * counted), output=min(longest, self.usual_output))
        return self.price.cost(guess)
