"""Triples from what Microsoft GraphRAG writes: `relationships.parquet` and its neighbours.

A relationship there is a description of how two entities are related, made from one or more text
units. It is read once for each of them, the description as its statement (see `edge_words`). The
weight counts mentions or was guessed by a model; it is no confidence.

Source: https://microsoft.github.io/graphrag/index/outputs (entities, relationships, text_units).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.overwriting import Named
from factmark.files.problems import Problems
from factmark.files.rows import has_broken_bytes, read_rows
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.edges import (
    RELATED,
    checked_texts,
    edge_words,
    ids_of,
    passages_named,
    text_units,
    unquoted,
)
from factmark.passages.passage_file import Passages

RELATIONSHIPS = (
    "final_relationships.parquet",
    "relationships.parquet",
    "create_final_relationships.parquet",
)
LIGHTRAG_GRAPH = "graph_chunk_entity_relation.graphml"
_FOLDERS = ("", "output", "artifacts", "output/artifacts")


def graph_in(folder: Path) -> Path:
    """The graph in a folder that GraphRAG or LightRAG wrote, or in its `output`.

    Raises:
        InputError: there is none.
    """
    for inner in _FOLDERS:
        for name in (*RELATIONSHIPS, LIGHTRAG_GRAPH):
            if (path := folder / inner / name).is_file():
                return path
    raise InputError(
        f"{folder}: is a folder without a relationships.parquet (GraphRAG) or {LIGHTRAG_GRAPH} "
        "(LightRAG). Name the file with the triples."
    )


def graph_files(option: str, path: Path) -> Iterator[Named]:
    """The file of a graph, and what is read with it where GraphRAG or LightRAG wrote it."""
    graph = graph_in(path) if path.is_dir() else path
    yield option, graph
    if graph.name in (*RELATIONSHIPS, LIGHTRAG_GRAPH):
        beside = (file for end in ("*.parquet", "*.json") for file in graph.parent.glob(end))
        yield from ((f"a file beside {option}", file) for file in sorted(beside))


def is_graphrag(columns: Collection[str]) -> bool:
    """Whether columns, in lower case, are those of GraphRAG's relationships."""
    names = set(columns)
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
        stores = [store for store in (passages, units) if store is not None]
        if units is not None:
            stack.enter_context(units)
        entities = stack.enter_context(_entities(path, problems))
        for where, row in read_rows(path, problems, encoding):
            fields = {name.casefold(): value for name, value in row.items()}
            yield from _triples(where, fields, entities, stores, problems)


def _entities(path: Path, problems: Problems) -> Passages:
    """The id of each entity by its name."""
    ids = Passages()
    name = path.name.replace("relationships", "entities")
    beside = path.with_name(name if path.name in RELATIONSHIPS else "entities.parquet")
    for where, row in read_rows(beside, Problems()) if beside.is_file() else ():
        name = _text(row.get("title")) or _text(row.get("name"))
        if name and not has_broken_bytes(name):
            ids.add(name, _text(row.get("id")))
        else:
            problems.note("entity without a name", f"{beside.name}, {where}")
    return ids


def _triples(
    where: str,
    row: Mapping[str, Any],
    entities: Passages,
    stores: Sequence[Passages],
    problems: Problems,
) -> Iterator[Triple]:
    source, target = _text(row.get("source")), _text(row.get("target"))
    ends = {"head": unquoted(source), "tail": unquoted(target)}
    fields = {**ends, "description": _description(row.get("description"))}
    texts = checked_texts(fields, where, problems, ("head", "tail"))
    if texts is None:
        return
    description = texts["description"]
    relations, statement = edge_words(description, texts["head"], texts["tail"])
    if relations == (RELATED,) and not statement:
        why = f"the description is {description[:40]!r}" if description else "no description"
        problems.note("edge without words", where, f"{why}; it reads as {RELATED}")
    head_id, tail_id = entities.get(source) or "", entities.get(target) or ""
    for name, text in passages_named(ids_of(row.get("text_unit_ids")), stores, where, problems):
        for relation in relations:
            yield Triple(
                head=texts["head"],
                relation=relation,
                tail=texts["tail"],
                statement=statement,
                passage=text,
                passage_id=name,
                id=_text(row.get("id")),
                where=where,
                head_id=head_id,
                tail_id=tail_id,
            )


def _description(value: object) -> str:
    """A description; a list of them, which some scripts keep, as one."""
    if isinstance(value, list | tuple):
        return "\n".join(text for part in value if (text := _text(part)))
    return _text(value)


def _text(value: object) -> str:
    return str(value).strip() if isinstance(value, str | int) else ""
