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


def held(target: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", HOLDS, target], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"there\n"
    return process


def aged(*folders: Path) -> None:
    past = time.time() - 3600
    for path in (path for folder in folders for path in folder.iterdir()):
        os.utime(path, (past, past))


def test_what_a_kill_left_is_removed_by_a_later_start(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    dead, living = held(out / "a.csv"), held(out / "a.csv")
    dead.kill()
    dead.wait()
    other = place / "other-program"
    other.mkdir()
    aged(place, out)
    assert (len(list(place.iterdir())), len(list(out.iterdir()))) == (3, 2)
    with temporary_folder() as folder:
        assert len(list(place.iterdir())) == 3  # this one, the living one's, another program's
        write_text(out / "a.csv", "x")
        assert len(list(out.iterdir())) == 2  # the file, and what the living one writes
    assert not folder.exists()
    living.kill()
    living.wait()
    living.stdout.close()  # type: ignore[union-attr]
    dead.stdout.close()  # type: ignore[union-attr]
    aged(place, out)
    with temporary_folder():
        pass
    assert list(place.iterdir()) == [other]


COMMAND = """
import sys, time
from factmark.cli import main
from factmark.files.temporary import temporary_folder
def waits():
    with temporary_folder():
        print("there", flush=True)
        {wait}
main.app = waits
main.main()
"""
WAITS = {
    "plain": "time.sleep(60)",
    "in the event loop": "import asyncio; asyncio.run(asyncio.sleep(60))",
}


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("before", ["", "trap '' INT; exec "])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_told_to_end_cleans_up(
    place: Path, number: signal.Signals, before: str, wait: str
) -> None:
    code = COMMAND.format(wait=WAITS[wait])
    process = subprocess.Popen(
        ["sh", "-c", f'{before or "exec "}"$@"', "sh", sys.executable, "-c", code],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        process.send_signal(number)
        assert process.wait(20) != 0
    assert list(place.iterdir()) == []


def test_nohup_is_heeded(place: Path) -> None:
    code = COMMAND.format(wait="time.sleep(1); print('done', flush=True)")
    process = subprocess.Popen(
        ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", sys.executable, "-c", code],
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        process.send_signal(signal.SIGHUP)
        assert process.stdout.readline() == b"done\n"
