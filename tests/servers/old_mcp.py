"""A small MCP server of the protocol's older kind: sessions, and JSON answers over HTTP."""

from __future__ import annotations

import json

from aiohttp import web

SESSION = "mcp-session-id"
TOOLS = ("where", "crash")


class OldServer:
    """One tool, `where`, which tells the session and, carelessly, the token.

    Sessions can be forgotten; the tool `crash` cuts the connection.

    Args:
        token: what clients must bring as a bearer token; None for nothing.
        cursor: what each page of tools names as the next one; None for no further page.
    """

    def __init__(self, *, token: str | None = None, cursor: str | None = None) -> None:
        self.token, self.cursor = token, cursor
        self.sessions: list[str] = []
        self.forgotten: set[str] = set()
        self.app = web.Application()
        self.app.router.add_post("/mcp", self._post)

    async def _post(self, request: web.Request) -> web.Response:
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            return web.Response(status=401)
        message = json.loads(await request.text())
        method, number = message["method"], message.get("id")
        if method == "initialize":
            self.sessions.append(f"s{len(self.sessions)}")
            result: object = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "old\x1b[31m", "version": "0"},
            }
            return self._json(number, result, {SESSION: self.sessions[-1]})
        if request.headers.get(SESSION) not in self.sessions:
            return web.Response(status=400)
        if request.headers[SESSION] in self.forgotten:
            return web.Response(status=404)
        if number is None:
            return web.Response(status=202)
        if method == "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]
            return self._json(number, {"tools": tools, "nextCursor": self.cursor})
        if message["params"]["name"] == "where" and not message["params"].get("arguments"):
            echoed = f"{request.headers[SESSION]} {request.headers.get('Authorization', '')}"
            text = {"type": "text", "text": echoed.strip()}
            return self._json(number, {"content": [text]})
        if message["params"]["name"] == "crash" and request.transport:
            request.transport.abort()
        error = {"code": -32602, "message": "no such argument"}
        return web.json_response({"jsonrpc": "2.0", "id": number, "error": error})

    def _json(
        self, number: object, result: object, headers: dict[str, str] | None = None
    ) -> web.Response:
        if isinstance(result, dict):
            result = {key: value for key, value in result.items() if value is not None}
        body = {"jsonrpc": "2.0", "id": number, "result": result}
        return web.json_response(body, headers=headers)
