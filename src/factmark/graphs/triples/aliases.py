"""Names that mean the same node, from tables and from RDF."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from pyoxigraph import Literal

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import TABLES, check_file, header_of, is_broken, read_rows
from factmark.graphs.rdf_files import (
    KEEP_LABEL,
    LABELS,
    RDF_FORMATS,
    SKOS,
    encoded,
    label_rank,
    local_name,
    read_quads,
)

_NAMES = ("name", "entity", "title", "label", "preferred_name", "node", "head")
_ALIASES = ("alias", "aliases", "synonym", "synonyms", "alt_label", "altlabel", "other_names")
_ALT_LABELS = frozenset({f"{SKOS}altLabel", f"{SKOS}hiddenLabel"})
_SPLIT = re.compile(r"\s*\|\s*")


def read_aliases(
    path: Path, problems: Problems, encoding: str = "utf-8"
) -> Iterator[tuple[str, str]]:
    """Pairs of a name, as the graph writes it, and another name for the same.

    Tables have a column `name` (`entity`, `title`, ...) and one `alias` (`aliases`, `synonyms`,
    ...), whose cells hold one alias, several with `|` between, or a list. In RDF they are
    `skos:altLabel` and `skos:hiddenLabel` beside the best label of the node; a node without a label
    goes by the last part of its IRI. An alias that is the name itself is left out.

    Args:
        path: `.csv`, `.tsv`, `.jsonl`, `.parquet`, or RDF.
        problems: where bad rows are told with their place.

    Raises:
        InputError: the file cannot be read, or has no such columns.
    """
    check_file(path)
    suffix = path.suffix.casefold()
    if suffix not in (*TABLES, *RDF_FORMATS):
        raise InputError(f"{path}: ends in none of {', '.join((*TABLES, *RDF_FORMATS))}.")
    pairs = (
        _of_rdf(path, problems) if suffix in RDF_FORMATS else _of_table(path, problems, encoding)
    )
    return (pair for pair in pairs if pair[0] != pair[1])


def _column(path: Path, header: tuple[str, ...], usual: tuple[str, ...]) -> str:
    by_name = {column.casefold().replace(" ", "_"): column for column in header}
    if known := next((name for name in usual if name in by_name), ""):
        return by_name[known]
    raise InputError(
        f"{path}, line 1: no column {usual[0]!r}. Found: {', '.join(header[:12]) or 'nothing'}. "
        f"Rename one to {usual[0]!r}; also known are {', '.join(usual[1:])}."
    )


def _of_table(path: Path, problems: Problems, encoding: str) -> Iterator[tuple[str, str]]:
    header = header_of(path, encoding)
    name_column, alias_column = _column(path, header, _NAMES), _column(path, header, _ALIASES)
    for where, row in read_rows(path, problems, encoding):
        name = row.get(name_column)
        aliases = _several(row.get(alias_column))
        if not isinstance(name, str) or not name.strip():
            problems.drop("no name", where)
        elif aliases is None:
            problems.drop("alias is no text", where, "aliases are a text or a list of texts")
        elif any(is_broken(text) for text in (name, *aliases)):
            problems.drop("broken characters", where, "NUL or undecodable bytes")
        else:
            yield from ((name.strip(), alias) for alias in aliases)


def _several(cell: object) -> tuple[str, ...] | None:
    """The aliases of a cell; None where it is neither a text nor a list of texts."""
    if isinstance(cell, str):
        cell = _listed(cell) if cell.lstrip().startswith("[") else _SPLIT.split(cell)
    if not isinstance(cell or [], list | tuple):
        return None
    texts = list(cell or [])  # type: ignore[call-overload]  # a list or a tuple
    if not all(isinstance(text, str) for text in texts):
        return None
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _listed(cell: str) -> object:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return _SPLIT.split(cell)


def _of_rdf(path: Path, problems: Problems) -> Iterator[tuple[str, str]]:
    """Labels may stand anywhere in the file, so both kinds go into a private database first."""
    with closing(sqlite3.connect("")) as database:
        database.executescript(
            f"PRAGMA journal_mode = OFF; {LABELS}; CREATE TABLE alias (node TEXT, text TEXT)"
        )
        for quad in read_quads(path, problems):
            node, predicate, value = encoded(quad.subject), quad.predicate.value, quad.object
            if not isinstance(value, Literal) or not value.value.strip():
                continue
            if predicate in _ALT_LABELS:
                problems.rows += 1
                database.execute("INSERT INTO alias VALUES (?, ?)", (node, value.value.strip()))
            elif (rank := label_rank(predicate, value.language)) is not None:
                database.execute(KEEP_LABEL, (node, rank, value.value.strip()))
        rows = database.execute(
            "SELECT alias.node, label.text, alias.text FROM alias "
            "LEFT JOIN label ON label.node = alias.node ORDER BY alias.rowid"
        )
        for node, label, alias in rows:
            if name := label or (local_name(node[1:]) if node.startswith("I") else ""):
                yield name, alias
            else:
                problems.drop("a node without a name", node[1:], "a blank node without a label")
