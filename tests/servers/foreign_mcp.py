"""An MCP server that is not ours, written with fastmcp: good tools, and tools that misbehave.

`python foreign_mcp.py stdio` or `python foreign_mcp.py http|sse PORT PATH`.
"""

from __future__ import annotations

import asyncio
import base64
import os
import sys

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)

HUGE = 10_000_000
MANY = 25
server = FastMCP("foreign", version="7.1", list_page_size=5)


@server.tool
def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)


@server.tool
def pair(a: int) -> dict[str, int]:
    """Structured content; its text is JSON too."""
    return {"a": a, "double": 2 * a}


@server.tool
def structured_only() -> ToolResult:
    """Structured content without any text."""
    return ToolResult(content=[], structured_content={"größe": 3})


@server.tool
async def slow(seconds: float) -> str:
    """Answers late."""
    await asyncio.sleep(seconds)
    return "at last"


@server.tool
def huge(size: int = HUGE) -> str:
    """Very much text."""
    return "é" * size


@server.tool
def failing() -> str:
    """Fails, and says so."""
    raise ToolError("the well is dry")


@server.tool
def crash() -> str:
    """Ends the server."""
    os._exit(3)


@server.tool
def media() -> list[object]:
    """Everything but text."""
    data = base64.b64encode(bytes(12_345)).decode()
    return [
        TextContent(type="text", text="see:"),
        ImageContent(type="image", data=data, mime_type="image/png"),
        AudioContent(type="audio", data="AAAA", mime_type="audio/wav"),
        ResourceLink(type="resource_link", name="paper", uri="https://example.org/paper"),
        EmbeddedResource(
            type="resource",
            resource=BlobResourceContents(uri="file:///x.bin", blob="AAA=", mime_type="x/y"),
        ),
    ]


@server.tool
def environment(name: str) -> str:
    """The value of an environment variable of the server."""
    return os.environ.get(name, "unset")


@server.tool
def pid() -> str:
    """The server's process id."""
    return str(os.getpid())


def _numbered(number: int) -> None:
    def tool() -> str:
        return f"number {number}"

    server.tool(tool, name=f"numbered_{number:02d}")


for each in range(MANY):
    _numbered(each)


if __name__ == "__main__":
    print("the foreign server starts", file=sys.stderr)
    if sys.argv[1] == "stdio":
        server.run("stdio", show_banner=False)
    else:
        kind, port, path = sys.argv[1:]
        server.run(kind, show_banner=False, host="127.0.0.1", port=int(port), path=path)
