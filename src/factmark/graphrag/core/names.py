"""Whether two names are of one thing, as far as their words tell; initials that stand for words."""

from __future__ import annotations

import re
import sys
from functools import lru_cache

from factmark.graphs.core.content import (
    ContentWord,
    akin,
    content,
    is_number,
    lettered,
    runs,
    words,
)
from factmark.graphs.core.linking import name_keys
from factmark.text.names import name_words

_BEYOND = re.compile(
    r"\s+(?:of|in|with|without|for|by|from|to|on|at|during|after|due|caused|and|or)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_NO_KIND = frozenset({"non", "pre", "anti", "post", "pseudo", "para", "false", "former"})
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
    keys = name_keys(name, sys.maxsize)
    if any(map(str.isalpha, keys)) and keys == name_keys(other, sys.maxsize):
        return True
    return bool(words(name) and words(other)) and _within(name, other) and _within(other, name)


@lru_cache(maxsize=16_384)
def is_kind_of(name: str, other: str) -> bool:
    """Whether a name is another with words before it, as a `pancreatic beta cell` is a beta cell.

    A tail of the pancreas is no pancreas, insulin resistance no insulin, prediabetes no diabetes.
    """
    mine, wanted = words(_BEYOND.sub("", name)), words(other)
    if not wanted or len(mine) <= len(wanted) or _BEYOND.search(other):
        return False
    before, tail = mine[-len(wanted) - 1], mine[-len(wanted) :]
    return before.key not in _NO_KIND and all(map(_alike, wanted, tail))


def is_figure(name: str) -> bool:
    """Whether a name is a number with a unit, or a year, and no more: `6.5%`, `1921`."""
    pieces = words(name)
    return len(pieces) == 1 and is_number(pieces[0].key) and len(pieces[0].key) > 3


@lru_cache(maxsize=4_096)
def stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text, whole, up to spelling and inflection."""
    if runs(name_words(lettered(name)), name_words(lettered(text))):
        return True
    keys = name_keys(name, sys.maxsize)
    figures = not any(map(str.isalpha, keys)) or is_figure(name)
    return not figures and runs(tuple(keys), tuple(name_keys(text, sys.maxsize)))


@lru_cache(maxsize=4_096)
def is_short_in(name: str, text: str) -> bool:
    """Whether an abbreviation of a name stands in a text, or what the name abbreviates."""
    denied = frozenset(word.key for word in words(text) if word.negated)
    short = covered(name, text, denied)
    return bool(short) and all(word.key in short for word in words(name))


def _within(name: str, other: str) -> bool:
    """Whether each word of a name is in another, or spelt out by an abbreviation there."""
    short, there = covered(name, other), words(other)
    return all(word.key in short or any(_alike(word, w) for w in there) for word in words(name))


def _alike(word: ContentWord, other: ContentWord) -> bool:
    return word.negated == other.negated and akin(word.key, other.key)


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
        if (run := spelt_by(short, other)) and not denied.issuperset(content(run)):
            out.update(name_words(lettered(short)))
    return frozenset(out)


def spelt_by(short: str, text: str) -> str:
    """The words of a text whose initials an abbreviation gives; a number stands for itself."""
    letters = "".join(char for char in short if char.isalnum()).casefold()
    matches = list(_WORD.finditer(text))
    initials = [m[0] if m[0].isdigit() else m[0][0].casefold() for m in matches]
    for first in range(len(matches)):
        spelt = ""
        for last in range(first, len(matches)):
            spelt += initials[last]
            if spelt == letters and last > first:
                return text[matches[first].start() : matches[last].end()]
            if not letters.startswith(spelt):
                break
    return ""
