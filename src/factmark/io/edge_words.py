"""What a description of an edge says: the name of its relation, or a statement in words of its own.

GraphRAG and LightRAG have a description where a graph of triples has a relation.
"""

from __future__ import annotations

import re

from factmark.graphs.claims import folded

RELATED = "related_to"
"""The relation of an edge that has no name for it."""

_PARTS = re.compile(r"\s*(?:<SEP>|[,;|\n])\s*")
_NAME = re.compile(r"[^\W\d]\w*(?:[-:]\w+)*")
_LONGEST_NAME = 40
_MOST_WORDS = 5


def edge_words(description: str, head: str, tail: str) -> tuple[tuple[str, ...], str]:
    """The relations of an edge, at least one, and its statement, `""` for none.

    Single words (`finding_site_of, part_of`, as the GraphMERT scripts join them) are relations, one
    each. So is a phrase of at most five words without a full stop that names neither end. All else
    is a statement, and its relation is `related_to`.

    >>> edge_words("part_of, finding_site_of", "a", "b")
    (('part_of', 'finding_site_of'), '')
    >>> edge_words("Insulin lowers glucose.", "INSULIN", "GLUCOSE")
    (('related_to',), 'Insulin lowers glucose.')
    """
    text = description.strip()
    if not text:
        return (RELATED,), ""
    parts = tuple(dict.fromkeys(part for part in _PARTS.split(text) if part))
    if all(_is_name(part, head, tail) for part in parts):
        return parts or (RELATED,), ""
    statement = " ".join(" ".join(part.split()) for part in text.split("<SEP>") if part.strip())
    if _is_phrase(statement, head, tail):
        return (statement,), ""
    return (RELATED,), statement


def _is_name(part: str, head: str, tail: str) -> bool:
    """A word; in a script without spaces a whole sentence looks like one, but names its ends."""
    if len(part) > _LONGEST_NAME or not _NAME.fullmatch(part):
        return False
    return part.isascii() or not any(end and end in part for end in (head, tail))


def _is_phrase(text: str, head: str, tail: str) -> bool:
    words = folded(text)
    if not text.isascii() and " " not in words:
        return False
    if len(words.split(" ")) > _MOST_WORDS or words.endswith((".", "!", "?")) or "," in words:
        return False
    return not any(f" {folded(end)} " in f" {words} " for end in (head, tail))
