"""Triples from what Microsoft GraphRAG writes: `relationships.parquet` and its neighbours.

GraphRAG has no names for relations: a relationship is a description of how two entities are
related, made by a model from one or more text units. It is read as a triple whose relation is
`related_to` and whose statement is the description, once for each of its text units, so that
FActScore* judges the description by the text it was made from, and retrieval finds its words. A
description that is but the name of a relation, as the GraphMERT scripts write it, is the relation.

The weight counts mentions or was guessed by a model; it is no confidence. Types of entities are
attributes and make no triples.

Source: https://microsoft.github.io/graphrag/index/outputs (entities, relationships, text_units).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.overwriting import Named
from factmark.files.problems import Problems
from factmark.files.rows import is_broken, read_rows
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.edge_words import RELATED, edge_words
from factmark.graphs.triples.text_chunks import ids_of, text_units
from factmark.passages.passage_file import Passages

RELATIONSHIPS = (
    "final_relationships.parquet",
    "relationships.parquet",
    "create_final_relationships.parquet",
)
LIGHTRAG_GRAPH = "graph_chunk_entity_relation.graphml"
_FOLDERS = ("", "output", "artifacts", "output/artifacts")
_ENTITIES = {name: name.replace("relationships", "entities") for name in RELATIONSHIPS}


def graph_in(folder: Path) -> Path:
    """The graph in a folder that GraphRAG or LightRAG wrote, or in its `output`.

    Raises:
        InputError: there is none.
    """
    for inner in _FOLDERS:
        for name in (*RELATIONSHIPS, LIGHTRAG_GRAPH):
            if (found := folder / inner / name).is_file():
                return found
    raise InputError(
        f"{folder}: is a folder without a relationships.parquet (GraphRAG) or {LIGHTRAG_GRAPH} "
        "(LightRAG). Name the file with the triples."
    )


def graph_files(option: str, path: Path) -> Iterator[Named]:
    """The file of a graph, and what is read with it where GraphRAG or LightRAG wrote it."""
    found = graph_in(path) if path.is_dir() else path
    yield option, found
    if found.name in (*RELATIONSHIPS, LIGHTRAG_GRAPH):
        beside = (file for end in ("*.parquet", "*.json") for file in found.parent.glob(end))
        yield from ((f"a file beside {option}", file) for file in sorted(beside))


def is_graphrag(columns: Collection[str]) -> bool:
    """Whether a table without a relation is one of GraphRAG's relationships."""
    names = {name.casefold() for name in columns}
    return {"source", "target"} <= names and bool({"description", "text_unit_ids"} & names)


def read_graphrag(
    path: Path, problems: Problems, *, passages: Passages | None = None, encoding: str = "utf-8"
) -> Iterator[Triple]:
    """The relationships of GraphRAG, one triple per relation and text unit.

    Ids of entities come from the entities beside the file, texts from `passages` or else from the
    text units beside it.

    Raises:
        InputError: one of the files cannot be read.
    """
    with ExitStack() as stack:
        units = text_units(path.parent, problems)
        if units is not None:
            stack.callback(units.close)
        entities = stack.enter_context(closing(sqlite3.connect("")))
        _load_entities(entities, path, problems)
        stores = tuple(store for store in (passages, units) if store is not None)
        for where, row in read_rows(path, problems, encoding):
            found = {name.casefold(): value for name, value in row.items()}
            yield from _triples(where, found, entities, stores, problems)


def _load_entities(database: sqlite3.Connection, path: Path, problems: Problems) -> None:
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("CREATE TABLE entity (name TEXT PRIMARY KEY, id TEXT) WITHOUT ROWID")
    beside = path.with_name(_ENTITIES.get(path.name, "entities.parquet"))
    if not beside.is_file():
        return
    told = Problems()
    for where, row in read_rows(beside, told):
        name = _text(row.get("title")) or _text(row.get("name"))
        if not name or is_broken(name):
            problems.note("entity without a name", f"{beside.name}, {where}")
            continue
        database.execute("INSERT OR IGNORE INTO entity VALUES (?, ?)", (name, _text(row.get("id"))))


def _triples(
    where: str,
    row: Mapping[str, Any],
    entities: sqlite3.Connection,
    stores: tuple[Passages, ...],
    problems: Problems,
) -> Iterator[Triple]:
    source, target = _text(row.get("source")), _text(row.get("target"))
    description = _description(row.get("description"))
    if any(is_broken(text) for text in (source, target, description)):
        problems.drop("broken characters", where, "NUL or undecodable bytes")
        return
    head, tail = unquoted(source), unquoted(target)
    if not head or not tail:
        problems.drop("no tail" if head else "no head", where)
        return
    relations, statement = edge_words(description, head, tail)
    if relations == (RELATED,) and not statement:
        why = f"the description is {description[:40]!r}" if description else "no description"
        problems.note("edge without words", where, f"{why}; it reads as {RELATED}")
    head_id, tail_id = _id(entities, source), _id(entities, target)
    for name, text in told_by(ids_of(row.get("text_unit_ids")), stores, where, problems):
        for relation in relations:
            yield Triple(
                head=head, relation=relation, tail=tail, statement=statement, passage=text,
                passage_id=name, id=_text(row.get("id")), where=where, head_id=head_id,
                tail_id=tail_id,
            )  # fmt: skip


def told_by(
    ids: tuple[str, ...], stores: tuple[Passages, ...], where: str, problems: Problems
) -> Iterator[tuple[str, str | None]]:
    """Id and text of each source of an edge, where it has a text; one without where there is none.

    An id that the given stores do not have is told.
    """
    if not ids:
        yield "", None
    for name in ids:
        texts = (store.get(name) for store in stores)
        text = next((found for found in texts if found is not None), None)
        if text is None and stores:
            problems.note("unknown passage", where, f"no passage {name!r}")
        yield name, text


def unquoted(name: str) -> str:
    """A name without the quotes that older versions of these tools left around it."""
    inner = name[1:-1].strip() if len(name) > 1 and name[0] == name[-1] == '"' else name
    return name if '"' in inner else inner


def _description(value: object) -> str:
    """A description; a list of them, which some scripts keep, as one."""
    if isinstance(value, list | tuple):
        return "\n".join(text for one in value if (text := _text(one)))
    return _text(value)


def _text(value: object) -> str:
    return str(value).strip() if isinstance(value, str | int) else ""


def _id(entities: sqlite3.Connection, name: str) -> str:
    row = entities.execute("SELECT id FROM entity WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row[0])
