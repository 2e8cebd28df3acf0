"""What a run may spend, and what it has spent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from factmark.ask.chat import Usage
from factmark.ask.prices import Price
from factmark.errors import InputError
from factmark.text.shown_text import count

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
        if self.cost is None or other.cost is None:
            cost = None
        else:
            cost = self.cost + other.cost
        kept = self.kept + other.kept if self.kept and other.kept else self.kept or other.kept
        return Spend(
            **{name: getattr(self, name) + getattr(other, name) for name in _COUNTS},
            estimated_usage=self.estimated_usage or other.estimated_usage,
            cost=cost,
            stopped=self.stopped or other.stopped,
            failures={n: self.failures.get(n, 0) + other.failures.get(n, 0) for n in sorted(names)},
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            kept=kept,
        )

    def since(self, before: Spend) -> Spend:
        """What was spent after an earlier look at the same account."""
        counts = {}
        for name in _COUNTS:
            counts[name] = getattr(self, name) - getattr(before, name)
        cost = None
        if self.cost is not None:
            cost = self.cost - (before.cost or 0.0)
        return replace(self, **counts, cost=cost)

    def failure_notes(self, singular: str = "call", plural: str = "calls") -> list[str]:
        """Returns how many calls, or units, failed for each reason, a sentence each."""
        return [f"{count(n, singular, plural)} failed: {why}" for why, n in self.failures.items()]

    def as_json(self) -> dict[str, object]:
        """Returns the spend as it stands in files of results."""
        kept = self.kept and {name: getattr(self.kept, name) for name in _KEPT}
        return {name: getattr(self, name) for name in _TOLD} | {"kept": kept}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """What is set aside for a call in flight: its likely cost, and the guess at its prompt.

    Attributes:
        batched: whether it is a call of a batch, which costs less.
    """

    cost: float = 0.0
    prompt: int = 0
    batched: bool = False


class Budget:
    """Bounds of a run, and what its accounts spend of them together. Use it in one event loop.

    Attributes:
        exhausted: why no call is made any more; empty as long as there is room.

    Args:
        max_calls: requests sent, those that failed included; not those that were turned away. None
            is no bound.
        max_cost: in the price table's currency. A call is not started where those in flight and
            this one, at the usual length of a reply, would pass it; each model's first reply
            tells that length, and its other calls wait for it.
    """

    def __init__(self, *, max_calls: int | None = None, max_cost: float | None = None) -> None:
        self.max_calls = max_calls
        self.max_cost = max_cost
        self.exhausted = ""
        self._calls = self._in_flight = 0
        self._spent = self._reserved = 0.0
        self._settled = asyncio.Event()

    def has_calls_left(self) -> bool:
        """Whether one more call may be made; where not, none is from now on."""
        if self.max_calls is not None and self._calls >= self.max_calls:
            self.exhausted = f"--max-calls {self.max_calls} reached"
        return not self.exhausted

    def fits(self, expected: float) -> bool:
        """Whether a call that is expected to cost this has room beside those in flight."""
        if self.max_cost is None:
            return True
        total = self._spent + self._reserved + expected
        return self._spent < self.max_cost and total <= self.max_cost + 1e-12

    async def wait(self) -> None:
        """Waits for a call in flight to end; without any, the money is at its end."""
        if not self._in_flight:
            self.exhausted = f"--max-cost {self.max_cost:g} reached"
            return
        self._settled.clear()
        await self._settled.wait()

    def take(self, expected: float) -> None:
        """Sets aside what a call is expected to cost."""
        self._calls += 1
        self._in_flight += 1
        self._reserved += expected

    def give_back(self, expected: float, cost: float, calls: int = 1) -> None:
        """Ends what `take` set aside, and books what the call cost in its place."""
        self._in_flight -= 1
        self._calls += calls - 1
        self._reserved -= expected
        self._spent += cost
        self._settled.set()


class Account:
    """Counts the calls, tokens and cost of a model; says whether there is room for another call.

    Args:
        budget: which it may share with other accounts; an unbounded one where None.
        price: of the model; None if it is not known, so that the cost is not known either.
        name: of the model, for messages.

    Raises:
        InputError: if the cost is bounded and the price is not known.
    """

    def __init__(
        self, budget: Budget | None = None, price: Price | None = None, name: str = "the model"
    ) -> None:
        self.budget = budget or Budget()
        self.price = price
        if self.budget.max_cost is not None and price is None:
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
    def exhausted(self) -> str:
        """Why no call is made any more; empty as long as there is room."""
        return self._stopped or self.budget.exhausted

    def stop(self, why: str) -> None:
        """Admits no call of this model any more; the first reason stays."""
        self._stopped = self._stopped or why

    def cost_of(self, usage: Usage, *, batched: bool = False) -> float | None:
        """What a call cost: by the price, else what the server says that it charged."""
        if self.price is None:
            return usage.cost
        return (self.price.batched() if batched else self.price).cost(usage)

    @property
    def spend(self) -> Spend:
        """What was spent so far."""
        replies = self._sum.replies
        known = self._priced == replies and (replies or self.price is not None)
        cost = None
        if known:
            cost = self._sum.cost
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
        while not self._stopped and self.budget.has_calls_left():
            reserved = self._reserved(prompt, longest)
            is_first = not (self._sum.replies or self.in_flight)  # it tells what a reply costs
            waits = not (self._sum.replies or is_first) and self.budget.max_cost is not None
            if not waits and self.budget.fits(0.0 if is_first else reserved.cost):
                return self.take(reserved)
            await self.budget.wait()
        return None

    def admit_batched(self, prompt: int, longest: int) -> Reserved | None:
        """As `admit`, for a call in a batch: it is not submitted before all of it has room."""
        if self._stopped or not self.budget.has_calls_left():
            return None
        reserved = self._reserved(prompt, longest, batched=True)
        if self.budget.fits(reserved.cost):
            return self.take(reserved)
        self.budget.exhausted = f"--max-cost {self.budget.max_cost:g} would be passed"
        return None

    def take(self, reserved: Reserved) -> Reserved:
        """Counts a call that is about to be made, or was made by an earlier run."""
        self._sum += Spend(calls=1)
        self.in_flight += 1
        self.budget.take(reserved.cost)
        return reserved

    def settle(self, reserved: Reserved, usage: Usage | None, *, calls: int = 1) -> float | None:
        """Books the end of a call.

        Args:
            usage: what it used, or None if it failed; of one without a token, as a refusal that
                comes as an error, nothing is learnt about others.
            calls: 0 where the server turned it away.

        Returns:
            Its cost, or None if the price is not known.
        """
        cost = None
        if usage is not None:
            cost = self.cost_of(usage, batched=reserved.batched)
        self.in_flight -= 1
        self.budget.give_back(reserved.cost, cost or 0.0, calls)
        booked = Spend(calls=calls - 1)
        if usage is not None and usage.input + usage.output > 0:
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
        """The tokens of a usual reply of this model."""
        total = self._sum
        if total.replies:
            return round(total.output_tokens / total.replies)
        return _FIRST_OUTPUT

    def _reserved(self, prompt: int, longest: int, *, batched: bool = False) -> Reserved:
        """Returns what is set aside for a call: its tokens as estimated, and their cost where money
        is bounded."""
        counted = 1.0
        if self._guessed:
            counted = self._sum.input_tokens / self._guessed
        guess = Usage(input=round(prompt * counted), output=min(longest, self.usual_output))
        cost = None
        if self.budget.max_cost is not None:
            cost = self.cost_of(guess, batched=batched)
        return Reserved(cost=cost or 0.0, prompt=prompt, batched=batched)


def report_spend(say: Callable[[str], None], spent: Spend, ledger: Path) -> None:
    """Says what is to be noted of a judge's calls, and where verdicts and replies are kept."""
    for note in (*spent.notes, *filter(None, [spent.stopped])):
        say(f"note: {note}")
    say(f"verdicts and replies are kept in {ledger}")
