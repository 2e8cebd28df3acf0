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
from factmark.graphs.rdf_terms import RDF_FORMATS, SKOS, encoded, label_rank, local_name, read_quads

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
    if suffix in RDF_FORMATS:
        return _of_rdf(path, problems)
    if suffix not in TABLES:
        known = ", ".join((*TABLES, *RDF_FORMATS))
        raise InputError(f"{path}: ends in none of {known}.")
    header = header_of(path, encoding)
    name = _column(path, header, _NAMES, "name")
    alias = _column(path, header, _ALIASES, "alias")
    return _of_table(path, problems, name, alias, encoding)


def _column(path: Path, header: tuple[str, ...], usual: tuple[str, ...], what: str) -> str:
    by_name = {column.casefold().replace(" ", "_"): column for column in header}
    for known in usual:
        if known in by_name:
            return by_name[known]
    found = ", ".join(header[:12]) or "nothing"
    raise InputError(
        f"{path}, line 1: no column {what!r}. Found: {found}. Rename one to {what!r}; "
        f"also known are {', '.join(usual[1:])}."
    )


def _of_table(
    path: Path, problems: Problems, name_column: str, alias_column: str, encoding: str
) -> Iterator[tuple[str, str]]:
    for where, row in read_rows(path, problems, encoding):
        name = row.get(name_column)
        if not isinstance(name, str) or not name.strip():
            problems.drop("no name", where)
            continue
        aliases = _several(row.get(alias_column))
        if aliases is None:
            problems.drop("alias is no text", where, "aliases are a text or a list of texts")
        elif any(is_broken(text) for text in (name, *aliases)):
            problems.drop("broken characters", where, "NUL or undecodable bytes")
        else:
            for alias in aliases:
                if alias != name.strip():
                    yield name.strip(), alias


def _several(cell: object) -> tuple[str, ...] | None:
    """The aliases of a cell; None where it is neither a text nor a list of texts."""
    if cell is None:
        return ()
    if isinstance(cell, str):
        cell = _listed(cell) if cell.lstrip().startswith("[") else _SPLIT.split(cell)
    if not isinstance(cell, list | tuple) or not all(isinstance(one, str) for one in cell):
        return None
    return tuple(dict.fromkeys(text for one in cell if (text := one.strip())))


def _listed(cell: str) -> object:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return _SPLIT.split(cell)


def _of_rdf(path: Path, problems: Problems) -> Iterator[tuple[str, str]]:
    """Labels may stand anywhere in the file, so both kinds go into a private database first."""
    with closing(sqlite3.connect("")) as database:
        database.executescript(
            "PRAGMA journal_mode = OFF;"
            "CREATE TABLE label (node TEXT PRIMARY KEY, rank INTEGER, text TEXT) WITHOUT ROWID;"
            "CREATE TABLE alias (node TEXT, text TEXT);"
        )
        for quad in read_quads(path, problems):
            value = quad.object
            if not isinstance(value, Literal) or not value.value.strip():
                continue
            predicate, row = quad.predicate.value, (encoded(quad.subject), value.value.strip())
            if predicate in _ALT_LABELS:
                problems.rows += 1
                database.execute("INSERT INTO alias VALUES (?, ?)", row)
            elif (rank := label_rank(predicate, value.language)) is not None:
                database.execute(
                    "INSERT INTO label VALUES (?1, ?3, ?2) ON CONFLICT (node) DO UPDATE "
                    "SET rank = ?3, text = ?2 WHERE ?3 < rank",
                    (*row, rank),
                )
        rows = database.execute(
            "SELECT alias.node, label.text, alias.text FROM alias "
            "LEFT JOIN label ON label.node = alias.node ORDER BY alias.rowid"
        )
        for node, label, alias in rows:
            name = label or (local_name(node[1:]) if node.startswith("I") else "")
            if not name:
                problems.drop("a node without a name", node[1:], "a blank node without a label")
            elif name != alias:
                yield name, alias
