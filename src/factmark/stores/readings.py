r"""The ways in which engines read the text of a SPARQL query: escapes, strings, IRIs, comments.

A query is looked at before it runs (`guard`), so it must be cut into tokens as the engine
will cut it. Two things make that ambiguous, and a query can be written to profit from each:

* `\\u0053` outside a string is a letter to some engines (SPARQL 1.1, 19.2) and an error to others.
* `<` starts an IRI or is the less-than sign: `FILTER(?a<?b#>...` is either, by the grammar.

The three texts that escapes allow are all read. Of a `<` that may be either, see `guard`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "space", "comment", "string", "iri", "var", "lang", "pname", "number", "word", "bad", "other"
]

OPERANDS = frozenset({"string", "iri", "var", "lang", "pname", "number", "word"})

_NAME = r"\w\-\u00b7\u0300-\u036f\u200c\u200d\u203f\u2040"
_LOCAL_CHAR = rf"[{_NAME}:]|%[0-9A-Fa-f]{{2}}|\\[_~.\-!$&'()*+,;=/?\#@%]"
_ESCAPE = re.compile(r"\\u+([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_ESCAPE_UNLESS_ESCAPED = re.compile(r"\\\\|" + _ESCAPE.pattern)

# Possessive quantifiers keep each alternative linear, whatever the text.
_TOKEN = re.compile(
    rf"""
      (?P<space>[ \t\r\n]++)
    | (?P<comment>\#[^\r\n]*+)
    | (?P<string>
          \"\"\"(?:[^"\\]++|\\.|"(?!""))*+\"\"\" | '''(?:[^'\\]++|\\.|'(?!''))*+'''
        | "(?:[^"\\\r\n]++|\\[^\r\n])*+"         | '(?:[^'\\\r\n]++|\\[^\r\n])*+'
      )
    | (?P<iri><(?:[^<>"{{}}|^`\\\x00-\x20]++|\\u[0-9A-Fa-f]{{4}}|\\U[0-9A-Fa-f]{{8}})*+>)
    | (?P<var>[?$]\w++)
    | (?P<lang>@[A-Za-z]++(?:-++[A-Za-z0-9]++)*+)
    | (?P<pname>(?:[^\W\d][{_NAME}.]*)?:(?:{_LOCAL_CHAR}|\.++(?={_LOCAL_CHAR}))*+)
    | (?P<number>\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)
    | (?P<word>\w++)
    | (?P<bad>["'])
    | (?P<other>&&|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece of a query: its kind, its text, and where it starts and ends in the reading."""

    kind: Kind
    text: str
    start: int
    end: int


def token_at(text: str, position: int, *, operator: bool = False) -> Token:
    """The token that starts at `position`; with `operator` a `<` is the less-than sign."""
    if operator:
        return Token(kind="other", text=text[position], start=position, end=position + 1)
    found = _TOKEN.match(text, position)
    if found is None or found.lastgroup is None:  # `.` with DOTALL matches all there is
        raise AssertionError(f"no token at {position}")
    kind: Kind = found.lastgroup  # type: ignore[assignment]  # the groups are named after the kinds
    return Token(kind=kind, text=found.group(), start=position, end=found.end())


def unescape(text: str) -> str:
    r"""The text with each `\\uXXXX` and `\\UXXXXXXXX` replaced by its character, once."""
    return _ESCAPE.sub(_character, text)


def readings(sparql: str) -> Iterator[str]:
    """The distinct texts that an engine may tokenise: as written, and with escapes replaced."""
    yield sparql
    if "\\u" not in sparql and "\\U" not in sparql:
        return
    seen = {sparql}
    for pattern in (_ESCAPE, _ESCAPE_UNLESS_ESCAPED):
        text = pattern.sub(_character, sparql)
        if text not in seen:
            seen.add(text)
            yield text


def _character(found: re.Match[str]) -> str:
    digits = found.group(1) or found.group(2)
    if not digits or int(digits, 16) > 0x10FFFF:
        return found.group()
    return chr(int(digits, 16))
