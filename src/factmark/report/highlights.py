"""Texts with stretches marked, as safe HTML: facts of an answer, evidence, entities named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from markupsafe import Markup, escape

from factmark.text.sentences import Span, sentences
from factmark.text.shown_text import visible

Stretch = tuple[int, int, str, str]
"""Start and end in characters, the class of its mark, and what is told of it"""

_MARK = Markup('<mark class="{}" title="{}">{}</mark>')
_EVIDENCE = Markup('<mark class="{}" data-role="{}">{}</mark>')
_ROLES = ("head", "tail", "cue", "negation")


class RoleMark(Protocol):
    """A part of a passage with the role that it has as evidence."""

    @property
    def start(self) -> int:
        """Where it begins."""

    @property
    def end(self) -> int:
        """Where the next character stands."""

    @property
    def role(self) -> str:
        """One of head, tail, cue and negation."""


def highlight(text: str, stretches: Iterable[Stretch]) -> Markup:
    """Returns the text as HTML with a `<mark>` around each stretch and around nothing else.

    Text without tags equals `visible(text)`. Where stretches overlap, each part is marked once, in
    the class of the shortest over it, and its title tells of all.

    Raises:
        ValueError: a stretch is empty or not inside the text.
    """

    def mark(part: str, covering: Sequence[Stretch]) -> Markup:
        titles = "; ".join(sorted({title for *_, title in covering}))
        return _MARK.format(_shortest(covering)[2], visible(titles), part)

    return _mark_stretches(text, list(stretches), mark)


def highlight_evidence(passage: str, marks: Iterable[RoleMark]) -> Markup:
    """The passage as HTML with a `<mark>` around head, tail, cue and negation, as `highlight`.

    The class is the role of the shortest mark; `data-role` names all roles over a part, which the
    style shows behind it.
    """

    def mark(part: str, covering: Sequence[Stretch]) -> Markup:
        roles = " + ".join(sorted({role for *_, role in covering}, key=_ROLES.index))
        return _EVIDENCE.format(_shortest(covering)[2], roles, part)

    return _mark_stretches(
        passage, [(span.start, span.end, span.role, span.role) for span in marks], mark
    )


def deciding_sentence(passage: str, marks: Iterable[RoleMark]) -> Span | None:
    """Returns the sentence of a passage that decides, as far as marks tell: the one with the most
    roles, the first of several; None where none is marked."""
    marks = list(marks)
    best = None
    most = 0
    for sentence in sentences(passage):
        roles = set()
        for mark in marks:
            if mark.start < sentence.end and mark.end > sentence.start:
                roles.add(mark.role)
        if len(roles) > most:
            best = sentence
            most = len(roles)
    return best


def highlight_part(passage: str, marks: Iterable[RoleMark], part: Span) -> Markup:
    """Returns a part of a passage as `highlight_evidence` does, with the marks that lie in it."""
    inside = []
    for mark in marks:
        start = max(mark.start, part.start) - part.start
        end = min(mark.end, part.end) - part.start
        if start < end:
            inside.append(PartMark(start=start, end=end, role=mark.role))
    return highlight_evidence(part.of(passage), inside)


class PartMark(NamedTuple):
    """A `RoleMark` within a part of a passage."""

    start: int
    end: int
    role: str


def _shortest(stretches: Sequence[Stretch]) -> Stretch:
    """Returns the shortest of some stretches."""
    return min(stretches, key=lambda stretch: stretch[1] - stretch[0])


def _mark_stretches(
    text: str, stretches: list[Stretch], mark: Callable[[str, Sequence[Stretch]], Markup]
) -> Markup:
    """Returns the text with what `mark` makes of each part that stretches lie over."""
    for start, end, _, what in stretches:
        if not 0 <= start < end <= len(text):
            raise ValueError(
                f"{what!r} at {start}-{end} is not inside a text of {len(text)} characters"
            )
    pieces = []
    position = 0
    for start, end, covering in _split_at_stretches(stretches):
        pieces += [
            escape(_escape_part(text, position, start)),
            mark(_escape_part(text, start, end), covering),
        ]
        position = end
    pieces.append(escape(_escape_part(text, position, len(text))))
    return Markup("").join(pieces)


def _split_at_stretches(stretches: list[Stretch]) -> Iterable[tuple[int, int, list[Stretch]]]:
    """Yields the marked parts of a text in order, each with the stretches that lie over it."""
    edges = sorted({edge for start, end, *_ in stretches for edge in (start, end)})
    waiting = sorted(stretches, key=lambda stretch: stretch[0], reverse=True)
    opened: list[Stretch] = []
    for start, end in pairwise(edges):
        opened = [stretch for stretch in opened if stretch[1] > start]
        while waiting and waiting[-1][0] == start:
            opened.append(waiting.pop())
        if opened:
            yield start, end, opened


def _escape_part(text: str, start: int, end: int) -> str:
    """A stretch as `visible` text; half a line break at its end is left to the next stretch."""
    part = text[start:end]
    if part.endswith("\r") and text[end : end + 1] == "\n":
        part = part[:-1]
    return visible(part)
