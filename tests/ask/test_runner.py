"""Units and a judge to verdicts, through a real server and a real ledger."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from factmark.ask.budget import Budget
from factmark.ask.client import ChatClient
from factmark.ask.forecast import forecast_units
from factmark.ask.judges.model_judge import asking_judge
from factmark.ask.pace import Rates
from factmark.ask.prices import Price, Prices
from factmark.ask.runner import JudgingProgress, run
from factmark.ask.tasks import Task, count_votes
from factmark.errors import EndpointError, LedgerError
from factmark.graph_answers.core.rubrics import VERIFY
from factmark.http.retries import RetryPolicy
from factmark.ledger.migrations import migrate
from factmark.model import Unit, Verdict
from judging_setup import VALUES, at_once, jobs, judged, rows, spec, task
from servers.model_server import (
    Running,
    is_malformed,
    is_refused,
    verdict_of,
)
from servers.scripted import says, scripted

KEY = "sk-test-0123456789"
FAULTS = ["429", "500", "reset", "truncated", "malformed", "html", "529", "empty", "429-date"]


def said(ledger: Path) -> dict[str, tuple[str, str | None, float | None]]:
    """The newest verdict per claim, whoever gave it; each unit has one judge in these tests."""
    query = (
        "SELECT text, status, label, value FROM verdicts JOIN units ON id = unit ORDER BY number"
    )
    return {text: (status, label, value) for text, status, label, value in rows(ledger, query)}


def expected(number: int) -> dict[str, tuple[str, str | None, float | None]]:
    texts = [unit.text for _, unit in jobs(number)]
    return {text: ("ok", verdict_of(text), VALUES[verdict_of(text)]) for text in texts}


async def test_verdicts_and_a_second_run_that_costs_nothing(server: Running, ledger: Path) -> None:
    first = await judged(server.base_url, ledger, 60, price=Price(input=1, output=2))
    assert first.verdicts == {"ok": 60}
    spend = first.spend
    assert (spend.calls, spend.replies, first.left, spend.judged_before) == (60, 60, 0, 0)
    assert (first.spend.input_tokens, first.spend.output_tokens) == (6000, 600)
    assert first.spend.cost == pytest.approx(60 * 120 / 1e6)
    assert said(ledger) == expected(60)
    again = await judged(server.base_url, ledger, 60)
    assert (again.spend.calls, again.spend.judged_before, again.verdicts) == (0, 60, {"ok": 60})
    assert server.stats()["requests"] == 60


async def test_judging_anew_reads_the_kept_replies(server: Running, ledger: Path) -> None:
    await judged(server.base_url, ledger, 20, batch=3)
    model = spec(server.base_url)
    better = replace(
        task(model, batch=3),
        parse=lambda reply, units, cut: ["SUPPORTED"] * len(units),
        values={"SUPPORTED": 5.0},
    )
    async with ChatClient(model) as client:
        summary = await run(jobs(20), asking_judge(client, better, batch=3), ledger, again=True)
    assert (summary.spend.calls, summary.spend.cached) == (0, 8)
    assert set(said(ledger).values()) == {("ok", "SUPPORTED", 5.0)}


async def test_one_fault_in_twenty_is_recovered_in_full(server: Running, ledger: Path) -> None:
    server.set(faults=FAULTS, fault_share=0.05)
    summary = await judged(server.base_url, ledger, 200)
    assert (summary.verdicts, summary.spend.failures) == ({"ok": 200}, {})
    assert server.stats()["faults"] > 0
    assert said(ledger) == expected(200)


async def test_a_fault_that_stays_ends_with_failed_rows(server: Running, ledger: Path) -> None:
    server.set(faults=["500"], fault_share=1.0)
    policy = RetryPolicy(attempts=3, sleep=at_once)
    summary = await judged(server.base_url, ledger, 15, retry=policy)
    assert summary.verdicts == {"failed": 15}
    assert sum(summary.spend.failures.values()) == 15
    assert {status for status, *_ in said(ledger).values()} == {"failed"}
    server.set(fault_share=0.0)
    summary = await judged(server.base_url, ledger, 40)
    assert (summary.verdicts, summary.spend.judged_before) == ({"ok": 40}, 0)
    assert said(ledger) == expected(40)


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize(("kind", "is_bad"), [("malformed", is_malformed), ("refused", is_refused)])
async def test_what_holds_no_verdict_is_counted(
    server: Running, ledger: Path, batch: int, kind: str, is_bad: Callable[[str, float], bool]
) -> None:
    server.set(**{kind: 0.1})
    bad = {unit.text for _, unit in jobs(100) if is_bad(unit.text, 0.1)}
    assert bad
    summary = await judged(server.base_url, ledger, 100, batch=batch)
    status = "unparsed" if kind == "malformed" else "refused"
    assert summary.verdicts == {"ok": 100 - len(bad), status: len(bad)}
    assert {text for text, row in said(ledger).items() if row == (status, None, None)} == bad
    if batch == 1:  # what cannot be parsed is asked once more
        assert summary.spend.calls == 100 + (len(bad) if kind == "malformed" else 0)


async def test_one_verdict_for_three_claims_leaves_two_to_be_asked_again(
    server: Running, ledger: Path
) -> None:
    server.set(per_reply=1)
    summary = await judged(server.base_url, ledger, 3, batch=3)
    assert (summary.verdicts, summary.spend.calls) == ({"ok": 3}, 3)
    assert said(ledger) == expected(3)
    assert "CLAIM 2" not in server.stats()["last"]["messages"][-1]["content"]


async def test_batches_keep_to_their_group_and_save_calls(server: Running, ledger: Path) -> None:
    summary = await judged(server.base_url, ledger, 100, batch=5)
    assert (summary.spend.calls, said(ledger)) == (20, expected(100))
    batched = await judged(server.base_url, ledger, 100, batch=8)
    assert batched.spend.calls == 20  # passages of ten claims: eight and two


async def test_samples_are_votes(server: Running, ledger: Path) -> None:
    summary = await judged(server.base_url, ledger, 10, samples=3)
    assert (summary.spend.calls, summary.verdicts) == (30, {"ok": 10})
    assert server.stats()["last"]["seed"] in (0, 1, 2)
    assert said(ledger) == expected(10)


def test_how_votes_are_counted() -> None:
    odd = Verdict(unit="u", judge="j", status="unparsed")
    failed, refused = replace(odd, status="failed"), replace(odd, status="refused")
    yes = Verdict(unit="u", judge="j", label="SUPPORTED", value=1.0)
    no, left = replace(yes, label="NOT_SUPPORTED", value=0.0), None

    def counted(*votes: Verdict | None) -> tuple[str, str | None] | None:
        verdict = count_votes(votes)
        return None if verdict is None else (verdict.status, verdict.label)

    assert counted(yes) == ("ok", "SUPPORTED")
    assert counted(no, yes, no) == ("ok", "NOT_SUPPORTED")
    assert counted(odd, yes, failed) == ("ok", "SUPPORTED")
    assert counted(no, yes) == counted(no, yes, odd) == ("unparsed", None)
    assert counted(odd, failed, refused) == ("refused", None)
    assert counted(odd, failed) == ("unparsed", None)
    assert counted(failed, failed) == ("failed", None)
    assert counted(yes, yes, left) is None


async def test_identical_requests_are_asked_once(server: Running, ledger: Path) -> None:
    server.set(latency=0.05)
    model = spec(server.base_url)
    same = [job for job in jobs(1) for _ in range(20)]
    async with ChatClient(model) as client:
        summary = await run(same, asking_judge(client, task(model)), ledger)
    assert (summary.spend.calls, summary.verdicts) == (1, {"ok": 20})


async def test_a_budget_stops_cleanly_and_the_rest_is_done_later(
    server: Running, ledger: Path
) -> None:
    summary = await judged(server.base_url, ledger, 50, budget=Budget(max_calls=20), batch=2)
    assert (summary.spend.calls, summary.verdicts, summary.left) == (20, {"ok": 40}, 10)
    assert "--max-calls" in summary.spend.stopped
    summary = await judged(server.base_url, ledger, 50, batch=2)
    assert (summary.spend.calls, summary.left, summary.spend.stopped) == (5, 0, "")
    assert said(ledger) == expected(50)


async def test_what_a_run_would_cost(server: Running, ledger: Path) -> None:
    model = spec(server.base_url)
    price = Price(input=1, output=2)
    twice = task(model, batch=4, samples=2)
    told = forecast_units(jobs(50), twice, model, price, ledger, batch=4, samples=2)
    done = await judged(server.base_url, ledger, 50, batch=4, samples=2)
    assert (told.calls, told.units) == (done.spend.calls, 50)
    assert told.cost is not None
    assert told.cost > 0
    assert (await judged(server.base_url, ledger, 50, batch=4, samples=2)).spend.calls == 0
    rest = forecast_units(jobs(60), twice, model, None, ledger, batch=4, samples=2)
    assert (rest.judged_before, rest.calls, rest.cost) == (50, 6, None)
    assert Prices.load().of(model) == Price(input=0, output=0)


async def test_keys_appear_nowhere(
    server: Running,
    ledger: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    asyncio.get_running_loop().set_debug(True)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.set(key=KEY, think=f"my key is {KEY}", faults=["500"], fault_share=0.2)
    model = spec(server.base_url, key_env="OPENAI_API_KEY")
    summary = await judged(server.base_url, ledger, 30, model=model)
    assert summary.verdicts == {"ok": 30}
    server.set(key="sk-another-key-altogether")
    second = await judged(server.base_url, ledger, 60, model=model)
    assert second.spend.failures
    out, err = capfd.readouterr()
    kept = b"".join(path.read_bytes() for path in ledger.parent.iterdir())
    assert KEY.encode() not in kept
    assert KEY not in f"{caplog.text}{out}{err}{summary}{second}"


async def test_a_wrong_key_stops_the_run_and_what_came_in_is_kept(
    server: Running, ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = spec(server.base_url, key_env="OPENAI_API_KEY")
    await judged(server.base_url, ledger, 10, model=model)
    server.set(key="sk-another-key-altogether")
    summary = await judged(server.base_url, ledger, 500, model=model)
    assert "OPENAI_API_KEY" in summary.spend.stopped
    assert "20 calls in a row" in summary.spend.stopped
    assert summary.verdicts["ok"] == 10
    assert summary.left == 490 - summary.verdicts["failed"]
    assert server.stats()["requests"] <= 10 + 20 + 16
    assert expected(10).items() <= said(ledger).items()
    with pytest.raises(EndpointError, match="OPENAI_API_KEY"):
        await judged(server.base_url, ledger.with_name("new.sqlite"), 500, model=model)


async def test_units_that_fail_again_do_not_end_a_later_run(ledger: Path) -> None:
    """Nor keep what was judged before from being scored."""
    bad = {unit.text for _, unit in jobs(3)}

    async def answer(request: web.Request) -> web.StreamResponse:
        text = (await request.json())["messages"][-1]["content"]
        if any(f"CLAIM 1: {claim}\n" in f"{text}\n" for claim in bad):
            return await says('{"error": {"message": "blocked"}}', status=403)(request)
        reply = {"choices": [{"message": {"content": "1: SUPPORTED"}}]}
        return await says(json.dumps(reply), media="application/json")(request)

    async with scripted(answer) as model:
        for calls in (30, 3):
            summary = await judged(model.url, ledger, 30)
            assert summary.verdicts == {"ok": 27, "failed": 3}
            assert (summary.spend.stopped, summary.spend.calls) == ("", calls)


async def test_a_disk_that_is_full_is_told_once(
    server: Running, ledger: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("factmark.ledger.opening.migrate", partial(_with_little_room, migrate))
    with pytest.raises(LedgerError, match="disk is full") as caught:
        await judged(server.base_url, ledger, 3_000)
    assert str(ledger) in str(caught.value)
    del caught
    gc.collect()  # what nobody asked about is told when it is collected
    assert caplog.text == ""


def _with_little_room(
    migrate: Callable[[sqlite3.Connection], None], db: sqlite3.Connection
) -> None:
    migrate(db)
    db.execute("PRAGMA max_page_count = 60")


async def test_units_are_read_as_they_are_needed(server: Running, ledger: Path) -> None:
    server.set(latency=0.01)
    taken = 0

    def counted() -> Iterator[Any]:
        nonlocal taken
        for job in jobs(1_000):
            taken += 1
            yield job

    most = 0

    def watch(now: JudgingProgress) -> None:
        nonlocal most
        most = max(most, taken - now.done)

    model = spec(server.base_url)
    async with ChatClient(model) as client:
        summary = await run(counted(), asking_judge(client, task(model)), ledger, progress=watch)
    assert summary.verdicts == {"ok": 1_000}
    assert 0 < most <= 256 + 128


async def test_progress(server: Running, ledger: Path) -> None:
    server.set(latency=0.05)
    seen: list[JudgingProgress] = []
    model = spec(server.base_url)
    async with ChatClient(model, rates=Rates(concurrency=10)) as client:
        await run(jobs(100), asking_judge(client, task(model)), ledger, progress=seen.append)
    assert (seen[-1].done, client.account.in_flight, seen[-1].spend.calls) == (100, 0, 100)
    assert 2 <= len(seen) <= 30
    assert any(0 < now.done < 100 and now.rate > 0 for now in seen)


async def test_a_bug_in_a_rubric_is_an_exception(server: Running, ledger: Path) -> None:
    model = spec(server.base_url)

    def broken(reply: str, units: Sequence[Unit], cut: bool) -> list[str | None]:
        raise ZeroDivisionError("in the parser")

    async with ChatClient(model) as client:
        with pytest.raises(ZeroDivisionError, match="in the parser"):
            await run(jobs(5), asking_judge(client, replace(task(model), parse=broken)), ledger)


async def test_a_label_that_was_not_offered_is_none(server: Running, ledger: Path) -> None:
    model = spec(server.base_url)
    odd: Task = replace(task(model), parse=lambda reply, units, cut: ["MAYBE"] * len(units))
    async with ChatClient(model) as client:
        summary = await run(jobs(2), asking_judge(client, odd), ledger)
    assert summary.verdicts == {"unparsed": 2}


@pytest.mark.parametrize(
    ("text", "finish", "status", "calls"),
    [
        ("The answer names metformin. It is correct", "length", "unparsed", 2),
        ("The answer names metformin. It is correct", "stop", "ok", 1),
        ("CORRECT\n\nThe answer names metf", "length", "ok", 1),
        ("Verdict: CORRECT. The answer na", "length", "ok", 1),
    ],
)
async def test_prose_that_was_cut_off_gives_no_verdict(
    ledger: Path, text: str, finish: str, status: str, calls: int
) -> None:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    async with scripted(says(json.dumps({"choices": [choice]}), media="application/json")) as model:
        judge = spec(model.url)
        rubric = replace(
            task(judge),
            parse=lambda reply, units, cut: VERIFY.parse(reply, cut=cut),
            values=VERIFY.values,
        )
        async with ChatClient(judge) as client:
            summary = await run(jobs(1), asking_judge(client, rubric), ledger)
    assert (dict(summary.verdicts), summary.spend.calls) == ({status: 1}, calls)
    assert [f"{calls} repl" in note for note in summary.spend.notes] == [True] * (
        finish == "length"
    )


async def test_other_parameters_never_read_an_old_reply(server: Running, ledger: Path) -> None:
    await judged(server.base_url, ledger, 5)
    other = spec(server.base_url, temperature=0.5)
    summary = await judged(server.base_url, ledger, 5, model=other)
    assert (summary.spend.calls, summary.spend.cached, summary.spend.judged_before) == (5, 0, 0)
