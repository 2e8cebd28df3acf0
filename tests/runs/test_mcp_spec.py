"""How MCP servers are named, and what becomes of their results."""

from __future__ import annotations

import shlex
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import CallToolResult, EmbeddedResource, TextContent, TextResourceContents

from factmark.ehds.mcp_server import host_and_port, require_mcp
from factmark.errors import InputError
from factmark.runs.mcp.client import cut
from factmark.runs.mcp.connection import whole_text
from factmark.runs.mcp.spec import McpServerSpec


@pytest.mark.parametrize(
    ("text", "transport", "rest", "label"),
    [
        ("https://example.org/mcp", "http", "https://example.org/mcp", "example.org"),
        ("http://127.0.0.1:8000/mcp?x=1", "http", "http://127.0.0.1:8000/mcp?x=1", "127.0.0.1"),
        ("https://example.org/sse", "sse", "https://example.org/sse", "example.org"),
        ("sse+https://example.org/events", "sse", "https://example.org/events", "example.org"),
        ("factmark serve mcp", "stdio", ("factmark", "serve", "mcp"), "factmark"),
        ("'/my tools/run' 'a b'", "stdio", ("/my tools/run", "a b"), "run"),
    ],
)
def test_forms(text: str, transport: str, rest: object, label: str) -> None:
    spec = McpServerSpec.parse(text)
    assert spec.transport == transport
    assert (spec.command if transport == "stdio" else spec.url) == rest
    assert spec.label == label


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "'open",
        "ftp://example.org/x",
        "http://",
        "https://user:pw@example.org/mcp",
        "https://exa mple.org/",
        "http://[::1",
        "http://h:port/",
        "a\0b",
        "sse+http://",
    ],
)
def test_what_names_no_server(text: str) -> None:
    with pytest.raises(InputError) as failure:
        McpServerSpec.parse(text)
    assert "pw" not in str(failure.value)


def test_options_must_fit() -> None:
    with pytest.raises(InputError, match="token_env is for a URL"):
        McpServerSpec.parse("run it", token_env="T")
    with pytest.raises(InputError, match="env is for a server that is started here"):
        McpServerSpec.parse("https://example.org/mcp", env=("A",))
    with pytest.raises(InputError, match="never give the value"):
        McpServerSpec.parse("https://example.org/mcp", token_env="sk-123")


@given(
    st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1)
)
def test_a_command_line_is_read_as_the_shell_would(command: list[str]) -> None:
    try:
        spec = McpServerSpec.parse(shlex.join(command))
    except InputError:
        assert not command[0] or "://" in command[0]
    else:
        assert list(spec.command) == command


def test_what_is_shown_holds_no_secret_and_no_path() -> None:
    spec = McpServerSpec.parse("https://example.org/mcp?api_key=sk-12345678")
    assert spec.shown == "the MCP server https://example.org/mcp"
    assert McpServerSpec.parse("/home/me/bin/tool --key x").shown == "the MCP server tool"


@given(st.text(), st.integers(min_value=1, max_value=200))
def test_cutting(text: str, limit: int) -> None:
    """A cut text is within its limit, begins as the whole does, and tells what is missing."""
    shown = cut(text, limit)
    assert len(shown) <= limit
    if len(text) <= limit:
        assert shown == text
    elif limit >= 60:
        kept, _, note = shown.rpartition("\n")
        assert text.startswith(kept)
        assert note == f"[{len(text) - len(kept):,} more characters were left out]"


def test_text_before_structured_content() -> None:
    text = TextContent(type="text", text="seen")
    assert whole_text(CallToolResult(content=[text], structured_content={"a": 1})) == "seen"
    assert whole_text(CallToolResult(content=[], structured_content={"a": 1})) == '{"a": 1}'
    assert whole_text(CallToolResult(content=[])) == ""
    inner = TextResourceContents(uri="file:///x", text="inside")
    held = EmbeddedResource(type="resource", resource=inner)
    assert whole_text(CallToolResult(content=[text, held])) == "seen\ninside"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("127.0.0.1:8000", ("127.0.0.1", 8000)),
        ("[::1]:1", ("::1", 1)),
        ("lab.example:0", ("lab.example", 0)),
    ],
)
def test_addresses(text: str, wanted: tuple[str, int]) -> None:
    assert host_and_port(text) == wanted


@pytest.mark.parametrize(
    "text", ["", ":80", "host", "host:", "host:x", "::1:80", "h:99999", "a b:1"]
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(InputError):
        host_and_port(text)


def test_without_the_extra_the_install_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(InputError, match=r"pip install 'factmark\[mcp\]'"):
        require_mcp()
