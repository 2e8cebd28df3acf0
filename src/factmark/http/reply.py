"""What went wrong with an answer over HTTP: whether it may pass, and its first line to show."""

from __future__ import annotations

import html
import re

from factmark.errors import EndpointError

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


def first_line(body: bytes) -> str:
    """The first line of text, or the title of an HTML page, without control characters; bounded."""
    text = body[:_LOOKED_AT].decode("utf-8", "replace")
    title = _TITLE.search(text)
    if title:
        text = html.unescape(title.group(1))
    elif text.lstrip()[:1] == "<":
        text = html.unescape(_TAG.sub(" ", text))
    lines = (clean(line) for line in text.splitlines())
    return next((line for line in lines if line), "(empty)")


def clean(text: str) -> str:
    """A text on one line, without control characters; bounded."""
    line = " ".join(_CONTROL.sub(" ", text).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
