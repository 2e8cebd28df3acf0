"""Calls in the ledger: what is written is read back, and survives."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from socket import gethostname

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.ask.chat import Failure, Reply, Usage
from factmark.errors import LedgerError
from factmark.ledger.calls import (
    Call,
    add_calls,
    call_totals,
    find_reply,
    spend_of_judge,
    spend_of_keys,
)
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Item, Judge, Unit, Verdict

COUNT = st.integers(0, 2**40)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
REPLIES = st.builds(
    Reply,
    text=TEXT,
    thinking=TEXT,
    refused=st.booleans(),
    finish_reason=TEXT,
    usage=st.none()
    | st.builds(Usage, input=COUNT, output=COUNT, cached=COUNT, estimated=st.booleans()),
    latency=st.floats(0, 1e6),
    model=TEXT,
)


def call(key: str, outcome: Reply | Failure, cost: float | None = None) -> Call:
    return Call(key=key, judge="j", sample=0, outcome=outcome, cost=cost)


@settings(max_examples=25, deadline=None)
@given(reply=REPLIES)
def test_what_is_kept_is_read_back(reply: Reply, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Ledger(tmp_path_factory.mktemp("l") / "l.sqlite") as ledger:
        with ledger.writing():
            add_calls(ledger, [call("k", reply)])
        assert find_reply(ledger, "k") == reply


def test_the_first_reply_counts_and_a_failure_is_none(tmp_path: Path) -> None:
    usage = Usage(input=10, output=2)
    replies = [Reply(text=text, usage=usage) for text in ("half a \ud800 character", "b")]
    with Ledger(tmp_path / "l.sqlite") as ledger:
        with ledger.writing():
            add_calls(ledger, [call("k", Failure(reason="down \ud800"))])
        assert find_reply(ledger, "k") is None
        with ledger.writing():
            add_calls(ledger, [call("k", reply, 0.5) for reply in replies])
        kept = find_reply(ledger, "k")
        assert kept is not None
        assert kept.text == "half a \ufffd character"
        totals = call_totals(ledger)
        assert (totals["replies"], totals["failed"], totals["cost"]) == (2, 1, 1.0)
        assert (totals["input_tokens"], totals["output_tokens"], totals["unpriced"]) == (20, 4, 0)
        once = spend_of_keys(ledger, ["k", "k", "unknown"])
        assert (once.calls, once.replies, once.cost, once.input_tokens) == (1, 1, 0.5, 10)
        judge = spend_of_judge(ledger, "j")
        assert (judge.calls, judge.replies, judge.cost) == (3, 2, 1.0)
        assert spend_of_judge(ledger, "another").replies == 0


def test_a_failure_does_not_outdo_a_verdict(tmp_path: Path) -> None:
    judge = Judge.create("model", "m")
    with Ledger(tmp_path / "l.sqlite") as ledger, ledger.writing():
        ledger.add_judge(judge)
        ledger.add_new_item(Item(id="i", cluster="i"))
        ledger.add_unit(Unit(id="u", item="i", kind="claim", text=""))
        for status, newest in [
            ("failed", "failed"),
            ("ok", "ok"),
            ("failed", "ok"),
            ("unparsed", "unparsed"),
        ]:
            ledger.add_verdict(Verdict(unit="u", judge=judge.id, status=status), "now")  # type: ignore[arg-type]
            assert ledger.statuses(judge.id, ["u"]) == {"u": newest}


async def test_a_write_that_fails_is_an_error_and_the_next_one_works(tmp_path: Path) -> None:
    async with LedgerWriter(tmp_path / "l.sqlite") as writer:
        with pytest.raises(LedgerError):
            await writer.write(
                lambda ledger: ledger.add_unit(Unit(id="u", item="none", kind="", text=""))
            )
        await writer.write(lambda ledger: add_calls(ledger, [call("k", Reply(text="x"))]))


@asynccontextmanager
async def leasing(path: Path) -> AsyncIterator[Leases]:
    """The leases of a run, for twenty seconds: for ever, if it waited for one that is gone."""
    with Ledger(path) as ledger:
        async with LedgerWriter(path) as writer, asyncio.timeout(20):
            async with Leases(ledger, writer) as leases:
                yield leases


async def test_leases_keep_two_runs_apart(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    async with leasing(path) as first, leasing(path) as second:
        assert await first.take("a")
        assert not await second.take("a")
        waiting = asyncio.create_task(second.wait("a"))
        assert await second.take("b")
        await asyncio.sleep(0.15)
        assert not waiting.done()
        await first.free("a")
        await waiting
        assert await second.take("a")
    with Ledger(path) as ledger:
        assert ledger.rows("SELECT count(*) FROM leases").fetchone() == (0,)


def meets(path: Path, run: str, host: str, pid: int, beat: float) -> None:
    """Another run on the ledger, with a lease on `a`."""
    with Ledger(path) as ledger, ledger.writing() as db:
        row = (run, host, pid, beat)
        db.execute("INSERT OR REPLACE INTO runs (id, host, pid, beat) VALUES (?, ?, ?, ?)", row)
        db.execute("INSERT OR REPLACE INTO leases (key, owner) VALUES ('a', ?)", (run,))


@pytest.mark.parametrize(
    ("host", "pid", "age"), [("elsewhere", 1, 60.0), (gethostname(), 2**22 + 1, 0.0)]
)
async def test_a_run_waits_for_none_that_is_dead(
    tmp_path: Path, host: str, pid: int, age: float
) -> None:
    path = tmp_path / "l.sqlite"
    meets(path, "silent or killed", host, pid, time.time() - age)
    async with leasing(path) as leases:
        assert await leases.take("a")


@pytest.mark.parametrize("ahead", [60, float("inf")])
async def test_a_run_waits_for_no_time_in_the_future(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    ahead: float,
) -> None:
    monkeypatch.setattr("factmark.ledger.leases._SILENCE", 0.4)
    monkeypatch.setattr("factmark.ledger.leases._PATIENCE", 0.1)
    path = tmp_path / "l.sqlite"
    meets(path, "ghost", "else\x1bwhere", 4711, time.time() + ahead)
    async with leasing(path) as leases:
        assert not await leases.take("a")
        await leases.wait("a")
        assert await leases.take("a")
    assert caplog.text.count("4711") == 1
    assert "where" in caplog.text
    assert "\x1b" not in caplog.text


async def test_a_run_whose_clock_is_ahead_is_waited_for_as_long_as_it_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmark.ledger.leases._SILENCE", 0.5)
    path = tmp_path / "l.sqlite"
    async with leasing(path) as leases:
        meets(path, "other", "elsewhere", 1, time.time() + 3600)
        waiting = asyncio.create_task(leases.wait("a"))
        for beat in range(7):
            await asyncio.sleep(0.1)
            await asyncio.to_thread(meets, path, "other", "elsewhere", 1, time.time() + 3600 + beat)
        assert not waiting.done()
        await waiting


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from factmark.ledger.calls import Call, add_calls
from factmark.ask.chat import Reply
from factmark.ledger.writer import LedgerWriter

async def main():
    async with LedgerWriter(Path(sys.argv[1])) as writer:
        async def one(n):
            call = Call(key=str(n), judge="j", sample=0, outcome=Reply(text="x"), cost=None)
            await writer.write(lambda ledger: add_calls(ledger, [call]))
            os.write(1, f"{n}\\n".encode())
            if n == 333:
                os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.gather(*map(one, range(1000)))

asyncio.run(main())
"""


def test_what_was_acknowledged_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path)], capture_output=True, check=False
    )
    told = done.stdout.decode().split()
    assert done.returncode == -9
    assert "333" in told
    with Ledger(path) as ledger:
        assert all(find_reply(ledger, key) for key in told)
