"""Kinds of `torture.py`: special files, forged requests to the page, SPARQL bombs, frames of
falsity."""

from __future__ import annotations

import itertools
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path

from campaigns import summaries
from factmark.graphs.core.evidence import judge_support
from frame_cases import FRAMED, PLAIN
from served_page import Client, fetch, make, rated, revision, served
from servers.stores import RUNAWAY, write_store

Case = tuple[str, str]
COMMAND = (sys.executable, "-c", "from factmark.cli.main import main; main()")

READERS = (
    "score {}.jsonl -b truth.jsonl",
    "score {}.csv -b truth.jsonl",
    "score {}.eval -b truth.jsonl",
    "score answers.jsonl -b {}.jsonl",
    "score answers.jsonl -b truth.jsonl --store {}.ttl",
    "score answers.jsonl -b truth.jsonl --annotations {}.jsonl",
    "score answers.jsonl -b truth.jsonl --ledger {}.db",
    "report {}.db",
    "score answers.jsonl -b truth.jsonl --out {}.d",
    "ledger export {}.db x.csv",
    "graph validity {}.graphml",
    "graph validity {}.ttl",
    "graph validity triples.csv --ontology {}.owl",
    "run {}.toml",
    "graph factscore triples.csv --passages {}.jsonl",
    "graph lookup q triples.csv --aliases {}.csv",
    "serve sparql {}.ttl --port 0",
)


def _socket(path: Path) -> None:
    with chdir(path.parent), socket.socket(socket.AF_UNIX) as opened:
        opened.bind(path.name)


SPECIAL: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/urandom"),
    "a socket": _socket,
    "a circle": lambda path: path.symlink_to(path.name),
    "nothing": lambda path: path.symlink_to("not there"),
}


def special_files(folder: Path, _dice: random.Random) -> Iterator[Case]:
    """What is no file, where a command takes one: told within 30 seconds, and never waited for."""
    running: list[tuple[str, subprocess.Popen[str]]] = []
    for number, (command, (kind, lay)) in enumerate(itertools.product(READERS, SPECIAL.items())):
        words = [word.format(f"in{number}") for word in command.split()]
        lay(folder / next(word for word in words if word.startswith("in")))
        errors = subprocess.PIPE
        process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=folder,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        running.append((f"{command.format(kind)}", process))
        if len(running) == 2:
            yield from map(_ended, running)
            running = []
    yield from map(_ended, running)


def _ended(case: tuple[str, subprocess.Popen[str]]) -> Case:
    name, process = case
    try:
        errors = process.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return name, "it hangs"
    is_new = "nothing" in name and process.returncode == 0  # a link to what it makes
    wrong = "" if process.returncode in (1, 2) or is_new else f"exit status {process.returncode}"
    return name, "a traceback" if "Traceback" in errors else wrong


def forged_requests(_folder: Path, dice: random.Random) -> Iterator[Case]:
    """Requests that the page's own script would not send: refused, and nothing is kept of them."""
    with tempfile.TemporaryDirectory() as place:
        ledger = Path(place) / "l.db"
        make(ledger, summaries(2))
        with served(ledger) as page:
            ada = Client(page, "Ada", "A1")
            rating = revision(ada.keys[0], "1")
            own = {
                "Cookie": ada.cookie,
                "X-Factmark-Request": ada.told["token"],
                "Origin": page.base,
                "Content-Type": "application/json",
            }
            body = json.dumps({"revisions": [rating]}).encode()
            headers = {
                "another origin": {"Origin": "https://evil.example"},
                "no origin of a page": {"Origin": "null"},
                "a guessed token": {"X-Factmark-Request": f"{dice.getrandbits(128):032x}"},
                "no token": {"X-Factmark-Request": ""},
                "a form": {"Content-Type": "application/x-www-form-urlencoded"},
                "plain text": {"Content-Type": "text/plain"},
                "no cookie": {"Cookie": ""},
                "a forged cookie": {"Cookie": ada.cookie[:-4] + "AAAA"},
                "another host": {"Host": "evil.example"},
                "a cross-site fetch": {"Sec-Fetch-Site": "cross-site"},
            }
            for name, changed in headers.items():
                status = fetch(f"{ada.box}save", body, headers=own | changed)[0]
                yield name, "" if 400 <= status < 500 else f"status {status}"
            bodies = {
                "no JSON": b"{",
                "a list": b"[]",
                "deep": b"[" * 200_000,
                "5 MB": b" " * 5_000_000,
                "NUL": body.replace(b"at", b"\0"),
                "half a character": b'{"revisions": ["\\ud800"]}',
                "a unit of nobody": body.replace(ada.keys[0].encode(), b"x" * 32),
                "a long number": b'{"revisions": ' + b"9" * 10_000 + b"}",
            }
            for name, sent in bodies.items():
                try:
                    status = fetch(f"{ada.box}save", sent, headers=own)[0]
                except urllib.error.URLError:  # it hung up before all was sent
                    status = 413
                yield name, "" if 400 <= status < 500 else f"status {status}"
            for path in ("w/A2/tasks", "w/A1%2F..%2FA2/tasks", "static/..%2f..%2fl.db", "w//tasks"):
                status = fetch(f"{page.base}/{path}", headers={"Cookie": ada.cookie})[0]
                yield path, "" if 400 <= status < 500 else f"status {status}"
            yield "what is kept", ", ".join(map(str, rated(ledger)))
            status = fetch(f"{ada.box}save", body, headers=own)[0]
            yield "the page's own request", "" if status == 200 else f"status {status}"


_DOUBLED = " ".join(f"BIND(CONCAT(?x{n}, ?x{n}) AS ?x{n + 1})" for n in range(40))
BOMBS = {
    "a product": RUNAWAY,
    "a text doubled 40 times": f'SELECT (STRLEN(?x40) AS ?n) {{ BIND("x" AS ?x0) {_DOUBLED} }}',
    "a product in order": "SELECT ?t { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i "
    "BIND(CONCAT(STR(?a), STR(?d), STR(?g)) AS ?t) } ORDER BY ?t",
    "a product in a text": 'SELECT (GROUP_CONCAT(?a; separator=",") AS ?t) '
    "{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
    "distinct of a product": "SELECT DISTINCT ?a ?d ?g { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } "
    "OFFSET 900000000",
    "paths": "SELECT (COUNT(*) AS ?n) { ?a (!<urn:x>|^!<urn:x>)* ?b . ?b (!<urn:x>)* ?c . ?c ?p ?d "
    ". ?e ?f ?g }",
    "a regular expression": 'ASK { ?a ?b ?c . ?d ?e ?f FILTER(REGEX(CONCAT(STR(?a), "!"), '
    '"^(([a-z:0-9])+.)+([a-z:0-9])+$")) FILTER(?a = ?f) }',
    "brackets": "SELECT * " + "{" * 20_000 + "}" * 20_000,
    "negations": "ASK { FILTER(" + "!" * 60_000 + "true) }",
    "another server": "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
    "a file": "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
    "an update": "DROP ALL",
}


def sparql_bombs(folder: Path, _dice: random.Random) -> Iterator[Case]:
    """Queries that would take for ever or all memory; clients that leave: the next is served."""
    store = write_store(folder / "store", size=3_000)
    command = [*COMMAND, "serve", "sparql", str(store), "--port", "0", "--timeout", "3"]
    with (folder / "errors").open("w+") as errors:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as server:
            assert server.stdout is not None
            url = next(word for word in server.stdout.readline().split() if "http:" in word)
            try:
                for name, query in BOMBS.items():
                    status = _asked(url, query)
                    yield name, "" if status in (200, 400, 413, 503) else f"status {status}"
                    is_up = _asked(url, "ASK { ?s ?p ?o }") == 200
                    yield f"after {name}", "" if is_up else "it serves no more"
                for length in (2**18 + 1, 10**9, 10**30, -1):
                    reply = _raw(url, f"Content-Length: {length}\r\n\r\nASK")
                    yield f"a body of {length} bytes", "" if b" 4" in reply[:12] else repr(reply)
                for read in (0, 1_000):
                    _raw(url, "\r\n", read=read, query="SELECT * { ?s ?p ?o . ?a ?b ?c }")
                yield "after who hung up", "" if _asked(url, "ASK {}") == 200 else "it is gone"
            finally:
                server.terminate()
        errors.seek(0)
        yield "what it complained of", "a traceback" if "Traceback" in errors.read() else ""


def _asked(url: str, query: str) -> int | str:
    form = urllib.parse.urlencode({"query": query}).encode()
    try:
        with urllib.request.urlopen(url, form, timeout=30) as reply:
            reply.read()
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return str(error)


def _raw(url: str, rest: str, *, read: int = 200, query: str = "") -> bytes:
    """A request by hand; the connection ends by a reset."""
    parts = urllib.parse.urlsplit(url)
    verb = f"GET {parts.path}?query={urllib.parse.quote(query)}" if query else f"POST {parts.path}"
    kind = "Content-Type: application/sparql-query\r\n"
    with socket.create_connection((parts.hostname or "", parts.port or 0), 10) as client:
        client.sendall(f"{verb} HTTP/1.1\r\nHost: {parts.netloc}\r\n{kind}{rest}".encode())
        reply = client.recv(read) if read else b""
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return reply


def frames_of_falsity(_folder: Path, _dice: random.Random) -> Iterator[Case]:
    """What a passage does not assert, as it stands, in lower case, and amid other sentences; and
    what it does in like words."""
    wrapped = ("{}", "We looked into it. {}", "{} Then the patients went home.")
    for (triple, passage), around in itertools.product(FRAMED, wrapped):
        for text in (passage, passage.lower()):
            label = judge_support(triple, around.format(text)).label
            yield f"framed: {around.format(text)}", "" if label is None else f"{label}"
    for triple, passage in PLAIN:
        label = judge_support(triple, passage).label
        yield f"plain: {passage}", "" if label == "SUPPORTED" else f"{label}"
