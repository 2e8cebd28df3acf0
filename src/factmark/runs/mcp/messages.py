"""A message of the protocol from its text, also where that holds half characters."""

from __future__ import annotations

import json
from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, jsonrpc_message_adapter

from factmark.files.text_files import sound


def message_of(text: str) -> SessionMessage | Exception:
    """The message; for an answer that is none, an error in its place; else why it is none.

    Lone surrogates, which JSON can write and the SDK does not read, become U+FFFD: else the
    message would be lost, and who waits for it would wait out its time.
    """
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
    except ValueError as error:
        return _mended(text, error)


def _mended(text: str, error: ValueError) -> SessionMessage | Exception:
    try:
        value = sound(json.loads(text))
    except (ValueError, RecursionError):
        return error
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(value, by_name=False))
    except (ValueError, RecursionError):
        return error if not isinstance(value, dict) else _refused(value, error)


def _refused(value: dict[str, Any], error: ValueError) -> SessionMessage | Exception:
    """An error in place of the answer that the message was to be, if it says to which request."""
    number = value.get("id")
    if "method" in value or isinstance(number, bool) or not isinstance(number, int | str):
        return error
    said = {"code": INVALID_REQUEST, "message": "the answer does not follow the protocol"}
    made = {"jsonrpc": "2.0", "id": number, "error": said}
    return SessionMessage(jsonrpc_message_adapter.validate_python(made, by_name=False))
