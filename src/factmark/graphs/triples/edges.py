"""What every reader of triples checks, and edges that a description stands on, as GraphRAG and
LightRAG write them, with their texts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import broken_bytes_reason, has_broken_bytes
from factmark.files.text_files import (
    LONGEST,
    json_value,
    read_text,
    too_long_reason,
    without_surrogates,
)
from factmark.graphs.core.claims import WORDINGS, folded, relation_key
from factmark.passages.passage_file import Passages, read_passages

SEPARATOR = "<SEP>"
"""What LightRAG joins several texts with."""
_NO_TEXT = (dict, list, tuple, bool)
_DECIMAL_COMMA = re.compile(r"-?(0,\d+|\d+,(\d{1,2}|\d{4,}))")
_IDS = re.compile(r"[^\s,'\"\[\]]+")
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


def relations_and_statement(description: str, head: str, tail: str) -> tuple[tuple[str, ...], str]:
    """Returns the relations that an edge's description names, at least one, and its statement,
    empty for none.

    Relations are identifiers (`finding_site_of, part_of`, as the GraphMERT scripts join them,
    `partOf`) and names that have a wording, one or a list of them; a single word; and a phrase of
    at most three words in lower case, without a pronoun, a digit or either end. All else is a
    statement, and its relation is `related_to`. What says nothing (`unknown`, `2`) is neither.

    >>> relations_and_statement("part_of, finding_site_of", "a", "b")
    (('part_of', 'finding_site_of'), '')
    >>> relations_and_statement("Insulin lowers glucose.", "INSULIN", "GLUCOSE")
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


def take_description(fields: dict[str, Any]) -> str:
    """Takes description and keywords out of the fields of an edge; returns the description where it
    stands in place of a relation, which then is the keywords', or `related_to`."""
    parts = fields.pop("statement", None)
    keywords = fields.pop("keywords", None)
    if not {"relation", "triple"}.isdisjoint(name for name, cell in fields.items() if cell):
        return ""
    if "relation" in fields and not parts and not keywords:
        return ""
    words = str(keywords or "").replace(SEPARATOR, ", ").split()
    fields["relation"] = " ".join(words) or RELATED
    if isinstance(parts, list | tuple):
        return "\n".join(str(part).strip() for part in parts if part)
    return str(parts or "").strip()


def _says_nothing(part: str) -> bool:
    """Whether a part of a description is a placeholder as `unknown`, or has no letter."""
    return folded(part).strip(".") in _NOTHING or not any(map(str.isalpha, part))


def _is_identifier(part: str) -> bool:
    """Whether a part of a description is the name of a relation, as `part_of`, `partOf` or one that
    has a wording."""
    if len(part) > _LONGEST_NAME:
        return False
    return bool(_IDENTIFIER.fullmatch(part)) or relation_key(part) in WORDINGS


def _is_phrase(text: str, head: str, tail: str) -> bool:
    """Whether a description is so short a phrase that it names a relation."""
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
    """Returns the passages that are GraphRAG's text units in a folder; None if there are none."""
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
    """Returns the passages that are LightRAG's chunks in a folder; None if there are none.

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
        if isinstance(value, dict):
            text = value.get("content")
        else:
            text = value
        if not isinstance(text, str) or not text.strip():
            problems.note("passage without text", where)
        elif why := too_long_reason(text):
            problems.note("passage too long to be read", where, why)
        else:
            passages.add(without_surrogates(name), without_surrogates(text))
    return passages


def check_texts(
    fields: Mapping[str, object], where: str, problems: Problems, needed: Sequence[str] = ()
) -> dict[str, str] | None:
    """Returns the fields as texts without blanks around them, empty for missing ones.

    Reports the row and returns None if one is no text, broken or too long, or a needed one is
    empty.
    """
    texts = _plain_texts(fields)
    if not texts:
        for field, value in fields.items():
            is_empty = value is None or value != value  # NaN, as frames of numbers have it
            if isinstance(value, str):
                text = value.strip()
            elif is_empty:
                text = ""
            else:
                text = str(value)
            if isinstance(value, _NO_TEXT):
                problems.drop(f"{field} is no text", where, f"{field} is a {type(value).__name__}")
            elif has_broken_bytes(text):
                problems.drop(
                    "broken characters", where, f"in {field}: {broken_bytes_reason(text)}"
                )
            elif why := too_long_reason(text):
                problems.drop("text too long", where, f"in {field}: {why}")
            else:
                texts[field] = text
                continue
            return None
    for field in needed:
        if not texts.get(field):
            problems.drop(f"no {field}", where)
            return None
    return texts


def _plain_texts(fields: Mapping[str, Any]) -> dict[str, str]:
    """Returns the fields without blanks around them where nothing can be wrong with any: all are
    texts, short and of ASCII; else nothing."""
    try:
        whole = "".join(fields.values())
    except TypeError:
        return {}
    if len(whole) > LONGEST or not whole.isascii() or "\0" in whole:
        return {}
    texts = {}
    for field, text in fields.items():
        texts[field] = text.strip()
    return texts


def check_number(value: object, where: str, problems: Problems) -> float | None:
    """Returns a confidence as a number, `0,5` as 0.5; reports it and returns None if it is no
    number, such as `1,000`, which may be a thousand."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value.strip()):
        value = value.replace(",", ".")
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever it is, the error is reported
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isfinite(number):
        return number
    problems.note("confidence is no number", where, f"confidence {str(value)[:40]!r} is not read")
    return None


def find_passage(
    name: str, stores: Sequence[Passages], where: str, problems: Problems
) -> str | None:
    """Returns the text of a passage from the first store that has it; reports it and returns None
    if none has."""
    for store in stores:
        text = store.get(name)
        if text is not None:
            return text
    if stores:
        problems.note("unknown passage", where, f"no passage {name!r}")
    return None


def ids_of(value: object) -> tuple[str, ...]:
    """Returns the ids in a list, in a text with `<SEP>` or commas, or in a list written as a text;
    each once."""
    ids: Sequence[str] = ()
    if isinstance(value, list | tuple):
        ids = [str(name) for name in value if name is not None]
    elif isinstance(value, str) and value.lstrip().startswith("["):
        ids = _IDS.findall(value)
    elif isinstance(value, str):
        ids = value.split(SEPARATOR if SEPARATOR in value else ",")
    return tuple(dict.fromkeys(name for given in ids if (name := given.strip())))


def strip_quotes(name: str) -> str:
    """Returns a name without the quotes that older versions of GraphRAG and LightRAG left around
    it."""
    if len(name) > 1 and name[0] == name[-1] == '"':
        inner = name[1:-1].strip()
    else:
        inner = name
    if '"' in inner:
        return name
    return inner
