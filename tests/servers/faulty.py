"""A model's server in a thread of this process, some of whose replies are wrong."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from servers.model_server import Settings, openai_reply
from servers.scripted import running


def completion(asked: dict[str, Any], **changes: Any) -> web.Response:
    """A good reply, with other values for some of its fields."""
    reply = openai_reply(asked, "NOT_SUPPORTED", False, Settings())
    reply["choices"][0]["message"] |= changes.pop("message", {})
    return web.json_response(reply | changes)


FAULTS: dict[str, Callable[[dict[str, Any]], web.Response]] = {
    **{str(status): lambda _, s=status: web.json_response({"error": {"message": "no"}}, status=s)
       for status in (400, 401, 402, 403, 404, 500, 503)},
    "429": lambda _: web.Response(status=429, headers={"Retry-After": "0"}),
    "redirect": lambda _: web.Response(status=302, headers={"Location": "http://localhost:1/"}),
    "cut": lambda asked: web.Response(body=(completion(asked).body or b"")[:60]),
    "no JSON": lambda _: web.Response(body=b"\xff\xfe<html>"),
    "another shape": lambda _: web.json_response({"choices": [[{}], 3]}),
    "deep": lambda _: web.Response(body=b'{"choices":' + b"[" * 200_000),
    "null content": lambda asked: completion(asked, message={"content": None}),
    "content is a number": lambda asked: completion(asked, message={"content": 7}),
    "absurd usage": lambda asked: completion(asked, usage={"prompt_tokens": 10**30}),
    "negative usage": lambda asked: completion(asked, usage={"prompt_tokens": -5}),
    "a long reply": lambda asked: completion(asked, message={"content": "a " * 1_000_000}),
    "escapes": lambda asked: completion(asked, message={"content": "\x1b]0;\x07"}, model="\x1b[2J"),
}  # fmt: skip


@contextmanager
def faulty(kind: str, every: int) -> Iterator[str]:
    """A server in a thread of its own that goes wrong every so often; gives its address."""
    loop, counter, address = asyncio.new_event_loop(), itertools.count(1), []
    ready, end = threading.Event(), asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        asked = await request.json()
        is_fault = next(counter) % every == 0
        return FAULTS[kind](asked) if is_fault else completion(asked)

    async def serve() -> None:
        application = web.Application(client_max_size=2**26)
        application.router.add_post("/{path:.*}", answer)
        async with running(application) as url:
            address.append(url)
            ready.set()
            await end.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield address[0]
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
