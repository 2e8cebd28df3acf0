"""Edges that a description stands on, as GraphRAG and LightRAG write them, and their texts."""

from __future__ import annotations

import re
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import json_value, read_text, why_too_long, without_surrogates
from factmark.graphs.core.claims import WORDINGS, folded, relation_key
from factmark.graphs.triples.checks import SEPARATOR
from factmark.passages.passage_file import Passages, read_passages

RELATED = "related_to"
"""The relation of an edge that has no name for it."""
LIGHTRAG_CHUNKS = "kv_store_text_chunks.json"
_TEXT_UNITS = (
    "text_units.parquet",
    "create_final_text_units.parquet",
    "create_base_text_units.parquet",
)
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
    """
    parts = tuple(dict.fromkeys(part for part in _PARTS.split(description.strip()) if part))
    if all(_says_nothing(part) for part in parts):
        return (RELATED,), ""
    if all(_is_identifier(part) for part in parts):
        return parts, ""
    if len(parts) == 1 and _is_phrase(parts[0], head, tail):
        return parts, ""
    sentences = (" ".join(part.split()) for part in description.split(SEPARATOR))
    return (RELATED,), " ".join(dict.fromkeys(filter(None, sentences)))


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
    if folded(text) in map(folded, (head, tail)) or not _PRONOUNS.isdisjoint(
        word.casefold() for word in words
    ):
        return False
    if text.lower() == text.upper():  # a script without capitals, and perhaps without spaces
        unspaced = len(words) == 1 and len(text) <= _LONGEST_UNSPACED
        return (unspaced or len(words) > 1) and not any(end and end in text for end in (head, tail))
    if len(words) == 1:
        return len(text) <= _LONGEST_NAME
    padded = f" {folded(text)} "
    return text == text.lower() and not any(f" {folded(end)} " in padded for end in (head, tail))


def text_units(folder: Path, problems: Problems) -> Passages | None:
    """The text units of GraphRAG in a folder, or None where there are none."""
    path = next((folder / name for name in _TEXT_UNITS if (folder / name).is_file()), None)
    if path is None:
        return None
    own = Problems()
    passages = read_passages(path, own)
    for kind, examples in own.examples.items():
        problems.odd[kind] += own.dropped[kind]
        problems.examples.setdefault(kind, []).extend(f"{path.name}, {text}" for text in examples)
    return passages


def lightrag_chunks(folder: Path, problems: Problems) -> Passages | None:
    """The chunks of LightRAG in a folder, or None where there are none.

    Raises:
        InputError: the file is no JSON object of chunks.
    """
    path = folder / LIGHTRAG_CHUNKS
    if not path.is_file():
        return None
    chunks = json_value(path, read_text(path))
    if not isinstance(chunks, dict):
        raise InputError(f"{path}: is no JSON object of texts by id.")
    passages = Passages()
    for name, value in chunks.items():
        where = f"{LIGHTRAG_CHUNKS}, {name[:80]!r}"
        text = value.get("content") if isinstance(value, dict) else value
        if not isinstance(text, str) or not text.strip():
            problems.note("passage without text", where)
        elif why := why_too_long(text):
            problems.note("passage too long to be read", where, why)
        else:
            passages.add(without_surrogates(name), without_surrogates(text))
    return passages
