"""A server of factmark in a process of its own, and clients that send or read too little."""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMMAND = [sys.executable, "-c", "from factmark.cli.main import main; main()"]
_QUERY = urllib.parse.quote("SELECT * { ?s ?p ?o . ?a ?b ?c } LIMIT 90000")
_TYPE = "Content-Type: application/sparql-query"


@contextmanager
def served(folder: Path, *command: str) -> Iterator[tuple[str, int]]:
    """A server of factmark in a process of its own: its address and process id."""
    process = subprocess.Popen(
        [*COMMAND, "serve", *command], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield next(word for word in line.split() if word.startswith("http")), process.pid
    finally:
        process.kill()
        process.communicate()


def slow_client(url: str, kind: str) -> socket.socket:
    """A client that sends `half a request` or `half a body`, or, from another address, does `no
    reading`."""
    parts = urllib.parse.urlsplit(url)
    head = f"HTTP/1.1\r\nHost: {parts.netloc}\r\n"
    data = {
        "half a request": f"GET {parts.path}?query=ASK",
        "half a body": f"POST {parts.path} {head}{_TYPE}\r\nContent-Length: 9000\r\n\r\nASK",
        "no reading": f"GET {parts.path}?query={_QUERY} {head}\r\n",
    }[kind]
    source = ("127.0.0.2", 0) if kind == "no reading" else None
    client = socket.create_connection((parts.hostname or "", parts.port or 0), None, source)
    client.sendall(data.encode())
    return client
