"""What asking would take, told before any call is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from factmark.ask.chat import Request, Usage, estimate_prompt, request_key
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.tasks import Job, Task, batches
from factmark.ledger.calls import find_reply, measured_in
from factmark.ledger.ledger import Ledger, open_to_read
from factmark.model import Unit

_AHEAD = 256
VERDICT_TOKENS = 32  # of a reply, assumed for each unit in it; thinking models take many more


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a model would be asked if every reply could be read at once.

    Attributes:
        model: as results name it.
        condition: under which it is asked, or what it is asked for.
        units: all that were given: units, or answers that are wanted.
        judged_before: those of them that need nothing.
        calls: requests that would be sent.
        cached: replies that the ledger has already.
        input_tokens, output_tokens: estimated from the lengths of the prompts, and assumed.
        cost: None if the price is not known.
        call_seconds: that a call of the model took in this ledger; None where it has none.
        unit_bytes: of this ledger for each of its units; None where it has few.
    """

    model: str
    condition: str = ""
    units: int
    judged_before: int
    calls: int
    cached: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    call_seconds: float | None = None
    unit_bytes: float | None = None


def total_forecast(forecasts: Sequence[Forecast]) -> Forecast:
    """Returns all forecasts as one of the model `all`; its cost is known where that of each is."""
    names = ("units", "judged_before", "calls", "cached", "input_tokens", "output_tokens")
    totals = {}
    for name in names:
        totals[name] = sum(getattr(row, name) for row in forecasts)
    costs = []
    for row in forecasts:
        if row.cost is not None:
            costs.append(row.cost)
    cost = None
    if len(costs) == len(forecasts):
        cost = sum(costs)
    return Forecast(model="all", cost=cost, **totals)


class Forecaster:
    """Adds up what a model would be asked; a request counts once, and never if it was answered.

    Args:
        price: None if it is not known.
        ledger: where replies are; None where there is none yet.
        sent: keys of requests that count already, shared with other forecasts of the same model.
    """

    def __init__(
        self,
        spec: ModelSpec,
        price: Price | None,
        ledger: Ledger | None,
        sent: set[str] | None = None,
    ) -> None:
        self.units = self.judged_before = 0
        self._spec = spec
        self._price = price
        self._ledger = ledger
        if sent is None:
            self._sent = set()
        else:
            self._sent = sent
        self._calls = self._cached = self._input = self._output = 0
        self._seconds: float | None = None
        self._bytes: float | None = None
        if ledger is not None:
            self._seconds, self._bytes = measured_in(ledger, spec.name)

    def add(self, request: Request, reply_tokens: int) -> None:
        """Counts a request, whose reply would have so many tokens, or as many as it may."""
        key = request_key(self._spec.parameters, request)
        if key in self._sent:
            return
        if self._ledger is not None and find_reply(self._ledger, key) is not None:
            self._cached += 1
            return
        self._sent.add(key)
        self.assume(1, estimate_prompt(request), reply_tokens)

    def assume(self, calls: int, input_tokens: int, reply_tokens: int) -> None:
        """Counts calls whose requests are not known yet, by the tokens of all their prompts."""
        self._calls += calls
        self._input += input_tokens
        self._output += calls * min(self._spec.max_tokens, reply_tokens)

    def add_units(
        self,
        jobs: Iterable[Job],
        task: Task,
        *,
        batch: int = 1,
        samples: int = 1,
        group: Callable[[Unit], object] | None = None,
    ) -> None:
        """Counts what `runner.run` would ask with the same arguments."""
        every = batches(jobs, group or task.group, batch)
        while block := list(islice(every, _AHEAD)):
            ids = [unit.id for together in block for _, unit in together]
            known = {}
            if self._ledger:
                known = self._ledger.statuses(task.judge.id, ids)
            self.units += len(ids)
            for together in block:
                todo = []
                for _, unit in together:
                    if known.get(unit.id, "failed") == "failed":
                        todo.append(unit)
                self.judged_before += len(together) - len(todo)
                todo = [unit for unit in todo if not task.unasked(unit)]
                for sample in range(samples if todo else 0):
                    self.add(task.request(todo, sample=sample), VERDICT_TOKENS * len(todo))

    def forecast(self, model: str = "", condition: str = "") -> Forecast:
        """What was added up."""
        usage = Usage(input=self._input, output=self._output)
        return Forecast(
            model=model or self._spec.name,
            condition=condition,
            units=self.units,
            judged_before=self.judged_before,
            calls=self._calls,
            cached=self._cached,
            input_tokens=self._input,
            output_tokens=self._output,
            cost=self._price.cost(usage) if self._price else None,
            call_seconds=self._seconds,
            unit_bytes=self._bytes,
        )


def forecast_units(
    jobs: Iterable[Job],
    task: Task,
    spec: ModelSpec,
    price: Price | None,
    ledger: Path,
    *,
    batch: int = 1,
    samples: int = 1,
    group: Callable[[Unit], object] | None = None,
) -> Forecast:
    """Returns what `runner.run` would ask with the same arguments; makes no call, and no ledger.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    with open_to_read(ledger) as opened:
        forecaster = Forecaster(spec, price, opened)
        forecaster.add_units(jobs, task, batch=batch, samples=samples, group=group)
    return forecaster.forecast()
