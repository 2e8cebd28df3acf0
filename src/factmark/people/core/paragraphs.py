"""The paragraphs and headings of a source, as its file has them.

Files write them in three ways: a blank line between them; a line for each; or lines that break
anywhere, as in the published PubMed articles, of which most have no paragraph at all. `set_apart`
writes the first two alike, with blank lines; `blocks` finds them again, and cuts what is longer
than a screen after a sentence, so that a wall can be read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from factmark.text.sentences import Span, sentences, trimmed

Kind = Literal["heading", "paragraph", "rest"]

_BLANK_LINE = re.compile(r"\n\s*\n")
_ENDS = re.compile(r"[.!?…:;。！？।][\"')\]}»”’]*\Z")
_NUMBERING = re.compile(r"\A(?:#{1,6}\s+|(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5})[.)]?\s+)")
_HEADING_WORDS = 12
_HEADING_LETTERS = 90
_PARAGRAPH = 150  # characters, the mean of lines that are paragraphs
_WALL = 1200  # characters of a paragraph that is cut
_PIECE = 600  # of it, at least


class Block(NamedTuple):
    """A heading, a paragraph, or the rest of a paragraph that was cut, without blanks around."""

    start: int
    end: int
    kind: Kind


def set_apart(text: str, names: Collection[str] = ()) -> str:
    """The text with a blank line around each heading and paragraph that has a line of its own.

    Args:
        names: of sections, where the file tells them; a line that is one of them is a heading.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    known = {_plain(name) for name in names} - {""}
    width = max(map(len, lines), default=0)
    heads = [
        _plain(line) in known or _stands_as_heading(lines, at, width)
        for at, line in enumerate(lines)
    ]
    prose = [line.strip() for line, head in zip(lines, heads, strict=True) if not head]
    prose = [line for line in prose if line]
    apart = (
        len(prose) > 1
        and all(_ENDS.search(line) for line in prose)
        and sum(map(len, prose)) >= _PARAGRAPH * len(prose)
    )
    out = lines[:1]
    for (_, before), (line, head) in pairwise(zip(lines, heads, strict=True)):
        out.append(f"\n{line}" if apart or before or head else line)
    return "\n".join(out)


def blocks(text: str, names: Collection[str] = ()) -> tuple[Block, ...]:
    """The headings and paragraphs in order; everything but white space is in exactly one."""
    known = {_plain(name) for name in names} - {""}
    ends = [*_BLANK_LINE.finditer(text)]
    cuts = [0, *(match.end() for match in ends), len(text)]
    spans = []
    for start, end in pairwise(cuts):
        spans.append(trimmed(text, start, end))
    spans = [span for span in spans if span.start < span.end]
    every = sentences(text)
    out: list[Block] = []
    for at, span in enumerate(spans):
        line = span.of(text)
        if _plain(line) in known or (at + 1 < len(spans) and _reads_as_heading(line)):
            out.append(Block(span.start, span.end, "heading"))
        else:
            out += _pieces(span, [piece for piece in every if span.start <= piece.start < span.end])
    return tuple(out)


def _pieces(span: Span, inside: Sequence[Span]) -> list[Block]:
    """A paragraph, or a wall in pieces that end with a sentence."""
    if span.end - span.start <= _WALL:
        return [Block(span.start, span.end, "paragraph")]
    pieces: list[Block] = []
    start = span.start
    end = span.start
    for sentence in inside:
        if end - start >= _PIECE:
            pieces.append(Block(start, end, "rest" if pieces else "paragraph"))
            start = sentence.start
        end = sentence.end
    return [*pieces, Block(start, span.end, "rest" if pieces else "paragraph")]


def _plain(line: str) -> str:
    """A heading as names of sections are compared: without number, marks and case."""
    return " ".join(_NUMBERING.sub("", line.strip()).split()).strip(" .:#").casefold()


def _reads_as_heading(line: str) -> bool:
    """Whether it is one short line that begins as a heading does and ends no sentence."""
    line = line.strip()
    plain = _NUMBERING.sub("", line)
    return (
        0 < len(line) <= _HEADING_LETTERS
        and "\n" not in line
        and len(line.split()) <= _HEADING_WORDS
        and plain[:1].isalpha()
        and (plain[:1].isupper() or line[0] == "#")
        and not _ENDS.search(line)
        and line[-1] != ","
    )


def _stands_as_heading(lines: list[str], at: int, width: int) -> bool:
    """Whether a line among others is a heading: no end of a line that was only broken."""
    before = ""
    if at:
        before = lines[at - 1].strip()
    after = ""
    if at + 1 < len(lines):
        after = lines[at + 1].strip()
    if not _reads_as_heading(lines[at]) or not after or len(lines[at]) > width * 0.6:
        return False
    ended = not before or bool(_ENDS.search(before)) or _reads_as_heading(before)
    return ended and not after[:1].islower()
