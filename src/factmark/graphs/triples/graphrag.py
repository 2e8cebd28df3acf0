"""Triples from what Microsoft GraphRAG writes: `relationships.parquet` and its neighbours.

A relationship there is a description of how two entities are related, made from one or more text
units. It is read once for each of them, the description as its statement (see
`relations_and_statement`). The weight counts mentions or was guessed by a model; it is no
confidence.

Source: https://microsoft.github.io/graphrag/index/outputs (entities, relationships, text_units).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.arrow_files import is_arrow_folder
from factmark.files.overwriting import Named
from factmark.files.problems import Problems
from factmark.files.rows import has_broken_bytes, read_rows
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.edges import (
    RELATED,
    check_texts,
    find_passages,
    ids_of,
    relations_and_statement,
    strip_quotes,
    text_units,
)
from factmark.intake.tools import role_names
from factmark.passages.passage_file import Passages

RELATIONSHIPS = (
    "final_relationships.parquet",
    "relationships.parquet",
    "create_final_relationships.parquet",
)
LIGHTRAG_GRAPH = "graph_chunk_entity_relation.graphml"
_FOLDERS = ("", "output", "artifacts", "output/artifacts")


def find_graph(folder: Path) -> Path:
    """Returns the file with the graph in a folder that GraphRAG or LightRAG wrote, or in its
    `output`.

    Raises:
        InputError: there is none.
    """
    for inner in _FOLDERS:
        for name in (*RELATIONSHIPS, LIGHTRAG_GRAPH):
            path = folder / inner / name
            if path.is_file():
                return path
    raise InputError(
        f"{folder}: is a folder without a relationships.parquet (GraphRAG), {LIGHTRAG_GRAPH} "
        "(LightRAG) or files of Arrow. Name the file with the triples, or several: "
        f"{folder / '*.csv'}"
    )


def graph_files(option: str, path: Path) -> Iterator[Named]:
    """Yields a graph's file, and the files that are read with it if GraphRAG or LightRAG wrote it,
    each with what it is called in messages."""
    if path.is_dir() and not is_arrow_folder(path):
        graph = find_graph(path)
    else:
        graph = path
    yield option, graph
    if graph.name in (*RELATIONSHIPS, LIGHTRAG_GRAPH):
        beside = (file for end in ("*.parquet", "*.json") for file in graph.parent.glob(end))
        yield from ((f"a file beside {option}", file) for file in sorted(beside))


def is_graphrag(columns: Collection[str]) -> bool:
    """Whether columns are those of GraphRAG's relationships: none names a relation."""
    names = {name.casefold() for name in columns}
    if names & {*role_names("graph")["relation"], *role_names("graph")["triple"]}:
        return False
    return {"source", "target"} <= names and bool({"description", "text_unit_ids"} & names)


def read_graphrag(
    path: Path, problems: Problems, *, passages: Passages | None = None, encoding: str = "utf-8"
) -> Iterator[Triple]:
    """Yields the relationships of GraphRAG as triples, one per relation and text unit.

    Ids of entities come from the entities beside the file, texts from `passages` or else from the
    text units beside it.

    Raises:
        InputError: one of the files cannot be read.
    """
    with ExitStack() as stack:
        units = text_units(path.parent, problems)
        stores = []
        for store in (passages, units):
            if store is not None:
                stores.append(store)
        if units is not None:
            stack.enter_context(units)
        entities = stack.enter_context(_entity_ids(path, problems))
        for where, row in read_rows(path, problems, encoding):
            fields = {}
            for name, value in row.items():
                fields[name.casefold()] = value
            yield from _triples_of_row(where, fields, entities, stores, problems)


def _entity_ids(path: Path, problems: Problems) -> Passages:
    """Returns each entity's id by its name."""
    ids = Passages()
    name = path.name.replace("relationships", "entities")
    beside = path.with_name(name if path.name in RELATIONSHIPS else "entities.parquet")
    if beside.is_file():
        for where, row in read_rows(beside, Problems()):
            name = _text(row.get("title")) or _text(row.get("name"))
            if name and not has_broken_bytes(name):
                ids.add(name, _text(row.get("id")))
            else:
                problems.note("entity without a name", f"{beside.name}, {where}")
    return ids


def _triples_of_row(
    where: str,
    row: Mapping[str, Any],
    entities: Passages,
    stores: Sequence[Passages],
    problems: Problems,
) -> Iterator[Triple]:
    """Yields the triples of a relationship; rows that cannot be used are reported."""
    source = _text(row.get("source"))
    target = _text(row.get("target"))
    ends = {"head": strip_quotes(source), "tail": strip_quotes(target)}
    fields = {**ends, "description": _description(row.get("description"))}
    texts = check_texts(fields, where, problems, ("head", "tail"))
    if texts is None:
        return
    description = texts["description"]
    relations, statement = relations_and_statement(description, texts["head"], texts["tail"])
    if relations == (RELATED,) and not statement:
        why = "no description"
        if description:
            why = f"the description is {description[:40]!r}"
        problems.note("edge without words", where, f"{why}; it reads as {RELATED}")
    head_id = entities.get(source) or ""
    tail_id = entities.get(target) or ""
    for name, text in find_passages(ids_of(row.get("text_unit_ids")), stores, where, problems):
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
    """Returns a description as one text; some scripts keep a list of them."""
    if isinstance(value, list | tuple):
        return "\n".join(text for part in value if (text := _text(part)))
    return _text(value)


def _text(value: object) -> str:
    """Returns a text or whole number as text without blanks around it; empty for anything else."""
    if isinstance(value, str | int):
        return str(value).strip()
    return ""
