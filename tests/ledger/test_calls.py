"""Calls in the ledger: what is written is read back, and survives."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from socket import gethostname
from types import SimpleNamespace
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts import NAMESPACE, with_namespaces
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
from factmark.ledger.leases import Leases, process_place
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


def meets(path: Path, run: str, host: str, pid: int, beat: float, place: str = "") -> None:
    """Another run on the ledger, with a lease on `a`."""
    with Ledger(path) as ledger, ledger.writing() as db:
        row = (run, host, pid, beat, place)
        db.execute(
            "INSERT OR REPLACE INTO runs (id, host, pid, beat, place) VALUES (?, ?, ?, ?, ?)", row
        )
        db.execute("INSERT OR REPLACE INTO leases (key, owner) VALUES ('a', ?)", (run,))


NOBODY = 2**22 + 1  # more than a process id is


@pytest.mark.skipif(not process_place(), reason="the system tells no boot and namespace")
async def test_a_run_waits_for_none_that_was_killed_here(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    meets(path, "killed", gethostname(), NOBODY, time.time(), process_place())
    async with leasing(path) as leases:
        assert await leases.take("a")


@pytest.mark.parametrize("off", [-3600, -30, 30, 3600, float("inf")])
@pytest.mark.parametrize("place", ["", "another boot pid:[4026531836]", "of another namespace"])
async def test_a_run_that_beats_is_waited_for_whatever_its_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, off: float, place: str
) -> None:
    """Its process id is nobody's here, and its clock is another machine's."""
    monkeypatch.setattr("factmark.ledger.leases._BEAT", 0.02)
    path = tmp_path / "l.sqlite"
    now = time.time() + off if off < 10**6 else 1e300
    async with leasing(path) as leases:
        for beat in range(12):
            await asyncio.to_thread(
                meets, path, "other", gethostname(), NOBODY, now * (1 + beat / 100), place
            )
            await asyncio.sleep(0.03)
            assert not await leases.take("a")


@pytest.mark.parametrize("later", [float("-inf"), -60.0, 60.0, float("inf")])
async def test_a_run_that_beats_no_more_is_dead(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    later: float,
) -> None:
    beat = max(0.0, time.time() + later)
    monkeypatch.setattr("factmark.ledger.leases._BEAT", 0.08)
    monkeypatch.setattr("factmark.ledger.leases._PATIENCE", 0.1)
    path = tmp_path / "l.sqlite"
    meets(path, "ghost", "else\x1bwhere", 4711, beat)
    async with leasing(path) as leases:
        assert not await leases.take("a")
        await leases.wait("a")
        assert await leases.take("a")
    assert caplog.text.count("4711") == 1
    assert "where" in caplog.text
    assert "\x1b" not in caplog.text


async def test_a_run_that_was_stopped_takes_nobody_for_dead(tmp_path: Path) -> None:
    """After a long pause, as of a container or of a locked ledger, others have to be heard first:
    what counts is how often this run looked, not how long that took."""
    path = tmp_path / "l.sqlite"
    meets(path, "other", "elsewhere", 1, 1.0)
    async with leasing(path) as leases:
        assert not await leases.take("a")
        later = SimpleNamespace(monotonic=lambda: 1e9, time=lambda: 1e10)
        with mock.patch("factmark.ledger.leases.time", later):
            assert not await leases.take("a")


RUN = """
import asyncio, sys
from pathlib import Path
from factmark.ledger.ledger import Ledger
from factmark.ledger.leases import Leases, process_place
from factmark.ledger.writer import LedgerWriter

async def main():
    path = Path(sys.argv[1])
    with Ledger(path) as ledger:
        async with LedgerWriter(path) as writer, Leases(ledger, writer) as leases:
            print(await leases.take("a"), flush=True)
            await asyncio.sleep(60)

asyncio.run(main())
"""


@contextmanager
def other_run(*command: str) -> Iterator[subprocess.Popen[str]]:
    """Another process, once it has the lease on `a`."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        yield other


@with_namespaces
async def test_a_run_in_another_namespace_is_waited_for_and_is_no_ghost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two containers on one ledger: process ids of the one say nothing in the other."""
    monkeypatch.setattr("factmark.ledger.leases._BEAT", 0.05)
    path = tmp_path / "l.sqlite"
    beating = f"import factmark.ledger.leases as l\nl._BEAT = 0.05\n{RUN}"
    with other_run(*NAMESPACE, sys.executable, "-c", beating, str(path)) as other:
        async with leasing(path) as leases:
            for _ in range(12):
                await asyncio.sleep(0.05)
                assert not await leases.take("a")
            other.kill()  # and with it all in the namespace
            await leases.wait("a")
            assert await leases.take("a")


@pytest.mark.skipif(not process_place(), reason="the system tells no boot and namespace")
async def test_a_run_that_is_killed_here_frees_its_leases_at_once(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with other_run(sys.executable, "-c", RUN, str(path)) as other:
        async with leasing(path) as leases:
            assert not await leases.take("a")
            other.kill()
            other.wait()
            assert await leases.take("a")


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
