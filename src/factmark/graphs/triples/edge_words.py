"""What a description of an edge says: the name of its relation, or a statement in words of its own.

GraphRAG and LightRAG have a description where a graph of triples has a relation.
"""

from __future__ import annotations

import re

from factmark.graphs.core.claims import WORDINGS, folded, relation_key

RELATED = "related_to"
"""The relation of an edge that has no name for it."""

_PARTS = re.compile(r"\s*(?:<SEP>|[,;|\n])\s*")
_IDENTIFIER = re.compile(r"[^\W\d_]\w*(?:[_:]\w+)+|[a-z]{2,}(?:[A-Z][a-z]+)+")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_PRONOUNS = frozenset(
    "i we you he she it they me us him her them my our your his its their this that these those "
    "there who which what each both".split()
)
_NOTHING = frozenset(("unknown", "unspecified", "none", "null", "nan", "n/a", "na", "not known"))
_LONGEST_NAME = 40
_LONGEST_UNSPACED = 6  # characters of a name in a script without spaces
_MOST_WORDS = 3


def edge_words(description: str, head: str, tail: str) -> tuple[tuple[str, ...], str]:
    """The relations of an edge, at least one, and its statement, `""` for none.

    Relations are identifiers (`finding_site_of, part_of`, as the GraphMERT scripts join them,
    `partOf`) and names that have a wording, one or a list of them; a single word; and a phrase of
    at most three words in lower case, without a pronoun, a digit or either end. All else is a
    statement, and its relation is `related_to`. What says nothing (`unknown`, `2`) is neither.

    >>> edge_words("part_of, finding_site_of", "a", "b")
    (('part_of', 'finding_site_of'), '')
    >>> edge_words("Insulin lowers glucose.", "INSULIN", "GLUCOSE")
    (('related_to',), 'Insulin lowers glucose.')
    >>> edge_words("strong, positive, direct", "a", "b")
    (('related_to',), 'strong, positive, direct')
    """
    parts = tuple(dict.fromkeys(part for part in _PARTS.split(description.strip()) if part))
    if all(_says_nothing(part) for part in parts):
        return (RELATED,), ""
    if all(_is_identifier(part) for part in parts):
        return parts, ""
    told = (" ".join(part.split()) for part in description.split("<SEP>"))
    statement = " ".join(dict.fromkeys(part for part in told if part))
    if len(parts) == 1 and _is_phrase(parts[0], head, tail):
        return parts, ""
    return (RELATED,), statement


def _says_nothing(part: str) -> bool:
    return folded(part).strip(".") in _NOTHING or not any(map(str.isalpha, part))


def _is_identifier(part: str) -> bool:
    if len(part) > _LONGEST_NAME:
        return False
    return bool(_IDENTIFIER.fullmatch(part)) or relation_key(part) in WORDINGS


def _is_phrase(text: str, head: str, tail: str) -> bool:
    words = text.split()
    if len(words) > _MOST_WORDS or not all(map(_WORD.fullmatch, words)):
        return False
    if folded(text) in map(folded, (head, tail)) or any(map(_is_pronoun, words)):
        return False
    if text.lower() == text.upper():  # a script without capitals, and perhaps without spaces
        unspaced = len(words) == 1 and len(text) <= _LONGEST_UNSPACED
        return (unspaced or len(words) > 1) and not any(end and end in text for end in (head, tail))
    if len(words) == 1:
        return len(text) <= _LONGEST_NAME
    padded = f" {folded(text)} "
    return text == text.lower() and not any(f" {folded(end)} " in padded for end in (head, tail))


def _is_pronoun(word: str) -> bool:
    return word.casefold() in _PRONOUNS
