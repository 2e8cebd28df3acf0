"""Cuts a clause into phrases: elements of G, numbers, addresses, actions, names (E1, E2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factmark.answers.core.extraction.noun_phrases import run
from factmark.answers.core.extraction.numbers import number
from factmark.answers.core.extraction.phrases import (
    ACTION,
    ADVERB,
    CONTENT,
    GENERIC_ADJECTIVE,
    GENERIC_NOUN,
    STOP,
    VERB,
    Phrase,
    classify,
    word_class,
)
from factmark.answers.core.extraction.tokens import Kind, Token
from factmark.text import lexicon
from factmark.text.lexicon import word_set

_IDLE = (STOP, ADVERB, VERB)  # begin no phrase unless they spell an element of G


def phrases(tokens: Sequence[Token], *, policy: bool) -> Iterator[Phrase]:
    """The phrases of a clause in order.

    Args:
        tokens: of one clause.
        policy: whether the question is about what may be done with data, so that actions count.
    """
    classes = classify(tokens)
    for index, token in enumerate(tokens):  # `is used` tells what happens; `may be used` permits
        if token.lower == "used" and all(
            t.lower != "be" for t in tokens[max(0, index - 3) : index]
        ):
            classes[index], token.anchored = VERB, False
    position = 0
    while position < len(tokens):
        if classes[position] in _IDLE and not tokens[position].anchored:
            position += 1
            continue
        phrase = (
            _glued(tokens, classes, position)
            or number(tokens, classes, position)
            or _address(tokens, position)
            or (_action(tokens, classes, position) if policy else None)
            or run(tokens, classes, position)
        )
        if phrase is None:
            position += 1
        elif phrase.kind == "phrase" and _says_little(tokens, phrase):
            position = phrase.last + 1
        else:
            yield phrase
            position = phrase.last + 1


def _glued(tokens: Sequence[Token], classes: list[int], position: int) -> Phrase | None:
    """An action or a longer stretch that spells an element of G, as it stands there."""
    token = tokens[position]
    last = position
    while tokens[last].glued and last + 1 < len(tokens):
        last += 1
    if not token.anchored or (token.kind is not Kind.WORD and last == position):
        return None
    if last == position and classes[position] in (CONTENT, GENERIC_NOUN):
        return None  # may be part of a longer name
    return Phrase(position, last, "phrase")


def _address(tokens: Sequence[Token], position: int) -> Phrase | None:
    kinds = {Kind.URL: "address", Kind.CURIE: "curie"}
    kind = kinds.get(tokens[position].kind)
    return None if kind is None else Phrase(position, position, kind)


def _action(tokens: Sequence[Token], classes: list[int], position: int) -> Phrase | None:
    """A verb that a policy can permit or oblige, with its object where that says more."""
    if classes[position] != ACTION:
        return None
    last = position + 1
    while last < len(tokens) and tokens[last].lower in lexicon.DETERMINERS:
        last += 1
    head = None
    while last < len(tokens) and classes[last] in (CONTENT, GENERIC_NOUN, GENERIC_ADJECTIVE):
        head, last = last, last + 1
    if head is None or tokens[head].lower.removesuffix("s") in (*lexicon.HEADS, "data"):
        return Phrase(position, position, "action")
    return Phrase(position, head, "action")


_SET_PHRASES = word_set("on into at by out off its their")  # into force, on display
_TAKEN_UP = word_set("the this these that")


def _says_little(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """Whether a phrase of common words only carries what stands beside it.

    What a number of G counts (`46 variants`), what a number measures (`a weight of 208 kDa`, `208
    m deep`), what a statement takes up again (`The hospital has ...`), `into force`.
    """
    inside = tokens[phrase.first : phrase.last + 1]
    near = tokens[max(0, phrase.first - 4) : phrase.first], tokens[phrase.last + 1 :][:5]
    before, after = ([token for token in side if token.kind is not Kind.EDGE] for side in near)
    if any(
        token.anchored or not token.lower.isalpha() or not token.text.islower() for token in inside
    ):
        return False
    if len(after) > 1 and after[0].lower == "of":
        rest = (token for token in after[1:] if word_class(token.lower) not in (STOP, ADVERB))
        return next(rest, after[0]).kind is Kind.NUMBER
    if not before or (after and _is_noun(after[0])):
        return False
    lead = before[-1]
    if lead.kind is Kind.NUMBER and lead.anchored:
        return inside[-1].text.endswith("s")
    begins = phrase.first == 1 and bool(after) and after[0].kind is Kind.WORD
    return len(inside) == 1 and (
        (lead.lower in _TAKEN_UP and begins)
        or (lead.lower in _SET_PHRASES and not inside[0].text.endswith("s"))
        or lead.lower in lexicon.UNITS_AFTER_NUMBER
        or (bool(after) and after[0].lower == "by")
    )


def _is_noun(token: Token) -> bool:
    return token.kind is Kind.WORD and word_class(token.lower) in (CONTENT, GENERIC_NOUN)
