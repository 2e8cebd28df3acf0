"""The secrets of this process, and how they are struck out of every text that leaves it.

Whoever takes up a key or a password adds it here, `http.secret.Secret` by itself. What writes to
a ledger, to a file, to a stream or into an error message passes `redacted`, which also strikes out
copies that are escaped (JSON, percent, HTML, several of them one in another), in base64 or in hex.

It is one for the process, since an error message far from any connection must pass it as well.
Without secrets, to pass it costs a look at an empty tuple.
"""

from __future__ import annotations

import base64
import binascii
import html.entities
import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

STRUCK_OUT = "***"
_SCHEME = re.compile("(Bearer|Basic|Token|ApiKey) +", re.IGNORECASE)  # before a key
_PLAIN = re.compile(
    r"[A-Za-z_-]{0,19}|[0-9]{0,11}|.{0,7}"
    r"|[^\s=]{1,15}( [^\s=]{1,15})+"  # words, as a header with the name of a study has them
    r"|https?://[^\s@?]*",  # an address, as HTTP-Referer has it
    re.DOTALL,
)
_DEEPEST = 5  # escapes one in another
_NAMED = {
    name.removesuffix(";"): sign
    for name, sign in html.entities.html5.items()
    if name.endswith(";") and len(sign) == 1 and " " < sign <= "~"
}
_ESCAPE = r"""
    \\ \\* (?: u00(?P<u>{hex}) | u\{{0*(?P<braced>{hex})\}} | U000000(?P<long>{hex})
        | [xX](?P<x>{hex}) | (?P<sign>[{signs}]) )
    | % (?:25)* (?P<percent>{hex})
    | & (?:amp;)* (?: \#0*(?P<decimal>[0-9]{{2,3}}) | \#[xX]0*(?P<hex>{hex})
        | (?P<name>{names})(?=;) ) ;?
"""
_HEX = ("u", "braced", "long", "x", "percent", "hex")

_copies: tuple[str, ...] = ()  # of all secrets; replaced as a whole, since threads read it
_shortest: float = math.inf  # characters of a copy
_escape = re.compile("(?!)")


def is_plain(text: str) -> bool:
    """Whether a text is no secret worth the name: short, words, a number, or an address.

    Servers that want no key get `EMPTY` or `not-needed`, which honest texts have too.
    """
    return _PLAIN.fullmatch(_SCHEME.sub("", text, count=1)) is not None


def add_secret(value: str) -> None:
    """Has a key or a password struck out from now on, unless it `is_plain`.

    Args:
        value: as a header may hold it, `Bearer KEY` too; of `Basic` its password is added.
    """
    scheme = _SCHEME.match(value)
    if scheme:
        key = value[scheme.end() :]
    else:
        key = value
    if scheme and scheme[1].lower() == "basic":
        add_secret(_basic_password(key))
    if is_plain(key):
        return
    global _copies, _shortest, _escape  # the one registry of the process
    new = [copy for copy in _copies_of(key) if copy not in _copies]
    if not new:
        return
    _copies = (*_copies, *new)
    _shortest = min(map(len, _copies))
    signs = set()
    for copy in _copies:
        for sign in copy:
            if not sign.isalnum() and sign.isascii():
                signs.add(sign)
    pattern = _ESCAPE.format(
        signs=re.escape("".join(sorted(signs)) or "/"),
        names="|".join(map(re.escape, _NAMED)),
        hex="[2-7][0-9a-fA-F]",
    )
    _escape = re.compile(pattern, re.VERBOSE)


def drop_secret(value: str) -> None:
    """Has a secret that is worth nothing any more, such as an access token, not looked for."""
    global _copies  # the one registry of the process
    gone = set(_copies_of(value))
    _copies = tuple(copy for copy in _copies if copy not in gone)


def redacted(text: str) -> str:
    """Returns the text with every copy of a secret struck out."""
    if len(text) < _shortest:
        return text
    for copy in _copies:
        if copy in text:
            break
    else:
        if not _may_have_escapes(text):
            return text
    spans = list(_spans_of_secrets(text, _copies))
    if not spans:
        return text
    parts = list[str]()
    end = 0
    for start, stop in sorted(spans):
        if start >= end:
            parts += (text[end:start], STRUCK_OUT)
        end = max(end, stop)
    return "".join((*parts, text[end:]))


def redacted_bytes(data: bytes) -> bytes:
    """Returns bytes of a text in UTF-8 or alike with every copy of a secret struck out."""
    if len(data) < _shortest:
        return data
    text = data.decode("latin-1")
    shown = redacted(text)
    if shown is text:
        return data
    return shown.encode("latin-1")


def any_secrets() -> bool:
    """Whether there is anything to be struck out."""
    return bool(_copies)


def _may_have_escapes(text: str) -> bool:
    """Whether a text has a sign that begins an escape."""
    return "\\" in text or "%" in text or "&" in text


def _copies_of(key: str) -> list[str]:
    """Returns the texts that stand for a key once no sign of them is escaped."""
    copies = [key, _unescaped_wholly(key)]
    if not key.isascii():
        copies += (json.dumps(key)[1:-1], quote(key), key.encode().decode("latin-1"))
    data = key.encode()
    copies += (data.hex(), data.hex().upper(), *_in_base64(data))
    return [copy for copy in dict.fromkeys(copies) if not is_plain(copy)]


def _in_base64(key: bytes) -> Iterator[str]:
    """Yields the letters that stand for the key alone in base64, behind 0, 1 or 2 other bytes."""
    for before in range(3):
        whole = (before + len(key)) // 3 * 3
        encoded = base64.b64encode((bytes(before) + key)[:whole])[4 if before else 0 :].decode()
        yield encoded
        yield encoded.translate(str.maketrans("+/", "-_"))


def _basic_password(encoded: str) -> str:
    """Returns the password of basic authentication; empty where there is none."""
    try:
        return base64.b64decode(encoded).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _spans_of_secrets(text: str, copies: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yields where copies of secrets begin and end in a text: in itself, and with its escapes
    undone again and again."""
    level = text
    ways = list[_Unescaped]()
    for _ in range(_DEEPEST):
        for copy in copies:
            start = level.find(copy)
            while start >= 0:
                span = start, start + len(copy)
                for way in reversed(ways):
                    span = way.span_before(*span)
                yield span
                start = level.find(copy, start + 1)
        if not _may_have_escapes(level):
            return
        undone = _unescaped(level)
        if undone is None:
            return
        level = undone.text
        ways.append(undone)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unescaped:
    """A text with its escapes undone, in pieces: those that were none, and a sign for each escape.

    Attributes:
        places, origins: where each piece begins, and where it began before.
        lengths: of what was an escape; 0 for the other pieces.
    """

    text: str
    places: list[int]
    origins: list[int]
    lengths: list[int]

    def span_before(self, start: int, stop: int) -> tuple[int, int]:
        """Returns where something began and ended before the escapes were undone."""
        first, _ = self._before(start)
        _, end = self._before(stop - 1)
        return first, end

    def _before(self, place: int) -> tuple[int, int]:
        """Returns where a sign began and ended."""
        piece = bisect_right(self.places, place) - 1
        origin = self.origins[piece]
        length = self.lengths[piece]
        if length:
            return origin, origin + length
        start = origin + place - self.places[piece]
        return start, start + 1


def _unescaped(text: str) -> _Unescaped | None:
    """Returns a text with its escapes undone once; None where it has none."""
    parts = list[str]()
    places = list[int]()
    origins = list[int]()
    lengths = list[int]()
    length = end = 0
    for match in _escape.finditer(text):
        sign = _sign_of(match)
        if sign is None:
            continue
        for part, origin, width in (
            (text[end : match.start()], end, 0),
            (sign, match.start(), len(match[0])),
        ):
            if part:
                parts.append(part)
                places.append(length)
                origins.append(origin)
                lengths.append(width)
                length += len(part)
        end = match.end()
    if not end:
        return None
    parts.append(text[end:])
    places.append(length)
    origins.append(end)
    lengths.append(0)
    return _Unescaped(text="".join(parts), places=places, origins=origins, lengths=lengths)


def _sign_of(match: re.Match[str]) -> str | None:
    """Returns the sign that an escape stands for, if it is one of ASCII's."""
    kind = match.lastgroup
    value = match[kind or 0]
    if kind in _HEX:
        return chr(int(value, 16))
    if kind == "decimal":
        if 32 < int(value) < 127:
            return chr(int(value))
        return None
    if kind == "name":
        return _NAMED[value]
    return value


def _unescaped_wholly(text: str) -> str:
    """Returns a text with all its escapes undone, as they are in `_spans_of_secrets`."""
    for _ in range(_DEEPEST):
        way = _unescaped(text)
        if way is None:
            break
        text = way.text
    return text
