"""The seven EHDS tools over MCP, whose SDK comes as an extra."""

from __future__ import annotations

import importlib.util

from factmark.errors import InputError


def require_mcp() -> None:
    """Raises InputError with the install command where the SDK, version 2 or later, is missing."""
    if importlib.util.find_spec("mcp") is None or importlib.util.find_spec("mcp_types") is None:
        raise InputError(
            "MCP needs the package mcp (2.0 or later), which is not installed: "
            "pip install 'factmark[mcp]'."
        )
