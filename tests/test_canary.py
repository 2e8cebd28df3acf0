"""No secret in any artefact: planted in every place where a user has one, shown back in every
escape by whom it was given to, and looked for in all that the real commands print and write.

Each of `CASES` plants secrets and runs a command as a process; `SINKS` are the places that are
searched. The search undoes escapes in its own way, so that it does not share the faults of what it
tests, and finds a secret by the twelve signs in its middle, so that one that is cut is found too.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import os
import re
import sqlite3
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

import duckdb
import pytest

from campaigns import people, rating_campaign
from factmark.ledger.ledger import Ledger
from servers.echo import FORMS, echoing

SECRETS = {  # by where a user has it; all of another middle
    "openai": "sk-cnry/Ope1+x~Aa0bQ7wE9rT5yU3",
    "anthropic": "sk-ant-cnry/Ant2+xBb0cR8eD7fG6hJ4",
    "own key": "cnry/Own3+yCc1dS9tF8gH7jK5lZ2",
    "header from the environment": "cnry/Hea4+zDd2eT0uG9hJ8kL6xC3",
    "header as given": "cnry/Giv5+aEe3fU1vH0jK9lZ7cV4",
    "proxy password": "cnry/Pro6+bFf4gV2wJ1kL0zX8vB5",
    "base URL password": "cnry-Url7-cGg5hW3xK2lZ1xC9bN6",
    "base URL path": "sk-cnryPat8dHh6jX4yL3zX2cV0nM7",
    "base URL query": "cnry-Que9-eJj7kY5zZ4xC3vB1mQ8",
    "named in the path": "cnry/Nam0+fKk8lZ6aX5cV4bN2qW9",
    "extra as given": "cnry-Ext1-gLl9zX7bC6vB5nM3wE0",
    "extra from the environment": "cnry/Exe2+hMm0xC8cV7bN6mQ4eR1",
    "endpoint password": "cnry-End3-jNn1cV9dB8nM7qW5rT2",
    "endpoint password by name": "cnry/Enn4+kOo2vB0eN9mQ8wE6tY3",
    "endpoint query": "cnry-Enq5-lPp3bN1fM0qW9eR7yU4",
    "endpoint path": "sk-cnryEnp6mQq4nM2gQ1wE0rT8uI5",
    "Label Studio token": "c4a7e1f09b3d5268c4a7e1f09b3d5268a1b2c3d4",
    "Label Studio personal token": "eyCnry7nRr5.eyMid8qW3hR2eT1yU9.iO6pSs6_tT",
    "MCP variable": "cnry/Mcv8+oSs6qW4jT3yU2iO0pA7",
    "MCP argument": "cnry/Mca9+pTt7wE5kY4uI3oP1aS8",
    "MCP token": "cnry/Mct0+qUu8eR6lU5iO4pA2sD9",
    "embeddings key": "cnry/Emb1+rVv9rT7zI6oP5aS3dF0",
    "own function's": "cnry/Fun2+sWw0tY8xO7pA6sD4fG1",
}
CORES = {name: secret[9:21] for name, secret in SECRETS.items()}
PYTHON = "\n".join(
    (
        "import os, urllib.parse",
        "def judge(row):",
        "    key = os.environ['FUNCTION_API_KEY']",
        "    raise RuntimeError(f'wrong key {key} {urllib.parse.quote(key)}')",
    )
)
GRAPH = (
    "id,head,relation,tail,passage\n1,metformin,treats,diabetes,Metformin is given in diabetes.\n"
)
CLAIMS = "id,claim,passage\na,Metformin treats diabetes,Metformin is given in diabetes.\n"
QUESTION = {"id": "q1", "question": "What treats diabetes?", "ground_truth": ["metformin"]}
PASSAGES = '{"id": "1", "text": "Metformin treats diabetes."}\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A command, and the secrets that it is given.

    Attributes:
        words: of the command; in them and in the values of `env` `SERVER` and `PROXY` stand for
            addresses, and `{name}` for a secret.
        sent: those that a server must have got, or the case tests nothing.
        status: how it ends.
        study: a study file that it reads.
    """

    words: str
    env: Mapping[str, str] = field(default_factory=dict)
    sent: tuple[str, ...] = ()
    status: int = 3
    study: str = ""


CLAIMS_BY = "claims judge c.csv --judge openai:m --max-failures 1 --max-calls 3 "
FACTS_BY = "graph factscore g.csv --judge openai:m --max-failures 1 --max-calls 3 "
KEY = {"OPENAI_API_KEY": "{openai}"}
STUDY = """benchmark = "q.jsonl"
[[models]]
model = "openai:m"
base_url = "http://SERVER/200/plain/v1"
key_env = "OWN_KEY"
"""
CASES = {
    "replies": Case(
        words=CLAIMS_BY + "--base-url http://SERVER/200/plain/v1 --key-env OWN_KEY "
        "--header X-A=env:GATEWAY_KEY --header X-B={header%20as%20given} --out o",
        env={"OWN_KEY": "{own key}", "GATEWAY_KEY": "Bearer {header from the environment}"},
        sent=("own key", "header from the environment", "header as given"),
        status=0,
    ),
    **{
        f"errors in {form}": Case(
            words=f"{FACTS_BY} --base-url http://SERVER/{status}/{form}/v1 "
            "--key-env OPENAI_API_KEY --out o",
            env=KEY,
            sent=("openai",),
            status=end,
        )
        for status, form, end in (
            ("401", "slash", 2),
            ("400", "one", 3),
            ("401", "basic", 2),
            ("307", "plain", 2),
        )
    },
    "the Anthropic API": Case(
        words="score answers.jsonl --judge anthropic:m --base-url http://SERVER/401/unicode "
        "--key-env ANTHROPIC_API_KEY --out o --benchmark q.jsonl",
        env={"ANTHROPIC_API_KEY": "{anthropic}"},
        sent=("anthropic",),
        status=2,
    ),
    "a proxy that refuses": Case(
        words=CLAIMS_BY + "--base-url http://model.example.test/v1 --key-env OPENAI_API_KEY "
        "--out o",
        env={**KEY, "HTTP_PROXY": "http://me:{proxy password}@PROXY"},
        sent=("openai", "proxy password"),
        status=2,
    ),
    "a proxy that opens no tunnel": Case(
        words=FACTS_BY + "--base-url https://model.example.test/v1 --key-env OPENAI_API_KEY "
        "--out o",
        env={**KEY, "HTTPS_PROXY": "http://me:{proxy password}@PROXY"},
        sent=("proxy password",),
        status=2,
    ),
    "a proxy that is not there": Case(
        words=FACTS_BY + "--base-url https://model.example.test/v1 --key-env OPENAI_API_KEY "
        "--out o",
        env={**KEY, "HTTPS_PROXY": "http://me:{proxy password}@127.0.0.1:9"},
        status=2,
    ),
    "a key in the base URL's path": Case(
        words=FACTS_BY + "--base-url http://SERVER/{base%20URL%20path}/v1 --out o", status=2
    ),
    "a key in the base URL's query": Case(
        words=FACTS_BY + "--base-url http://SERVER/v1?key={base%20URL%20query} --out o", status=2
    ),
    "a password in the base URL": Case(
        words=FACTS_BY + "--base-url http://me:{base%20URL%20password}@SERVER/v1 --out o", status=2
    ),
    "a key that the path names": Case(
        words=FACTS_BY + "--base-url http://SERVER/200/plain/{{PATH_KEY}}/v1 --out o",
        env={"PATH_KEY": "{named in the path}"},
        sent=("named in the path",),
        status=0,
    ),
    "a key among further fields": Case(
        words=FACTS_BY + "--base-url http://SERVER/200/plain/v1 "
        "--extra api_key={extra%20as%20given} --out o",
        status=2,
    ),
    "a key that a further field names": Case(
        words=FACTS_BY + "--base-url http://SERVER/200/plain/v1 --extra api_key=env:FIELD --out o",
        env={"FIELD": "{extra from the environment}"},
        sent=("extra from the environment",),
        status=0,
    ),
    "an endpoint's password": Case(
        words="score answers.jsonl --benchmark s.jsonl --out o "
        "--endpoint http://me:{endpoint%20password}@SERVER/401/percent/sparql",
        sent=("endpoint password",),
        status=2,
    ),
    "an endpoint's keys": Case(
        words="score answers.jsonl --benchmark s.jsonl --out o --user-env ME --password-env PASS "
        "--endpoint http://SERVER/401/plain/{endpoint%20path}/s?apikey={endpoint%20query}",
        env={"ME": "me", "PASS": "{endpoint password by name}"},
        sent=("endpoint path", "endpoint query", "endpoint password by name"),
        status=2,
    ),
    "an endpoint's rows": Case(
        words="score answers.jsonl --benchmark s.jsonl --out o --user-env ME --password-env PASS "
        "--endpoint http://SERVER/200/plain/{endpoint%20path}/sparql?apikey={endpoint%20query}",
        env={"ME": "me", "PASS": "{endpoint password by name}"},
        sent=("endpoint path", "endpoint query", "endpoint password by name"),
        status=0,
    ),
    "an embedder's key": Case(
        words="claims judge c2.csv --corpus p.jsonl --k 1 --embedder openai:e --out o "
        "--embedder-base-url http://SERVER/401/entity/v1 --embedder-key-env EMBED_KEY",
        env={"EMBED_KEY": "{embeddings key}"},
        sent=("embeddings key",),
        status=2,
    ),
    "Label Studio": Case(
        words="annotate push l.db --url http://SERVER/401/hex",
        env={"LABEL_STUDIO_API_KEY": "{Label Studio token}"},
        sent=("Label Studio token",),
        status=2,
    ),
    "Label Studio by a personal token": Case(
        words="annotate push l.db --url http://SERVER/401/decimal",
        env={"LABEL_STUDIO_API_KEY": "{Label Studio personal token}"},
        sent=("Label Studio personal token",),
        status=2,
    ),
    "a judge of a campaign": Case(
        words="annotate judge l.db --model openai:m --base-url http://SERVER/200/plain/v1 "
        "--key-env OWN_KEY --max-calls 2 --json",
        env={"OWN_KEY": "{own key}"},
        sent=("own key",),
        status=3,
    ),
    "an MCP server": Case(
        words="run study.toml --condition mcp --out o",
        env={
            "OWN_KEY": "{own key}",
            "THEIR_API_KEY": "{MCP variable}",
        },
        sent=("own key",),
        status=0,
        study=STUDY + "[mcp]\nserver = 'PYTHON ECHO --api-key {MCP argument}'\n"
        "env = ['THEIR_API_KEY']\n",
    ),
    "an MCP server that does not start": Case(
        words="run study.toml --condition mcp --out o",
        env={
            "OWN_KEY": "{own key}",
            "THEIR_API_KEY": "{MCP variable}",
        },
        status=2,
        study=STUDY + "[mcp]\nserver = 'PYTHON ECHO --api-key {MCP argument} fail'\n"
        "env = ['THEIR_API_KEY']\n",
    ),
    "an MCP server behind a URL": Case(
        words="run study.toml --condition mcp --out o",
        env={"OWN_KEY": "{own key}", "THEIR_TOKEN": "{MCP token}"},
        sent=("MCP token",),
        status=2,
        study=STUDY + "[mcp]\nserver = 'http://SERVER/500/plain/mcp'\ntoken_env = 'THEIR_TOKEN'\n",
    ),
    "a function of one's own": Case(
        words="claims judge c.csv --judge own:judge --out o",
        env={"FUNCTION_API_KEY": "{own function's}"},
        status=3,
    ),
}
AFTER = {  # what is made of a ledger later, without any secret in the environment
    "replies": (
        "ledger info o/ledger.db",
        "ledger export o/ledger.db all.jsonl",
        "ledger export o/ledger.db all.csv",
        "ledger export o/ledger.db all.parquet",
    ),
    "an MCP server": ("export o/ledger.db --to inspect --out logs",),
}


def _texts_of_ledger(path: Path) -> Iterator[str]:
    """Yields every cell of a ledger, unpacked where it is compressed."""
    with closing(sqlite3.connect(path)) as db:
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'"):
            for row in db.execute(f'SELECT * FROM "{table}"'):
                for cell in row:
                    if isinstance(cell, bytes):
                        try:
                            yield zlib.decompress(cell).decode()
                        except (zlib.error, UnicodeDecodeError):
                            yield cell.decode("latin-1")
                    elif isinstance(cell, str):
                        yield cell


def _texts_of_zip(path: Path) -> Iterator[str]:
    """Yields the members of a zip."""
    with zipfile.ZipFile(path) as opened:
        for name in opened.namelist():
            yield opened.read(name).decode()


def _texts_of_parquet(path: Path) -> Iterator[str]:
    """Yields the rows of a Parquet file."""
    with duckdb.connect() as db:
        yield from map(str, db.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall())


def _bytes_of(path: Path) -> Iterator[str]:
    """Yields a file as it lies on the disk."""
    yield path.read_bytes().decode("latin-1")


SINKS: dict[str, tuple[str, Callable[[Path], Iterator[str]]]] = {  # name -> files, what is read
    "stdout": ("stdout", _bytes_of),
    "stderr": ("stderr", _bytes_of),
    "the ledger's cells": ("*.db", _texts_of_ledger),
    "the ledger's bytes": ("*.db*", _bytes_of),
    "reports": ("*.html", _bytes_of),
    "results as JSON": ("*.json", _bytes_of),
    "tables as CSV": ("*.csv", _bytes_of),
    "tables as Parquet": ("*.parquet", _texts_of_parquet),
    "tables as Markdown": ("*.md", _bytes_of),
    "tables as LaTeX": ("*.tex", _bytes_of),
    "exports as JSON Lines": ("all.jsonl", _bytes_of),
    "logs for Inspect": ("*.eval", _texts_of_zip),
    "all other files": ("*", _bytes_of),
}
INPUTS = {"study.toml", "own.py"}


def _planted(text: str, server: str, proxy: str, quoted: bool) -> str:
    """Returns a text with the addresses and secrets that it names in place."""
    for name, secret in SECRETS.items():
        shown = quote(secret, safe="") if quoted else secret
        text = text.replace(f"{{{name}}}", shown)
    echo = Path(__file__).parent / "servers" / "echo.py"
    for name, value in (
        ("SERVER", server),
        ("PROXY", proxy),
        ("PYTHON", sys.executable),
        ("ECHO", str(echo)),
    ):
        text = text.replace(name, value)
    return text


def _folder(folder: Path) -> None:
    """Writes what the commands read."""
    (folder / "c.csv").write_text(CLAIMS)
    (folder / "c2.csv").write_text("id,claim\na,Metformin treats diabetes\n")
    (folder / "g.csv").write_text(GRAPH)
    (folder / "p.jsonl").write_text(PASSAGES)
    (folder / "q.jsonl").write_text(json.dumps(QUESTION) + "\n")
    query = {**QUESTION, "ground_truth": None, "sparql": "SELECT ?s WHERE { ?s ?p ?o }"}
    del query["ground_truth"]
    (folder / "s.jsonl").write_text(json.dumps(query) + "\n")
    (folder / "answers.jsonl").write_text('{"query_id": "q1", "answer": "Metformin does."}\n')
    (folder / "own.py").write_text(PYTHON)


def _done(words: list[str], folder: Path, env: Mapping[str, str]) -> int:
    """Runs a command in a folder, which keeps what it prints; returns its status."""
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "NO_COLOR": "1", "COLUMNS": "300"}
    if "PYTHONPATH" in os.environ:
        clean["PYTHONPATH"] = os.environ["PYTHONPATH"]
    done = subprocess.run(
        [sys.executable, "-m", "factmark", *words],
        cwd=folder,
        env={**clean, **env},
        capture_output=True,
        timeout=120,
        check=False,
    )
    for name, text in (("stdout", done.stdout), ("stderr", done.stderr)):
        with (folder / name).open("ab") as file:
            file.write(text)
    return done.returncode


@pytest.fixture(scope="module")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which every case has one of its own."""
    return tmp_path_factory.mktemp("canary")


def _run(name: str, root: Path) -> Path:
    """Runs a case in a folder of its own, and checks that it did what it is there for."""
    case, folder = CASES[name], root / str(list(CASES).index(name))
    folder.mkdir()
    _folder(folder)
    if "l.db" in case.words:
        with Ledger(folder / "l.db") as opened:
            rating_campaign(opened, annotators=people("Ada"), documents=1)
    with (
        echoing(list(SECRETS.values())) as (server, seen),
        echoing(list(SECRETS.values()), refuses=True) as (proxy, refused),
    ):
        study = _planted(case.study, server, proxy, quoted=False)
        if study:
            (folder / "study.toml").write_text(study)
        words = [
            _planted(unquote(word), server, proxy, quoted="://" in word).replace("{{", "{")
            for word in case.words.split()
        ]
        words = [word.replace("}}", "}") for word in words]
        env = {
            name: _planted(value, server, proxy, quoted="://" in value)
            for name, value in case.env.items()
        }
        status = _done(words, folder, env)
        sent = seen | refused
    stderr = (folder / "stderr").read_text()
    assert status == case.status, stderr
    assert "Traceback" not in stderr
    assert {SECRETS[secret] for secret in case.sent} <= sent, stderr
    for command in AFTER.get(name, ()):
        assert _done(command.split(), folder, {}) == 0, (folder / "stderr").read_text()
    return folder


def _views(text: str) -> Iterator[str]:
    """Yields a text as it is, and with its escapes undone once, twice and three times."""
    for _ in range(4):
        yield text
        undone = re.sub(
            r"\\+u\{?0*([0-9a-fA-F]{2})\}?|\\+x([0-9a-fA-F]{2})",
            lambda match: chr(int(match[1] or match[2], 16)),
            text,
        )
        undone = re.sub(r"\\+/", "/", html.unescape(unquote(undone)))
        if undone == text:
            return
        text = undone


def _decoded(text: str) -> Iterator[str]:
    """Yields what the long words in a text are in base64 and in hex."""
    for word in re.findall(r"[A-Za-z0-9+/_-]{16,}", text):
        for start in range(4):
            part = word[start:].replace("-", "+").replace("_", "/")
            part = part[: len(part) // 4 * 4]
            try:
                yield base64.b64decode(part).decode("latin-1")
            except binascii.Error:
                continue
    for word in re.findall(r"(?:[0-9a-fA-F]{2}){12,}", text):
        yield bytes.fromhex(word).decode("latin-1")


def _leaks(text: str) -> set[str]:
    """Returns the secrets, by where they were planted, of which a text has the middle."""
    leaks = set[str]()
    for view in _views(text):
        for shown in (view, *_decoded(view)):
            leaks |= {name for name, core in CORES.items() if core in shown}
    return leaks


def _files(folder: Path, pattern: str) -> list[Path]:
    """Returns the files in a folder and below that are no inputs."""
    paths = sorted(folder.rglob(pattern))
    return [path for path in paths if path.is_file() and path.name not in INPUTS]


@pytest.mark.parametrize("form", FORMS)
def test_the_search_finds_each_form(form: str) -> None:
    """A search that finds nothing would pass everything."""
    for name, secret in SECRETS.items():
        assert _leaks(f'{{"error": "key {FORMS[form](secret)} is wrong"}}') == {name}
        assert _leaks(json.dumps({"error": f"key {FORMS[form](secret)}!"})) == {name}


def test_logs_and_tracebacks_pass_the_streams(tmp_path: Path) -> None:
    """What a bug prints, and a library's log, are nobody's messages."""
    secret = SECRETS["own key"]
    program = (
        "import logging, sys\n"
        "from factmark.cli.console import guard_streams\n"
        "from factmark.redaction import add_secret\n"
        f"add_secret({secret!r})\n"
        "guard_streams()\n"
        f"print({secret!r})\n"
        f"logging.warning('%s', {secret!r})\n"
        f"raise ValueError({secret!r})\n"
    )
    path = tmp_path / "bug.py"
    path.write_text(program)
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert "ValueError: ***" in done.stderr
    assert "WARNING:root:***" in done.stderr
    assert done.stdout == "***\n"


@pytest.mark.parametrize("name", CASES)
def test_no_secret_is_printed_or_written(name: str, artefacts: Path) -> None:
    folder = _run(name, artefacts)
    leaks = {
        (sink, path.name): leaked
        for sink, (pattern, texts) in SINKS.items()
        for path in _files(folder, pattern)
        if (leaked := set().union(*map(_leaks, texts(path))))
    }
    assert not leaks


def test_every_sink_was_searched_and_every_place_planted(artefacts: Path) -> None:
    """Runs after the cases: each kind of file was written by one of them."""
    searched = {sink for sink, (pattern, _) in SINKS.items() if _files(artefacts, pattern)}
    assert searched == set(SINKS)
    planted = " ".join(
        unquote(" ".join((case.words, case.study, *case.env.values()))) for case in CASES.values()
    )
    assert [name for name in SECRETS if f"{{{name}}}" not in planted] == []
