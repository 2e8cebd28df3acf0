"""Requests to one Label Studio server: authorised, read to their end, errors made ours."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

import aiohttp
from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # typing's is not read by pydantic before 3.12
from yarl import URL

from factmark import __version__
from factmark.ask.secret import Secret
from factmark.errors import EndpointError, InputError
from factmark.http.reply import TransientError, first_line
from factmark.http.retries import RetryPolicy
from factmark.stores.endpoint import shown

Method = Literal["GET", "POST", "PATCH", "DELETE"]
Query = Mapping[str, str | int]
NO_QUERY: Query = MappingProxyType({})
T = TypeVar("T")


class _Access(TypedDict):
    access: Annotated[str, Field(pattern=r"^[\w-]+\.[\w-]+\.[\w-]+$")]


_ACCESS = TypeAdapter(_Access)

_CONNECT_SECONDS = 10.0
_LONGEST = 256 * 2**20
_LARGE = 100_000  # bytes from which JSON is read in a thread
_NOT_DONE = frozenset({429, 503})  # refused before anything was done


class LostAnswerError(EndpointError):
    """A request that makes something got no usable answer; it may have been carried out."""


class BrokenError(TransientError):
    """The server failed on this very request (500); often it fails again."""


class MissingError(EndpointError):
    """What was asked for is not there (404)."""


class TokenError(EndpointError):
    """The token is wrong, revoked or past its time (401)."""


class UnreadableProjectError(EndpointError):
    """The server fails on a project's list of tasks, whatever page is asked for."""


class _NotSentError(TransientError):
    """The request was certainly not carried out."""


class StudioTransport:
    """Sends requests to one server. Use it in one event loop, and close it.

    Args:
        url: http or https, a path prefix allowed, no credentials and no query string.
        token: a legacy token (40 hex digits) or a personal one (a JWT).
        timeout: seconds for one request.
        retry: how failures that may pass are repeated.

    Raises:
        InputError: the URL or the token cannot be one.
    """

    def __init__(self, url: str, token: str, *, timeout: float, retry: RetryPolicy) -> None:
        self.url = _address(url)
        self._kind = kind_of(token.strip())
        self._token = Secret(token.strip())
        self._access: Secret | None = None  # what a personal token gave; good for 5 minutes
        self._renewing = asyncio.Lock()
        self._timeout, self._retry = timeout, retry
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def ask(
        self,
        method: Method,
        path: str,
        form: TypeAdapter[T],
        *,
        body: Any = None,
        once: bool = False,
        query: Query = NO_QUERY,
    ) -> T:
        """What the server answered, checked.

        GET, PATCH and DELETE are tried again after a failure that may pass; POST only where it was
        certainly not carried out.

        Args:
            path: from the server's root, with a slash at its start.
            form: what the answer has to be.
            body: sent as JSON.
            once: whether a 500 is told at once.

        Raises:
            BrokenError: the server failed (500), in all attempts.
            LostAnswerError: a POST may or may not have been carried out.
            EndpointError: anything else that is no good answer.
        """
        data = await self.send(method, path, body=body, once=once, query=query)
        where = self._where(path)
        try:
            if len(data) < _LARGE:
                return form.validate_json(data)
            return await asyncio.to_thread(form.validate_json, data)
        except ValidationError as error:
            kind = LostAnswerError if method == "POST" else EndpointError
            raise kind(f"{where} {_unlike(error, data)}") from None

    async def send(
        self,
        method: Method,
        path: str,
        *,
        body: Any = None,
        once: bool = False,
        query: Query = NO_QUERY,
    ) -> bytes:
        """The body of a good answer; see `ask`."""
        for attempt in itertools.count(1):
            try:
                return await self._authorised(method, path, body, query)
            except TransientError as error:
                final = once and isinstance(error, BrokenError)
                safe = method != "POST" or isinstance(error, _NotSentError)
                wait = None if final else self._retry.wait(attempt, error.retry_after)
                if not safe:
                    raise LostAnswerError(
                        f"{error}. It may have been carried out all the same: look before you "
                        "send it again."
                    ) from error
                if wait is None:
                    tries = "1 attempt" if attempt == 1 else f"{attempt} attempts"
                    kind = BrokenError if isinstance(error, BrokenError) else EndpointError
                    raise kind(f"{error} (gave up after {tries})") from error
            await self._retry.sleep(wait)
        raise AssertionError("the loop ends by returning or raising")

    async def close(self) -> None:
        """Closes the connections."""
        for session in self._sessions.values():
            await session.close()

    async def _authorised(self, method: Method, path: str, body: Any, query: Query) -> bytes:
        """One request; a second one with a new access token where the first was refused (401)."""
        if self._kind == "legacy":
            header = f"Token {self._token.reveal()}"
            return self._judged(*await self._exchange(method, path, body, query, header), path)
        access = await self._renew(None)
        for turn in range(2):
            header = f"Bearer {access.reveal()}"
            status, data, after = await self._exchange(method, path, body, query, header)
            if status != 401 or turn:
                break
            access = await self._renew(access)  # past its time, or the server's secret changed
        return self._judged(status, data, after, path)

    async def _renew(self, refused: Secret | None) -> Secret:
        """The access token; a new one where there is none, or where that one was refused."""
        async with self._renewing:
            if self._access is None or self._access is refused:
                self._access = await self._renewed()
            return self._access

    async def _renewed(self) -> Secret:
        path = "/api/token/refresh/"
        try:
            status, data, after = await self._exchange(
                "POST", path, {"refresh": self._token.reveal()}, NO_QUERY, ""
            )
        except TransientError as error:  # asking for a token twice does no harm
            raise _NotSentError(str(error)) from error
        if status >= 500:
            raise _NotSentError(f"{self._where(path)} answered {status}: {first_line(data)}", after)
        data = self._judged(status, data, after, path)
        try:
            return Secret(_ACCESS.validate_json(data)["access"])
        except ValidationError:
            raise EndpointError(f"{self._where(path)} gave no access token") from None

    async def _exchange(
        self,
        method: Method,
        path: str,
        body: Any,
        query: Query,
        authorization: str,
    ) -> tuple[int, bytes, str | None]:
        """Status, body and Retry-After of one answer, whatever it is; no redirect is followed."""
        where = self._where(path)
        try:
            async with asyncio.timeout(self._timeout):
                return await self._read(method, path, body, query, authorization)
        except TimeoutError as error:
            raise TransientError(
                f"{where} gave no complete answer within {self._timeout:g} s"
            ) from error
        except aiohttp.ClientSSLError as error:
            raise EndpointError(f"{where}: no trusted TLS connection ({_cause(error)})") from error
        except aiohttp.ClientConnectorDNSError as error:
            raise _NotSentError(
                f"{where}: the host name does not resolve; check the spelling and the network"
            ) from error
        except aiohttp.ClientConnectorError as error:
            raise _NotSentError(
                f"{where} cannot be reached ({_cause(error)}). Is the server running?"
            ) from error
        except aiohttp.ClientPayloadError as error:
            raise TransientError(f"{where} broke off in the middle of its answer") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise TransientError(f"{where} cannot be reached ({_cause(error)})") from error

    async def _read(
        self,
        method: Method,
        path: str,
        body: Any,
        query: Query,
        authorization: str,
    ) -> tuple[int, bytes, str | None]:
        headers = {"Authorization": authorization} if authorization else {}
        data = None
        if body is not None:
            data = json.dumps(body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        async with self._connected(fresh=method == "POST").request(
            method,
            self._at(path).with_query(query),
            data=data,
            headers=headers,
            allow_redirects=False,
        ) as response:
            read = bytearray()
            async for chunk in response.content.iter_any():
                read += chunk
                if len(read) > _LONGEST:
                    raise EndpointError(
                        f"{self._where(path)} answered more than {_LONGEST:,} bytes"
                    )
            location = response.headers.get("Location", "")
            found = location.encode() if 300 <= response.status < 400 else bytes(read)
            return response.status, self._struck(found), response.headers.get("Retry-After")

    def _struck(self, data: bytes) -> bytes:
        """The bytes without the tokens, should a server echo them."""
        data = self._token.hide_in(data)
        return self._access.hide_in(data) if self._access else data

    def _judged(self, status: int, data: bytes, after: str | None, path: str) -> bytes:
        """The body of a good answer; raises for any other."""
        if 200 <= status < 300:
            return data
        where = self._where(path)
        if 300 <= status < 400:
            target = first_line(data.partition(b"?")[0])
            raise EndpointError(
                f"{where} redirects to {target}, which is not followed with a token. Give the "
                "server's own address as the URL."
            )
        what = f"{where} answered {status}: {_said(data)}"
        if status in _NOT_DONE:
            raise _NotSentError(what, after)
        if status == 500:
            raise BrokenError(what, after)
        if status > 500 or status == 408:
            raise TransientError(what, after)
        kinds = {401: TokenError, 404: MissingError}
        raise kinds.get(status, EndpointError)(f"{what}{_hint(status, self._kind)}")

    def _at(self, path: str) -> URL:
        return self.url.with_path(self.url.path.rstrip("/") + path)

    def _where(self, path: str) -> str:
        """The URL for messages, without a query string."""
        return shown(self._at(path))

    def _connected(self, *, fresh: bool) -> aiohttp.ClientSession:
        """A session; a fresh one never sends on a connection that the server may have closed.

        There a lost request could not be told from a lost answer.
        """
        if fresh not in self._sessions:
            self._sessions[fresh] = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(force_close=fresh),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": f"factmark/{__version__}", "Accept": "application/json"},
            )
        return self._sessions[fresh]


def _address(url: str) -> URL:
    try:
        address = URL(url.strip())
        usable = address.scheme in ("http", "https") and bool(address.host)
        address.port  # noqa: B018  # raises ValueError for a port that is no number
    except ValueError:
        usable = False
    if not usable:
        raise InputError("a Label Studio server is a URL such as http://127.0.0.1:8080")
    if address.user is not None or address.password is not None:
        raise InputError(
            f"{shown(address)}: no user or password in the URL; the token goes into the environment"
        )
    if address.query_string or address.fragment:
        raise InputError(f"{shown(address)}: give the server's URL without what follows ? or #")
    return address.with_path(address.path.rstrip("/"))


def _hint(status: int, kind: str) -> str:
    if status == 401:
        other = (
            " An administrator may also have turned legacy tokens off: a personal access token "
            "does then."
            if kind == "legacy"
            else ""
        )
        return f". The token is wrong, revoked or past its time: get a new one at {WHERE}.{other}"
    if status == 403:
        return ". The token's user may not do this here."
    if status == 404:
        return ". It is not there (any more), or the URL is not that of a Label Studio server."
    return ""


def _said(data: bytes) -> str:
    """The server's own words on one line, bounded."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return first_line(data)
    if not isinstance(found, dict):
        return first_line(data)
    wrong = found.get("validation_errors")
    text = json.dumps(wrong, ensure_ascii=False) if wrong else str(found.get("detail") or found)
    return first_line(text.encode("utf-8", "replace")).rstrip(".")


def _unlike(error: ValidationError, data: bytes) -> str:
    """What is wrong with an answer, without the values in it."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return (
            f"answered with no complete JSON: {first_line(data)}. Is this the address of a Label "
            "Studio server?"
        )
    place = ".".join(str(part) for part in first["loc"]) or "the answer"
    text = f"answered with JSON of another kind ({place}: {first['msg']})"
    return first_line(text.encode("utf-8", "replace"))


def _cause(error: BaseException) -> str:
    """The system's own words for a failed connection, on one line."""
    inner = getattr(error, "os_error", None) or error
    text = getattr(inner, "strerror", None) or str(inner) or type(inner).__name__
    return " ".join(text.split())[:200]


_LEGACY = re.compile(r"[0-9a-fA-F]{40}")
_PERSONAL = re.compile(r"[\w-]{4,}\.[\w-]{4,}\.[\w-]{4,}", re.ASCII)

WHERE = "Account & Settings of the server's pages"


def kind_of(token: str) -> Literal["legacy", "personal"]:
    """Which kind a token is, by its form.

    Raises:
        InputError: it is neither; the message does not show it.
    """
    if _LEGACY.fullmatch(token):
        return "legacy"
    if _PERSONAL.fullmatch(token):
        return "personal"
    raise InputError(
        f"the Label Studio token ({len(token)} characters) is neither a legacy token (40 hex "
        f"digits) nor a personal access token. Copy one from {WHERE}."
    )
