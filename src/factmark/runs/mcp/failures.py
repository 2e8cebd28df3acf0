"""Why an MCP server could not be used, in words that say what to do next."""

from __future__ import annotations

import errno

import httpx2
from mcp.shared.exceptions import MCPError

from factmark.errors import EndpointError, FactmarkError, InputError
from factmark.runs.mcp.transports import Notes

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
