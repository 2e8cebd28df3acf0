"""The result of a tool call as text of bounded length."""

from __future__ import annotations

import json

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    ImageContent,
    ResourceLink,
    TextContent,
)

from factmark.files.text_files import storable


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
