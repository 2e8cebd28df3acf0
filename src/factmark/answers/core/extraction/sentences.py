"""Reads an answer once: markdown -> segments -> sentences -> tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from factmark.answers.core.extraction.tokens import Kind, Token, tokenise
from factmark.text.lexicon import word_set
from factmark.text.markdown import EDGE, Segment, segments
from factmark.text.sentences import sentences

_NUMBERING = word_set("# rank no no. nr nr. position pos n° № idx")  # heads of a table's columns
_LONGEST = 4_000  # characters of a sentence; a longer one is cut at a pause
_LINE = re.compile(r"[^\n]+")
_COMMA, _SPACE = re.compile(r"[,;]\s"), re.compile(r"\s")
_SOMETHING = re.compile(r"\w|\[\s*\]|\{\s*\}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, a list item, a cell or a heading of an answer.

    Attributes:
        tokens: words, numbers and punctuation, without edges of markup.
        plain: its text with markup as spaces.
        segment: where it stands.
        place: `first`, `middle` or `last` of the answer, or `only`.
    """

    tokens: list[Token]
    plain: str
    segment: Segment
    place: str = "middle"

    @property
    def kind(self) -> str:
        """The kind of its segment, with what a label is a label of."""
        group = self.segment.group.split(" ", 1)[0]
        return f"{self.segment.kind} {group}" if group else self.segment.kind


def read(answer: str) -> list[Sentence]:
    """The sentences of an answer in order; linear in its length.

    Queries, code and the numbering of tables are left out. A sentence that stands in such a place
    again is read once.
    """
    out: list[Sentence] = []
    known: set[tuple[str, ...]] = set()
    for segment in segments(answer):
        if segment.kind == "unread" or segment.column in _NUMBERING:
            continue
        for start, end in _pieces_of(segment.text):
            text = segment.text[start:end]
            place = (text, segment.kind, segment.group, segment.column)
            if place in known:
                continue
            known.add(place)
            tokens = _without_edges(tokenise(text, segment.start + start))
            if tokens:
                out.append(Sentence(tokens, text.replace(EDGE, " ").strip(), segment))
    return [_placed(sentence, index, len(out)) for index, sentence in enumerate(out)]


def _placed(sentence: Sentence, index: int, count: int) -> Sentence:
    if 0 < index < count - 1:
        return sentence
    place = "only" if count == 1 else "last" if index else "first"
    return Sentence(sentence.tokens, sentence.plain, sentence.segment, place)


def _without_edges(tokens: list[Token]) -> list[Token]:
    """The tokens that a reader sees, each told whether it stands in emphasis or code."""
    out, inside, edge = [], False, False
    for token in tokens:
        if token.kind == Kind.EDGE:
            inside, edge = not inside, True
        elif token.kind != Kind.BREAK:
            token.emphasised, token.edge = inside, edge
            out.append(token)
            edge = False
    return out


def _pieces_of(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of each line of a segment begin and end, with their final marks."""
    for line in _LINE.finditer(text):
        for start, end in sentences(line[0]):
            yield from _pieces(text, line.start() + start, line.start() + end)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > _LONGEST:
        span = start + _LONGEST - 400, start + _LONGEST
        pause = _COMMA.search(text, *span) or _SPACE.search(text, *span)
        cut = pause.end() if pause else span[1]
        yield start, cut
        start = cut
    if _SOMETHING.search(text, start, end):
        yield start, end
