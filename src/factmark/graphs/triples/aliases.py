"""Names that mean the same node, from tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import (
    TABLES,
    broken_bytes_reason,
    check_file,
    has_broken_bytes,
    header_of,
    read_rows,
)
from factmark.passages.passage_file import usual_column

_NAMES = ("name", "entity", "title", "label", "preferred_name", "node", "head")
_ALIASES = ("alias", "aliases", "synonym", "synonyms", "alt_label", "altlabel", "other_names")
_SPLIT = re.compile(r"\s*\|\s*")


def read_aliases(
    path: Path, problems: Problems, encoding: str = "utf-8"
) -> Iterator[tuple[str, str]]:
    """Yields pairs of a name, as the graph writes it, and another name for the same entity.

    Tables have a column `name` (`entity`, `title`, ...) and one `alias` (`aliases`, `synonyms`,
    ...), whose cells hold one alias, several with `|` between, or a list. An alias that is the name
    itself is left out.

    Args:
        path: `.csv`, `.tsv`, `.jsonl` or `.parquet`.
        problems: where bad rows are reported with their place.

    Raises:
        InputError: the file cannot be read, or has no such columns.
    """
    check_file(path)
    if path.suffix.casefold() not in TABLES:
        raise InputError(
            f"{path}: ends in none of {', '.join(TABLES)}. Other names in an RDF file count where "
            "that is the --ontology."
        )
    header = header_of(path, encoding)
    name_column = usual_column(path, header, _NAMES)
    alias_column = usual_column(path, header, _ALIASES)
    for where, row in read_rows(path, problems, encoding):
        name = row.get(name_column)
        aliases = _aliases_in(row.get(alias_column))
        if not isinstance(name, str) or not name.strip():
            problems.drop("no name", where)
        elif aliases is None:
            problems.drop("alias is no text", where, "aliases are a text or a list of texts")
        elif any(has_broken_bytes(text) for text in (name, *aliases)):
            problems.drop(
                "broken characters", where, broken_bytes_reason("".join((name, *aliases)))
            )
        else:
            yield from ((name.strip(), alias) for alias in aliases if alias != name.strip())


def _aliases_in(cell: object) -> tuple[str, ...] | None:
    """Returns the aliases of a cell; None if it is neither a text nor a list of texts."""
    if isinstance(cell, str):
        if cell.lstrip().startswith("["):
            cell = _parse_list(cell)
        else:
            cell = _SPLIT.split(cell)
    if not isinstance(cell or [], list | tuple):
        return None
    texts = list(cell or [])  # type: ignore[call-overload]  # a list or a tuple
    if not all(isinstance(text, str) for text in texts):
        return None
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _parse_list(cell: str) -> object:
    """Returns the JSON list of a cell, or its parts between `|` if it is no JSON."""
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return _SPLIT.split(cell)
