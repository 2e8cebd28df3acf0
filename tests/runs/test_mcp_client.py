"""The MCP client against servers that are not ours, over real processes and sockets."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from factmark.ask.chat import ToolServer
from factmark.errors import EndpointError, FactmarkError, InputError
from factmark.runs.mcp.client import open_tools
from factmark.runs.mcp.spec import McpServerSpec
from mcp_setup import command, foreign, free_port, gone, soon_gone
from servers.old_mcp import OldServer
from servers.scripted import running

NAMES = {"add", "pair", "structured_only", "slow", "huge", "failing", "crash", "media", "pid"}


@pytest.fixture(scope="module", params=["stdio", "http", "sse"])
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    """An old server at a path that does not say so is found by falling back to SSE."""
    with foreign(request.param, path="/events" if request.param == "sse" else "") as text:
        yield text


async def test_a_foreign_server(server: str) -> None:
    """All that a well-behaved server and its odd tools do, in one session: starting one is slow."""
    async with open_tools(McpServerSpec.parse(server), tool_seconds=20, result_chars=500) as tools:
        assert len(tools.tools) == len({*NAMES, "environment"}) + 25  # from seven pages
        assert {tool.name for tool in tools.tools} > NAMES
        assert tools.identity.startswith("mcp:foreign 7.1@")
        assert "/" not in tools.identity.replace("mcp:", "")
        await results(tools)
        await at_once(tools)


async def start(spec: McpServerSpec, seconds: float = 30.0) -> None:
    async with open_tools(spec, start_seconds=seconds):
        pass


async def results(tools: ToolServer) -> None:
    added = await tools.call("add", {"a": 40, "b": 2})
    assert (added.status, added.text, added.size) == ("ok", "42", 2)
    assert added.seconds > 0
    assert (await tools.call("structured_only", {})).text == '{"größe": 3}'
    assert (await tools.call("pair", {"a": 4})).text.replace(" ", "") == '{"a":4,"double":8}'
    failed = await tools.call("failing", {})
    assert (failed.status, failed.text) == ("error", "the well is dry")
    assert (await tools.call("add", {"a": "x"})).status == "error"
    unknown = await tools.call("no_such_tool", {})
    assert unknown.status == "unknown"
    assert "add" in unknown.text
    assert (await tools.call("media", {})).text.splitlines() == [
        "see:",
        "[image, 12,345 bytes]",
        "[audio, 3 bytes]",
        "[https://example.org/paper]",
        "[file file:///x.bin, 2 bytes]",
    ]


async def at_once(tools: ToolServer) -> None:
    """A call that is late and one that returns 10 MB hold up no other."""
    hanging = asyncio.create_task(tools.call("slow", {"seconds": 600}))
    huge = asyncio.create_task(tools.call("huge", {}))
    sums = await asyncio.gather(*(tools.call("add", {"a": i, "b": 1}) for i in range(40)))
    assert [one.text for one in sums] == [str(i + 1) for i in range(40)]
    big = await huge
    assert (big.status, big.size, len(big.text)) == ("ok", 10_000_000, 500)
    assert big.text.endswith("\n[9,999,542 more characters were left out]")
    assert not hanging.done()
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    assert (await tools.call("add", {"a": 1, "b": 1})).text == "2"


async def test_a_late_result_is_a_timeout(server: str, odd: str) -> None:
    named = server.replace("http:", "sse+http:") if server.endswith("/events") else server
    text = named if "http" in named else f"{odd} process"
    async with open_tools(McpServerSpec.parse(text), tool_seconds=1.0) as tools:
        late, good = await asyncio.gather(
            tools.call("slow", {"seconds": 600}), tools.call("pid", {})
        )
        assert late.status == "timeout"
        assert late.text == "slow gave no result within 1 s"
        assert 1 <= late.seconds < 60
        assert good.status == "ok"
        assert (await tools.call("pid", {})).text == good.text


async def test_a_process_that_dies_is_started_again_and_is_gone_at_the_end(odd: str) -> None:
    async with open_tools(McpServerSpec.parse(f"{odd} process"), tool_seconds=30) as tools:
        first = int((await tools.call("pid", {})).text)
        crashed, other = await asyncio.gather(tools.call("slow", {}), tools.call("crash", {}))
        assert (crashed.status, other.status) == ("lost", "lost")
        second = int((await tools.call("pid", {})).text)
        assert first != second
        assert gone(first)
        assert not gone(second)
    assert gone(second)


async def test_a_server_that_comes_back_goes_on_and_one_that_does_not_is_told() -> None:
    async with running(OldServer().app) as base:
        tools_of = open_tools(McpServerSpec.parse(f"{base}/mcp"), tool_seconds=30)
        tools = await tools_of.__aenter__()
        assert (await tools.call("crash", {})).status == "lost"
    async with running(OldServer().app, port=int(base.rpartition(":")[2])):
        assert (await tools.call("where", {})).text == "s0"
        assert (await tools.call("crash", {})).status == "lost"
    for _ in range(2):
        with pytest.raises(EndpointError, match=r"did not come back.*cannot be reached"):
            await tools.call("where", {})
    await tools_of.__aexit__(None, None, None)


async def test_only_the_tools_and_variables_that_are_named(
    odd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIVEN", "yes")
    monkeypatch.setenv("KEPT_SECRET", "sk-12345678")
    spec = McpServerSpec.parse(f"{odd} process", tools=("pid", "environment"), env=("GIVEN",))
    async with open_tools(spec) as tools:
        assert {tool.name for tool in tools.tools} == {"pid", "environment"}
        assert (await tools.call("slow", {})).status == "unknown"
        seen = [
            (await tools.call("environment", {"name": name})).text
            for name in ("GIVEN", "KEPT_SECRET", "PATH")
        ]
    assert seen == ["yes", "unset", os.environ["PATH"]]


async def test_a_session_that_the_server_forgot_is_begun_anew() -> None:
    old = OldServer()
    async with running(old.app) as base:
        async with open_tools(McpServerSpec.parse(f"{base}/mcp")) as tools:
            assert tools.identity.startswith("mcp:old?[31m 0@127.0.0.1#")
            assert (await tools.call("where", {})).text == "s0"
            old.forgotten.add("s0")
            again = await tools.call("where", {})
            assert (again.status, again.text) == ("ok", "s1")
            refused = await tools.call("where", {"x": 1})
            assert refused.status == "error"
            assert "no such argument (code -32602)" in refused.text


async def test_a_token_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    old = OldServer(token="tok-123456789")
    async with running(old.app) as base:
        with pytest.raises(EndpointError, match=r"refuses access \(HTTP 401"):
            await start(McpServerSpec.parse(f"{base}/mcp"))
        spec = McpServerSpec.parse(f"{base}/mcp", token_env="MY_TOKEN")
        with pytest.raises(InputError, match="MY_TOKEN is not set"):
            await start(spec)
        monkeypatch.setenv("MY_TOKEN", "tok-123456789")
        async with open_tools(spec) as tools:
            assert (await tools.call("where", {})).text == "s0 Bearer ***"
            assert "tok-" not in tools.identity


async def test_pages_of_tools_that_never_end_do() -> None:
    async with running(OldServer(cursor="again").app) as base:
        async with open_tools(McpServerSpec.parse(f"{base}/mcp")) as tools:
            assert [tool.name for tool in tools.tools] == ["where", "crash"]


async def fails(
    text: str, match: str, kind: type[FactmarkError] = EndpointError, seconds: float = 30.0
) -> None:
    with pytest.raises(kind, match=match) as failure:
        await asyncio.wait_for(start(McpServerSpec.parse(text), seconds), 60)
    assert str(Path.home()) not in str(failure.value)


async def test_a_key_that_a_dying_server_prints_is_struck_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THEIR_API_KEY", "sk-987654321")
    file = tmp_path / "program.py"
    file.write_text("import os, sys; sys.exit('bad key ' + os.environ['THEIR_API_KEY'])")
    with pytest.raises(EndpointError, match=r"It wrote: bad key \*\*\*$"):
        await start(McpServerSpec.parse(command(file), env=("THEIR_API_KEY",)))


async def test_nothing_there() -> None:
    await fails(f"http://127.0.0.1:{free_port()}/mcp", "cannot be reached")
    await fails(f"http://127.0.0.1:{free_port()}/sse", "cannot be reached")
    await fails("no-such-command --stdio", "no-such-command: the command is not there", InputError)
    await fails("/etc", "cannot run|is not there", InputError)


async def test_what_speaks_no_mcp() -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<h1>hello</h1>", content_type="text/html")

    app = web.Application()
    app.router.add_route("*", "/page", page)
    async with running(app) as base:
        await fails(f"{base}/page", "does not speak MCP")
        await fails(f"sse+{base}/page", "does not speak MCP")
        await fails(f"{base}/nowhere", "answers HTTP 404")


@pytest.mark.parametrize(
    ("script", "match"),
    [
        ("import sys; sys.exit('no licence found')", r"ended.*It wrote: no licence found"),
        ("print('hello, I am no server')", "ended"),
        ("import time; print('{}', flush=True); time.sleep(600)", "was not ready after 2 s"),
    ],
)
async def test_commands_that_are_no_servers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, match: str
) -> None:
    monkeypatch.setattr("factmark.runs.mcp.transports._EXIT_SECONDS", 0.3)
    file = tmp_path / "program.py"
    file.write_text(f"import os; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n")
    file.write_text(file.read_text() + script)
    await fails(command(file), match, seconds=2.0 if "ready" in match else 30.0)
    assert gone(int((tmp_path / "pid").read_text()))


async def test_a_process_that_will_not_go_is_ended(
    odd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that goes on after its input has closed, also when the caller was cancelled."""
    monkeypatch.setattr("factmark.runs.mcp.transports._EXIT_SECONDS", 0.3)
    begun: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def use() -> None:
        async with open_tools(McpServerSpec.parse(f"{odd} stays")) as tools:
            begun.set_result(int((await tools.call("pid", {})).text))
            await tools.call("slow", {"seconds": 600})

    task = asyncio.create_task(use())
    pid = await begun
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gone(pid)


@pytest.fixture
def odd() -> str:
    """A command that a mode makes whole."""
    return command(Path(__file__).parents[1] / "servers" / "odd_mcp.py")


@pytest.mark.parametrize("mode", ["pattern", "reference"])
async def test_a_servers_schema_of_its_results_is_not_run(odd: str, mode: str) -> None:
    async with open_tools(McpServerSpec.parse(f"{odd} {mode}")) as tools:
        found = await asyncio.wait_for(tools.call("t", {}), 60)
        assert (found.status, found.text) == ("ok", "fine")


async def test_a_secret_gets_into_no_identity_description_or_schema(
    odd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THEIR_API_KEY", "sk-987654321")

    def spec(mode: str) -> McpServerSpec:
        return McpServerSpec.parse(f"{odd} {mode}", env=("THEIR_API_KEY",))

    async with open_tools(spec("secret")) as tools:
        first = tools.identity
        (tool,) = tools.tools
        assert tool.description == "use ***"
        assert tool.schema["properties"] == {"a": {"enum": ["***"], "description": "as ***"}}
    with pytest.raises(EndpointError, match="names a tool after a secret"):
        await start(spec("named"))
    monkeypatch.setenv("THEIR_API_KEY", "sk-111111111")
    async with open_tools(spec("secret")) as tools:
        assert tools.identity == first  # the key is not in the digest either


async def test_half_a_character_in_an_answer_loses_no_answer(odd: str) -> None:
    async with open_tools(McpServerSpec.parse(f"{odd} broken"), tool_seconds=20) as tools:
        found = await asyncio.wait_for(tools.call("t", {}), 60)
        assert (found.status, found.text) == ("ok", "fi\ufffdne")


async def test_a_tool_that_is_not_there_is_told(odd: str) -> None:
    with pytest.raises(InputError, match="has no tool 'sub'; it has: t"):
        await start(McpServerSpec.parse(f"{odd} plain", tools=("t", "sub")))


async def test_tools_beyond_the_thousandth_are_told(odd: str) -> None:
    text = f"{odd} many"
    async with open_tools(McpServerSpec.parse(text)) as tools:
        assert len(tools.tools) == 1_000
        assert tools.identity.endswith("+")
    async with open_tools(McpServerSpec.parse(text, tools=("t5",))) as tools:
        assert not tools.identity.endswith("+")
    with pytest.raises(InputError, match=r"'t1000' is not among the first 1,000"):
        await start(McpServerSpec.parse(text, tools=("t1000",)))


async def test_the_size_of_a_result_of_many_blocks(odd: str) -> None:
    async with open_tools(McpServerSpec.parse(f"{odd} blocks"), result_chars=100) as tools:
        found = await tools.call("t", {})
        assert found.size == 30_000 * len("fine\n") - 1
        assert "more characters were left out" in found.text


async def test_children_of_a_server_that_ends_by_itself_are_gone(odd: str) -> None:
    async with open_tools(McpServerSpec.parse(f"{odd} children")) as tools:
        child = int((await tools.call("t", {})).text)
        assert not gone(child)
    assert await asyncio.to_thread(soon_gone, child)


def test_a_server_that_floods_leaves_no_traceback(odd: str) -> None:
    program = (
        "import asyncio\n"
        "from factmark.runs.mcp import transports\n"
        "from factmark.runs.mcp.client import open_tools\n"
        "from factmark.runs.mcp.spec import McpServerSpec\n"
        "transports._EXIT_SECONDS = 0.3\n"
        "async def main():\n"
        f"    spec = McpServerSpec.parse({f'{odd} flood'!r})\n"
        "    async with open_tools(spec) as tools:\n"
        "        print((await tools.call('t', {})).text)\n"
        "asyncio.run(main())\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("fine\n", "")
