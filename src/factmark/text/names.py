"""Names of concepts up to inflection, case, punctuation and British or American spelling."""

from __future__ import annotations

import re
from functools import lru_cache

from factmark.text.words import normalise

_SPELLINGS = (
    (re.compile(r"ae|oe"), "e"),
    (re.compile(r"sulph"), "sulf"),
    (re.compile(r"our(?=$|al|it)"), "or"),
    (re.compile(r"isation"), "ization"),
    (re.compile(r"is$"), "iz"),
    (re.compile(r"programm$"), "program"),
)
_ARTICLES = frozenset({"a", "an", "the"})
_GENITIVE = re.compile(r"['’]s\b")


@lru_cache(maxsize=65_536)
def american(word: str) -> str:
    """A normalised word in one spelling; the result is a key, not always a word.

    >>> american("haemoglobin"), american("tumour"), american("shoe")
    ('hemoglobin', 'tumor', 'shoe')
    """
    if len(word) <= 4:
        return word
    for pattern, replacement in _SPELLINGS:
        word = pattern.sub(replacement, word)
    return word


@lru_cache(maxsize=4_096)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name as they are compared: stemmed, in one spelling, without articles.

    A name of nothing but articles keeps them (vitamin "A").

    >>> name_words("The islets of Langerhans") == name_words("islet of Langerhans")
    True
    """
    words = normalise(_GENITIVE.sub("", name))
    return tuple(american(word) for word in words if word not in _ARTICLES) or tuple(words)


def name_key(name: str) -> str:
    """`name_words` as one string."""
    return " ".join(name_words(name))
