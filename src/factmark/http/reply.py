"""Judging what an endpoint answered: rows, or an error that says what it sent instead."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from factmark.answers.core.groundtruth import Rows
from factmark.errors import EndpointError, QueryTimeoutError
from factmark.stores.results import parse_json

_MEDIA = frozenset({"application/sparql-results+json", "application/json"})
_RETRIED = frozenset({429, 502, 503, 504})
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_SHOWN = 200
_LOOKED_AT = 4_000


class TransientError(EndpointError):
    """A failure that may pass: worth another attempt.

    Args:
        retry_after: what the server asked for in its header, if it did.
    """

    def __init__(self, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An HTTP response, read to its end.

    Attributes:
        media: the media type without parameters, in lower case; empty when the server named none.
        headers: the rest; names compare without case where the mapping does.
    """

    status: int
    media: str
    headers: Mapping[str, str]
    body: bytes


def rows_of(reply: Reply, *, url: str, max_rows: int) -> Rows:
    """The rows in a reply.

    Args:
        url: for messages; without credentials.

    Raises:
        TransientError: 429, 502, 503 or 504.
        QueryTimeoutError: the server says that it cut the result off.
        EndpointError: any other reply that is no complete SPARQL JSON result.
    """
    if reply.status in _RETRIED:
        raise TransientError(f"{url} {_failure(reply)}", reply.headers.get("Retry-After"))
    if reply.status != HTTPStatus.OK:
        raise EndpointError(f"{url} {_failure(reply)}")
    state = reply.headers.get("X-SQL-State", "")
    if state:  # Virtuoso's anytime queries: 200 and the rows that it had by then
        raise QueryTimeoutError(
            f"{url} ended the query at its own time limit (state {_clean(state)})"
        )
    if reply.media not in _MEDIA:
        kind = "an HTML page" if _is_html(reply) else f"{reply.media or 'no media type'!s}"
        raise EndpointError(
            f"{url} answered 200 with {kind} instead of SPARQL JSON results: "
            f"{first_line(reply.body)}. Is this the address of the SPARQL endpoint?"
        )
    try:
        return parse_json(reply.body, max_rows=max_rows)
    except ValueError as error:  # covers broken JSON and broken UTF-8
        raise EndpointError(
            f"{url} answered 200 but no complete SPARQL JSON result ({_clean(str(error))}); "
            "some servers cut their answer off at a time limit: make the query narrower"
        ) from error


def first_line(body: bytes) -> str:
    """The first line of text, or the title of an HTML page, without control characters; bounded."""
    text = body[:_LOOKED_AT].decode("utf-8", "replace")
    title = _TITLE.search(text)
    if title:
        text = html.unescape(title.group(1))
    elif text.lstrip()[:1] == "<":
        text = html.unescape(_TAG.sub(" ", text))
    lines = (_clean(line) for line in text.splitlines())
    return next((line for line in lines if line), "(empty)")


def _failure(reply: Reply) -> str:
    try:
        phrase = f" {HTTPStatus(reply.status).phrase}"
    except ValueError:
        phrase = ""
    hint = ""
    if reply.status in (401, 403):
        hint = (
            "; name the environment variables that hold its user and password"
            " (--user-env, --password-env)"
        )
    return f"answered {reply.status}{phrase}: {first_line(reply.body)}{hint}"


def _is_html(reply: Reply) -> bool:
    start = reply.body[:200].lstrip().lower()
    return "html" in reply.media or start.startswith((b"<!doctype html", b"<html"))


def _clean(text: str) -> str:
    line = " ".join(_CONTROL.sub(" ", text).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
