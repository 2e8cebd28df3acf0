"""An embeddings server over a real socket, as well or badly as it is told.

    with embedding_server(dimensions=32, faults=("429",)) as server:
        server.base_url, server.state.requests

A vector follows from the words of a text: each adds to a place that its hash names, so texts that
share words are near each other.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_WORD = re.compile(r"\w+")


@dataclass(slots=True, kw_only=True)
class State:
    """How the server behaves, and what it was asked.

    Attributes:
        faults: what goes wrong, in turn, one per request, before all is well: `429`, `500`,
            `html`, `cut`.
        wrong: what is always wrong: `dimension` (one vector is longer), `fewer`, `nan`, `zero`,
            `text` (no numbers), `index` (one index twice), or nothing.
        shuffled: vectors come in another order, told by their `index`.
        usage: whether tokens are counted.
        key: the only key that is let in; any where empty.
    """

    dimensions: int = 32
    faults: list[str] = field(default_factory=list)
    wrong: str = ""
    shuffled: bool = False
    usage: bool = True
    key: str = ""
    requests: int = 0
    texts: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def vector(text: str, dimensions: int) -> list[float]:
    """The vector of a text."""
    made = [0.0] * dimensions
    for word in _WORD.findall(text.lower()) or [""]:
        made[int.from_bytes(sha256(word.encode()).digest()[:4]) % dimensions] += 1.0
    return made


def payload(state: State, asked: dict[str, Any]) -> dict[str, Any]:
    """What is answered where no fault comes first."""
    rows = [
        {"object": "embedding", "index": place, "embedding": vector(text, state.dimensions)}
        for place, text in enumerate(asked["input"])
    ]
    last = rows[-1]
    if state.wrong == "dimension":
        last["embedding"] = [*last["embedding"], 1.0]
    elif state.wrong == "fewer":
        rows.pop()
    elif state.wrong == "nan":
        last["embedding"][0] = float("nan")
    elif state.wrong == "zero":
        last["embedding"] = [0.0] * state.dimensions
    elif state.wrong == "text":
        last["embedding"] = "AAAA"
    elif state.wrong == "index":
        last["index"] = len(rows) - 2 if len(rows) > 1 else 7
    if state.shuffled:
        rows = rows[1::2] + rows[::2]
    told = {"object": "list", "data": rows, "model": asked["model"]}
    tokens = sum(len(text) // 4 + 1 for text in asked["input"])
    return told | ({"usage": {"prompt_tokens": tokens}} if state.usage else {})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        state = self.server.state
        with state.lock:
            state.requests += 1
            fault = state.faults.pop(0) if state.faults else ""
            state.texts += asked["input"]
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.path != "/v1/embeddings":
            self._send(404, b'{"error": {"message": "no such route"}}')
        elif state.key and given != state.key:
            body = {"error": {"message": f"Incorrect API key provided: {given}"}}
            self._send(401, json.dumps(body).encode())
        elif fault in ("429", "500"):
            self._send(int(fault), b"{}")
        elif fault == "html":
            self._send(200, b"<html><title>Sign in</title></html>")
        else:
            body = json.dumps(payload(state, asked)).encode()
            self._send(200, body[: len(body) // 2] if fault == "cut" else body)

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status == 429:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server in a thread of this process."""

    base_url: str
    state: State


@contextmanager
def embedding_server(**settings: Any) -> Iterator[Running]:
    """Serves on a free port while the block runs."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.state = State(**settings)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Running(base_url=f"http://127.0.0.1:{server.server_port}/v1", state=server.state)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
