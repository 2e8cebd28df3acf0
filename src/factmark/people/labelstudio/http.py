"""Requests to one Label Studio server: authorised, read to their end, errors made ours."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # typing's is not read by pydantic before 3.12
from yarl import URL

from factmark.errors import EndpointError, InputError
from factmark.http.addresses import parse_http_url, shown_url
from factmark.http.client import HttpClient, Response, UnsentError, first_line
from factmark.http.retries import GaveUpError, RetryPolicy, TransientError, repeat
from factmark.http.secret import Secret
from factmark.redaction import drop_secret

Method = Literal["GET", "POST", "PATCH", "DELETE"]
Query = Mapping[str, str | int]
NO_QUERY: Query = MappingProxyType({})
T = TypeVar("T")


class _Access(TypedDict):
    access: Annotated[str, Field(pattern=r"^[\w-]+\.[\w-]+\.[\w-]+$")]


_ACCESS = TypeAdapter(_Access)
_LEGACY = re.compile(r"[0-9a-fA-F]{40}")
_PERSONAL = re.compile(r"[\w-]{4,}\.[\w-]{4,}\.[\w-]{4,}", re.ASCII)
_REFRESH = "/api/token/refresh/"
_LARGE = 100_000  # bytes from which JSON is read in a thread
_WHERE = "Account & Settings of the server's pages"
_HINTS = {
    401: f". The token is wrong, revoked or past its time, or the server has turned legacy tokens "
    f"off: get a new one, a personal access token, at {_WHERE}.",
    403: ". The token's user may not do this here.",
    404: ". It is not there (any more), or the URL is not that of a Label Studio server.",
}


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


class StudioTransport:
    """Sends requests to one server. Use it in one event loop, and close it.

    Args:
        url: http or https, a path prefix allowed, no credentials and no query string.
        token: a legacy token (40 hex digits) or a personal one (a JWT).
        timeout: seconds for one request.

    InputError: the URL or the token cannot be one.
    """

    def __init__(self, url: str, token: str, *, timeout: float, retry: RetryPolicy) -> None:
        self.url = _server_url(url)
        self._token = Secret(token.strip())
        self._legacy = _is_legacy(token.strip())
        self._access: Secret | None = None  # what a personal token gave; good for 5 minutes
        self._renewing = asyncio.Lock()
        self._retry = retry
        self._http = HttpClient(seconds=timeout)

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
        """Returns what the server answered, checked to be of a form.

        GET, PATCH and DELETE are tried again after a failure that may pass; POST only where it was
        certainly not carried out.

        Args:
            once: whether a 500 is raised at once, without another attempt.

        Raises:
            BrokenError: the server failed (500), in all attempts.
            LostAnswerError: a POST may or may not have been carried out.
            EndpointError: anything else that is no good answer.
        """
        data = await self.send(method, path, body=body, once=once, query=query)
        try:
            if len(data) < _LARGE:
                return form.validate_json(data)
            return await asyncio.to_thread(form.validate_json, data)
        except ValidationError as error:
            kind = LostAnswerError if method == "POST" else EndpointError
            raise kind(f"{self._shown_url_of(path)} {_mismatch_message(error, data)}") from None

    async def send(
        self,
        method: Method,
        path: str,
        *,
        body: Any = None,
        once: bool = False,
        query: Query = NO_QUERY,
    ) -> bytes:
        """Returns the body of a good answer; arguments and errors as of `ask`."""

        async def attempt() -> bytes:
            try:
                return await self._send_authorised(method, path, body, query)
            except TransientError as error:
                if method == "POST" and not isinstance(error, UnsentError):
                    raise LostAnswerError(
                        f"{error}. It may have been carried out all the same: look before you "
                        "send it again."
                    ) from error
                if once and isinstance(error, BrokenError):
                    raise GaveUpError(error, 1) from error
                raise

        try:
            return await repeat(attempt, self._retry)
        except GaveUpError as error:
            if isinstance(error.__cause__, BrokenError):
                raise BrokenError(str(error)) from error
            raise

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.close()

    async def _send_authorised(self, method: Method, path: str, body: Any, query: Query) -> bytes:
        """Returns the body of a good answer; asks once more where a new access token may
        be needed."""
        if self._legacy:
            header = f"Token {self._token.reveal()}"
            return self._good_body(await self._send_once(method, path, body, query, header), path)
        access = None
        for last in (False, True):
            access = await self._access_token(access)
            header = f"Bearer {access.reveal()}"
            response = await self._send_once(method, path, body, query, header)
            if last or response.status != 401:  # past its time, or the server's secret changed
                return self._good_body(response, path)
        raise AssertionError("the last turn returns or raises")

    async def _access_token(self, refused: Secret | None) -> Secret:
        """Returns the access token; gets a new one where there is none, or where that one was
        refused."""
        async with self._renewing:
            if self._access is None or self._access is refused:
                body = {"refresh": self._token.reveal()}
                try:
                    response = await self._send_once("POST", _REFRESH, body, NO_QUERY, "")
                    data = self._good_body(response, _REFRESH)
                    if self._access is not None:
                        drop_secret(self._access.reveal())
                    self._access = Secret(_ACCESS.validate_json(data)["access"])
                except TransientError as error:  # asking for a token twice does no harm
                    raise UnsentError(str(error), error.retry_after) from error
                except ValidationError:
                    where = self._shown_url_of(_REFRESH)
                    raise EndpointError(f"{where} gave no access token") from None
            return self._access

    async def _send_once(
        self, method: Method, path: str, body: Any, query: Query, authorization: str
    ) -> Response:
        """Returns the answer to one request, whatever its status; for a redirect its target as the
        body."""
        headers = {"Accept": "application/json"}
        if authorization:
            headers["Authorization"] = authorization
        data = None
        if body is not None:
            data = json.dumps(body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        url = self._url_of(path).with_query(query)
        try:
            response = await self._http.send(
                method,
                url,
                headers=headers,
                body=data,
                fresh=method == "POST",
                brings_key=path == _REFRESH,
            )
        except UnsentError as error:
            raise UnsentError(f"{error}. Is the server running?") from error
        redirects = 300 <= response.status < 400
        if redirects:
            reply = response.headers.get("Location", "").encode()
        else:
            reply = response.body
        return replace(response, body=reply)

    def _good_body(self, response: Response, path: str) -> bytes:
        """Returns the body of a good answer; raises what fits any other."""
        status = response.status
        data = response.body
        after = response.retry_after
        if 200 <= status < 300:
            return data
        where = self._shown_url_of(path)
        if 300 <= status < 400:
            target = first_line(data.partition(b"?")[0])
            raise EndpointError(
                f"{where} redirects to {target}, which is not followed with a token. Give the "
                "server's own address as the URL."
            )
        message = f"{where} answered {status}: {_server_message(data)}"
        if status in (429, 503):  # refused before anything was done
            raise UnsentError(message, after)
        if status >= 500 or status == 408:
            raise (BrokenError if status == 500 else TransientError)(message, after)
        kind = {401: TokenError, 404: MissingError}.get(status, EndpointError)
        raise kind(message + _HINTS.get(status, ""))

    def _url_of(self, path: str) -> URL:
        """Returns the URL of a path on the server."""
        return self.url.with_path(self.url.path.rstrip("/") + path)

    def _shown_url_of(self, path: str) -> str:
        """Returns that URL as messages show it."""
        return shown_url(self._url_of(path))


def _server_url(url: str) -> URL:
    """Returns the address of a server; InputError for credentials or a query in it."""
    address = parse_http_url(url, "a Label Studio server is a URL such as http://127.0.0.1:8080")
    if address.user is not None or address.password is not None:
        raise InputError(
            f"{shown_url(address)}: no user or password in the URL; the token goes into the "
            "environment"
        )
    if address.query_string or address.fragment:
        raise InputError(f"{shown_url(address)}: give the server's URL without what follows ? or #")
    return address.with_path(address.path.rstrip("/"))


def _is_legacy(token: str) -> bool:
    """Whether a token is a legacy one; InputError where it can be no token at all."""
    if _LEGACY.fullmatch(token):
        return True
    if _PERSONAL.fullmatch(token):
        return False
    raise InputError(
        f"the Label Studio token ({len(token)} characters) is neither a legacy token (40 hex "
        f"digits) nor a personal access token. Copy one from {_WHERE}."
    )


def _server_message(data: bytes) -> str:
    """Returns the server's own message, on one line of bounded length."""
    with contextlib.suppress(ValueError, RecursionError):
        reply = json.loads(data)
        if isinstance(reply, dict):
            words = str(reply.get("validation_errors") or reply.get("detail") or reply)
            data = words.encode("utf-8", "replace")
    return first_line(data).rstrip(".")


def _mismatch_message(error: ValidationError, data: bytes) -> str:
    """Returns what is wrong with an answer, without the values in it."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return (
            f"answered with no complete JSON: {first_line(data)}. Is this the address of a Label "
            "Studio server?"
        )
    place = ".".join(str(part) for part in first["loc"]) or "the answer"
    text = f"answered with JSON of another kind ({place}: {first['msg']})"
    return first_line(text.encode("utf-8", "replace"))
