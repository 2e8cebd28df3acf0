"""A signal ends any command at once, with a line on what is kept; one that is ignored does not."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from factmark.cli import main
from factmark.cli.asking import tell_what_is_kept
from shell import run


def signalled(number: int, ledger: Path | None = None) -> None:
    """A command that is sent a signal while work holds its event loop."""

    async def work() -> None:
        os.kill(os.getpid(), number)
        sum(range(100_000))
        print("went on")

    async def tasks() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(work())

    with tell_what_is_kept(ledger):
        asyncio.run(tasks())


@pytest.fixture(autouse=True)
def command(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The command; nothing but its line tells of its end."""
    monkeypatch.setitem(main.COMMANDS, "signalled", (f"{__name__}:signalled", "Ends."))
    monkeypatch.setattr(logging.getLogger("asyncio"), "disabled", False)
    gc.freeze()  # what other tests left takes a second to look through
    yield
    gc.collect()  # of tasks that nobody waits for, asyncio tells when they are thrown away
    gc.unfreeze()
    assert caplog.text == ""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_a_command_at_once(name: str) -> None:
    number = signal.Signals[name]
    before = signal.signal(number, signal.default_int_handler)  # under nohup, too
    try:
        done = run("signalled", int(number))
    finally:
        signal.signal(number, before)
    assert (done.returncode, done.stdout) == (128 + number, "")
    assert done.stderr == "Interrupted. It was not done; the same command begins again.\n"


@pytest.mark.parametrize("exists", [True, False])
def test_a_ledger_that_is_there_keeps_what_came_in(exists: bool, tmp_path: Path) -> None:
    ledger = tmp_path / "l.db"
    if exists:
        ledger.touch()
    done = run("signalled", int(signal.SIGINT), "--ledger", ledger, cwd=tmp_path)
    assert done.returncode == 130
    assert done.stderr.count("\n") == 1
    assert (f"{ledger} keeps what came in" in done.stderr) is exists


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_that_is_ignored_stays_so(name: str) -> None:
    """As nohup has it, and the background of a script."""
    number = signal.Signals[name]
    before = signal.signal(number, signal.SIG_IGN)
    try:
        done = run("signalled", int(number))
    finally:
        signal.signal(number, before)
    assert (done.returncode, done.stdout) == (0, "went on\n" * 3)
