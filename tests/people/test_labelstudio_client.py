"""The client against a server that answers as it is told: all that can go wrong on the wire."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from factmark.errors import EndpointError, InputError
from factmark.http.retries import RetryPolicy
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.http import LostAnswerError
from judging_setup import at_once
from servers.scripted import Answer, Scripted, running, says, scripted

LEGACY = "0123456789abcdef0123456789abcdef01234567"
QUICK = RetryPolicy(attempts=3, sleep=at_once)
ME = {"id": 1, "email": "a@example.org"}
PROJECT = {"id": 7, "title": "P", "created_at": "2026-01-01T00:00:00Z"}
NEW = {"title": "Ada", "description": "", "label_config": "<View/>"}

Use = Callable[[LabelStudio], Awaitable[Any]]


def jwt(mark: str = "mark") -> str:
    """A token; its signature is not looked at."""
    parts = ({"alg": "none", "mark": mark}, {"iat": 1000.0, "exp": 1300.0})
    texts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in parts]
    return ".".join([*(text.rstrip("=") for text in texts), "signature"])


def tells(value: Any, **options: Any) -> Answer:
    return says(json.dumps(value), media="application/json", **options)


async def cut_off(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"release": "1.')
    assert request.transport is not None
    request.transport.abort()
    return response


def client(server: Scripted, token: str = LEGACY, **options: Any) -> LabelStudio:
    return LabelStudio(
        server.url.removesuffix("/sparql"), token, **({"retry": QUICK, "timeout": 10.0} | options)
    )


async def fails(use: Use, *script: Answer, **options: Any) -> tuple[EndpointError, Scripted]:
    """The error that a use of the client ends in, which shows no token, and the server."""
    async with scripted(*script) as server, client(server, **options) as studio:
        with pytest.raises(EndpointError) as caught:
            await use(studio)
    text = str(caught.value)
    assert server.url.removesuffix("/sparql") in text
    assert LEGACY not in text
    assert "\n" not in text
    assert len(text) < 700
    return caught.value, server


async def hang(request: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError("never")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (cut_off, "broke off in the middle"),
        (tells({"detail": "down"}, status=502), "502: down"),
        (tells({"detail": "locked"}, status=500), "500: locked"),
    ],
)
async def test_reading_is_tried_again(answer: Answer, said: str) -> None:
    async with scripted(answer, answer, tells(ME)) as server, client(server) as studio:
        assert (await studio.me()).email == "a@example.org"
    error, server = await fails(LabelStudio.me, answer)
    assert said in str(error)
    assert "gave up after 3 attempts" in str(error)
    assert len(server.requests) == 3


async def test_a_server_that_hangs_is_given_up() -> None:
    error, _ = await fails(LabelStudio.me, hang, timeout=0.1)
    assert "no complete answer within 0.1 s (gave up after 3 attempts)" in str(error)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (says("<title>Welcome</title>", media="text/html"), "no complete JSON: Welcome"),
        (says('{"release": "1.2', media="application/json"), "no complete JSON"),
        (tells({"edition": "Community"}), "id: Field required"),
        (tells([1]), "JSON of another kind"),
        (tells({"detail": f"Invalid token {LEGACY}."}, status=401), "token, at Account"),
        (tells({"detail": "legacy off"}, status=401), "legacy tokens off"),
        (tells({"detail": "no"}, status=403), "may not do this"),
        (tells({"detail": "no"}, status=404), "not there (any more)"),
        (tells({"validation_errors": {"title": ["too long"]}}, status=400), "too long"),
    ],
)
async def test_an_answer_that_is_no_good_is_told_at_once(answer: Answer, said: str) -> None:
    error, server = await fails(LabelStudio.me, answer)
    assert said in str(error)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [cut_off, tells({}, status=500), tells({}, status=504), tells({}), says("<html>")],
    ids=["cut off", "500", "504", "nothing in it", "html"],
)
async def test_what_may_have_been_made_is_not_made_again(answer: Answer) -> None:
    for use in (
        lambda studio: studio.create_project(**NEW),
        lambda studio: studio.import_tasks(1, [{"a": 1}]),
    ):
        error, server = await fails(use, answer)
        assert isinstance(error, LostAnswerError)
        assert len(server.requests) == 1


async def test_what_was_certainly_not_made_is_tried_again() -> None:
    busy = tells({"detail": "busy"}, status=503)
    async with scripted(busy, busy, tells(PROJECT)) as server, client(server) as studio:
        assert (await studio.create_project(**NEW)).id == 7
    async with running(web.Application()) as url:
        pass
    async with LabelStudio(url, LEGACY, retry=QUICK) as studio:
        with pytest.raises(EndpointError, match=r"cannot be reached.*Is the server") as caught:
            await studio.create_project(**NEW)
    assert not isinstance(caught.value, LostAnswerError)


async def test_a_token_does_not_follow_a_redirect() -> None:
    async with scripted(tells(ME)) as other:
        away = tells({}, status=302, Location=f"{other.url}?next=x")
        error, _ = await fails(LabelStudio.me, away)
    assert f"redirects to {other.url}, which is not followed" in str(error)
    assert other.requests == []


async def test_a_path_prefix_is_kept() -> None:
    async with scripted(tells(ME), tells({"invite_url": "/user/signup/?token=x"})) as server:
        root = server.url.removesuffix("sparql")
        async with LabelStudio(f"{root}label/", LEGACY, retry=QUICK) as studio:
            await studio.me()
            assert await studio.invite_link() == f"{root}label/user/signup/?token=x"
            assert studio.url == f"{root}label"
    assert [request.path for request in server.requests] == [
        "/label/api/current-user/whoami",
        "/label/api/invite",
    ]


@pytest.mark.parametrize("url", ["", "ftp://h", "http://h:port", "http://a:b@h", "http://h/?a=b"])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(InputError) as caught:
        LabelStudio(url, LEGACY)
    assert "a:b" not in str(caught.value)


@pytest.mark.parametrize(
    "token", ["", "short", LEGACY[:-1], f"{LEGACY}\r\nX: y", "a.b.c", "ä" * 40]
)
def test_what_is_no_token(token: str) -> None:
    with pytest.raises(InputError, match="neither a legacy token") as caught:
        LabelStudio("http://127.0.0.1", token)
    assert not token or token not in str(caught.value)


def page(total: int, *ids: int) -> Answer:
    return tells({"total": total, "tasks": [{"id": one, "data": {}} for one in ids]})


async def test_tasks_that_change_while_they_are_read_are_read_again() -> None:
    gone = tells({"detail": "Invalid page."}, status=404)
    async with scripted(page(3, 1, 2), gone, page(2, 1, 2)) as server, client(server) as studio:
        assert [task.id for task in await studio.tasks(1)] == [1, 2]
    error, server = await fails(
        lambda studio: studio.tasks(1), page(3, 1, 2), gone, *(page(3, 1, 2), gone) * 2
    )
    assert "change while they are read" in str(error)


async def test_all_pages_of_the_projects() -> None:
    def part(count: int, *ids: int) -> Answer:
        return tells({"count": count, "results": [PROJECT | {"id": one} for one in ids]})

    async with scripted(part(3, 9, 8), part(3, 2)) as server, client(server) as studio:
        assert [project.id for project in await studio.projects()] == [2, 8, 9]
    assert [request.query["page"] for request in server.requests] == ["1", "2"]
    # One more appears while they are read, and pushes another onto the second page.
    script = (part(3, 9, 8), part(4, 8, 2), part(4, 9, 8, 7, 2))
    async with scripted(*script) as server, client(server) as studio:
        assert [project.id for project in await studio.projects()] == [2, 7, 8, 9]


class TestPersonalTokens:
    """A personal token gives access tokens, which live for minutes."""

    async def served(self, refused: int, use: Use) -> tuple[list[str], list[str]]:
        """Tokens fetched and tokens used; the first `refused` requests are answered 401."""
        fetched: list[str] = []
        used: list[str] = []

        async def answer(request: web.Request) -> web.StreamResponse:
            if request.path == "/api/token/refresh/":
                assert "Authorization" not in request.headers
                assert await request.json() == {"refresh": personal}
                fetched.append(jwt(f"access {len(fetched)}"))
                return web.json_response({"access": fetched[-1]})
            used.append(request.headers["Authorization"].removeprefix("Bearer "))
            if len(used) <= refused:
                return web.json_response({"detail": f"expired {used[-1]}"}, status=401)
            return web.json_response(ME)

        personal = jwt("personal")
        async with scripted(answer) as server, client(server, personal) as studio:
            try:
                await use(studio)
            except EndpointError as error:
                text = str(error)
                assert "get a new one" in text
                assert not any(token in text for token in (personal, *fetched))
                used.append("failed")
        return fetched, used

    async def test_one_access_token_serves_for_its_life(self) -> None:
        async def use(studio: LabelStudio) -> None:
            await asyncio.gather(*(studio.me() for _ in range(5)))

        fetched, used = await self.served(0, use)
        assert len(fetched) == 1
        assert used == fetched * 5

    async def test_one_that_is_refused_is_replaced_once(self) -> None:
        fetched, used = await self.served(1, LabelStudio.me)
        assert used == fetched
        assert len(fetched) == 2
        fetched, used = await self.served(9, LabelStudio.me)
        assert used == [*fetched, "failed"]
        assert len(fetched) == 2

    @pytest.mark.parametrize("body", [{}, {"access": 5}, {"access": "x y"}, []])
    async def test_no_access_token(self, body: Any) -> None:
        error, server = await fails(LabelStudio.me, tells(body), token=jwt())
        assert "gave no access token" in str(error)
        assert len(server.requests) == 1
