"""`factmark serve mcp` as a process, seen by the official client and by ours."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client

from factmark.ehds.write import DEMO_SCALE, build_store
from factmark.runs.mcp.client import McpServerSpec, open_tools
from mcp_setup import SECONDS, gone

RUN = ["-c", "from factmark.cli.main import main; main()", "serve", "mcp"]
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = Path(tmp_path_factory.mktemp("replica")) / "store"
    build_store(path, scale=DEMO_SCALE)
    return str(path)


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


def url_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.fullmatch(r"Serving MCP at (http://127\.0\.0\.1:\d+/mcp) \(Ctrl-C ends\)\n", line)
    assert found, line
    return found[1]


async def ask(client: Client) -> None:
    assert len((await client.list_tools()).tools) == 7
    answers = await asyncio.gather(
        *(client.call_tool("ehds_get_patients", {"dataset": name}) for name in ("ptsd", "obesity"))
    )
    totals = [one.structured_content["total"] for one in answers if one.structured_content]
    assert totals == [10, 40]
    refused = await client.call_tool("ehds_describe_dataset", {"dataset": "nowhere"})
    assert refused.is_error
    assert "there is no dataset 'nowhere'" in refused.content[0].text


async def test_the_official_client_over_stdio(store: str) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=[*RUN, "--stdio", store], env=ENVIRONMENT
    )
    for mode in ("auto", "legacy"):
        async with Client(parameters, mode=mode) as client:
            await ask(client)


async def test_the_official_client_over_http_and_sse(store: str) -> None:
    with started(store, "--http", "127.0.0.1:0") as process:
        url = url_of(process)
        for mode in ("auto", "legacy"):
            async with Client(url, mode=mode) as client:
                await ask(client)
        async with Client(sse_client(url.replace("/mcp", "/sse"))) as client:
            await ask(client)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, out, errors) == (0, "", "")


async def test_our_client_over_all_three(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
    line = " ".join(f"'{part}'" for part in (sys.executable, *RUN, store))
    with started(store, "--http", "127.0.0.1:0") as process:
        url = url_of(process)
        seen = set()
        for text in (line, url, url.replace("/mcp", "/sse")):
            env = ("PYTHONPATH",) if text == line else ()
            async with open_tools(McpServerSpec.parse(text, env=env)) as tools:
                found = await tools.call("ehds_list_datasets", {})
                assert found.status == "ok"
                assert '"total": 30' in found.text
                seen.add(tools.identity.partition("#")[2])
        assert len(seen) == 1  # the same tools however they are reached


async def test_foreign_hosts_and_origins_are_refused(store: str) -> None:
    """Else any page in a browser could have its name point here, and read the data."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with started(store, "--http", "127.0.0.1:0", "--allow-host", "lab.example") as process:
        url = url_of(process)
        async with aiohttp.ClientSession() as session:
            for headers, wanted in (
                ({"Host": "evil.example"}, 421),
                ({"Host": "localhost:80@evil.example"}, 421),
                ({"Host": "127.0.0.1.evil.example"}, 421),
                ({"Origin": "http://localhost:3000.evil.example"}, 403),
                ({"Host": "LOCALHOST:8000"}, None),
                ({"Origin": "https://evil.example"}, 403),
                ({"Host": "lab.example"}, None),
            ):
                async with session.post(url, json=body, headers=headers) as reply:
                    refused = reply.status if reply.status in (403, 421) else None
                    assert refused == wanted, headers
            async with session.get(
                url.replace("/mcp", "/sse"), headers={"Host": "evil.example"}
            ) as reply:
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


def test_stdio_ends_with_its_input_and_says_nothing_else(store: str) -> None:
    with started(store) as process:
        sent = HELLO + "no message\n" + message(2, "tools/list")
        out, errors = process.communicate(sent, timeout=SECONDS)
        assert process.returncode == 0
        assert errors == ""
        replies = [json.loads(line) for line in out.splitlines()]
        assert replies[0]["result"]["serverInfo"]["name"] == "ehds-connector"


def test_a_request_with_half_a_character_is_answered(store: str) -> None:
    with started(store) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        arguments = {"query": "kidney \ud800"}
        asked = message(2, "tools/call", name="ehds_search_datasets", arguments=arguments)
        assert "\\ud800" in asked
        process.stdin.write(HELLO + asked)
        process.stdin.flush()
        replies = [json.loads(process.stdout.readline()) for _ in range(2)]
        assert replies[1]["id"] == 2
        assert "kidney" in replies[1]["result"]["content"][0]["text"].casefold()


def test_stopped_while_the_replica_is_built_it_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with started() as process:
        deadline = time.monotonic() + SECONDS
        while not list(tmp_path.glob("factmark-*/*")):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, errors) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_a_client_that_reads_no_more_ends_the_session(store: str) -> None:
    with started(store) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(HELLO)
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(message(2, "tools/list"))
        process.stdin.flush()
        assert process.wait(timeout=SECONDS) == 0
        assert process.stderr.read() == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stdio_ends_when_asked_to_and_leaves_nothing(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a store: the replica in a temporary folder, which is gone at the end."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with started() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert "ehds-connector" in process.stdout.readline()
        assert list(tmp_path.iterdir())
        process.send_signal(number)
        process.wait(timeout=SECONDS)
        assert process.returncode == 0
        assert process.stdout.read() == ""
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert list(tmp_path.iterdir()) == []
    assert gone(process.pid)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["/nowhere/at/all"], "there is no store at"),
        (["--endpoint", "http://127.0.0.1:1/sparql"], "cannot be reached"),
        (["--http", "8000"], "write HOST:PORT"),
        (["--http", "127.0.0.1:99999"], "write HOST:PORT"),
        (["--http", "203.0.113.7:80"], "cannot listen on"),
        (["--stdio", "--http", "127.0.0.1:0"], "not both"),
        (["--user-env", "X"], "for an --endpoint"),
    ],
)
def test_what_cannot_be_served_is_told(store: str, arguments: list[str], told: str) -> None:
    given = [store] if "203.0.113.7:80" in arguments else []
    with started(*given, *arguments) as process:
        out, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (2, "")
    assert told in errors
    assert "Traceback" not in errors
