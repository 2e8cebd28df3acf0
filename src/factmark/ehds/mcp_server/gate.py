"""Who may speak to the MCP server over HTTP: nobody under another name, no other site's page."""

from __future__ import annotations

from collections.abc import Collection
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from factmark.http.addresses import host_name

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class Gate:
    """Refuses DNS rebinding before any route sees the request.

    The SDK's own check compares beginnings of names, and raises after it has refused.

    Args:
        names: in lower case; any port is meant.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app, self._names = app, frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or answers it."""
        refusal = self._refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        if host_name(headers.get("host", "")) not in self._names:
            text = "This name is not served here; see --allow-host."
            return PlainTextResponse(text, HTTPStatus.MISDIRECTED_REQUEST)
        origin = headers.get("origin")
        if origin is not None and not self._is_ours(origin):
            return PlainTextResponse("Pages of other sites are refused.", HTTPStatus.FORBIDDEN)
        return None

    def _is_ours(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme == "http" and host_name(parts.netloc) in self._names
