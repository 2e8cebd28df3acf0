"""Commands in this process, on files in a folder, and servers under names of their own."""

from __future__ import annotations

import contextlib
import lzma
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

import pytest

import factmark.cli.main as command_line
from golden_text import WHOLE, file_text, gist, json_text, normal
from servers.model_server import Running

Done = subprocess.CompletedProcess[str]
KEPT = Path(__file__).parent / "data" / "ledgers_0"
_LEFT_OUT = {"store", "dataspace", "index"}


def called(*arguments: str | Path) -> int:
    """The exit status of a command."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = {number: signal.getsignal(number) for number in numbers}
    try:
        with mock.patch.object(sys, "argv", ["factmark", *map(str, arguments)]):
            command_line.main()
    except SystemExit as end:
        return int(end.code or 0)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return 0


def run(*arguments: object, cwd: Path | None = None, **env: str) -> Done:
    """A command in this process and in a folder, as `subprocess.run` would tell of it."""
    out, err = StringIO(), StringIO()
    width = {"COLUMNS": "100", "NO_COLOR": "1", **env}
    with (
        mock.patch.dict(os.environ, width),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = called(*map(str, arguments))
    return Done(arguments, code, out.getvalue(), err.getvalue())


def kept_ledger(name: str, path: Path) -> Path:
    """Writes a ledger of an earlier version to a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lzma.decompress((KEPT / f"{name}.db.xz").read_bytes()))
    return path


@contextmanager
def known_as(host: str, server: Running) -> Iterator[str]:
    """The base URL of a server under that name: a judge's identity holds the URL, with its port."""
    found, port = socket.getaddrinfo, urlsplit(server.url).port

    def looked_up(name: Any, *arguments: Any, **options: Any) -> Any:
        if name != host:
            return found(name, *arguments, **options)
        return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", port))]

    with mock.patch.object(socket, "getaddrinfo", looked_up):
        yield f"http://{host}/v1"


class Shell:
    """A folder in which commands are run, and the text of all that they did.

    Attributes:
        text: what was run, what it printed and wrote; see `golden_text`.
        names: patterns of what varies, and what stands for it.
    """

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.text = ""
        self.names: dict[str, str] = {}
        self._folder = folder
        self._capsys = capsys

    def run(self, *arguments: str | Path, status: int = 0, brief: bool = False) -> None:
        """Runs a command; what it says and writes becomes part of the text, or gists of files."""
        before = self._files()
        out, err = self._done(arguments, status)
        new = {path: held for path, held in self._files().items() if before.get(path) != held}
        same = [path for path, held in new.items() if out and held == out.encode()]
        told = f"as {same[0]}" if same else self._printed(out)
        command = shlex.join(normal(str(argument), self.names) for argument in arguments)
        self.text += f"$ factmark {command}\nexit {status}\n"
        self.text += f"--- stdout\n{told}\n--- stderr\n{normal(err, self.names)}"
        for path in new:
            held = file_text(self._folder / path, self.names)
            self.text += f"--- {path}\n{gist(held) if brief and not WHOLE else held}\n"
        self.text += "\n"

    def prepare(self, *arguments: str | Path) -> str:
        """Runs a command that is no part of the text; gives its stdout."""
        return self._done(arguments, 0)[0]

    def _done(self, arguments: tuple[str | Path, ...], status: int) -> tuple[str, str]:
        code = called(*arguments)
        out, err = self._capsys.readouterr()
        assert code == status, err
        return out, err

    def _printed(self, out: str) -> str:
        text = normal(out, self.names)
        try:
            return json_text(text)
        except ValueError:
            return "\n".join(line.rstrip() for line in text.splitlines())

    def _files(self) -> dict[Path, bytes]:
        paths = [path.relative_to(self._folder) for path in self._folder.rglob("*")]
        return {
            path: (self._folder / path).read_bytes()
            for path in sorted(paths)
            if not _LEFT_OUT & set(path.parts) and (self._folder / path).is_file()
        }
