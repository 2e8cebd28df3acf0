"""Temporary files and folders: gone at the end, and after a kill at a later start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from factmark.files.temporary import temporary_folder
from factmark.files.text_files import write_text

HOLDS = """
import sys, time
from pathlib import Path
from factmark.files.temporary import temporary_folder
from factmark.files.text_files import replacing
with temporary_folder() as folder, replacing(Path(sys.argv[1])) as file:
    (folder / "index").mkdir()
    (folder / "index" / "part").write_text("x")
    print("there", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return place


def started(code: str, before: str = "", *arguments: str) -> subprocess.Popen[bytes]:
    """A program that has said `there`."""
    process = subprocess.Popen(
        ["sh", "-c", f'{before}exec "$@"', "sh", sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == b"there\n"
    return process


def aged(*folders: Path) -> None:
    past = time.time() - 3600
    for path in (path for folder in folders for path in folder.iterdir()):
        os.utime(path, (past, past))


def test_what_a_kill_left_is_removed_by_a_later_start(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    dead, living = (started(HOLDS, "", str(out / "a.csv")) for _ in range(2))
    with dead:
        dead.kill()
    other = place / "other-program"
    other.mkdir()
    aged(place, out)
    assert (len(list(place.iterdir())), len(list(out.iterdir()))) == (3, 2)
    with temporary_folder() as folder:
        assert len(list(place.iterdir())) == 3  # this one, the living one's, another program's
        write_text(out / "a.csv", "x")
        assert len(list(out.iterdir())) == 2  # the file, and what the living one writes
    assert not folder.exists()
    with living:
        living.kill()
    aged(place, out)
    with temporary_folder():
        pass
    assert list(place.iterdir()) == [other]


COMMAND = """
import asyncio, sys, time
from factmark.cli import main
from factmark.files.temporary import temporary_folder
def waits():
    with temporary_folder():
        print("there", flush=True)
        {wait}
main.app = waits
main.main()
"""


@pytest.mark.parametrize(
    ("number", "before", "wait"),
    [
        (signal.SIGTERM, "", "time.sleep(60)"),
        (signal.SIGHUP, "trap '' INT; ", "asyncio.run(asyncio.sleep(60))"),
    ],
)
def test_a_command_that_is_told_to_end_cleans_up(
    place: Path, number: signal.Signals, before: str, wait: str
) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the signal is ignored here, as nohup has it")
    with started(COMMAND.format(wait=wait), before) as process:
        process.send_signal(number)
        assert process.wait(60) != 0
    assert list(place.iterdir()) == []


def test_nohup_is_heeded(place: Path) -> None:
    code = COMMAND.format(wait="time.sleep(0.3); print('done', flush=True)")
    with started(code, "trap '' HUP; ") as process:
        process.send_signal(signal.SIGHUP)
        assert process.stdout is not None
        assert process.stdout.readline() == b"done\n"
