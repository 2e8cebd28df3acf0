"""Numbers: which of them state something, their units, ranges, and what they count (E2)."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.answers.core.extraction.noun_phrases import LABEL, in_run, run
from factmark.answers.core.extraction.phrases import (
    AMBIGUOUS,
    CONTENT,
    GENERIC_ADJECTIVE,
    GENERIC_NOUN,
    Phrase,
    is_capital,
    word_class,
)
from factmark.answers.core.extraction.tokens import Kind, Token
from factmark.text import lexicon
from factmark.text.lexicon import word_set
from factmark.text.words import SCALES

_NOT_COUNTING = word_set(
    "top limit first last next page step rank version no nr # column row chunk chunks "
    "document passage excerpt snippet table figure line"
)
_RANGE_WORDS = word_set("to – - — − through until till or and up")
_BETWEEN = word_set("over about around more than nearly almost roughly approximately some")


def number(tokens: Sequence[Token], classes: list[int], position: int) -> Phrase | None:
    """A number or date with its unit, and a range of them."""
    if not _is_number(tokens, position):
        return None
    last = _with_unit(tokens, position)
    following = _range_end(tokens, last)
    if following is not None and not _splits(tokens, position, following):
        last = _with_unit(tokens, following)
    elif not _counts(tokens, position, last):
        return Phrase(position, last, "skip")
    elif counted := _counted(tokens, classes, last):
        return Phrase(position, counted, "number")
    return Phrase(position, last, "number")


def _counted(tokens: Sequence[Token], classes: list[int], position: int) -> int:
    """Where the noun ends that a number counts and belongs with (`20 countries`), or 0.

    A number stands alone when it matches G, or when the noun is general (E2).
    """
    plain = tokens[position].kind is Kind.NUMBER or tokens[position].lower in SCALES
    if tokens[position].anchored or not plain:
        return 0
    if tokens[position].text[-1] == "%" or position + 1 >= len(tokens):
        return 0
    noun = run(tokens, classes, position + 1)
    if noun is None or noun.kind == "skip" or noun.first != position + 1:
        return 0
    head = tokens[noun.last]
    trimmed = noun.last + 1 < len(tokens) and in_run(tokens, classes, noun.last + 1)
    measures = tokens[position].text[-1].isalpha() and head.lower != "daily"  # 24 HR metoprolol
    counts = (
        measures or head.lower.endswith("s") or head.lower in ("women", "men", "children", "people")
    )
    plain = classes[noun.last] == CONTENT and head.kind is Kind.WORD and not head.anchored
    return noun.last if plain and not trimmed and (counts or is_capital(head)) else 0


def _is_number(tokens: Sequence[Token], position: int) -> bool:
    token = tokens[position]
    if token.kind is Kind.DATE:
        return True
    if token.kind is Kind.NUMBER:
        return token.lower != "one" or _one_counts(tokens, position)
    return (
        token.kind is Kind.WORD
        and token.text[-1].isdigit()
        and bool(LABEL.match(token.text))
        and (_range_end(tokens, position) is not None)
    )


def _one_counts(tokens: Sequence[Token], position: int) -> bool:
    """Whether `one` is a number here and not a pronoun."""
    before = tokens[position - 1].lower if position else ""
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    if before == "in" or (before in lexicon.DETERMINERS and before not in ("the", "these")):
        return False
    if after is None or after.kind is not Kind.WORD:
        return tokens[position].anchored
    if after.lower in ("or", "to") and position + 2 < len(tokens):
        return tokens[position + 2].kind is Kind.NUMBER
    return word_class(after.lower) in (CONTENT, GENERIC_NOUN, AMBIGUOUS, GENERIC_ADJECTIVE)


def _with_unit(tokens: Sequence[Token], position: int) -> int:
    last = position
    while last + 1 < len(tokens):
        unit = tokens[last + 1]
        adjacent = unit.start - tokens[last].end <= 1
        if not adjacent or unit.lower.rstrip("²³") not in lexicon.UNITS_AFTER_NUMBER:
            break
        last += 1
    return last


def _range_end(tokens: Sequence[Token], last: int) -> int | None:
    """Where the second number of a range stands, if one follows."""
    at = last + 1
    while at < len(tokens) and tokens[at].kind is Kind.EDGE:
        at += 1
    if at >= len(tokens) or tokens[at].lower not in _RANGE_WORDS:
        return None
    word = tokens[at].lower
    if word == "and" and not any(
        token.lower == "between" for token in tokens[max(0, last - 3) : last]
    ):
        return None
    at += 1
    while at < len(tokens) and (
        tokens[at].lower in _BETWEEN or tokens[at].lower == "to" or tokens[at].kind is Kind.EDGE
    ):
        at += 1
    if at >= len(tokens):
        return None
    same = (Kind.NUMBER, Kind.DATE)
    if tokens[last].kind in same or tokens[last].lower in lexicon.UNITS_AFTER_NUMBER:
        return at if tokens[at].kind in same and tokens[at].lower != "one" else None
    labels = LABEL.match(tokens[last].text) and LABEL.match(tokens[at].text)
    return at if labels and word != "and" else None


def _splits(tokens: Sequence[Token], first: int, second: int) -> bool:
    """Whether the ends of a range are facts of their own: dates or years that G both holds."""
    return all(
        tokens[end].anchored and tokens[end].words[0].isdigit() and len(tokens[end].words[0]) == 4
        for end in (first, second)
    )


def _counts(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether a number tells something: not in `top 5`, `all three`, or a list's own numbering."""
    before = tokens[first - 1].lower if first else ""
    after = tokens[last + 1] if last + 1 < len(tokens) else None
    if tokens[first].anchored:
        return True
    if before in _NOT_COUNTING:
        return False
    if before in ("all", "those", "both") and tokens[first].kind is Kind.NUMBER:
        return (
            after is not None
            and after.kind is Kind.WORD
            and word_class(after.lower) in (CONTENT, GENERIC_NOUN, GENERIC_ADJECTIVE)
        )
    return True
