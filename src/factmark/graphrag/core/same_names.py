"""Whether two names are of one thing, as far as their words tell."""

from __future__ import annotations

import re
import sys
from functools import lru_cache

from factmark.graphrag.core.abbreviations import covered
from factmark.graphs.core.content import Word, akin, is_number, lettered, runs, words
from factmark.graphs.core.linking import name_keys
from factmark.text.names import name_words

_BEYOND = re.compile(
    r"\s+(?:of|in|with|without|for|by|from|to|on|at|during|after|due|caused|and|or)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_NO_KIND = frozenset({"non", "pre", "anti", "post", "pseudo", "para", "false", "former"})


@lru_cache(maxsize=16_384)
def same_name(one: str, other: str) -> bool:
    """Whether two names say the same: by their keys, in another order, with an abbreviation.

    >>> same_name("β-cells", "beta cell"), same_name("kidney failure", "failure of the kidneys")
    (True, True)
    >>> same_name("GLP-1 RA", "GLP-1 receptor agonist"), same_name("GLP-1", "GLP-2")
    (True, False)
    """
    if name_words(lettered(one)) == name_words(lettered(other)):
        return True
    keys = name_keys(one, sys.maxsize)
    if any(map(str.isalpha, keys)) and keys == name_keys(other, sys.maxsize):
        return True
    return bool(words(one) and words(other)) and _within(one, other) and _within(other, one)


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
    found = words(name)
    return len(found) == 1 and is_number(found[0].key) and len(found[0].key) > 3


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


def _within(one: str, other: str) -> bool:
    """Whether each word of a name is in another, or spelt out by an abbreviation there."""
    short, there = covered(one, other), words(other)
    return all(word.key in short or any(_alike(word, w) for w in there) for word in words(one))


def _alike(one: Word, other: Word) -> bool:
    return one.negated == other.negated and akin(one.key, other.key)
