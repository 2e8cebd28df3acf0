"""A command as a process, forked from one that has loaded the package."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from multiprocessing.connection import Connection
from typing import TextIO

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["factmark.cli.annotate", "factmark.people.desk.app"])


def _run(out: Connection, errors: Connection, *arguments: str) -> None:
    from factmark.cli.main import main

    sys.stdout, sys.stderr = (
        os.fdopen(os.dup2(end.fileno(), number), "w", encoding="utf-8", closefd=False)
        for number, end in enumerate((out, errors), 1)
    )
    sys.argv = ["factmark", *arguments]
    main()


class ForkedCommand:
    """What tests use of `subprocess.Popen`, for a command that is started often."""

    def __init__(self, *arguments: str) -> None:
        pipes = [_CONTEXT.Pipe(duplex=False) for _ in range(2)]
        ends = [writing for _, writing in pipes]
        self._process = _CONTEXT.Process(target=_run, args=(*ends, *arguments), daemon=True)
        self._process.start()
        self.stdout, self._errors = (_text(*pipe) for pipe in pipes)

    def __enter__(self) -> ForkedCommand:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()
        self.stdout.close()
        self._errors.close()

    def send_signal(self, number: int) -> None:
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self) -> None:
        self._process.join()

    def communicate(self) -> tuple[str, str]:
        """What it printed since, once it has ended."""
        return self.stdout.read(), self._errors.read()


def _text(reading: Connection, writing: Connection) -> TextIO:
    """The end to read from as a file; the child has its own copy of the other."""
    writing.close()
    with reading:
        return os.fdopen(os.dup(reading.fileno()), encoding="utf-8")
