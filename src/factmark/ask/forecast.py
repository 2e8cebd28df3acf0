"""What a run would ask and cost, told before any call is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from factmark.ask.chat import Usage, estimate_prompt, request_key
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.tasks import Job, Task, batches
from factmark.ledger.calls import find_reply
from factmark.ledger.ledger import Ledger

_AHEAD = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a run would come to if every reply could be read at once.

    Attributes:
        units: all that were given.
        judged_before: units that need nothing.
        calls: requests that would be sent.
        cached: replies that the ledger has already.
        input_tokens: estimated from the lengths of the prompts.
        output_tokens: assumed, so many a unit.
        cost: None if the price is not known.
    """

    units: int
    judged_before: int
    calls: int
    cached: int
    input_tokens: int
    output_tokens: int
    cost: float | None


def forecast(
    jobs: Iterable[Job],
    task: Task,
    spec: ModelSpec,
    price: Price | None,
    ledger: Path,
    *,
    batch: int = 1,
    samples: int = 1,
    output_per_unit: int = 32,
) -> Forecast:
    """Counts what `run` would ask with the same arguments; makes no call.

    Args:
        output_per_unit: tokens of a reply that are assumed for each unit in it; thinking models
            take many times more.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    units = before = cached = asked = answered = 0
    calls: set[str] = set()
    every = batches(jobs, task, batch)
    with Ledger(ledger) as opened:
        while block := list(islice(every, _AHEAD)):
            ids = [unit.id for some in block for _, unit in some]
            known = opened.statuses(task.judge.id, ids)
            units += len(ids)
            for some in block:
                todo = [unit for _, unit in some if known.get(unit.id, "failed") == "failed"]
                before += len(some) - len(todo)
                for sample in range(samples if todo else 0):
                    request = task.request(todo, sample=sample)
                    key = request_key(spec.parameters, request)
                    if find_reply(opened, key) is not None:
                        cached += 1
                    elif key not in calls:
                        calls.add(key)
                        asked += estimate_prompt(request)
                        answered += min(spec.max_tokens, output_per_unit * len(todo))
    return Forecast(
        units=units,
        judged_before=before,
        calls=len(calls),
        cached=cached,
        input_tokens=asked,
        output_tokens=answered,
        cost=price.cost(Usage(input=asked, output=answered)) if price else None,
    )
