"""What a tool call or the start of a server came to, in words of bounded length."""

from __future__ import annotations

import errno
import json

import httpx2
from mcp.shared.exceptions import MCPError
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    ImageContent,
    ResourceLink,
    TextContent,
)

from factmark.errors import EndpointError, FactmarkError, InputError
from factmark.files.text_files import storable
from factmark.runs.mcp.transports import Notes


def whole_text(result: CallToolResult) -> str:
    """All that a result says: its text, or else its structured content; other media are named.

    Half characters (lone surrogates) become question marks.
    """
    parts = [_text(block) for block in result.content]
    structured = result.structured_content
    if structured is not None and not any(
        isinstance(block, TextContent) and block.text for block in result.content
    ):
        parts.append(json.dumps(structured, ensure_ascii=False))
    return storable("\n".join(part for part in parts if part))


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; a last line says how many were left out."""
    if len(text) <= limit:
        return text
    kept = limit
    for _ in range(3):  # the number in the note may need a digit more
        note = f"\n[{len(text) - kept:,} more characters were left out]"
        kept = max(0, limit - len(note))
    return (text[:kept] + note)[:limit]


def _text(block: ContentBlock) -> str:
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ImageContent | AudioContent):
        return _named(block.type, block.data)
    if isinstance(block, ResourceLink):
        return f"[{block.uri}]"
    resource = block.resource
    if isinstance(resource, BlobResourceContents):
        return _named(f"file {resource.uri}", resource.blob)
    return resource.text


def _named(kind: str, data: str) -> str:
    """What a block holds and its size, which base64 tells without decoding it."""
    size = len(data) * 3 // 4 - data[-2:].count("=")
    return f"[{kind}, {max(0, size):,} bytes]"


_SHOWN = 300


def first_cause(error: BaseException) -> BaseException:
    """The first single error within nested groups of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def start_failure(shown: str, error: BaseException, notes: Notes) -> FactmarkError:
    """The error for a server that did not come up."""
    if isinstance(error, FactmarkError):
        return error
    if isinstance(error, OSError) and not isinstance(error, TimeoutError) and error.errno:
        reason = "is not there" if error.errno == errno.ENOENT else f"cannot run ({error.strerror})"
        return InputError(f"{shown}: the command {reason}. Check its spelling and your PATH.")
    words = await notes.last_words() if notes.status == 0 else ""
    said = f" It wrote: {words}" if words else ""
    if notes.status in (401, 403):
        return EndpointError(
            f"{shown} refuses access (HTTP {notes.status}). Name the environment variable that "
            "holds its token, and check the token."
        )
    if isinstance(error, TimeoutError):
        return EndpointError(
            f"{shown} was not ready after {error} s. Give it more time, or check that it speaks "
            f"MCP.{said}"
        )
    if notes.status >= 400:
        return EndpointError(
            f"{shown} answers HTTP {notes.status}. Check the address, path included."
        )
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return EndpointError(f"{shown} cannot be reached ({_line(error)}). Is it running?")
    if isinstance(error, httpx2.HTTPError) or notes.status:
        return EndpointError(f"{shown} does not speak MCP ({_line(error)}). Check the address.")
    if isinstance(error, MCPError) and "closed" in error.error.message.lower():
        return EndpointError(
            f"{shown} ended, or closed its output, before it answered. Run its command by hand "
            f"to see why.{said}"
        )
    return EndpointError(f"{shown} does not speak MCP ({_line(error)}).{said}")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:_SHOWN] or type(error).__name__
