"""The batch APIs of OpenAI and Anthropic beside a model server, as they are over the wire.

A batch is carried out at once; looks at it tell so after as many as the settings say. What is
asked for at `hang` is carried out too, and never answered: the moment to kill a client.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    from servers.model_server import ModelServer

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
Handler = Callable[[web.Request], Any]


class Batches:
    """The files and batches of one account, which outlive a change of the settings."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._files: dict[str, bytes] = {}
        self._batches: dict[str, dict[str, Any]] = {}
        self._results: dict[str, bytes] = {}
        self._looks: dict[str, int] = {}

    def add_routes(self, app: web.Application) -> None:
        """Puts the two protocols' addresses into an application."""
        for method, path, handler in (
            ("POST", "/v1/files", self._upload),
            ("GET", "/v1/files/{id}/content", self._download),
            ("POST", "/v1/batches", self._create_openai),
            ("POST", "/v1/messages/batches", self._create_anthropic),
            ("GET", "/v1/messages/batches/{id}/results", self._download),
            ("GET", "/v1/batches", self._list),
            ("GET", "/v1/messages/batches", self._list),
            ("GET", "/v1/batches/{id}", self._look),
            ("GET", "/v1/messages/batches/{id}", self._look),
        ):
            app.router.add_route(method, path, self._hanging(f"{method} {path}", handler))

    def _hanging(self, name: str, handler: Handler) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            settings = self._server.settings
            if settings.no_batches:
                return web.json_response({"detail": "Not Found"}, status=404)
            response: web.StreamResponse = await handler(request)
            if settings.loses and name.startswith(settings.loses) and request.transport:
                self._server.settings = replace(settings, loses="")
                request.transport.abort()
            if settings.hang and name.startswith(settings.hang):
                self._server.stats.hanging += 1
                await asyncio.sleep(60)
            return response

        return handle

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        file = form["file"]
        if form["purpose"] != "batch" or not isinstance(file, web.FileField):
            return _refused("purpose must be batch")
        id = f"file-{len(self._files) + 1}"
        self._files[id] = file.file.read()
        return web.json_response({"id": id, "object": "file", "filename": file.filename})

    async def _create_openai(self, request: web.Request) -> web.Response:
        given = await request.json()
        served = {"/v1/chat/completions": "openai", "/v1/responses": "responses"}
        if given["completion_window"] != "24h" or given["endpoint"] not in served:
            return _refused("completion_window and endpoint")
        lines = [json.loads(line) for line in self._files[given["input_file_id"]].splitlines()]
        if any((line["method"], line["url"]) != ("POST", given["endpoint"]) for line in lines):
            return _refused("url of a line")
        calls = {line["custom_id"]: line["body"] for line in lines}
        if why := _odd(calls, len(lines)):
            return _refused(why)
        id = self._made(len(calls), {"object": "batch", "metadata": given.get("metadata")})
        batch = self._batches[id]
        batch["request_counts"] = {"total": len(calls), "completed": 0, "failed": 0}
        if self._server.settings.batch_problem:
            words = self._server.settings.batch_problem
            errors = {"object": "list", "data": [{"code": "token_limit", "message": words}]}
            batch |= {"status": "failed", "errors": errors}
            return web.json_response(batch)
        good, bad = [], []
        for key, body in calls.items():
            entry: dict[str, Any] = {"id": f"r-{key}", "custom_id": key, "error": None}
            status, answer = self._server.carried_out(body, served[given["endpoint"]])
            if status:
                entry["response"] = {"status_code": status, "request_id": "r", "body": answer}
            else:
                entry["error"] = {"code": "batch_expired", "message": "not executed in 24h"}
                entry["response"] = None
            (good if status == 200 else bad).append(entry)
        for name, entries in (("output_file_id", good), ("error_file_id", bad)):
            batch[name] = f"{name}-{id}" if entries else None
            self._results[f"{name}-{id}"] = _jsonl(entries)
        return web.json_response(batch | {"output_file_id": None, "status": "validating"})

    async def _create_anthropic(self, request: web.Request) -> web.Response:
        if request.headers.get("anthropic-version") is None:
            return _refused("anthropic-version: header is required")
        requests = (await request.json())["requests"]
        calls = {call["custom_id"]: call["params"] for call in requests}
        if why := _odd(calls, len(requests)):
            return _refused(why)
        id = self._made(len(calls), {"type": "message_batch"})
        entries = []
        for key, body in calls.items():
            status, answer = self._server.carried_out(body, "anthropic")
            result: dict[str, Any] = {"type": "expired"}
            if status == 200:
                result = {"type": "succeeded", "message": answer}
            elif status:
                result = {"type": "errored", "error": {"type": "error", **answer}}
            entries.append({"custom_id": key, "result": result})
        self._results[id] = _jsonl(entries)
        counts = {"processing": len(calls), "succeeded": 0, "errored": 0, "canceled": 0}
        self._batches[id]["request_counts"] = counts
        return web.json_response(self._batches[id] | {"processing_status": "in_progress"})

    def _made(self, size: int, fields: Mapping[str, Any]) -> str:
        id = f"batch_{len(self._batches) + 1}"
        self._server.stats.batches.append(size)
        self._batches[id] = {"id": id, "created_at": 0, **fields}
        return id

    async def _look(self, request: web.Request) -> web.Response:
        batch = self._batches.get(request.match_info["id"])
        if batch is None:
            return web.json_response({"error": {"message": "no such batch"}}, status=404)
        self._looks[batch["id"]] = self._looks.get(batch["id"], 0) + 1
        return web.json_response(self._shown(batch))

    def _shown(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        """A batch as it stands after the looks that were taken at it."""
        looks, needed = self._looks.get(batch["id"], 0), self._server.settings.batch_looks
        ended = looks > needed
        counts = dict(batch["request_counts"])
        if "object" not in batch:
            total = sum(counts.values())
            done = total if ended else total * looks // (needed + 1)
            counts |= {"processing": total - done, "succeeded": done}
            status = {"processing_status": "ended" if ended else "in_progress"}
            return {**batch, **status, "request_counts": counts, "results_url": "http://10.9.9.9/"}
        counts["completed"] = counts["total"] * min(looks, needed + 1) // (needed + 1)
        status = {"status": batch.get("status") or ("completed" if ended else "in_progress")}
        hidden = {} if ended else {"output_file_id": None, "error_file_id": None}
        return {**batch, **status, "request_counts": counts, **hidden}

    async def _list(self, request: web.Request) -> web.Response:
        mark = "type" if "messages" in request.path else "object"
        rows = [self._shown(b) for b in reversed(self._batches.values()) if mark in b]
        after = request.query.get("after") or request.query.get("after_id")
        ids = [row["id"] for row in rows]
        rows = rows[ids.index(after) + 1 if after in ids else 0 :]
        page = rows[: min(2, int(request.query.get("limit", 20)))]  # pages are short here
        return web.json_response({"data": page, "has_more": len(page) < len(rows)})

    async def _download(self, request: web.Request) -> web.Response:
        return web.Response(body=self._results[request.match_info["id"]])


def _odd(calls: Mapping[str, object], count: int) -> str:
    if len(calls) < count or not all(map(_ID.fullmatch, calls)):
        return "custom_id must be unique and have at most 64 letters"
    return ""


def _jsonl(entries: list[dict[str, Any]]) -> bytes:
    """Lines in another order than they came in, as providers give them."""
    lines = [json.dumps(entry) for entry in reversed(entries)]
    return "\n".join([*lines, '{"custom_id": "broken', ""]).encode()


def _refused(why: str) -> web.Response:
    error = {"type": "invalid_request_error", "message": why}
    return web.json_response({"error": error}, status=400)
