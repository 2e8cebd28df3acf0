"""Numbers: which of them state something, their units, ranges, and what they count (E2)."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.answers.core.extraction.noun_phrases import LABEL, in_run, run
from factmark.answers.core.extraction.phrases import (
    AMBIGUOUS,
    CONTENT,
    GENERIC_ADJECTIVE,
    GENERIC_NOUN,
    STOP,
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
_BETWEEN = word_set("to over about around more than nearly almost roughly approximately some")


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
    here = tokens[position]
    plain = here.kind is Kind.NUMBER or here.lower in SCALES
    if here.anchored or not plain or here.text[-1] == "%" or position + 1 >= len(tokens):
        return 0
    noun = run(tokens, classes, position + 1)
    if noun is None or noun.kind == "skip" or noun.first != position + 1:
        return 0
    head = tokens[noun.last]
    trimmed = noun.last + 1 < len(tokens) and in_run(tokens, classes, noun.last + 1)
    counts = (
        here.text[-1].isalpha()  # 24 HR metoprolol
        or head.lower.endswith("s")
        or head.lower in ("women", "men", "children", "people")
        or is_capital(head)
    )
    return noun.last if counts and not trimmed and classes[noun.last] == CONTENT else 0


def _is_number(tokens: Sequence[Token], position: int) -> bool:
    token = tokens[position]
    if token.kind is Kind.DATE:
        return True
    if token.kind is Kind.NUMBER:
        return token.lower != "one" or _one_counts(tokens, position)
    return bool(LABEL.match(token.text)) and _range_end(tokens, position) is not None


def _one_counts(tokens: Sequence[Token], position: int) -> bool:
    """Whether `one` is a number here and not a pronoun."""
    before = tokens[position - 1].lower if position else ""
    after = tokens[position + 1] if position + 1 < len(tokens) else None
    if before == "in" or (before in lexicon.DETERMINERS and before not in ("the", "these")):
        return False
    if after is None or after.kind is not Kind.WORD:
        return tokens[position].anchored
    if after.lower in ("or", "to"):
        return True
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
    at = _next(tokens, last + 1)
    word = tokens[at].lower if at < len(tokens) else ""
    between = any(token.lower == "between" for token in tokens[max(0, last - 3) : last])
    if word not in _RANGE_WORDS or (word == "and" and not between):
        return None
    at = _next(tokens, at + 1)
    while at < len(tokens) and tokens[at].lower in _BETWEEN:
        at = _next(tokens, at + 1)
    if at >= len(tokens):
        return None
    same = (Kind.NUMBER, Kind.DATE)
    if tokens[last].kind in same or tokens[last].lower in lexicon.UNITS_AFTER_NUMBER:
        return at if tokens[at].kind in same and tokens[at].lower != "one" else None
    return at if LABEL.match(tokens[last].text) and LABEL.match(tokens[at].text) else None


def _next(tokens: Sequence[Token], at: int) -> int:
    """The first place from `at` on that is no edge of markup."""
    while at < len(tokens) and tokens[at].kind is Kind.EDGE:
        at += 1
    return at


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
    if before in ("all", "those", "both"):
        counted = word_class(after.lower) if after and after.kind is Kind.WORD else STOP
        return counted in (CONTENT, GENERIC_NOUN, GENERIC_ADJECTIVE)
    return True
