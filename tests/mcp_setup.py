"""MCP servers as processes, for tests."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

FOREIGN = Path(__file__).parent / "servers" / "foreign_mcp.py"
SECONDS = 60.0  # for a server to come up on a busy machine


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def command(*arguments: object) -> str:
    """A command line for a Python program, as a user would write it."""
    return " ".join(f'"{part}"' for part in (sys.executable, *arguments))


@contextmanager
def listening(arguments: Sequence[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program that serves on a port, until the block ends."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as child:
        try:
            _wait(child, port)
            yield child
        finally:
            child.kill()


@contextmanager
def foreign(transport: str, *, port: int | None = None, path: str = "") -> Iterator[str]:
    """How to name the foreign server over a transport; over `http` and `sse` it runs."""
    if transport == "stdio":
        yield command(FOREIGN, "stdio")
        return
    port = port or free_port()
    path = path or {"http": "/mcp", "sse": "/sse"}[transport]
    with listening([str(FOREIGN), transport, str(port), path], port):
        yield f"http://127.0.0.1:{port}{path}"


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def soon_gone(pid: int) -> bool:
    """Whether a process ends within a generous time."""
    return any(gone(pid) or time.sleep(0.02) for _ in range(500))


def _wait(child: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
            return
        assert child.poll() is None, "the server ended"
        time.sleep(0.02)
    raise AssertionError("the server did not come up")
