"""The folders that Microsoft GraphRAG and LightRAG write: which file is the graph, and what stands
beside it. The graph itself is a table as any other, or GraphML.

A weight there counts mentions or was guessed by a model; it is no confidence.

Source: https://microsoft.github.io/graphrag/index/outputs (entities, relationships, text_units).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from factmark.errors import InputError
from factmark.files.arrow_files import is_arrow_folder
from factmark.files.overwriting import Named
from factmark.files.problems import Problems
from factmark.files.rows import has_broken_bytes, read_rows
from factmark.graphs.triples.edges import lightrag_chunks, text_units
from factmark.graphs.triples.nodes.label_rows import key_of
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


class TextsAndIds(NamedTuple):
    """What GraphRAG or LightRAG keeps beside a graph: the texts that its edges come from, and the
    ids of nodes by their names; None where it keeps none."""

    texts: Passages | None
    ids: Passages | None


def texts_and_ids(path: Path, problems: Problems) -> TextsAndIds:
    """Returns the texts and ids that stand beside a graph.

    Raises:
        InputError: one of the files cannot be read.
    """
    units = text_units(path.parent, problems)
    if units is None:
        return TextsAndIds(lightrag_chunks(path.parent, problems), None)
    return TextsAndIds(units, _entity_ids(path, problems))


def _entity_ids(path: Path, problems: Problems) -> Passages:
    """Returns each entity's id by its name."""
    ids = Passages()
    name = path.name.replace("relationships", "entities")
    beside = path.with_name(name if path.name in RELATIONSHIPS else "entities.parquet")
    if beside.is_file():
        for where, row in read_rows(beside, Problems()):
            name = key_of(row.get("title")) or key_of(row.get("name"))
            if name and not has_broken_bytes(name):
                ids.add(name, key_of(row.get("id")))
            else:
                problems.note("entity without a name", f"{beside.name}, {where}")
    return ids
