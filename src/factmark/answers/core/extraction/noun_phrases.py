"""Runs of nouns and adjectives: where one goes on, and what is trimmed off its ends (E2, E7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factmark.answers.core.extraction.phrases import (
    ACTION,
    CONTENT,
    GENERIC_ADJECTIVE,
    GENERIC_NOUN,
    VERB,
    Phrase,
    is_capital,
    word_class,
)
from factmark.answers.core.extraction.tokens import Kind, Token
from factmark.text import lexicon
from factmark.text.lexicon import word_set

_LONGEST = 40  # tokens of a phrase; a longer run is no name, and the time stays linear
_RUN = (CONTENT, GENERIC_NOUN, GENERIC_ADJECTIVE)
LABEL = re.compile(
    r"^(?:[A-Za-z]{1,4}-?|[A-Za-z]+-[A-Za-z]{1,3})\d+$"
)  # P1, R4, ICD10: may begin or end a range
_ADJECTIVE = re.compile(r"^[a-z-]+(?:al|ic|ive|ous|able|ible|ful|less|ant|ent|ing|ed|ary|ex)$")
_EMPTY_ALONE = word_set("one ones essential primary")  # `heavier ones`, `it is essential to`
_NUMBERED = word_set(
    "annex art article chapter directive part phase recital regulation release section stage type "
    "version"
)
_NAME_LINKS = word_set("for on de del la des du della di da van von der für et y e al")


def run(tokens: Sequence[Token], classes: list[int], position: int) -> Phrase | None:
    """A run of nouns and adjectives, trimmed of what is general."""
    if not in_run(tokens, classes, position):
        return None
    last = position
    while last + 1 < len(tokens) and (last - position < _LONGEST or tokens[last].glued):
        step = _continues(tokens, classes, position, last)
        if not step:
            break
        last += step
    return _trim(tokens, classes, position, last)


def in_run(tokens: Sequence[Token], classes: list[int], index: int) -> bool:
    token = tokens[index]
    return token.kind is Kind.WORD and classes[index] in _RUN


def _continues(tokens: Sequence[Token], classes: list[int], first: int, last: int) -> int:
    """How many tokens the run goes on for: 0 when it ends at `last`."""
    here, after = tokens[last], tokens[last + 1]
    if here.glued:
        return 1
    if after.start - here.end > 1:
        return 0
    if in_run(tokens, classes, last + 1):
        return 1
    if after.kind is Kind.NUMBER:
        return _name_number(tokens, classes, last)
    if last + 2 >= len(tokens):
        return 0
    beyond = tokens[last + 2]
    if after.lower == "of" and in_run(tokens, classes, last + 2):
        return 2 if _of_joins(tokens, classes, last) else 0
    named = here.kind is Kind.NUMBER or is_capital(here)
    if after.lower == "of" and beyond.lower == "the" and named:
        return 3 if is_capital(tokens[min(last + 3, len(tokens) - 1)]) else 0
    if after.lower == "or":
        return 2 if last == first and in_run(tokens, classes, last + 2) else 0
    named = (
        is_capital(here) and is_capital(beyond) and classes[last] == classes[last + 2] == CONTENT
    )
    if after.lower in _NAME_LINKS and named:
        return 2
    return 0


def _name_number(tokens: Sequence[Token], classes: list[int], last: int) -> int:
    """`Type 2`, `NHIS 2019`, `Article 35`: a number that belongs to the name before it."""
    here, number = tokens[last], tokens[last + 1].text
    if not number[0].isdigit():
        return 0
    if number[-1].isalpha():  # a dose
        return int(classes[last] == CONTENT)
    general = word_class(here.lower) in (GENERIC_NOUN, VERB, ACTION)
    return int(here.lower in _NUMBERED or (is_capital(here) and not general))


def _of_joins(tokens: Sequence[Token], classes: list[int], last: int) -> bool:
    """`loss of vision`, `legs of old tables`: from a noun that says something to another one."""
    return classes[last] == CONTENT and CONTENT in classes[last + 2 : last + 4]


def _trim(tokens: Sequence[Token], classes: list[int], first: int, last: int) -> Phrase:
    """Takes general adjectives off the begin and general heads off the end."""
    end = last
    idle = [
        kind == GENERIC_ADJECTIVE and not token.anchored and token.lower != "late"  # late 1990s
        for kind, token in zip(classes[: last + 1], tokens, strict=False)
    ]
    while first <= last and idle[first]:
        first += 1
    while last > first and (_is_head(tokens[last]) or idle[last]):
        last -= 1
    label = last == first + 1 and LABEL.match(tokens[last].text) and not tokens[first].anchored
    if label and tokens[first].lower in ("patient", "policies", "policy"):
        first = last  # policy P1
    general = all(
        classes[index] != CONTENT and not tokens[index].anchored for index in range(first, last + 1)
    )
    lead = tokens[first:end]
    empty = tokens[end].lower in _EMPTY_ALONE or (  # `a critical aspect`
        _is_shell(tokens[end]) and all(_ADJECTIVE.search(token.text) for token in lead)
    )
    source = not lexicon.SOURCES.isdisjoint((tokens[last].text, tokens[end].text)) and not any(
        token.anchored or not (token.text.islower() or token.text.isupper())
        for token in tokens[first : last + 1]
    )
    if first > last or general or empty or source:
        return Phrase(min(first, end), end, "skip")
    return Phrase(first, last, "phrase")


def _is_shell(token: Token) -> bool:
    return not token.anchored and token.lower.removesuffix("s") in lexicon.SHELLS


def _is_head(token: Token) -> bool:
    """A general word at the end of a phrase that is not part of a capitalised name."""
    word = token.lower
    return not token.text[:1].isupper() and (
        word in lexicon.HEADS
        or word.removesuffix("s") in lexicon.HEADS
        or (word.endswith("ies") and word[:-3] + "y" in lexicon.HEADS)
    )
