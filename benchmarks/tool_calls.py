"""A call of a tool over MCP: through our client, and through the SDK's alone, in turns.

The server is the SDK's with one tool that adds two numbers, so that what is measured is the way
there and back. Then the seven EHDS tools over the demo's replica, within this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from mcp import Client, StdioServerParameters

from factmark.ehds.write import DEMO_SCALE, build_store
from factmark.runs.mcp.client import builtin_tools, open_tools
from factmark.runs.mcp.spec import McpServerSpec
from factmark.stores.open_store import open_store

SERVER = """
import sys
from mcp.server import MCPServer
server = MCPServer("bench", log_level="ERROR")
@server.tool()
def add(a: int, b: int) -> str:
    return str(a + b)
if sys.argv[1] == "stdio":
    server.run("stdio")
else:
    server.run("streamable-http", port=int(sys.argv[1]))
"""
ROUNDS, WARM = 600, 50
BOUNDS = {"stdio": 2.5, "http": 5.0}  # milliseconds, median
EHDS = {
    "ehds_list_datasets": {},
    "ehds_describe_dataset": {"dataset": "diabetes"},
    "ehds_check_policy": {"dataset": "diabetes", "purpose": "commercial"},
    "ehds_search_datasets": {"query": "mental health"},
    "ehds_get_patients": {"dataset": "diabetes"},
    "ehds_get_condition_stats": {"dataset": "diabetes"},
    "ehds_query_clinical": {
        "dataset": "diabetes",
        "query": "SELECT (COUNT(?p) AS ?n) { ?p a fhir:Patient }",
    },
}


async def timed(call: Callable[[], Awaitable[object]]) -> float:
    begun = time.perf_counter()
    await call()
    return (time.perf_counter() - begun) * 1_000


async def in_turns(ours: Callable[[], Awaitable[object]], bare: Callable[[], Awaitable[object]]):
    """Milliseconds of each; whatever else the machine does meets both alike."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(WARM + ROUNDS):
        for kept, call in zip(times, (ours, bare), strict=True):
            took = await timed(call)
            if number >= WARM:
                kept.append(took)
    return times


async def compared(transport: str, text: str, target: object) -> None:
    arguments = {"a": 1, "b": 2}
    async with open_tools(McpServerSpec.parse(text)) as tools, Client(target) as client:
        ours, bare = await in_turns(
            lambda: tools.call("add", arguments), lambda: client.call_tool("add", arguments)
        )
        begun = time.perf_counter()
        await asyncio.gather(*(tools.call("add", arguments) for _ in range(ROUNDS)))
        rate = ROUNDS / (time.perf_counter() - begun)
    own, other = statistics.median(ours), statistics.median(bare)
    late = statistics.quantiles(ours, n=20)[-1]
    print(
        f"{transport}: median {own:.2f} ms (bound {BOUNDS[transport]:g}), p95 {late:.2f} ms; "
        f"SDK alone {other:.2f} ms, ratio {own / other:.2f}; {rate:,.0f} calls a second at once"
    )


async def over_stdio() -> None:
    arguments = ["-c", SERVER, "stdio"]
    line = shlex.join((sys.executable, *arguments))
    await compared("stdio", line, StdioServerParameters(command=sys.executable, args=arguments))


async def over_http() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", SERVER, str(port))
    try:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            await asyncio.sleep(0.05)
        url = f"http://127.0.0.1:{port}/mcp"
        await compared("http", url, url)
    finally:
        server.kill()
        await server.wait()


async def ehds() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replica"
        build_store(path, scale=DEMO_SCALE)
        async with open_store(path=path) as store, builtin_tools(store) as tools:
            for name, arguments in EHDS.items():
                times = [await timed(lambda: tools.call(name, arguments)) for _ in range(31)]  # noqa: B023
                print(f"{name}: median {statistics.median(times[1:]):.1f} ms")


async def main() -> None:
    await over_stdio()
    await over_http()
    await ehds()


if __name__ == "__main__":
    asyncio.run(main())
