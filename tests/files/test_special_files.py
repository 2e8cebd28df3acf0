"""What is neither a file nor a pipe given on purpose is refused; a pipe is read once, as it comes.

A named pipe that nobody writes would hold a reader up for ever, and /dev/urandom has no end: each
case runs in a process of its own, which has to end.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import factmark as fm
from factmark.answers.reading import read_answers
from factmark.errors import InputError, StoreError
from factmark.files.overwriting import check_outputs
from factmark.files.rows import check_file
from factmark.files.text_files import read_text, text_lines
from factmark.files.zip_members import ZippedJson
from factmark.graph_answers.index.building import GraphSource
from factmark.stores.folder import FolderStore

ROWS = [{"query_id": f"Q{n}", "answer": f"Grüße {n}"} for n in range(3)]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
READ = (
    "import sys; from pathlib import Path; from factmark.answers.reading import read_answers; "
    "print(*(a.text for a in read_answers(Path(sys.argv[1])).answers), sep='|')"
)


@pytest.fixture(params=["pipe", "device", "socket"])
def special(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch) -> tuple[Path, str]:
    """A path by a file's name, and the word that a message has for what is there."""
    path = tmp_path / "in.jsonl"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "device":
        path.symlink_to("/dev/urandom")
    else:
        monkeypatch.chdir(tmp_path)  # the name of a socket is short
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(path.name)
    return path, request.param


def test_it_is_refused_whoever_reads_it(special: tuple[Path, str]) -> None:
    path, kind = special
    for read in (read_text, read_answers, check_file, lambda p: next(text_lines(p))):
        with pytest.raises(InputError, match=f"is no file but a {kind}"):
            read(path)
    store = path.rename(path.with_suffix(".ttl"))
    with pytest.raises(StoreError, match="neither a file nor a folder"):
        FolderStore(store)


def test_links_in_a_circle_are_no_traceback(tmp_path: Path) -> None:
    circle = tmp_path / "out"
    circle.symlink_to(circle)
    check_outputs([("--out", circle)], [("the answers", tmp_path / "answers.jsonl")])
    with pytest.raises(InputError, match="would be written over the answers"):
        check_outputs([("--out", circle)], [("the answers", tmp_path / "." / "out")])
    with pytest.raises(InputError, match="cannot be read"):
        read_text(circle)


def test_logs_and_aliases_are_looked_at_too(tmp_path: Path) -> None:
    """They are opened by other ways than the rest."""
    for name in ("log.eval", "aliases.csv"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="is no file but a pipe"):
        ZippedJson(tmp_path / "log.eval")
    with pytest.raises(InputError, match="is no file but a pipe"):
        GraphSource(path=tmp_path, aliases=tmp_path / "aliases.csv").settings(None)


@pytest.mark.parametrize("name", ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_standard_input_is_given_on_purpose(name: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(LINES, encoding="utf-8")
    command = [sys.executable, "-c", READ, name]
    if kind == "pipe":
        done = subprocess.run(command, input=LINES, capture_output=True, text=True, timeout=60)
    else:
        with path.open() as file:
            done = subprocess.run(command, stdin=file, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "Grüße 0|Grüße 1|Grüße 2", done.stderr


def test_a_device_as_standard_input_is_refused() -> None:
    with Path("/dev/urandom").open("rb") as device:
        done = subprocess.run(
            [sys.executable, "-c", READ, "-"],
            stdin=device,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert "InputError: -: is no file but a device" in done.stderr


def test_a_line_is_decoded_before_the_next_is_read() -> None:
    """The writer goes on until nobody listens: the reader must not wait for the pipe's end."""
    write = "import sys\nwhile True: sys.stdout.buffer.write(b'{}\\n\\xff\\xfe\\n' * 1000)"
    with subprocess.Popen(
        [sys.executable, "-c", write], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as writer:
        read = (
            "from pathlib import Path; from factmark.files.text_files import text_lines; "
            "print(len(list(text_lines(Path('-')))))"
        )
        done = subprocess.run(
            [sys.executable, "-c", read],
            stdin=writer.stdout,
            capture_output=True,
            text=True,
            timeout=60,
        )
        writer.kill()
    assert "-, line 2: byte 0xff at offset 3 is not UTF-8" in done.stderr


def test_lines_are_those_of_the_text_wherever_they_end(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes("\ufeffa\r\nb\u2028c\rd\n\n\ufeffe".encode())
    assert list(text_lines(path)) == read_text(path).split("\n")
    path.write_bytes("é\n".encode() * 3 + b"\xe9\n")
    with pytest.raises(InputError, match=r"line 4: byte 0xe9 at offset 9 is not UTF-8"):
        list(text_lines(path))
    assert list(text_lines(path, "latin-1"))[3] == "é"


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_rows_that_are_read_twice_do_not_come_by_a_pipe(name: str) -> None:
    with pytest.raises(InputError, match="read twice, and so not from a pipe"):
        fm.claims(name)
    with pytest.raises(InputError, match="read twice, and so not from a pipe"):
        fm.factscore(name)
