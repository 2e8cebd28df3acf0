"""Any SPARQL 1.1 endpoint over HTTP (SPARQL 1.1 Protocol, JSON results)."""

from __future__ import annotations

import asyncio
import base64
import os
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import urlencode

from yarl import URL

from factmark.errors import EndpointError, InputError, QueryTimeoutError
from factmark.http.addresses import add_secrets_of, parse_http_url, shown_url
from factmark.http.client import (
    HttpClient,
    Response,
    TooLongError,
    UnresolvedError,
    clean_line,
    first_line,
    status_text,
)
from factmark.http.retries import RetryPolicy, TransientError, repeat
from factmark.http.secret import Secret
from factmark.redaction import redacted
from factmark.stores.guard import check_query, prefix_advice
from factmark.stores.results import parse_json
from factmark.stores.store import Graphs, Store
from factmark.stores.terms import Rows

# Servers and proxies refuse long URLs; SPARQL's protocol allows POST for any query.
_LONGEST_GET = 2_000
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MEDIA = frozenset({"application/sparql-results+json", "application/json"})
_RETRIED = frozenset({429, 502, 503, 504})
LIMIT = "X-Query-Limit"
"""The header by which our server tells `time` or `memory`, the limit that ended the query."""
_ACCEPT = "application/sparql-results+json, application/json;q=0.5"


class HttpEndpoint(Store):
    """A SPARQL endpoint behind a URL. Use it in one event loop, and close it.

    Short queries go by GET, longer ones as a form by POST.

    Args:
        url: http or https; a query string stays. A `user:password@` in it is used and never shown,
            nor is what looks like a key in its path or query.
        user_env: name of the environment variable that holds the user for basic authentication.
        password_env: the same for the password.
        retry: how failures that may pass are repeated: 429, 502, 503, 504, a connection refused or
            lost.
        max_bytes: the longest result that is read, decompressed.

    Raises:
        InputError: the URL or the name of an environment variable is wrong.
    """

    def __init__(
        self,
        url: str,
        *,
        user_env: str | None = None,
        password_env: str | None = None,
        retry: RetryPolicy | None = None,
        max_bytes: int = 256 * 2**20,
    ) -> None:
        address = parse_http_url(url, "an endpoint is a URL such as https://example.org/sparql")
        add_secrets_of(address)
        self._authorization = _authorization(address, user_env, password_env)
        self._url = address.with_user(None).with_fragment(None)
        self._shown = redacted(shown_url(self._url))
        self._retry = retry or RetryPolicy()
        self._http = HttpClient(max_bytes=max_bytes)
        self._closed = False

    @property
    def identity(self) -> str:
        """The URL without credentials and query string."""
        return f"endpoint:{self._shown}"

    async def query(
        self,
        sparql: str,
        *,
        timeout: float = 30.0,
        max_rows: int = 100_000,
        graphs: Graphs | None = None,
    ) -> Rows:
        """Returns rows as `Store.query` does; the time is for all attempts and waits together.

        Args:
            graphs: sent as `default-graph-uri` and `named-graph-uri`. The protocol says that they
                win over FROM; that a server heeds them is for the caller to find out.

        Raises:
            QueryError: the query is refused (see `check_query`); nothing was sent.
            QueryTimeoutError: no result within `timeout`, or the server cut it off.
            EndpointError: the endpoint cannot be reached or does not answer in the protocol.
        """
        if self._closed:
            raise EndpointError(f"{self._shown} is closed")
        deadline = asyncio.get_running_loop().time() + timeout
        try:
            async with asyncio.timeout_at(deadline):
                await asyncio.to_thread(check_query, sparql)
                return await repeat(
                    lambda: self._rows(sparql, max_rows, graphs), self._retry, deadline=deadline
                )
        except TimeoutError as error:
            raise QueryTimeoutError(
                f"{self._shown} gave no result within {timeout:g} s; "
                "make the query narrower or allow more time"
            ) from error

    async def close(self) -> None:
        """Closes the connections."""
        self._closed = True
        await self._http.close()

    async def _rows(self, sparql: str, max_rows: int, graphs: Graphs | None) -> Rows:
        """Sends the query once; returns its rows."""
        try:
            response = await self._request(sparql, graphs)
            # A thread costs more than to parse a short result, and a long one would hold up the
            # event loop.
            if len(response.body) < 100_000:
                return _rows_of(response, url=self._shown, max_rows=max_rows)
            return await asyncio.to_thread(_rows_of, response, url=self._shown, max_rows=max_rows)
        except UnresolvedError as error:
            raise EndpointError(str(error)) from error
        except TooLongError as error:
            raise EndpointError(f"{error}; add a LIMIT") from error
        except EndpointError as error:
            text = str(error)
            missing = prefix_advice(sparql)
            if missing and f"answered {status_text(HTTPStatus.BAD_REQUEST)}" in text:
                text += f". {missing[0].upper()}{missing[1:]}, unless the endpoint knows it itself"
            error.args = (text,)
            raise

    async def _request(self, sparql: str, graphs: Graphs | None) -> Response:
        """Sends the query once, by GET if it is short enough; returns the response."""
        parameters = [("query", sparql)]
        if graphs is not None:
            parameters += graphs.parameters
        form = urlencode(parameters).encode()
        headers = {"Accept": _ACCEPT}
        if self._authorization:
            headers["Authorization"] = self._authorization.reveal()
        if len(form) <= _LONGEST_GET:
            url = self._url.extend_query(parameters)
            return await self._http.send("GET", url, headers=headers, body=None, name=self._shown)
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return await self._http.send(
            "POST", self._url, headers=headers, body=form, name=self._shown
        )


def _authorization(url: URL, user_env: str | None, password_env: str | None) -> Secret:
    """Returns the value of the Authorization header; empty without credentials."""
    if user_env is None:
        user = url.user
    else:
        user = _from_environment(user_env)
    if password_env is None:
        password = url.password
    else:
        password = _from_environment(password_env)
    if user is None and password is None:
        return Secret()
    pair = f"{user or ''}:{password or ''}".encode()
    return Secret(f"Basic {base64.b64encode(pair).decode()}")


def _from_environment(name: str) -> str:
    """Returns the value of an environment variable; InputError if it is not set."""
    if name not in os.environ:
        raise InputError(f"the environment variable {name} is not set; the endpoint needs it")
    return os.environ[name]


def _rows_of(response: Response, *, url: str, max_rows: int) -> Rows:
    """Returns the rows in a response.

    Raises:
        TransientError: 429, 502, 503 or 504.
        QueryTimeoutError: the server says that its limit of time ended the query.
        EndpointError: any other reply that is no complete SPARQL JSON result.
    """
    limit = response.headers.get(LIMIT)
    if limit:  # it would run late again
        raise (QueryTimeoutError if limit == "time" else EndpointError)(
            f"{url} {_failure(response)}; make the query narrower"
        )
    if response.status in _RETRIED:
        raise TransientError(f"{url} {_failure(response)}", response.retry_after)
    if response.status in _REDIRECTS:
        target = response.headers.get("Location", "")
        with suppress(ValueError):
            target = shown_url(URL(target))
        raise EndpointError(
            f"{url} redirects to {clean_line(target)}, which is not followed. If that is its "
            "address, name it."
        )
    if response.status != HTTPStatus.OK:
        raise EndpointError(f"{url} {_failure(response)}")
    state = response.headers.get("X-SQL-State", "")
    if state:  # Virtuoso's anytime queries: 200 and the rows that it had by then
        raise QueryTimeoutError(
            f"{url} ended the query at its own time limit (state {clean_line(state)})"
        )
    if response.media not in _MEDIA:
        start = response.body[:200].lstrip().lower()
        is_html = "html" in response.media or start.startswith((b"<!doctype html", b"<html"))
        kind = "an HTML page"
        if not is_html:
            kind = response.media or "no media type"
        raise EndpointError(
            f"{url} answered 200 with {kind} instead of SPARQL JSON results: "
            f"{first_line(response.body)}. Is this the address of the SPARQL endpoint?"
        )
    try:
        return parse_json(response.body, max_rows=max_rows)
    except ValueError as error:  # covers broken JSON and broken UTF-8
        raise EndpointError(
            f"{url} answered 200 but no complete SPARQL JSON result ({clean_line(str(error))}); "
            "some servers cut their answer off at a time limit: make the query narrower"
        ) from error


def _failure(response: Response) -> str:
    """Returns what an error response says, with advice where a password may be missing."""
    text = f"answered {status_text(response.status)}: {first_line(response.body)}"
    if response.status in (401, 403):
        text += (
            "; name the environment variables that hold its user and password (--user-env, "
            "--password-env)"
        )
    return text
