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
from factmark.text.verbs import ACTION_FORMS, PROPERTY_ACTIONS, WEAK_ACTIONS

_IDLE = (STOP, ADVERB, VERB)  # begin no phrase unless they spell an element of G
_VOCABULARIES = word_set("odrl dpv ehds sct snomed loinc rxnorm icd mesh umls cc schema")


def phrases(tokens: Sequence[Token], *, policy: bool) -> Iterator[Phrase]:
    """The phrases of a clause in order.

    Args:
        tokens: of one clause.
        policy: whether the question is about what may be done with data, so that actions count.
    """
    classes = classify(tokens)
    for index, token in enumerate(tokens):
        if _tells(tokens, index):
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
    token = tokens[position]
    if token.kind is Kind.URL:
        return Phrase(position, position, "address")
    if token.kind is not Kind.CURIE:
        return None
    prefix = token.text.partition(":")[0]
    known = prefix.casefold() in _VOCABULARIES
    return Phrase(position, position, "curie" if known or token.anchored else "skip")


def _action(tokens: Sequence[Token], classes: list[int], position: int) -> Phrase | None:
    """A verb that a policy can permit or oblige, with its object where that says more."""
    if classes[position] != ACTION:
        return None
    last = position + 1
    while last < len(tokens) and tokens[last].lower in lexicon.DETERMINERS:
        last += 1
    head = None
    while (
        last < len(tokens)
        and tokens[last].kind is Kind.WORD
        and classes[last]
        in (
            CONTENT,
            GENERIC_NOUN,
            GENERIC_ADJECTIVE,
        )
    ):
        head, last = last, last + 1
    passive = tokens[position].lower.endswith("ed")
    if head is None or passive or _is_plain_object(tokens[head]):
        return Phrase(position, position, "action")
    return Phrase(position, head, "action")


def _tells(tokens: Sequence[Token], position: int) -> bool:
    """Whether a participle says what happens (`is used to train`), and no action of a policy."""
    word = tokens[position].lower
    before = [token.lower for token in tokens[max(0, position - 3) : position]]
    if word == "using":  # barred from using it; but: found using a model
        return before != [] and (before[-1] == "by" or before[-1] not in lexicon.PREPOSITIONS)
    if tokens[position].anchored and word.endswith("s") and word not in ("uses", *WEAK_ACTIONS):
        return ACTION_FORMS.get(word) in WEAK_ACTIONS  # attributes, stores: what is or happens
    if not word.endswith("ed") or "be" in before or ACTION_FORMS.get(word) in PROPERTY_ACTIONS:
        return False
    happens = not {"is", "are", "was", "were", "been"}.isdisjoint(before[-2:])
    return word == "used" or (happens and word in ACTION_FORMS)


def _is_plain_object(token: Token) -> bool:
    """`data`, `dataset`: as the object of an action it adds nothing."""
    return token.lower == "data" or token.lower.removesuffix("s") in lexicon.HEADS


_SET_PHRASES = word_set("on into at by out off its their")  # into force, on display
_TAKEN_UP = word_set("the this these that")


def _says_little(tokens: Sequence[Token], phrase: Phrase) -> bool:
    """Whether a phrase of common words only carries what stands beside it.

    What a number of G counts (`46 variants`), what a number measures (`a weight of 208 kDa`, `208
    m deep`), what a statement takes up again (`The hospital has ...`), `into force`.
    """
    inside = tokens[phrase.first : phrase.last + 1]
    before = [
        token
        for token in tokens[max(0, phrase.first - 4) : phrase.first]
        if token.kind is not Kind.EDGE
    ]
    after = [
        token for token in tokens[phrase.last + 1 : phrase.last + 6] if token.kind is not Kind.EDGE
    ]
    if any(
        token.anchored or not token.lower.isalpha() or not token.text.islower() for token in inside
    ):
        return False
    if len(after) > 1 and after[0].lower == "of":
        return (
            next(
                (token for token in after[1:] if word_class(token.lower) not in (STOP, ADVERB)),
                after[0],
            ).kind
            is Kind.NUMBER
        )
    if not before or (after and _is_noun(after[0])):
        return False
    lead = before[-1]
    if lead.kind is Kind.NUMBER and lead.anchored:
        return inside[-1].text.endswith("s")
    return len(inside) == 1 and (
        (
            lead.lower in _TAKEN_UP
            and phrase.first == 1
            and bool(after)
            and after[0].kind is Kind.WORD
        )
        or (lead.lower in _SET_PHRASES and not inside[0].text.endswith("s"))
        or lead.lower in lexicon.UNITS_AFTER_NUMBER
        or (bool(after) and after[0].lower == "by")
    )


def _is_noun(token: Token) -> bool:
    return token.kind is Kind.WORD and word_class(token.lower) in (CONTENT, GENERIC_NOUN)
