"""Servers that show whoever asks the secrets that they were given, in every escape: models,
endpoints, embeddings, Label Studio, a proxy; and, as a program, an MCP server over stdio.

    GET or POST /STATUS/FORM/...    answers with that status and the secrets in that form

Status 200 is a reply of a model that has the secrets in all forms.
"""

from __future__ import annotations

import base64
import html
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote


def _each(sign: str) -> Callable[[str], str]:
    """Returns what writes each sign of a text by a format of its number."""
    return lambda text: "".join(sign.format(ord(letter)) for letter in text)


FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "slash": lambda text: text.replace("/", r"\/"),
    "unicode": _each(r"\u{:04x}"),
    "UNICODE": _each(r"\u{:04X}"),
    "one": lambda text: _each(r"\u{:04x}")(text[0]) + text[1:],
    "bytes": _each(r"\x{:02x}"),
    "braces": _each(r"\u{{{:x}}}"),
    "percent": lambda text: quote(text, safe=""),
    "PERCENT": _each("%{:02X}"),
    "percents": _each("%{:02x}"),
    "twice": lambda text: quote(quote(text, safe=""), safe=""),
    "decimal": _each("&#{:d};"),
    "entity": _each("&#x{:x};"),
    "ENTITY": _each("&#x{:X};"),
    "html": lambda text: html.escape(json.dumps(text)),
    "ampersand": lambda text: html.escape(_each("&#{:d};")(text)),
    "json": lambda text: json.dumps(json.dumps(_each(r"\u{:04x}")(text))),
    "both": lambda text: quote(_each(r"\u{:04x}")(text)),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "basic": lambda text: base64.b64encode(f"me:{text}".encode()).decode(),
    "urlsafe": lambda text: base64.urlsafe_b64encode(f"u:{text}".encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "HEX": lambda text: text.encode().hex().upper(),
}
RAW = ("slash", "unicode", "UNICODE", "one")  # what stands so in a JSON text, and is decoded


class _Echo(BaseHTTPRequestHandler):
    """Answers with the secrets that a request has."""

    server: _Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers a request, whatever its method."""
        length = int(self.headers.get("Content-Length") or 0)
        given = self.rfile.read(length).decode("utf-8", "replace")
        words = [given, self.path, unquote(self.path), *map(str, self.headers.values())]
        words += [_decoded(word.rpartition(" ")[2]) for word in words]
        secrets = [secret for secret in self.server.secrets if any(secret in w for w in words)]
        self.server.seen.update(secrets)
        if self.server.refuses:
            self._answer(407, _error(secrets, "plain"), secrets, "plain")
            return
        _, status, form, *_ = [*self.path.split("/"), "", "", ""]
        if status not in ("200", "401", "400", "500", "307"):
            status, form = "401", "slash"
        calls = '"tools": ' in given and '"role": "tool"' not in given
        body = _reply(secrets, calls) if status == "200" else _error(secrets, form)
        if status == "200" and "/sparql" in self.path:
            body = _rows(secrets)
        self._answer(int(status), body, secrets, form)

    do_POST = do_CONNECT = do_PATCH = do_DELETE = do_GET  # noqa: N815  # names of the library

    def _answer(self, status: int, body: bytes, secrets: Sequence[str], form: str) -> None:
        """Sends an answer whose reason and headers have the secrets too."""
        shown = " ".join(FORMS.get(form, str)(secret) for secret in secrets)
        self.send_response(status, f"no {shown}")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Request-Id", shown)
        if status != 200:
            self.send_header("X-SQL-State", shown)
        if status == 307:
            self.send_header("Location", f"http://{shown}")
        if status == 407:
            self.send_header("Proxy-Authenticate", f"Basic realm={shown}")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Logs nothing."""


class _Server(ThreadingHTTPServer):
    """Knows the secrets that it looks for, and those that it was given."""

    daemon_threads = True
    refuses = False

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Echo)
        self.secrets, self.seen = secrets, set[str]()


@contextmanager
def echoing(secrets: Sequence[str], *, refuses: bool = False) -> Iterator[tuple[str, set[str]]]:
    """Serves; yields `127.0.0.1:PORT` and the secrets that came in so far.

    Args:
        refuses: whether it is a proxy that lets nobody through (407).
    """
    server = _Server(secrets)
    server.refuses = refuses
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", server.seen
    finally:
        server.shutdown()
        server.server_close()


def all_forms(secrets: Sequence[str]) -> str:
    """Returns the secrets in all forms."""
    return " ".join(f"[{FORMS[form](secret)}]" for secret in secrets for form in FORMS)


def _reply(secrets: Sequence[str], calls: bool) -> bytes:
    """Returns a reply of a model with the secrets in all forms, as values and as JSON escapes, and
    a call of the tool `look` where one is wanted."""
    raw = " ".join(f"[{FORMS[form](secret)}]" for secret in secrets for form in RAW)
    text = f"The passage says so: @RAW {all_forms(secrets)}\n\nSUPPORTED"
    message: dict[str, object] = {"role": "assistant", "content": text, "reasoning_content": text}
    if calls:
        wanted = {"name": "look", "arguments": json.dumps({"at": text})}
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": wanted}]
    usage = {"prompt_tokens": 10, "completion_tokens": 10}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    reply = {"id": "1", "model": f"m {text}", "choices": [choice], "usage": usage}
    return json.dumps(reply).replace("@RAW", raw).encode()


def _rows(secrets: Sequence[str]) -> bytes:
    """Returns a row of an endpoint whose literal has the secrets in all forms."""
    text = {"type": "literal", "value": f"metformin {all_forms(secrets)}"}
    rows = {"head": {"vars": ["s"]}, "results": {"bindings": [{"s": text}]}}
    return json.dumps(rows).encode()


def _error(secrets: Sequence[str], form: str) -> bytes:
    """Returns an error that names the secrets in a form."""
    shown = " ".join(FORMS.get(form, str)(secret) for secret in secrets)
    if form in RAW:
        return f'{{"error": {{"message": "wrong key {shown}"}}, "detail": "{shown}"}}'.encode()
    return json.dumps({"error": {"message": f"wrong key {shown}"}, "detail": shown}).encode()


def _decoded(text: str) -> str:
    """Returns the text in base64, if it is one."""
    try:
        return base64.b64decode(text).decode("utf-8", "replace")
    except ValueError:
        return ""


def _serve_mcp() -> None:
    """Serves one tool over stdio, which tells the secrets in the environment and the arguments; so
    do its description, the server's name, and stderr."""
    given = [os.environ[name] for name in ("THEIR_API_KEY", "THEIR_TOKEN") if name in os.environ]
    given += sys.argv[2:]
    shown = all_forms(given)
    print(f"started with {shown}", file=sys.stderr, flush=True)
    if "fail" in sys.argv:
        sys.exit(f"cannot start with {given}")
    tool = {"name": "look", "description": f"use {shown}", "inputSchema": {"type": "object"}}
    results = {
        "initialize": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": f"srv {shown}", "version": "1"},
        },
        "tools/list": {"tools": [tool]},
        "tools/call": {"content": [{"type": "text", "text": f"it says {shown}"}]},
    }
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            known = asked["method"] in results
            refusal = {"error": {"code": -32601, "message": f"no such method {shown}"}}
            answer = {"result": results[asked["method"]]} if known else refusal
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)


if __name__ == "__main__":
    _serve_mcp()
