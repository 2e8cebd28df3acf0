"""Initials that stand for words: `GDM` and `gestational diabetes mellitus`."""

from __future__ import annotations

import re

from factmark.graphs.core.content import content, lettered
from factmark.text.names import name_words

_SHORT = re.compile(r"(?<![\w-])[A-Z][\w-]{0,6}[A-Z0-9](?=s?(?![\w-]))")
_WORD = re.compile(r"[^\W\d_]+|\d+")


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
    found = list(_WORD.finditer(text))
    initials = [m[0] if m[0].isdigit() else m[0][0].casefold() for m in found]
    for first in range(len(found)):
        spelt = ""
        for last in range(first, len(found)):
            spelt += initials[last]
            if spelt == letters and last > first:
                return text[found[first].start() : found[last].end()]
            if not letters.startswith(spelt):
                break
    return ""
