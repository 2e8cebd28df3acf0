"""A triple in a cell: a list, an object, or a text of three parts."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from factmark.graphs.core.iri_names import without_quotes
from factmark.intake.columns import folded
from factmark.intake.shapes import read_cell
from factmark.intake.tools import role_names

NEEDED = ("head", "relation", "tail")
"""The parts of a triple."""
_LONGEST_CELL = 20_000
_ARROWS = re.compile(r"\s*-+\s*\[\s*:?(?P<relation>[^\]]+?)\s*\]\s*-+>\s*")
_PROPERTIES = re.compile(r"\{\w+: .*\}\W*$")  # of a node as Cypher writes it
_SIGNS = ("|", "\t", "->", "→", ";", ",")
_PAIRS = {"(": ")", "[": "]", "<": ">", "{": "}"}


def parts_of(cell: object) -> tuple[str, str, str] | None:
    """Returns head, relation and tail of a cell; None if it does not have three parts for certain.

    Read are lists, objects with usual names, `["a", "r", "b"]`, `('a', 'r', 'b')`, `(a, r, b)`,
    `a | r | b`, `a -> r -> b`, `a -[r]-> b`, and with semicolons or tabs. A sign that also stands
    within a part makes more than three of them, and nothing is guessed.

    >>> parts_of("(insulin, treats, diabetes)")
    ('insulin', 'treats', 'diabetes')
    >>> parts_of("insulin, treats, diabetes, type 1") is None
    True
    """
    if isinstance(cell, Sequence) and not isinstance(cell, str):
        return _three_texts(cell)
    if isinstance(cell, Mapping):
        return _three_texts(_named_parts(cell))
    if not isinstance(cell, str) or len(cell) > _LONGEST_CELL:
        return None
    text = cell.strip()
    written = read_cell(text) if text[:1] == "{" else text
    if isinstance(written, Mapping):
        return _three_texts(_named_parts(written))
    if text[:1] in ("(", "[") and (parts := _parse_literal(text)) is not None:
        return _three_texts(parts)
    if _PROPERTIES.search(text):
        return None
    arrow = _ARROWS.search(text)
    if arrow is not None:
        return _three_texts((text[: arrow.start()], arrow["relation"], text[arrow.end() :]))
    text = _without_brackets(text)
    sign = next((sign for sign in _SIGNS if sign in text), None)
    if sign is None:
        return None
    return _three_texts(text.split(sign))


def _named_parts(cell: Mapping[str, object]) -> list[object]:
    """Returns the parts of a triple that an object has under names that they have in many tools."""
    by_name = {folded(str(name)): value for name, value in cell.items()}
    names = role_names("graph")
    parts = []
    for field in NEEDED:
        part = next((by_name[name] for name in names[field] if name in by_name), None)
        if isinstance(part, Mapping):
            name, node = name_and_id(part, field)
            part = name if name != node else None  # an id may stand beside a name of another word
        parts.append(part)
    return parts


def name_and_id(thing: Mapping[str, Any], part: str) -> tuple[str, str]:
    """Returns the name and the id of what stands as an object in the place of a part of a triple;
    where it has no name the id is one, and where it has no id that is empty.

    >>> name_and_id({"label": "rye", "uri": "http://x.org/1"}, "head")
    ('rye', 'http://x.org/1')
    >>> name_and_id({"type": "isa"}, "relation")
    ('isa', '')
    """
    fields: dict[str, Any] = {}
    for name, value in thing.items():
        held = value if isinstance(value, Mapping) else {}
        fields |= {folded(f"{name}_{inner}"): text for inner, text in held.items()}
        fields[folded(name)] = value
    texts = {name: text.strip() for name, text in fields.items() if isinstance(text, str)}
    called = role_names("nodes")
    names = role_names("graph")["relation"] if part == "relation" else called["name"]
    node = next((texts[name] for name in called["id"] if texts.get(name)), "")
    return next((texts[name] for name in names if texts.get(name)), node), node


def why_no_triple(cell: object) -> str:
    """Returns a cell that has no triple, and of a list what is wrong with it.

    >>> why_no_triple(["x", "treats", 5])
    "part 3 is no text: ['x', 'treats', 5]"
    """
    if not isinstance(cell, list | tuple):
        return f"{str(cell)[:80]!r}"
    texts = []
    for part in cell:
        texts.append(isinstance(part, str) and bool(part.strip()))
    shown = repr(cell)[:80]
    if len(cell) != len(NEEDED):
        return f"{len(cell)} parts in place of three: {shown}"
    if all(texts):
        return shown
    return f"part {texts.index(False) + 1} is no text: {shown}"


def _parse_literal(text: str) -> Sequence[object] | None:
    """Returns the list that a text is in JSON or in Python; None if it is none. No code is run."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(value, list | tuple):
            return value
        return None
    return None


def _three_texts(parts: Sequence[object]) -> tuple[str, str, str] | None:
    """Returns three parts without blanks and quotes around them; None if there are not three
    texts."""
    if len(parts) != 3 or not all(isinstance(part, str) for part in parts):
        return None
    head, relation, tail = (without_quotes(str(part)) for part in parts)
    if head and relation and tail:
        return (head, relation, tail)
    return None


def _without_brackets(text: str) -> str:
    """Returns a text without the brackets around the whole of it."""
    closing = _PAIRS.get(text[:1])
    if closing is None or not text.endswith(closing):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == text[0]) - (letter == closing)
        if depth == 0:
            if place == len(text) - 1:
                return text[1:-1].strip()
            return text
    return text


def holds_triples(cells: Sequence[Any]) -> bool:
    """Whether any cell is a triple or a list of them, and the most of them are."""
    n_good = 0
    for cell in cells:
        items = [cell]
        if isinstance(cell, list | tuple) and cell and isinstance(cell[0], list | tuple | Mapping):
            items = list(cell)
        n_good += all(parts_of(item) is not None for item in items)
    return n_good * 2 > len(cells)


def ends_of_first(cell: object) -> tuple[str, str]:
    """Returns head and tail of the triple in a cell, or of the first in a list of them; empty texts
    where there is none."""
    if isinstance(cell, list | tuple) and cell and isinstance(cell[0], list | tuple | Mapping):
        cell = cell[0]
    parts = parts_of(cell)
    return (parts[0], parts[2]) if parts else ("", "")


def key_text(cell: object) -> str:
    """Returns a cell as a text without blanks around; empty for what is no text."""
    return cell.strip() if isinstance(cell, str) else ""


def are_lists_of_lists(cells: Sequence[Any]) -> bool:
    """Whether all cells are lists of lists of three."""
    items = [item for cell in cells for item in (cell if isinstance(cell, list | tuple) else [0])]
    return bool(items) and all(
        isinstance(item, list | tuple) and len(item) == len(NEEDED) for item in items
    )
