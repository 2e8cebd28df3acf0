"""Temporary files and folders: gone at the end, and after a kill at a later start."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from factmark.files.temporary import MARK, temporary_folder
from factmark.files.text_files import write_text

HOLDS = """
import sys, time
from pathlib import Path
from factmark.files.temporary import temporary_folder
from factmark.files.text_files import replace_at_end
with temporary_folder() as folder, replace_at_end(Path(sys.argv[1])) as file:
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
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"there\n"
    return process


def test_what_a_kill_left_is_removed_by_a_later_start(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    dead, living = (started(HOLDS, "", str(out / "a.csv")) for _ in range(2))
    with dead:
        dead.kill()
    other = place / "other-program"
    other.mkdir()
    assert (len(list(place.iterdir())), len(list(out.iterdir()))) == (3, 2)
    with temporary_folder() as folder:
        assert len(list(place.iterdir())) == 3  # this one, the living one's, another program's
        write_text(out / "a.csv", "x")
        assert len(list(out.iterdir())) == 2  # the file, and what the living one writes
    assert not folder.exists()
    with living:
        living.kill()
    with temporary_folder():
        write_text(out / "b.csv", "x")
    assert list(place.iterdir()) == [other]
    assert sorted(path.name for path in out.iterdir()) == ["a.csv", "b.csv"]


def old(path: Path, text: str | None = None) -> Path:
    """A folder, or a file with that text, that nobody has touched for a day."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        path.mkdir()
    else:
        path.write_text(text)
    os.utime(path, (0, 0))
    return path


def test_what_is_called_alike_stays(place: Path, tmp_path: Path) -> None:
    """A person's files and folders, however old, in the temporary folder and beside an output."""
    name = f"factmark-{'0' * 32}"
    out = tmp_path / "out"
    kept = [
        old(place / "factmark-results" / "a.csv", "mine"),
        old(place / "factmark-12345678" / "a.csv", "mine"),  # as earlier versions called theirs
        old(place / "factmark-notes.txt", "mine"),
        old(place / name / "a.csv", "mine"),
        old(place / f"factmark-{'1' * 32}"),
        old(place / f"factmark-{'2' * 32}", "mine"),
        old(out / f".{name}" / "a.csv", "mine"),
        old(out / ".a.csv.swp", "an editor's"),
        old(out / ".a.csv.backup" / "a.csv", "mine"),
        old(out / ".a.csv.abcd1234", "mine"),
    ]
    with temporary_folder() as folder:
        kept.append(Path(shutil.copytree(folder.parent, place / f"factmark-{'3' * 32}")) / MARK)
        kept.append(Path(shutil.copytree(folder.parent, place / "factmark-copy")) / MARK)
    marked = place / f"factmark-{'4' * 32}"
    old(tmp_path / "there" / MARK, f"made by factmark: {marked.name}\n")
    kept.append(tmp_path / "there" / MARK)
    marked.symlink_to(tmp_path / "there")
    os.mkfifo(place / f"factmark-{'5' * 32}")
    for folder in (place, out):
        (folder / f"{'.' * (folder == out)}factmark-{'6' * 32}").symlink_to(tmp_path / "nowhere")
    with temporary_folder():
        write_text(out / "a.csv", "x")
    write_text(out / "a.csv", "y")
    assert [path for path in kept if not path.exists()] == []
    assert marked.is_symlink()
    assert (place / f"factmark-{'5' * 32}").is_fifo()


def test_a_link_is_replaced_and_not_what_it_points_to(tmp_path: Path) -> None:
    mine = old(tmp_path / "mine.csv", "mine")
    (tmp_path / "a.csv").symlink_to(mine)
    write_text(tmp_path / "a.csv", "x")
    assert (mine.read_text(), (tmp_path / "a.csv").read_text()) == ("mine", "x")


def test_links_inside_are_removed_and_not_what_they_point_to(place: Path, tmp_path: Path) -> None:
    mine = old(tmp_path / "mine" / "a.csv", "mine")
    with temporary_folder() as folder:
        (folder / "folder").symlink_to(mine.parent)
        (folder / "file").symlink_to(mine)
    assert list(place.iterdir()) == []
    assert mine.read_text() == "mine"


SHORTLY = """
import sys
from pathlib import Path
from factmark.files.temporary import temporary_folder
print("there", flush=True)
for number in range(300):
    with temporary_folder() as folder:
        (folder / "part").write_text(str(number))
        assert (folder / "part").read_text() == str(number)
print("done", flush=True)
"""


def test_processes_side_by_side_take_nothing_from_each_other(place: Path) -> None:
    """Each looks for orphans at every start, while the other makes, marks and removes its own."""
    several = [started(SHORTLY) for _ in range(3)]
    for process in several:
        with process:
            assert process.stdout is not None
            assert process.stdout.read() == b"done\n"
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("at", ["mkdir", "mark"])
def test_a_kill_before_the_mark_leaves_nothing_that_harms(place: Path, at: str) -> None:
    """Between making the folder and marking it: an empty folder stays, which nothing removes."""
    code = f"""
import os, signal
from factmark.files import temporary
def killed(*_):
    print("there", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
temporary.{"try_lock" if at == "mkdir" else "mark"} = killed
with temporary.temporary_folder():
    pass
"""
    with started(code) as process:
        process.wait(60)
    (left,) = place.iterdir()
    assert list(left.iterdir()) == []
    with temporary_folder():
        assert len(list(place.iterdir())) == 2
    assert list(place.iterdir()) == [left]


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


def test_a_process_started_by_nohup_outlives_its_terminal(place: Path) -> None:
    code = COMMAND.format(wait="time.sleep(0.3); print('done', flush=True)")
    with started(code, "trap '' HUP; ") as process:
        process.send_signal(signal.SIGHUP)
        assert process.stdout is not None
        assert process.stdout.readline() == b"done\n"
