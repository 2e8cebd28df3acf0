"""What holds for every request: host names, the path under a proxy, headers, whose changes count.

A page of another site cannot read or change anything: its name is none of ours (Host), its requests
bear its own origin, the cookie does not go with them, and it does not know the request token.
"""

from __future__ import annotations

import hmac

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factmark.http.addresses import host_name
from factmark.people.page.site import Site

TOKEN_HEADER = "x-factmark-request"  # noqa: S105 - the name of a header
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex",
}


class Guard:
    """An app in front of another: checks the host, takes the prefix off, adds the headers."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        if host_name(Headers(scope=scope).get("host", "")) not in self._site.names:
            refusal = PlainTextResponse("This host name is not served here.\n", 421)
            await refusal(scope, receive, told)
            return
        prefix = self._site.prefix
        if prefix and scope["path"].startswith(f"{prefix}/"):  # proxies keep it, or take it off
            scope = {**scope, "path": scope["path"].removeprefix(prefix)}
        await self._app(scope, receive, told)


def is_ours(request: Request, site: Site, token: str) -> bool:
    """Whether a change was sent by our page: by its origin, and by the token that it was given."""
    headers = request.headers
    origin = headers.get("origin")
    if origin is not None and origin.lower() not in site.origins(headers.get("host", "")):
        return False
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    given = headers.get(TOKEN_HEADER, "")
    return hmac.compare_digest(given.encode(), token.encode())
