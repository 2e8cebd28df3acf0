"""What stands in a fence: data, which is read, or a query or code, which tells how and not what."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

Line = tuple[int, str, str]  # where it begins in the answer, the line, the line with markup masked
Cell = tuple[int, str]

_LANGUAGES = {
    "sparql": "a SPARQL query",
    "sql": "an SQL query",
    "cypher": "a Cypher query",
    "tool_call": "a call of a tool",
    "tool_code": "a call of a tool",
} | dict.fromkeys(
    "python py r bash sh shell console js javascript typescript ts java c cpp rust go turtle ttl "
    "rdf".split(),
    "code",
)
_SPARQL = re.compile(r"\s*(?:SELECT|ASK|CONSTRUCT|DESCRIBE|PREFIX|BASE)\b", re.IGNORECASE)
_CODE = re.compile(
    r"\s*(?:import\s+\w|from\s+\w+\s+import\b|def\s+\w+\(|class\s+\w+\W|curl\s|\$\s|>>>|#!|@prefix\b"
    r"|\w+\s*=\s*\S|\w+(?:\.\w+)*\([^()\n]{0,200}\)\s*$)"
)
_JSON = re.compile(
    r'"(?P<string>(?:[^"\\\n]|\\.)*)"(?P<key>\s*:)?'
    r"|(?P<value>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false)\b|\[\s*\])"
)
_ESCAPES = re.compile(r"\\[nrt]")
_QUOTED = re.compile(r'"[^"\n]*"')


def program(info: str, body: str) -> str | None:
    """What a fence with this info string holds, if it is a query or code; None for data."""
    language = info.strip().casefold().split(" ")[0].strip("{}.")
    if language:
        return _LANGUAGES.get(language)
    if _SPARQL.match(body):
        return "a SPARQL query"
    return "code" if _CODE.match(body) else None


def is_json(text: str) -> bool:
    """Whether a text is a JSON object or list as a whole."""
    text = text.strip()
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def json_parts(start: int, text: str) -> Iterator[tuple[int, str, bool]]:
    """The keys and values of a JSON text, each with its place and whether it is a key.

    An empty list is a value.
    """
    for match in _JSON.finditer(text):
        name = "value" if match["string"] is None else "string"
        part = _ESCAPES.sub("  ", match[name])
        yield start + match.start(name), part, match["key"] is not None


def rows_of(lines: Sequence[Line], separators: str) -> list[list[Cell]] | None:
    """The cells of lines that all have the same number of one separator; None of other lines."""
    rows = [(start, raw.rstrip("\r\n")) for start, raw, _ in lines if raw.strip()]
    for separator in separators:
        counts = {_plain(row).count(separator) for _, row in rows}
        if len(rows) > 1 and len(counts) == 1 and counts != {0}:
            return [list(_cells(start, row, separator)) for start, row in rows]
    return None


def _plain(row: str) -> str:
    """A row with what stands in quotes blanked."""
    return _QUOTED.sub(lambda match: "_" * len(match[0]), row)


def _cells(start: int, row: str, separator: str) -> Iterator[Cell]:
    at = 0
    for part in _plain(row).split(separator):
        yield start + at, row[at : at + len(part)].replace('"', " ")
        at += len(part) + 1
