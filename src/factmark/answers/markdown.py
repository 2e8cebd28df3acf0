"""Markdown as segments of running text, with every character at its old place.

Markup is masked, never removed, so that a position in a segment is a position in the answer.
Fenced code is left out: it tells how an answer was found (E4).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Literal

# Stands where emphasis or code began or ended; a phrase does not run across it by itself.
EDGE = "\x1f"

Kind = Literal["text", "item", "cell", "head", "heading"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of an answer that is read by itself.

    Attributes:
        text: the masked text; `text[i]` stands at `start + i` in the answer.
        start: where it begins in the answer.
        kind: `text` (paragraph), `item` (of a list), `cell` or `head` of a table, `heading`.
        column: for a cell, the text of its column's head, lower-case; empty otherwise.
    """

    text: str
    start: int
    kind: Kind
    column: str = ""


_FENCE = re.compile(r"^ {0,3}(?:>\s?)*(`{3,}|~{3,})")
_ITEM = re.compile(r"^[\s>]*(?:[-*+•·‣◦–]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+")
_BOLD_LINE = re.compile(r"^\s*(?:\*\*|__)(?P<text>[^*_\n]{1,120})(?:\*\*|__)\s*:?\s*$")
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-{2,})\s*$")
_RULE = re.compile(r"^ {0,3}(?:[-*_]\s*){3,}$")
_DELIMITER = re.compile(r"^[\s|:+-]*-[\s|:+-]*$")
_QUOTE = re.compile(r"^[\s>]*>")

_INLINE = re.compile(
    r"(?P<code>`+[^`\n]*(?:\?\w|\b(?:SELECT|COUNT|ASK|WHERE|FILTER|LIMIT|GRAPH|DISTINCT)\b)[^`\n]*`+)"
    r"|(?P<image>!?\[(?P<label>[^\[\]\n]{0,400})\]\((?P<target>[^()\s]{0,2000}(?:\([^()\s]*\))?"
    r"[^()\s]{0,2000})(?:\s+\"[^\"\n]{0,200}\")?\))"
    r"|(?P<note>\[\^?\d{1,3}(?:[,–-]\s?\d{1,3})*\]|【[^】\n]{0,80}】)"
    r"|(?P<tag></?[a-z][a-z0-9]{0,10}(?:\s[^<>\n]{0,200})?/?>)"
    r"|(?P<auto><(?=https?://)[^<>\s]{1,2000}>)"
    r"|(?P<emphasis>\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|`+|~~)",
    re.IGNORECASE,
)


def _mask(match: re.Match[str]) -> str:
    whole = match[0]
    if match["code"] is not None:  # a query: how the answer was found
        return EDGE * len(whole)
    if match["image"] is not None:
        before = whole.index("[") + 1
        label = match["label"]
        return EDGE * before + label + EDGE * (len(whole) - before - len(label))
    if match["auto"] is not None:
        return EDGE + whole[1:-1] + EDGE
    if match["note"] is not None:
        return " " * len(whole)
    return EDGE * len(whole)


def segments(answer: str) -> Iterator[Segment]:
    """The segments of an answer in order; linear in its length."""
    masked = _INLINE.sub(_mask, answer) if any(c in answer for c in "*_`[<~【") else answer
    lines = list(_lines(answer, masked))
    written = [index for index, line in enumerate(lines) if line[1].strip()]
    position = 0
    while position < len(lines):
        start, raw, text = lines[position]
        fence = _FENCE.match(raw)
        if fence is not None:
            after = _after_fence(lines, position, fence[1])
            alone = position == written[0] and after > written[-1]
            if alone and not _is_program(lines[position:after]):
                for start, _, inside in lines[position + 1 : after]:
                    yield Segment(text=inside.replace("`", EDGE), start=start, kind="text")
            position = after
        elif not raw.strip() or _RULE.match(raw):
            position += 1
        elif _is_table(lines, position):
            position = yield from _table(lines, position)
        elif _HEADING.match(raw) or _is_bold_heading(lines, position):
            yield Segment(text=text, start=start, kind="heading")
            position += 1
        else:
            position = yield from _paragraph(lines, position)


_Line = tuple[int, str, str]


def _lines(answer: str, masked: str) -> Iterator[_Line]:
    start = 0
    for raw in answer.splitlines(keepends=True):
        end = start + len(raw)
        yield start, raw, masked[start:end]
        start = end


def _after_fence(lines: list[_Line], position: int, fence: str) -> int:
    for later in range(position + 1, len(lines)):
        closing = lines[later][1].strip().lstrip("> ")
        if closing.startswith(fence[:3]) and not closing.strip(fence[0]):
            return later + 1
    return len(lines)


_PROGRAM = re.compile(
    r"(?:sparql|sql|python|py|bash|sh|shell|js|javascript|turtle|ttl|cypher|r)\b"
    r"|.*\b(?:SELECT|ASK|CONSTRUCT|PREFIX|WHERE|import|curl)\b",
    re.DOTALL,
)


def _is_program(fence: list[_Line]) -> bool:
    """Whether a fence holds a query or code, which tells how and not what."""
    inside = "".join(raw for _, raw, _ in fence)
    return _PROGRAM.match(inside.lstrip().lstrip("`~ ")) is not None


def _is_table(lines: list[_Line], position: int) -> bool:
    return (
        "|" in lines[position][1]
        and position + 1 < len(lines)
        and "|" in lines[position + 1][1]
        and bool(_DELIMITER.match(lines[position + 1][1]))
    )


def _is_bold_heading(lines: list[_Line], position: int) -> bool:
    """A line that is bold as a whole, with something under it, or underlined."""
    if position + 1 < len(lines) and _UNDERLINE.match(lines[position + 1][1]):
        return "|" not in lines[position][1] and not _ITEM.match(lines[position][1])
    bold = _BOLD_LINE.match(lines[position][1])
    if bold is None or bold["text"].rstrip().endswith((".", "!", "?")):
        return False
    return any(raw.strip() for _, raw, _ in lines[position + 1 : position + 3])


def _table(lines: list[_Line], position: int) -> Generator[Segment, None, int]:
    heads: list[str] = []
    for place in range(position, len(lines)):
        start, raw, text = lines[place]
        if "|" not in raw:
            return place
        if place == position + 1:
            continue
        for index, (at, cell) in enumerate(_cells(start, text)):
            if place == position:
                heads.append(cell.strip(" \t\x1f").casefold())
                yield Segment(text=cell, start=at, kind="head")
            else:
                column = heads[index] if index < len(heads) else ""
                yield Segment(text=cell, start=at, kind="cell", column=column)
    return len(lines)


def _cells(start: int, row: str) -> Iterator[tuple[int, str]]:
    begin = len(row) - len(row.lstrip())
    if row[begin : begin + 1] == "|":
        begin += 1
    for cell in row[begin:].rstrip().removesuffix("|").split("|"):
        yield start + begin, cell
        begin += len(cell) + 1


def _paragraph(lines: list[_Line], position: int) -> Generator[Segment, None, int]:
    """Lines up to the next blank line, item, heading, table or fence, as one segment."""
    start, raw, text = lines[position]
    marker = _ITEM.match(raw)
    kind: Kind = "item" if marker is not None else "text"
    skip = marker.end() if marker is not None else _quote_marks(raw)
    parts = [text[skip:]]
    position += 1
    while position < len(lines):
        _, next_raw, next_text = lines[position]
        if _starts_block(lines, position) or _QUOTE.match(next_raw):
            break
        parts.append(next_text)
        position += 1
    yield Segment(text="".join(parts), start=start + skip, kind=kind)
    return position


def _quote_marks(raw: str) -> int:
    quote = _QUOTE.match(raw)
    return quote.end() if quote is not None else 0


def _starts_block(lines: list[_Line], position: int) -> bool:
    raw = lines[position][1]
    return (
        not raw.strip()
        or _ITEM.match(raw) is not None
        or _FENCE.match(raw) is not None
        or _HEADING.match(raw) is not None
        or _RULE.match(raw) is not None
        or _is_table(lines, position)
        or _is_bold_heading(lines, position)
    )
