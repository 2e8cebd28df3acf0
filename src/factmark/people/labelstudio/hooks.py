"""What a server calls when an answer is given or changed: a small page that takes the call.

Every user of the community edition sees a webhook's address, so anybody may call it. A call is
therefore only taken as a hint of which annotation to look at; what counts is read from the server.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import AwareDatetime, TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from typing_extensions import TypedDict  # typing's is not read by pydantic before 3.12

_MOST_BODY = 20_000_000  # bytes: the call holds the task with its source


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationChange:
    """Which annotation was given or changed, and when that was, as the call says."""

    project: int
    task: int
    annotation: int
    at: AwareDatetime


class _Annotation(TypedDict):
    id: int
    task: int
    project: int
    updated_at: AwareDatetime


class _Call(TypedDict):
    annotation: _Annotation


_CALL = TypeAdapter(_Call)


def create_hook_app(secret: str, hear: Callable[[AnnotationChange], None]) -> Starlette:
    """Returns the page as an ASGI app; `hear` is called with each change.

    Args:
        secret: the last part of the path that is called.
    """

    async def take(request: Request) -> Response:
        if not hmac.compare_digest(request.path_params["secret"].encode(), secret.encode()):
            return PlainTextResponse("There is nothing here.\n", 404)
        parts = bytearray()
        try:
            async for part in request.stream():
                parts += part
                if len(parts) > _MOST_BODY:
                    return PlainTextResponse("Too much.\n", 413)
            call = _CALL.validate_json(bytes(parts))["annotation"]
        except (ClientDisconnect, ValidationError):
            return PlainTextResponse("No change of an annotation.\n", 400)
        change = AnnotationChange(
            project=call["project"], task=call["task"], annotation=call["id"], at=call["updated_at"]
        )
        hear(change)  # answered at once: the annotator's own request waits for it
        return PlainTextResponse("ok\n")

    return Starlette(routes=[Route("/factmark/{campaign}/{secret}", take, methods=["POST"])])
