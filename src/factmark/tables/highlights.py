"""Texts with stretches marked: facts of an answer, evidence for a triple, entities named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from markupsafe import Markup, escape

from factmark.answers.core.records import Fact
from factmark.tables.shown_text import visible

_FACT = Markup('<mark class="{}" title="{}">{}</mark>')
_EVIDENCE = Markup('<mark class="{}" data-role="{}">{}</mark>')
_LINKED = Markup('<mark class="linked" title="{}">{}</mark>')
_ROLES = ("head", "tail", "cue", "negation")


class Stretch(Protocol):
    """A part of a text, in characters."""

    @property
    def start(self) -> int:
        """Where it begins."""

    @property
    def end(self) -> int:
        """Where the next character stands."""


class Mark(Stretch, Protocol):
    """A part of a passage with the role that it has as evidence."""

    @property
    def role(self) -> str:
        """One of head, tail, cue and negation."""


class NamedStretch(Stretch, Protocol):
    """A part of a question that names an entity."""

    @property
    def name(self) -> str:
        """Of the entity."""

    @property
    def how(self) -> str:
        """How it was found."""


S = TypeVar("S", bound=Stretch)


def highlight(text: str, facts: Sequence[Fact]) -> Markup:
    """The text as safe HTML with a `<mark>` around each fact and around nothing else.

    The class is `hit` for a matched fact and `miss` for any other; the title names the matched
    element and the rule. Text without tags equals `visible(text)`. Where facts overlap, each
    stretch is marked once, as the shortest fact over it, and its title names them all.

    Raises:
        ValueError: a fact is empty or not inside the text.
    """
    _check_inside(facts, text, "an answer", lambda fact: f"fact {fact.text!r}")

    def mark(part: str, covering: Sequence[Fact]) -> Markup:
        kind = "miss" if _shortest(covering).match is None else "hit"
        return _FACT.format(kind, visible("; ".join(map(explain, covering))), part)

    return _marked(text, facts, mark)


def highlight_evidence(passage: str, marks: Sequence[Mark]) -> Markup:
    """The passage as safe HTML with a `<mark>` around head, tail, cue and negation.

    The class is the role of the shortest mark over a stretch. `data-role` names all roles over it,
    which the style shows behind the stretch. Text without tags equals `visible(passage)`.

    Raises:
        ValueError: a mark is empty or not inside the passage.
    """
    _check_inside(marks, passage, "a passage", lambda mark: f"the mark of the {mark.role}")

    def mark(part: str, covering: Sequence[Mark]) -> Markup:
        roles = " + ".join(sorted({span.role for span in covering}, key=_ROLES.index))
        return _EVIDENCE.format(_shortest(covering).role, roles, part)

    return _marked(passage, marks, mark)


def highlight_linked(question: str, linked: Sequence[NamedStretch]) -> Markup:
    """The question as safe HTML with a `<mark>` around each entity that it names.

    The title names the entities of a graph over the stretch, and how each was found. Text without
    tags equals `visible(question)`.

    Raises:
        ValueError: an entity is empty or not inside the question.
    """
    _check_inside(linked, question, "a question", lambda entity: f"the entity {entity.name!r}")

    def mark(part: str, covering: Sequence[NamedStretch]) -> Markup:
        entities = sorted({f"{entity.name} ({entity.how})" for entity in covering})
        return _LINKED.format(visible("; ".join(entities)), part)

    return _marked(question, linked, mark)


def _check_inside(spans: Sequence[S], text: str, kind: str, named: Callable[[S], str]) -> None:
    for span in spans:
        if not 0 <= span.start < span.end <= len(text):
            raise ValueError(
                f"{named(span)} at {span.start}-{span.end} is not inside "
                f"{kind} of {len(text)} characters"
            )


def _marked(text: str, spans: Sequence[S], mark: Callable[[str, Sequence[S]], Markup]) -> Markup:
    """The text as safe HTML, with what `mark` makes of each stretch that spans lie over."""
    pieces, position = [], 0
    for start, end, covering in _stretches(spans):
        pieces.append(escape(_part(text, position, start)))
        pieces.append(mark(_part(text, start, end), covering))
        position = end
    pieces.append(escape(_part(text, position, len(text))))
    return Markup("").join(pieces)


def _shortest(spans: Sequence[S]) -> S:
    return min(spans, key=lambda span: span.end - span.start)


def explain(fact: Fact) -> str:
    """In words, what was decided on a fact: the matched element and the rule."""
    if fact.match is None:
        return "not in the ground truth" + (f", rule {fact.rule}" if fact.rule else "")
    return f"matches “{fact.match}”" + (f", rule {fact.rule}" if fact.rule else "")


def _stretches(spans: Sequence[S]) -> list[tuple[int, int, list[S]]]:
    """The marked parts of a text in order, each with the spans that lie over it."""
    edges = sorted({edge for span in spans for edge in (span.start, span.end)})
    waiting = sorted(spans, key=lambda span: span.start, reverse=True)
    opened: list[S] = []
    stretches = []
    for start, end in pairwise(edges):
        opened = [span for span in opened if span.end > start]
        while waiting and waiting[-1].start == start:
            opened.append(waiting.pop())
        if opened:
            stretches.append((start, end, opened))
    return stretches


def _part(text: str, start: int, end: int) -> str:
    """`visible` of a stretch; a line break that the stretch ends in the middle of is kept whole."""
    part = text[start:end]
    if part.endswith("\r") and text[end : end + 1] == "\n":
        part = part[:-1]
    return visible(part)
