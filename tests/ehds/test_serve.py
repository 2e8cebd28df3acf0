"""`factmark serve` as a process: SPARQL for a plain client, MCP for the official one and ours."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest
from typer.testing import CliRunner

from factmark.ehds.command import serve_app
from factmark.ehds.write import demo_replica
from factmark.errors import FactmarkError
from factmark.stores.open_store import open_store
from later import later
from mcp_setup import SECONDS
from servers.stores import write_store

mcp = later("mcp")
sse = later("mcp.client.sse")


RUN = ["-c", "from factmark.cli.main import main; main()", "serve"]
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, *RUN, *arguments],
        env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def send(process: subprocess.Popen[str], *texts: str) -> None:
    assert process.stdin is not None
    process.stdin.write("".join(texts))
    process.stdin.flush()


def stopped(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str, str]:
    """The status, and what came on stdout and stderr, of a process that was asked to stop."""
    process.send_signal(number)
    out, errors = process.communicate(timeout=SECONDS)
    return process.returncode, out, errors


def test_sparql_until_stopped(tmp_path: Path) -> None:
    with started("sparql", str(write_store(tmp_path / "demo")), "--port", "0") as process:
        line = read_line(process)
        assert line.startswith("Serving demo at http://127.0.0.1:")
        url = f"{line.split()[3]}?query=ASK%7B?s%20?p%20?o%7D"
        with urllib.request.urlopen(url, timeout=20) as reply:
            assert json.load(reply) == {"head": {}, "boolean": True}
        assert stopped(process, signal.SIGTERM) == (0, "", "")


@pytest.fixture(scope="module")
def url(replica: Path) -> Iterator[str]:
    """Of one server over HTTP, which ends as it should."""
    options = ("--http", "127.0.0.1:0", "--allow-host", "lab.example")
    with started("mcp", str(replica), *options) as process:
        line = read_line(process)
        served = re.fullmatch(r"Serving MCP at (http://127\.0\.0\.1:\d+/mcp) \(Ctrl-C.*\)\n", line)
        assert served, line
        yield served[1]
        assert stopped(process, signal.SIGINT) == (0, "", "")


async def ask(client: mcp.Client) -> None:
    assert len((await client.list_tools()).tools) == 7
    answers = await asyncio.gather(
        *(client.call_tool("ehds_get_patients", {"dataset": name}) for name in ("ptsd", "obesity"))
    )
    totals = [one.structured_content["total"] for one in answers if one.structured_content]
    assert totals == [10, 40]
    refused = await client.call_tool("ehds_describe_dataset", {"dataset": "nowhere"})
    assert refused.is_error
    assert "there is no dataset 'nowhere'" in refused.content[0].text


async def test_the_official_client(replica: Path, url: str) -> None:
    parameters = mcp.StdioServerParameters(
        command=sys.executable, args=[*RUN, "mcp", "--stdio", str(replica)], env=ENVIRONMENT
    )
    for server, mode in ((parameters, "auto"), (url, "auto"), (url, "legacy")):
        async with mcp.Client(server, mode=mode) as client:
            await ask(client)
    async with mcp.Client(sse.sse_client(url.replace("/mcp", "/sse"))) as client:
        await ask(client)


async def test_foreign_hosts_and_origins_are_refused(url: str) -> None:
    """Else any page in a browser could have its name point here, and read the data."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with aiohttp.ClientSession() as session:
        for headers, wanted in (
            ({"Host": "evil.example"}, 421),
            ({"Host": "127.0.0.1.evil.example"}, 421),
            ({"Origin": "http://localhost:3000.evil.example"}, 403),
            ({"Host": "LOCALHOST:8000"}, None),
            ({"Origin": "https://evil.example"}, 403),
            ({"Host": "lab.example"}, None),
        ):
            async with session.post(url, json=body, headers=headers) as reply:
                refused = reply.status if reply.status in (403, 421) else None
                assert refused == wanted, headers
        evil = {"Host": "evil.example"}
        async with session.get(url.replace("/mcp", "/sse"), headers=evil) as reply:
            assert reply.status == 421


def message(number: int, method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


HELLO = message(
    1,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "by hand", "version": "1"},
)


def test_stdio_speaks_the_protocol_only_and_ends_with_its_input(replica: Path) -> None:
    asked = message(
        2, "tools/call", name="ehds_search_datasets", arguments={"query": "kidney \ud800"}
    )
    assert "\\ud800" in asked  # half a character, which the SDK alone leaves unanswered
    with started("mcp", str(replica)) as process:
        send(process, HELLO, "no message\n", asked)
        replies = [json.loads(read_line(process)) for _ in range(2)]
        assert replies[0]["result"]["serverInfo"]["name"] == "ehds-connector"
        assert replies[1]["id"] == 2
        assert "kidney" in replies[1]["result"]["content"][0]["text"].casefold()
        assert process.communicate(timeout=SECONDS) == ("", "")
        assert process.returncode == 0
    with started("mcp", str(replica)) as process:
        send(process, HELLO)
        assert "ehds-connector" in read_line(process)
        assert stopped(process, signal.SIGINT) == (0, "", "")


def test_a_client_that_reads_no_more_ends_the_session(replica: Path) -> None:
    with started("mcp", str(replica)) as process:
        send(process, HELLO)
        assert read_line(process)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        send(process, message(2, "tools/list"))
        assert process.wait(timeout=SECONDS) == 0
        assert process.stderr.read() == ""


def test_stopped_while_the_replica_is_built_it_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with started("mcp") as process:
        deadline = time.monotonic() + SECONDS
        while not list(tmp_path.glob("factmark-*/*")):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        status, out, _ = stopped(process, signal.SIGTERM)
        assert (status, out) == (143, "")
    assert list(tmp_path.iterdir()) == []


async def test_without_a_store_the_replica_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmark.ehds.write.DEMO_SCALE", 0.0005)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with demo_replica() as path:
        async with open_store(path=path) as store:
            assert "replica" in store.identity
            assert (await store.query("ASK { ?s ?p ?o }")).boolean
    assert list(tmp_path.iterdir()) == []  # noqa: ASYNC240


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["mcp", "/nowhere/at/all"], "there is no such store"),
        (["mcp", "--endpoint", "http://127.0.0.1:1/sparql"], "cannot be reached"),
        (["mcp", "--http", "8000"], "write HOST:PORT"),
        (["mcp", "REPLICA", "--http", "203.0.113.7:80"], "cannot listen on"),
        (["mcp", "--stdio", "--http", "127.0.0.1:0"], "not both"),
        (["mcp", "--user-env", "X"], "for an --endpoint"),
    ],
)
@pytest.mark.usefixtures("no_waits")
def test_what_cannot_be_served_is_told(replica: Path, arguments: list[str], told: str) -> None:
    given = [str(replica) if argument == "REPLICA" else argument for argument in arguments]
    error = CliRunner().invoke(serve_app, given).exception
    assert isinstance(error, FactmarkError)
    assert told in str(error)
