"""`--query-timeout`: a query that takes longer is told, with how long it had; others go on."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from shell import run

ANSWER = {
    "head": {"vars": ["x"]},
    "results": {"bindings": [{"x": {"type": "literal", "value": "4"}}]},
}


class SlowEndpoint(BaseHTTPRequestHandler):
    """Answers each query after half a second."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        time.sleep(0.5)
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/sparql-results+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), SlowEndpoint) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_a_query_gets_so_many_seconds(endpoint: str, tmp_path: Path) -> None:
    question = {"id": "q", "category": "c", "question": "How many?", "ground_truth": ["4"]}
    question["sparql"] = "SELECT ?x { ?x ?y ?z }"
    (tmp_path / "b.jsonl").write_text(json.dumps(question) + "\n")
    given = ("groundtruth", "check", "-b", "b.jsonl", "--endpoint", endpoint)
    hasty = run(*given, "--query-timeout", "0.1", cwd=tmp_path)
    assert hasty.returncode == 1
    assert "gave no result within 0.1 s" in hasty.stdout
    patient = run(*given, "--query-timeout", "60", cwd=tmp_path)
    assert (patient.returncode, "1 same" in patient.stdout) == (0, True), patient.stdout
