"""Tokens that say an element of G, and the elements that are whole sentences (M4b)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from factmark.answers.core.extraction.question_words import content_words
from factmark.answers.core.extraction.tokens import Token
from factmark.answers.core.matching import Targets

Span = tuple[int, int]
"""The first token of a run, and the one after its last"""


@dataclass(frozen=True, slots=True)
class SpelledElement:
    """Tokens of a sentence that say an element of G.

    Attributes:
        element: its index.
        way: `spelled`; `person`: parts of a person's name (M6); `value`: another writing of a
            number (M5); `misspelled`: one letter of a long word differs; `part`: a part of its
            name that tells it from others (M2); `sentence`: half of the content of an element
            that is a sentence (M4b).
        takes_up: the tagger's spans that say nothing beside it, where it is a sentence.
    """

    element: int
    span: Span
    way: str = "spelled"
    takes_up: tuple[Span, ...] = ()


def sentences_said(
    tokens: Sequence[Token],
    mentions: Sequence[SpelledElement],
    spans: Sequence[Span],
    targets: Targets,
) -> Iterator[SpelledElement]:
    """Yields the elements that are whole sentences and not spelled, where the tokens have at
    least half of their content words; what is said beside them stays as it is."""
    taken = [mention.span for mention in mentions]
    for index, content in targets.content.items():
        places = []
        for at, token in enumerate(tokens):
            if not content.isdisjoint(token.words) and not overlaps_any((at, at + 1), taken):
                places.append(at)
        shared: set[str] = set()
        for at in places:
            shared.update(tokens[at].words)
        spelled = any(mention.element == index for mention in mentions)
        if places and not spelled and targets.covers_half(index, shared):
            within = [span for span in spans if _adds_nothing(tokens, span, content)]
            others = [span for span in spans if span not in within]
            span = _place_of_sentence(tokens, targets, index, places, others)
            taken.append(span)
            yield SpelledElement(index, span, "sentence", tuple(within))


def _place_of_sentence(
    tokens: Sequence[Token],
    targets: Targets,
    index: int,
    places: Sequence[int],
    others: Sequence[Span],
) -> Span:
    """Returns where a sentence of G is said: a span that has half of its content, else the
    most of its words that stand together outside of the others' spans.

    Args:
        places: the tokens that have words of it.
        others: the tagger's spans that say something beside it.
    """
    shared = {span: [at for at in places if span[0] <= at < span[1]] for span in others}
    for span, inside in shared.items():
        if targets.covers_half(index, [word for at in inside for word in tokens[at].words]):
            return span
    runs: list[list[int]] = []
    for at in places:
        if overlaps_any((at, at + 1), others):
            continue
        if runs and not overlaps_any((runs[-1][-1], at), others):
            runs[-1].append(at)
        else:
            runs.append([at])
    if not runs:
        return max(shared, key=lambda span: len(shared[span]))
    longest = max(runs, key=len)
    return longest[0], longest[-1] + 1


def _adds_nothing(tokens: Sequence[Token], span: Span, content: Collection[str]) -> bool:
    """Whether all content words of a span are those of an element, and it has any."""
    words = content_words(" ".join(token.text for token in tokens[slice(*span)]))
    return bool(words) and set(words).issubset(content)


def overlaps_any(span: Span, spans: Iterable[Span]) -> bool:
    """Whether a run of tokens shares a token with one of the spans."""
    return any(first < span[1] and span[0] < end for first, end in spans)


def lies_in_any(span: Span, spans: Iterable[Span]) -> bool:
    """Whether one of the spans holds all of a run of tokens."""
    return any(first <= span[0] and span[1] <= end for first, end in spans)
