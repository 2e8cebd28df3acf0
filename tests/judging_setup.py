"""Claims, a rubric and a client for tests of judging, and a process that judges and can be killed.

python tests/judging_setup.py BASE_URL LEDGER UNITS BATCH CONCURRENCY [PROVIDER]

With a provider it asks by that one's batch API.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from factmark.ask.batch_api.provider_batches import provider_batches
from factmark.ask.budget import Account, Budget
from factmark.ask.chat import Request
from factmark.ask.client import ChatClient
from factmark.ask.judges.model_judge import asking_judge
from factmark.ask.model_spec import ModelSpec
from factmark.ask.pace import Rates
from factmark.ask.prices import Price
from factmark.ask.runner import JudgingProgress, run
from factmark.ask.tasks import Job, Task, model_judge
from factmark.http.retries import RetryPolicy
from factmark.model import Item, Unit, content_hash

VALUES = {"SUPPORTED": 1.0, "NOT_SUPPORTED": 0.0}
_LINE = re.compile(r"^(\d+): (SUPPORTED|NOT_SUPPORTED)$", re.MULTILINE)


def jobs(number: int, *, item: str = "i") -> Iterator[Job]:
    """Claims in their order, ten of each passage."""
    for index in range(number):
        passage = f"{item}{index // 10}"
        claim = f"substance {index} treats condition {index % 7}"
        unit = Unit(id=content_hash(passage, claim), item=passage, kind="claim", text=claim)
        yield Item(id=passage, cluster=passage), unit


def prompt(units: Sequence[Unit]) -> Request:
    lines = "\n".join(f"CLAIM {n}: {unit.text}" for n, unit in enumerate(units, 1))
    return Request.of(f"Passage {units[0].item}.\n{lines}", system="Judge each claim.")


def parse(reply: str, units: Sequence[Unit], cut: bool) -> list[str | None]:
    found = {int(n): label for n, label in _LINE.findall(reply)}
    return [found.get(n) for n, _ in enumerate(units, 1)]


def task(spec: ModelSpec, **parameters: Any) -> Task:
    judge = model_judge(spec, rubric="test 1", **parameters)
    return Task(judge=judge, prompt=prompt, parse=parse, values=VALUES, group=lambda u: u.item)


def spec(base_url: str, **parameters: Any) -> ModelSpec:
    return ModelSpec.parse("openai:judge", base_url=base_url, **parameters)


def rows(ledger: Path, query: str) -> list[tuple[Any, ...]]:
    """What a query of a ledger brings."""
    with closing(sqlite3.connect(ledger)) as db:
        return db.execute(query).fetchall()


async def at_once(_seconds: float) -> None:
    """A sleep that takes no time."""


QUICK = RetryPolicy(attempts=6, sleep=at_once)


async def judged(
    base_url: str,
    ledger: Path,
    number: int,
    *,
    model: ModelSpec | None = None,
    budget: Budget | None = None,
    price: Price | None = None,
    retry: RetryPolicy = QUICK,
    concurrency: int = 16,
    timeout: float = 20.0,
    batches: bool = False,
    **options: Any,
) -> JudgingProgress:
    """Judges so many claims."""
    model = model or spec(base_url)
    account = Account(budget, price)
    kept = {name: options.pop(name) for name in ("batch", "samples") if name in options}
    api = provider_batches(model, poll_seconds=0.02) if batches else None
    rates = Rates(concurrency=concurrency, timeout=timeout)
    async with ChatClient(model, account=account, faults=retry, rates=rates, batches=api) as client:
        judge = asking_judge(client, task(model, **kept), **kept)
        return await run(jobs(number), judge, ledger, **options)


if __name__ == "__main__":
    url, ledger, *numbers = sys.argv[1:6]
    units, batch, concurrency = map(int, numbers)
    by = sys.argv[6:]
    asyncio.run(
        judged(
            url,
            Path(ledger),
            units,
            model=ModelSpec.parse(f"{by[0]}:judge", base_url=url) if by else None,
            batches=bool(by),
            batch=batch,
            concurrency=concurrency,
        )
    )
