"""A judging process is killed at any moment: little is paid again, and the result is the same."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from accounts import NAMESPACE, with_namespaces
from judging_setup import jobs, rows
from servers.model_server import Running, verdict_of

SETUP = Path(__file__).parents[1].joinpath("judging_setup.py")
UNITS, CONCURRENCY = 120, 8


def start(server: Running, ledger: Path, batch: int, *under: str) -> subprocess.Popen[bytes]:
    """A process that judges, under another Python or program where one is named."""
    python = under if under[:1] == (sys.executable,) else (*under, sys.executable)
    numbers = (str(UNITS), str(batch), str(CONCURRENCY))
    return subprocess.Popen([*python, str(SETUP), server.base_url, str(ledger), *numbers])


def kill_after(process: subprocess.Popen[bytes], server: Running, requests: int) -> None:
    """Kills the process once the server was asked so often."""
    deadline = time.monotonic() + 20
    while server.stats()["requests"] < requests and time.monotonic() < deadline:
        time.sleep(0.003)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_killed_again_and_again(server: Running, tmp_path: Path) -> None:
    batch = 4
    ledger, dice = tmp_path / "ledger.sqlite", random.Random(batch)
    server.set(latency=0.02)
    kills, asked = 2, 0
    for _ in range(kills):
        asked += dice.randrange(1, UNITS // batch // 4)
        kill_after(start(server, ledger, batch), server, asked)
        asked = server.stats()["requests"]
    last = start(server, ledger, batch)
    assert last.wait(timeout=30) == 0
    stats = server.stats()
    assert UNITS // batch <= stats["requests"]
    passages = len({unit.item for _, unit in jobs(UNITS)})
    needed = passages * 3  # ten claims: four, four and two
    assert stats["requests"] <= needed + kills * CONCURRENCY
    (calls,) = rows(ledger, "SELECT count(*), count(DISTINCT key), count(cost) FROM calls")
    assert calls[:2] == (needed, needed)
    said = rows(ledger, "SELECT text, label FROM verdicts JOIN units ON id = unit")
    assert sorted(said) == sorted((unit.text, verdict_of(unit.text)) for _, unit in jobs(UNITS))
    assert rows(ledger, "PRAGMA integrity_check") == [("ok",)]


# A process whose clock goes wrong, as another machine's does.
CLOCK = """
import runpy, sys, time
right = time.time
time.time = lambda: right() + {}
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    "other",
    [
        pytest.param((), id="alike"),
        pytest.param((sys.executable, "-c", CLOCK.format(30)), id="clock ahead"),
        pytest.param((sys.executable, "-c", CLOCK.format(-30)), id="clock behind"),
        pytest.param(NAMESPACE, id="another namespace", marks=with_namespaces),
    ],
)
def test_two_processes_pay_once_and_agree(
    server: Running, tmp_path: Path, other: tuple[str, ...]
) -> None:
    ledger = tmp_path / "ledger.sqlite"
    server.set(latency=0.2)  # long enough for the second to come while calls are under way
    first, second = start(server, ledger, 1), start(server, ledger, 1, *other)
    assert (first.wait(timeout=30), second.wait(timeout=30)) == (0, 0)
    assert server.stats()["requests"] == UNITS
    said = rows(ledger, "SELECT text, label FROM verdicts JOIN units ON id = unit")
    assert sorted(said) == sorted((unit.text, verdict_of(unit.text)) for _, unit in jobs(UNITS))
