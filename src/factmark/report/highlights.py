"""An answer with its facts marked: yellow where one covers an element of G, red where none does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup, escape

from factmark.answers.records import Fact
from factmark.report.text import visible

_MARK = Markup('<mark class="{}" title="{}">{}</mark>')


def highlight(text: str, facts: Sequence[Fact]) -> Markup:
    """The text as safe HTML with a `<mark>` around each fact and around nothing else.

    The class is `hit` for a matched fact and `miss` for any other; the title names the matched
    element and the rule. Text without tags equals `visible(text)`. Where facts overlap, each
    stretch is marked once, as the shortest fact over it, and its title names them all.

    Raises:
        ValueError: a fact is empty or not inside the text.
    """
    for fact in facts:
        if not 0 <= fact.start < fact.end <= len(text):
            raise ValueError(
                f"fact {fact.text!r} at {fact.start}-{fact.end} is not inside "
                f"an answer of {len(text)} characters"
            )
    made, position = [], 0
    for start, end, covering in _stretches(facts):
        made.append(escape(_part(text, position, start)))
        shortest = min(covering, key=lambda fact: fact.end - fact.start)
        kind = "miss" if shortest.match is None else "hit"
        titles = visible("; ".join(explain(fact) for fact in covering))
        made.append(_MARK.format(kind, titles, _part(text, start, end)))
        position = end
    made.append(escape(_part(text, position, len(text))))
    return Markup("").join(made)


def explain(fact: Fact) -> str:
    """In words, what was decided on a fact: the matched element and the rule."""
    if fact.match is None:
        return "not in the ground truth" + (f", rule {fact.rule}" if fact.rule else "")
    return f"matches “{fact.match}”" + (f", rule {fact.rule}" if fact.rule else "")


def _stretches(facts: Sequence[Fact]) -> list[tuple[int, int, list[Fact]]]:
    """The marked parts of a text in order, each with the facts that lie over it."""
    edges = sorted({edge for fact in facts for edge in (fact.start, fact.end)})
    waiting = sorted(facts, key=lambda fact: fact.start, reverse=True)
    open_facts: list[Fact] = []
    found = []
    for start, end in pairwise(edges):
        open_facts = [fact for fact in open_facts if fact.end > start]
        while waiting and waiting[-1].start == start:
            open_facts.append(waiting.pop())
        if open_facts:
            found.append((start, end, open_facts))
    return found


def _part(text: str, start: int, end: int) -> str:
    """`visible` of a stretch; a line break that the stretch ends in the middle of is kept whole."""
    part = text[start:end]
    if part.endswith("\r") and text[end : end + 1] == "\n":
        part = part[:-1]
    return visible(part)
