"""A triple in one cell: a list, a tuple as Python prints it, or three parts with a sign between."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence

_LONGEST = 20_000
_ARROWS = re.compile(r"\s*-+\s*\[\s*:?(?P<relation>[^\]]+?)\s*\]\s*-+>\s*")
_SIGNS = ("|", "\t", "->", "→", ";", ",")
_PAIRS = {"(": ")", "[": "]", "<": ">", "{": "}"}


def parts_of(cell: object) -> tuple[str, str, str] | None:
    """Head, relation and tail of a cell, or None where it has not three parts for certain.

    Read are lists, `["a", "r", "b"]`, `('a', 'r', 'b')`, `(a, r, b)`, `a | r | b`, `a -> r -> b`,
    `a -[r]-> b`, and with semicolons or tabs. A sign that also stands within a part makes more than
    three of them, and nothing is guessed.

    >>> parts_of("(insulin, treats, diabetes)")
    ('insulin', 'treats', 'diabetes')
    >>> parts_of("insulin, treats, diabetes, type 1") is None
    True
    """
    if isinstance(cell, Sequence) and not isinstance(cell, str):
        return _three(cell)
    if not isinstance(cell, str) or len(cell) > _LONGEST:
        return None
    text = cell.strip()
    if text[:1] in ("(", "[") and (literal := _literal(text)) is not None:
        return _three(literal)
    if (arrow := _ARROWS.search(text)) is not None:
        return _three((text[: arrow.start()], arrow["relation"], text[arrow.end() :]))
    text = _unwrapped(text)
    for sign in _SIGNS:
        if sign in text:
            return _three(text.split(sign))
    return None


def _literal(text: str) -> Sequence[object] | None:
    """A list in JSON or Python's own writing; no code is run."""
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return found if isinstance(found, list | tuple) else None
    return None


def _three(parts: Sequence[object]) -> tuple[str, str, str] | None:
    if len(parts) != 3 or not all(isinstance(part, str) for part in parts):
        return None
    head, relation, tail = (str(part).strip().strip("\"'").strip() for part in parts)
    return (head, relation, tail) if head and relation and tail else None


def _unwrapped(text: str) -> str:
    """Without the brackets around the whole of it."""
    closing = _PAIRS.get(text[:1])
    if closing is None or not text.endswith(closing):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == text[0]) - (letter == closing)
        if depth == 0:
            return text[1:-1].strip() if place == len(text) - 1 else text
    return text
