"""Judging by a provider's batch API, over a socket: cost, faults, limits, kill -9 in each phase."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest

from factmark.ask.batch_api.batched_calls import BatchedCalls
from factmark.ask.batch_api.provider_batches import (
    AnthropicBatches,
    OpenAiBatches,
    provider_batches,
)
from factmark.ask.budget import Budget
from factmark.ask.chat import Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.ask.runner import JudgingProgress
from factmark.errors import EndpointError
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from judging_setup import judged, rows
from servers.model_server import Running
from shell import run

PROVIDERS = ["openai", "anthropic"]
SETUP = Path(__file__).parents[1].joinpath("judging_setup.py")
PRICE = Price(input=1.0, output=2.0)
FULL = (100 + 2 * 10) / 1e6  # of one call, at that price


async def asked(
    server: Running, ledger: Path, number: int, provider: str = "openai", **options: Any
) -> JudgingProgress:
    model = ModelSpec.parse(f"{provider}:judge", base_url=server.base_url)
    return await judged(
        server.base_url, ledger, number, **{"model": model, "batches": True} | options
    )


def kill_at(phase: str, server: Running, ledger: Path, provider: str) -> list[int]:
    """Kills a command that judges eight claims, when it waits for this answer; its batches."""
    server.set(hang=phase)
    command = [sys.executable, str(SETUP), server.base_url, str(ledger), "8", "1", "4", provider]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not server.stats()["hanging"] and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    stats = server.stats()
    assert (stats["hanging"], stats["requests"]) == (1, 1)
    server.set(hang="")
    batches: list[int] = stats["batches"]
    return batches


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_half_the_price_and_a_later_direct_run_pays_nothing(
    server: Running, ledger: Path, provider: str
) -> None:
    server.set(batch_looks=2)
    first = await asked(server, ledger, 20, provider, price=PRICE)
    assert (first.verdicts, first.spend.calls) == ({"ok": 20}, 20)
    assert first.spend.cost == pytest.approx(FULL + 19 * FULL / 2)  # the first is made directly
    stats = server.stats()
    assert (stats["requests"], stats["batches"]) == (1, [19])
    assert rows(ledger, "SELECT count(*), count(DISTINCT key) FROM calls") == [(20, 20)]
    assert rows(ledger, "SELECT total(cost) FROM calls")[0][0] == pytest.approx(first.spend.cost)
    assert rows(ledger, "SELECT count(*) FROM batches") == [(0,)]
    again = await asked(server, ledger, 20, provider, batches=False, again=True)
    assert (again.spend.calls, again.spend.cached, again.verdicts) == (0, 20, {"ok": 20})


@pytest.mark.parametrize(
    ("provider", "phase", "batches"),
    [
        ("openai", "POST /v1/files", 1),
        ("openai", "POST /v1/batches", 0),
        ("openai", "GET /v1/batches/", 0),
        ("openai", "GET /v1/files/", 0),
        ("anthropic", "POST /v1/messages/batches", 0),
        ("anthropic", "GET /v1/messages/batches/{id}", 0),
        ("anthropic", "GET /v1/messages/batches/{id}/results", 0),
    ],
)
async def test_killed_in_any_phase_the_same_command_goes_on(
    server: Running, ledger: Path, provider: str, phase: str, batches: int
) -> None:
    before = kill_at(phase, server, ledger, provider)
    second = await asked(server, ledger, 8, provider, price=PRICE)
    assert (second.verdicts, second.spend.failures) == ({"ok": 8}, {})
    stats = server.stats()
    assert (before, stats["batches"]) == (([], [6]) if batches else ([7], []))
    assert stats["requests"] == batches  # the first of those that are submitted
    assert rows(ledger, "SELECT count(*), count(DISTINCT key) FROM calls") == [(8, 8)]
    assert rows(ledger, "SELECT count(*) FROM batches") == [(0,)]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", ["expires", "rejects"])
async def test_single_calls_that_fail_are_asked_again(
    server: Running, ledger: Path, provider: str, fault: str
) -> None:
    server.set(**{fault: "substance 3 "})
    first = await asked(server, ledger, 6, provider)
    assert first.verdicts == {"ok": 5, "failed": 1}
    assert sum(first.spend.failures.values()) == 1
    server.set(**{fault: ""})
    second = await asked(server, ledger, 6, provider)
    assert (second.verdicts, second.spend.calls) == ({"ok": 6}, 1)


@pytest.mark.parametrize(
    ("budget", "submitted"),
    [(Budget(max_calls=5), 4), (Budget(max_cost=FULL + 6.2 * FULL / 2), 6)],
)
async def test_a_budget_is_held_before_anything_is_submitted(
    server: Running, ledger: Path, budget: Budget, submitted: int
) -> None:
    first = await asked(server, ledger, 20, budget=budget, price=PRICE)
    assert server.stats()["batches"] == [submitted]
    assert (first.left, first.done) == (19 - submitted, 1 + submitted)
    assert "--max-c" in first.spend.stopped
    second = await asked(server, ledger, 20)
    assert (second.verdicts, second.spend.judged_before) == ({"ok": 20}, 1 + submitted)


@pytest.mark.parametrize("kind", [OpenAiBatches, AnthropicBatches])
async def test_batches_are_as_large_as_the_provider_takes(
    server: Running, ledger: Path, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (kind.most, kind.largest) in ((50_000, 200_000_000), (100_000, 256_000_000))
    provider = "openai" if kind is OpenAiBatches else "anthropic"
    monkeypatch.setattr(kind, "most", 4)
    assert (await asked(server, ledger, 11, provider)).verdicts == {"ok": 11}
    assert server.stats()["batches"] == [4, 4, 2]
    monkeypatch.setattr(kind, "largest", 700)
    assert (await asked(server, ledger, 16, provider)).verdicts == {"ok": 16}
    assert server.stats()["batches"][3:] != [4]


@pytest.mark.parametrize(
    ("settings", "told"),
    [({"batch_problem": "Enqueued token limit"}, "Enqueued"), ({"no_batches": True}, "batch-api")],
)
async def test_a_batch_that_is_refused_as_a_whole_ends_the_run(
    server: Running, ledger: Path, settings: dict[str, Any], told: str
) -> None:
    server.set(**settings)
    with pytest.raises(EndpointError, match=told):
        await asked(server, ledger, 5)
    assert rows(ledger, "SELECT count(*) FROM batches") == [(0,)]
    server.reset()
    assert (await asked(server, ledger, 5)).verdicts == {"ok": 5}


async def test_who_asks_on_after_a_failed_submission_is_told_why_too(
    server: Running, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.set(no_batches=True)
    model = ModelSpec.parse("openai:judge", base_url=server.base_url)
    with Ledger(ledger) as opened:
        async with LedgerWriter(ledger) as writer, ChatClient(model) as client:
            api = provider_batches(model)
            direct = AsyncMock(return_value=Reply(text="SUPPORTED"))
            calls = BatchedCalls(client, api, opened, writer, "judge", direct)
            newest, late = api.newest, list[asyncio.Task[Any]]()

            async def while_it_is_submitted() -> str:
                late.append(asyncio.create_task(calls.ask("d", Request.of("d"))))
                await asyncio.sleep(0)
                return await newest()

            monkeypatch.setattr(api, "newest", while_it_is_submitted)
            await calls.ask("a", Request.of("a"))
            for keys in ("bc", "ef"):
                asked_on = [calls.ask(key, Request.of(key)) for key in keys]
                ends = await asyncio.gather(*asked_on, return_exceptions=True)
                ends += await asyncio.gather(*late, return_exceptions=True)
                assert {type(end) for end in ends} == {EndpointError}
            await calls.close()
            await api.close()


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_batch_whose_answer_is_lost_is_not_submitted_twice(
    server: Running, ledger: Path, provider: str
) -> None:
    server.set(loses="POST /v1/batches" if provider == "openai" else "POST /v1/messages/batches")
    assert (await asked(server, ledger, 6, provider)).verdicts == {"ok": 6}
    assert server.stats()["batches"] == [5]


@pytest.mark.parametrize("first", [True, False])
async def test_a_batch_of_somebody_else_with_as_many_calls_is_not_taken(
    server: Running, ledger: Path, tmp_path: Path, first: bool
) -> None:
    another = ModelSpec.parse("anthropic:another", base_url=server.base_url)
    kill_at("POST /v1/messages/batches", server, ledger, "anthropic")
    if first:  # as if it had been made before ours
        with sqlite3.connect(ledger) as db:
            db.execute("UPDATE batches SET before = ''")
    await asked(server, tmp_path / "another.sqlite", 8, "anthropic", model=another)
    progress = await asked(server, ledger, 8, "anthropic")
    assert progress.verdicts == {"ok": 8}
    assert server.stats()["batches"] == [7]  # the other's
    assert rows(ledger, "SELECT count(*), count(DISTINCT key) FROM calls") == [(8, 8)]


async def test_what_is_missing_in_replies_is_asked_for_in_a_second_batch(
    server: Running, ledger: Path
) -> None:
    server.set(per_reply=1, thinks=1500)
    progress = await asked(server, ledger, 20, batch=5)
    assert progress.verdicts == {"ok": 20}
    assert len(server.stats()["batches"]) > 2


def test_a_command_by_batches(server: Running, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models."judge"]\ninput = 1.0\noutput = 2.0\n', encoding="utf-8")
    options = (
        *("graph", "factscore", "--judge", "openai:judge", "--base-url", server.base_url),
        *("--limit", "6", "--ledger", "l.db", "--prices", str(prices), "--json"),
    )
    direct = json.loads(run(*options, "--dry-run", cwd=tmp_path).stdout)["details"]
    forecast = run(*options, "--dry-run", "--batch-api", cwd=tmp_path).stdout
    batched = json.loads(forecast)["details"]
    assert batched["cost"] == pytest.approx(direct["cost"] / 2)
    ran = run(*options, "--batch-api", cwd=tmp_path)
    assert ran.returncode == 0
    assert len(server.stats()["batches"]) == 1
    refused = run("run", "ehds", "--batch-api", cwd=tmp_path)
    assert (refused.returncode, "conversations" in refused.stderr) == (2, True)
