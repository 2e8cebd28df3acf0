"""Triples from GraphML: LightRAG's `graph_chunk_entity_relation.graphml`, and plain graphs.

An edge with an attribute like `relation` or `label` is a triple as tables have them. One without,
as LightRAG writes them, has a description: its statement, with the relation `related_to`, once for
each chunk that its `source_id` names (`edge_words`); the texts come from the file of passages or
from LightRAG's `kv_store_text_chunks.json` beside the graph. Without a description its keywords are
the relation. The weight is no confidence. The ends of an undirected edge stand as in the file.

A node's name is its `name` or `title` before its `label`, which in graphs from Neo4j is its type;
of yEd's files it is what is drawn on it. Else its id.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path

from factmark.files.problems import Problems
from factmark.files.rows import check_file
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.edge_words import RELATED, edge_words
from factmark.graphs.triples.graphml import Part, read_graphml
from factmark.graphs.triples.graphrag import told_by, unquoted
from factmark.graphs.triples.text_chunks import SEPARATOR, ids_of, lightrag_chunks
from factmark.passages.passage_file import Passages

_USUAL: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "title", "label", "entity_name", "entity_id"),
    "relation": (
        "relation", "predicate", "relationship", "relation_type", "relationship_type", "rel",
        "label", "type", "edge_type", "property", "name",
    ),
    "statement": ("description",),
    "passage": ("passage", "text", "sentence", "evidence", "context", "sequence"),
    "passage_id": ("source_id", "chunk_id", "text_unit_ids", "passage_id", "pmid", "doc_id"),
    "confidence": ("confidence", "score", "probability", "similarity"),
    "id": ("id", "triple_id"),
}  # fmt: skip

_NUMBERED = re.compile(r"n?\d+(?:::n?\d+)*")
"""An id that is no name: `17`, yEd's `n3::n5`."""


def read_graph(
    path: Path,
    problems: Problems,
    *,
    passages: Passages | None = None,
    columns: Mapping[str, str] | None = None,
) -> Iterator[Triple]:
    """The edges of a GraphML file, one triple per edge, relation and source.

    Args:
        columns: field of `Triple` -> attribute, where the usual names do not do; `head` and `tail`
            for the attribute of a node that is its name.

    Raises:
        InputError: the file cannot be read, with the line.
    """
    check_file(path)
    named = {field.casefold(): (name.casefold(),) for field, name in (columns or {}).items()}
    usual = {**_USUAL, **named}
    name = named.get("head") or named.get("tail") or ()
    with ExitStack() as stack:
        nodes = stack.enter_context(closing(sqlite3.connect("")))
        _load_nodes(nodes, path, name, problems)
        chunks = lightrag_chunks(path.parent, problems)
        if chunks is not None:
            stack.callback(chunks.close)
        stores = tuple(store for store in (passages, chunks) if store is not None)
        yield from _Edges(nodes, usual, stores, problems).all(path)


def _load_nodes(
    database: sqlite3.Connection, path: Path, wanted: tuple[str, ...], problems: Problems
) -> None:
    """Id and name of each node.

    Args:
        wanted: the attribute that is the name; the usual ones where empty.
    """
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("CREATE TABLE node (id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID")
    usual = wanted or _USUAL["name"]
    database.executemany(
        "INSERT OR IGNORE INTO node VALUES (?, ?)",
        (
            (part.attributes.get("id", ""), _node_name(part, usual, problems))
            for part in read_graphml(path)
            if part.kind == "node"
        ),
    )


def _node_name(node: Part, usual: tuple[str, ...], problems: Problems) -> str:
    """Its name by its attributes, empty for none; what may be meant otherwise is told."""
    where, name = f"line {node.line}", _first(node.data, usual)
    label = node.data.get("label", "")
    if name and label and usual == _USUAL["name"] and name.casefold() != label.casefold():
        why = f"{name[:40]!r} is the name, not the label {label[:40]!r}; see --column head=label"
        problems.note("node with a name and a label", where, why)
    name = name or node.label
    if not name and _NUMBERED.fullmatch(node.attributes.get("id", "")):
        problems.note("node without a name", where, "its id is its name; see --column head=NAME")
    return name


def _first(data: Mapping[str, str], usual: tuple[str, ...]) -> str:
    return next((data[name] for name in usual if data.get(name)), "")


class _Edges:
    """Edges as triples, with what is known of their nodes and texts."""

    def __init__(
        self,
        nodes: sqlite3.Connection,
        usual: Mapping[str, tuple[str, ...]],
        stores: tuple[Passages, ...],
        problems: Problems,
    ) -> None:
        self._nodes = nodes
        self._usual = usual
        self._stores = stores
        self._problems = problems
        self._undirected = False

    def all(self, path: Path) -> Iterator[Triple]:
        """The triples of the edges of a file."""
        for part in read_graphml(path):
            if part.kind == "edge":
                self._problems.rows += 1
                yield from self._triples(part, f"line {part.line}")

    def _triples(self, edge: Part, where: str) -> Iterator[Triple]:
        source, target = edge.attributes.get("source", ""), edge.attributes.get("target", "")
        head, tail = self._name(source, where), self._name(target, where)
        if not head or not tail:
            self._problems.drop("no tail" if head else "no head", where)
            return
        relations, statement = self._words(edge, head, tail, where)
        given = self._of(edge, "passage")
        told: Iterator[tuple[str, str | None]] = (
            iter([(self._of(edge, "passage_id"), given)])
            if given
            else told_by(self._sources(edge), self._stores, where, self._problems)
        )
        confidence = self._confidence(edge, where)
        for name, text in told:
            for relation in relations:
                yield Triple(
                    head=head, relation=relation, tail=tail, statement=statement, passage=text,
                    passage_id=name, confidence=confidence, where=where,
                    id=edge.attributes.get("id", "") or self._of(edge, "id"),
                    head_id="" if source == head else source,
                    tail_id="" if target == tail else target,
                )  # fmt: skip

    def _of(self, edge: Part, field: str) -> str:
        return _first(edge.data, self._usual.get(field, (field,)))

    def _name(self, node: str, where: str) -> str:
        row = self._nodes.execute("SELECT name FROM node WHERE id = ?", (node,)).fetchone()
        if row is None and node:
            self._problems.note("unknown node", where, f"no node {node[:80]!r}; its id is its name")
        return unquoted((row and str(row[0])) or node.strip())

    def _words(self, edge: Part, head: str, tail: str, where: str) -> tuple[tuple[str, ...], str]:
        relation = (
            self._of(edge, "relation") or edge.attributes.get("label", "").strip() or edge.label
        )
        if relation:
            if not edge.directed and not self._undirected:
                self._undirected = True
                self._problems.note(
                    "undirected graph", where, "head and tail are its source and target"
                )
            return (relation,), ""
        relations, statement = edge_words(self._of(edge, "statement"), head, tail)
        if statement or relations != (RELATED,):
            return relations, statement
        keywords = " ".join(edge.data.get("keywords", "").replace(SEPARATOR, ", ").split())
        if not keywords:
            self._problems.note("edge without words", where, f"it reads as {RELATED}")
        return (keywords or RELATED,), ""

    def _sources(self, edge: Part) -> tuple[str, ...]:
        return ids_of(self._of(edge, "passage_id"))

    def _confidence(self, edge: Part, where: str) -> float | None:
        told = self._of(edge, "confidence")
        if not told:
            return None
        try:
            number = float(told)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
        self._problems.note("confidence is no number", where, f"confidence {told[:40]!r}")
        return None
