"""The words of a text that say something: in one spelling, with whether they are negated; and
whether two names are of one thing, as far as their words tell."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from factmark.graph_answers.core.question_words import name_keys, piece_key
from factmark.text import lexicon
from factmark.text.names import american, name_words
from factmark.text.words import normalise

_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)
_NOT_ONLY = re.compile(r"\bnot\s+(?=only\b|just\b|merely\b)|\bno\s+(?=doubt\b)", re.IGNORECASE)
_INSTEAD = re.compile(
    r"\b(?:it\s+is|it's|that\s+is)\s+(?:wrong|false|untrue|incorrect|a\s+myth)\s+(?:that|to\s+say)\b"
    r"|\b(?:any(?:thing|one)?|every(?:thing|one)?|all)(?:\s+\w+)?\s+but\b"
    r"|\b(?:rather\s+than|instead\s+of|as\s+opposed\s+to|other\s+than|in\s+place\s+of)\b"
    r"|\bthan\b(?!\s*(?:[\d<>]|one\b|two\b|half\b|a\b))",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:!?\n()]+|[.,](?!\d)|\b(?:but|however|although|though|while|whereas|because|so)\b",
    re.IGNORECASE,
)
_NEGATORS = frozenset("not cannot no never neither nor without none unlike except hardly".split())
_ROMAN = {
    name: str(value)
    for value, name in enumerate("i ii iii iv v vi vii viii ix x xi xii xiii".split(), start=1)
}
_GRADED = re.compile(
    rf"\b(type|class|grade|stage|factor|phase)s?\s+({'|'.join(_ROMAN)})\b", re.IGNORECASE
)
_GREEK = re.compile(r"(?<![\u0370-\u03ff])[\u0370-\u03ff](?![\u0370-\u03ff])")
_ACCENT = re.compile(r"[\u0300-\u036f]")
_NUMBERED = re.compile(r"(?<![\w-])([A-Z]|[A-Za-z]*[A-Z][a-z]*[A-Z][A-Za-z]*)-(?=\d)")
_TIMES = {"once": "1 time", "twice": "2 times", "thrice": "3 times"}
_OFTEN = re.compile(
    r"\b(once|twice|thrice)(?=\W*$|\s+(?:an?|per|each|every|in|daily|weekly|monthly|yearly)\b)",
    re.IGNORECASE,
)
_EACH = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_PER = re.compile(r"\b(daily|weekly|monthly|yearly)\b", re.IGNORECASE)
_THE_ONE = re.compile(r"\b(which|this|that|the|each|another)\s+ones?\b", re.IGNORECASE)  # no 1
_LETTER_A = re.compile(r"(?<=[a-z][ -])A(?![\w'’])")
NAMED_APART = ("oma", "itis", "uria", "emia", "osis", "pathy", "ectomy", "megaly")
"""Endings that make a thing of its own of another's name: `insulin`, `insulinoma`."""
_SUBSTANCES = ("in", "ol")  # adrenal is no adrenalin(e), cortisol no cortisone
_ROOT = 6
_SHARED = 0.7


def _stems(words: Iterable[str]) -> frozenset[str]:
    """Returns the stems of words, in one spelling."""
    return frozenset(american(part) for word in words for part in normalise(word))


_LITTLE = _stems(
    (
        lexicon.FUNCTION_WORDS
        | {"again", "also", "very", "mainly", "usually", "often", "mostly", "etc", "please"}
        | {"mellitus"}  # diabetes is meant without it too
    )
    - {"us", "half", "down", "up", "above", "below", "before", "after", "less", "more", "low"}
) - {"1", "2", "10"}


class ContentWord(NamedTuple):
    """A word that says something, stemmed, in one spelling, a number in digits with its unit; and
    whether its clause denies it."""

    key: str
    negated: bool = False


def lettered(text: str) -> str:
    """The text with its letters and figures in one form.

    Greek letters by their names, no accents, `GLP-1` as `GLP1`, `type II` as `type 2`, `twice
    daily` as `2 times per day`, and another word for an A that is no article: "vitamin A".

    >>> lettered("β-cells, TNF-α"), lettered("Sjögren"), lettered("SGLT-2")
    ('beta-cells, TNF-alpha', 'Sjogren', 'SGLT2')
    """
    if not text.isascii():
        text = _GREEK.sub(lambda m: piece_key(m[0]), text)
        plain = _ACCENT.sub("", unicodedata.normalize("NFKD", text))
        text = unicodedata.normalize("NFC", plain)
    text = _GRADED.sub(lambda m: f"{m[1]} {_ROMAN[m[2].casefold()]}", _NUMBERED.sub(r"\1", text))
    text = _OFTEN.sub(lambda m: _TIMES[m[1].casefold()], text)
    text = _PER.sub(lambda m: f"per {_EACH[m[1].casefold()]}", text)
    return _LETTER_A.sub("lettera", text)


@lru_cache(maxsize=4_096)
def content(text: str) -> tuple[str, ...]:
    """The keys of the words that say something, in order.

    >>> content("The tumours of type I")
    ('tumor', 'type', '1')
    """
    return tuple(word.key for word in words(text))


@lru_cache(maxsize=4_096)
def words(text: str) -> tuple[ContentWord, ...]:
    """The words that say something, each with whether it is negated.

    A negation reaches to the end of its clause: "not metformin but insulin" negates metformin.
    """
    plain = _NOT.sub(" not", lettered(_THE_ONE.sub(r"\1", text)))
    plain = _INSTEAD.sub(" not ", _NOT_ONLY.sub("", plain))
    out: list[ContentWord] = []
    for clause in _CLAUSE.split(plain):
        negated = False
        for key in name_words(clause):
            if key in _NEGATORS:
                negated = True
            elif key not in _LITTLE:
                out.append(ContentWord(key, negated))
    return tuple(out)


def is_number(key: str) -> bool:
    """Whether a key is a number, with or without a unit."""
    return key[0].isdigit()


def is_coded(key: str) -> bool:
    """Whether a key is letters with a number: `b12`, `sglt2`."""
    return key[0].isalpha() and any(char.isdigit() for char in key)


@lru_cache(maxsize=65_536)
def akin(left: str, right: str) -> bool:
    """Whether two keys are one word or of one family: `autoimmune` and `autoimmunity`.

    What is derived by an ending that makes another thing of it (`insulin`, `insulinoma`) is not.
    """
    if left == right:
        return True
    if is_coded(left) and is_coded(right):
        short, long = sorted((left, right), key=len)
        return len(short) > 2 and long.endswith(short)  # HbA1c is A1c
    if left[:_ROOT] != right[:_ROOT]:
        return False
    short, long = sorted((left, right), key=len)
    if len(short) < _ROOT or not (left.isalpha() and right.isalpha()):
        return False
    ends = (*NAMED_APART, *_SUBSTANCES)
    if any(long.endswith(end) and not short.endswith(end) for end in ends):
        return False
    if len(short) == len(long) and short.endswith(_SUBSTANCES):
        return False
    same = next((n for n, char in enumerate(short) if char != long[n]), len(short))
    return same >= _SHARED * len(long)


def runs(needle: tuple[str, ...], hay: tuple[str, ...]) -> bool:
    """Whether the words of `needle` stand in `hay` one after the other."""
    n = len(needle)
    return n > 0 and any(hay[at : at + n] == needle for at in range(len(hay) - n + 1))


_SHORT = re.compile(r"(?<![\w-])[A-Z][\w-]{0,6}[A-Z0-9](?=s?(?![\w-]))")
_WORD = re.compile(r"[^\W\d_]+|\d+")


@lru_cache(maxsize=16_384)
def same_name(name: str, other: str) -> bool:
    """Whether two names say the same: by their keys, in another order, with an abbreviation.

    >>> same_name("β-cells", "beta cell"), same_name("kidney failure", "failure of the kidneys")
    (True, True)
    >>> same_name("GLP-1 RA", "GLP-1 receptor agonist"), same_name("GLP-1", "GLP-2")
    (True, False)
    """
    if name_words(lettered(name)) == name_words(lettered(other)):
        return True
    return bool(words(name) and words(other)) and _within(name, other) and _within(other, name)


@lru_cache(maxsize=4_096)
def stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text, whole, up to spelling and inflection."""
    if runs(name_words(lettered(name)), name_words(lettered(text))):
        return True
    keys = name_keys(name, sys.maxsize)
    named = any(map(str.isalpha, keys))
    return named and runs(tuple(keys), tuple(name_keys(text, sys.maxsize)))


@lru_cache(maxsize=4_096)
def is_short_in(name: str, text: str) -> bool:
    """Whether an abbreviation of a name stands in a text, or what the name abbreviates."""
    denied = frozenset(word.key for word in words(text) if word.negated)
    short = covered(name, text, denied)
    return bool(short) and all(word.key in short for word in words(name))


def _within(name: str, other: str) -> bool:
    """Whether each word of a name is in another, or spelt out by an abbreviation there."""
    short = covered(name, other)
    there = words(other)
    return all(word.key in short or is_among(word, there) for word in words(name))


def is_among(word: ContentWord, others: Iterable[ContentWord]) -> bool:
    """Whether a word, or one of its family, is among others, denied or asserted as it is."""
    return any(word.negated == other.negated and akin(word.key, other.key) for other in others)


def covered(text: str, other: str, denied: frozenset[str] = frozenset()) -> frozenset[str]:
    """The keys of words of `text` for which an abbreviation in `other` stands, or which are one
    for words of `other`.

    Args:
        denied: keys of words that do not count in `other`.

    >>> sorted(covered("gestational diabetes mellitus", "GDM in pregnancy"))
    ['diabet', 'gestational', 'mellitus']
    """
    out: set[str] = set()
    for short in dict.fromkeys(_SHORT.findall(other)):
        if not denied.issuperset(content(short)) and (run := spelt_by(short, text)):
            out.update(name_words(lettered(run)))
    for short in dict.fromkeys(_SHORT.findall(text)):
        run = spelt_by(short, other)
        if run and not denied.issuperset(content(run)):
            out.update(name_words(lettered(short)))
    return frozenset(out)


def spelt_by(short: str, text: str) -> str:
    """The words of a text whose initials an abbreviation gives; a number stands for itself."""
    letters = "".join(char for char in short if char.isalnum()).casefold()
    matches = list(_WORD.finditer(text))
    initials = []
    for m in matches:
        initials.append(m[0] if m[0].isdigit() else m[0][0].casefold())
    for first in range(len(matches)):
        spelt = ""
        for last in range(first, len(matches)):
            spelt += initials[last]
            if spelt == letters and last > first:
                return text[matches[first].start() : matches[last].end()]
            if not letters.startswith(spelt):
                break
    return ""
