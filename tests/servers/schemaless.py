"""A proxy before a model's server that ignores JSON schemas, as many servers do."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError


@contextmanager
def schemaless(base_url: str) -> Iterator[str]:
    """Passes requests on without the form that the reply is to have; gives its base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.pop("response_format", None)
            address = base_url.removesuffix("/v1") + self.path
            json_body = {"Content-Type": "application/json"}
            request = urllib.request.Request(address, json.dumps(asked).encode(), json_body)
            try:
                with urllib.request.urlopen(request) as reply:
                    status, body = reply.status, reply.read()
            except HTTPError as error:
                status, body = error.code, error.read()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
