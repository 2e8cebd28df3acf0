"""Triples from GraphML: LightRAG's `graph_chunk_entity_relation.graphml`, and plain graphs.

An edge with an attribute like `relation` or `label` is a triple as tables have them. One without,
as LightRAG writes them, has a description (`relations_and_statement`), once for each chunk that its
`source_id` names; without a description its keywords are the relation. A node's name is its `name`
or `title` before its `label`, which in graphs from Neo4j is its type; else its id. The ends of an
undirected edge stand as in the file.

No document type and no entity is taken from a file, so that none can fetch or multiply; what is
open at a time is bounded, so that memory does not grow with the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers import expat

from factmark.errors import InputError
from factmark.files.flat_files import MAX_CELL
from factmark.files.problems import Problems
from factmark.files.rows import check_file
from factmark.files.text_files import unreadable
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.edges import (
    RELATED,
    SEPARATOR,
    check_number,
    check_texts,
    find_passages,
    ids_of,
    lightrag_chunks,
    relations_and_statement,
    strip_quotes,
)
from factmark.passages.passage_file import Passages

_USUAL: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "title", "label", "entity_name", "entity_id"),
    "relation": (
        "relation",
        "predicate",
        "relationship",
        "relation_type",
        "relationship_type",
        "rel",
        "label",
        "type",
        "edge_type",
        "property",
        "name",
    ),
    "statement": ("description",),
    "passage": ("passage", "text", "sentence", "evidence", "context", "sequence"),
    "passage_id": ("source_id", "chunk_id", "text_unit_ids", "passage_id", "pmid", "doc_id"),
    "confidence": ("confidence", "score", "probability", "similarity"),
    "id": ("id", "triple_id"),
}
_NUMBERED = re.compile(r"n?\d+")  # an id that is no name: `17`, `n3`
_BLOCK = 1 << 16
_DEEPEST = 100
_MOST_KEYS = 10_000
_KINDS = ("node", "edge")


def read_graph(
    path: Path,
    problems: Problems,
    *,
    passages: Passages | None = None,
    columns: Mapping[str, str] | None = None,
) -> Iterator[Triple]:
    """Yields the edges of a GraphML file as triples, one per edge, relation and source.

    Args:
        columns: field of `Triple` -> attribute, where the usual names do not do; `head` and `tail`
            for the attribute of a node that is its name.

    Raises:
        InputError: the file cannot be read, with the line.
    """
    check_file(path)
    own = {field.casefold(): (name.casefold(),) for field, name in (columns or {}).items()}
    name = own.get("head") or own.get("tail") or _USUAL["name"]
    with ExitStack() as stack:
        nodes = stack.enter_context(Passages())  # the name of each node by its id
        for part in read_graphml(path):
            if part.kind == "node":
                nodes.add(part.attributes.get("id", ""), _node_name(part, name, problems))
        chunks = lightrag_chunks(path.parent, problems)
        stores = []
        for store in (passages, chunks):
            if store is not None:
                stores.append(store)
        if chunks is not None:
            stack.enter_context(chunks)
        file = _GraphmlFile(nodes, {**_USUAL, **own}, stores, problems)
        for part in read_graphml(path):
            if part.kind == "edge":
                problems.rows += 1
                yield from file.triples(part, f"line {part.line}")


def _node_name(node: GraphmlPart, usual: tuple[str, ...], problems: Problems) -> str:
    """Returns a node's name by its attributes, empty if it has none; reports names that may be
    meant otherwise."""
    where = f"line {node.line}"
    name = node.first(usual)
    label = node.data.get("label", "")
    if name and label and usual == _USUAL["name"] and name.casefold() != label.casefold():
        why = f"{name[:40]!r} is the name, not the label {label[:40]!r}; see --column head=label"
        problems.note("node with a name and a label", where, why)
    if not name and _NUMBERED.fullmatch(node.attributes.get("id", "")):
        problems.note("node without a name", where, "its id is its name; see --column head=NAME")
    return name


@dataclass(slots=True)
class _GraphmlFile:
    """What edges are read with: names of nodes, names of attributes, texts."""

    nodes: Passages
    usual: Mapping[str, tuple[str, ...]]
    stores: Sequence[Passages]
    problems: Problems
    is_undirected: bool = False

    def triples(self, edge: GraphmlPart, where: str) -> Iterator[Triple]:
        """Yields an edge as a triple for each of its relations and sources."""
        source = edge.attributes.get("source", "")
        target = edge.attributes.get("target", "")
        ends: dict[str, Any] = {
            "head": self._name(source, where),
            "tail": self._name(target, where),
        }
        if check_texts(ends, where, self.problems, ("head", "tail")) is None:
            return
        relations, statement = self._relations_and_statement(
            edge, ends["head"], ends["tail"], where
        )
        names = self._attribute(edge, "passage_id")
        passage = self._attribute(edge, "passage")
        sources: list[tuple[str, str]] | Iterator[tuple[str, str | None]]
        if passage:
            sources = [(names, passage)]
        else:
            sources = find_passages(ids_of(names), self.stores, where, self.problems)
        confidence = check_number(self._attribute(edge, "confidence"), where, self.problems)
        for name, text in sources:
            for relation in relations:
                yield Triple(
                    **ends,
                    relation=relation,
                    statement=statement,
                    passage=text,
                    passage_id=name,
                    confidence=confidence,
                    where=where,
                    id=edge.attributes.get("id", "") or self._attribute(edge, "id"),
                    head_id="" if source == ends["head"] else source,
                    tail_id="" if target == ends["tail"] else target,
                )

    def _attribute(self, edge: GraphmlPart, field: str) -> str:
        """Returns the attribute of an edge that holds a field; empty if it has none."""
        return edge.first(self.usual[field])

    def _name(self, node: str, where: str) -> str:
        """Returns a node's name, or its id if it has none."""
        name = self.nodes.get(node)
        if name is None and node:
            self.problems.note("unknown node", where, f"no node {node[:80]!r}; its id is its name")
        return strip_quotes(name or node.strip())

    def _relations_and_statement(
        self, edge: GraphmlPart, head: str, tail: str, where: str
    ) -> tuple[tuple[str, ...], str]:
        """Returns the relations of an edge, and its statement."""
        relation = self._attribute(edge, "relation") or edge.attributes.get("label", "").strip()
        if relation:
            if not edge.directed and not self.is_undirected:
                self.is_undirected = True
                why = "head and tail are its source and target"
                self.problems.note("undirected graph", where, why)
            return (relation,), ""
        relations, statement = relations_and_statement(
            self._attribute(edge, "statement"), head, tail
        )
        if statement or relations != (RELATED,):
            return relations, statement
        keywords = " ".join(edge.data.get("keywords", "").replace(SEPARATOR, ", ").split())
        if not keywords:
            self.problems.note("edge without words", where, f"it reads as {RELATED}")
        return (keywords or RELATED,), ""


@dataclass(slots=True, kw_only=True)
class GraphmlPart:
    """An element: a node, an edge, or what stands around and in them.

    Attributes:
        attributes: of its element: `id`, or `source` and `target`.
        directed: whether edges in it are.
        data: name of the attribute in lower case -> text.
    """

    kind: str
    attributes: Mapping[str, str]
    line: int
    directed: bool
    data: dict[str, str]

    def first(self, names: Iterable[str]) -> str:
        """Returns the first of these attributes that the element has; empty if it has none."""
        return next((self.data[name] for name in names if self.data.get(name)), "")


def read_graphml(path: Path) -> Iterator[GraphmlPart]:
    """Yields the nodes and edges of a file, in its order.

    Raises:
        InputError: no GraphML, broken XML, with a document type, or a text beyond 16 MiB; with the
            line.
    """
    reader = _GraphmlParser(path)
    fed = 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                fed += len(block)
                reader.parser.Parse(block, False)
                yield from reader.take_finished()
                if fed - reader.parser.CurrentByteIndex > MAX_CELL:
                    raise reader.error_here("a tag is longer than 16 MiB")
            reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        why = expat.errors.messages.get(error.code, str(error))
        raise InputError(f"{path}, line {error.lineno}: no XML: {why}.") from error
    except (LookupError, ValueError) as error:
        raise reader.error_here(f"cannot be read: {error}") from error
    except OSError as error:
        raise unreadable(path, error) from error
    yield from reader.take_finished()


class _GraphmlParser:
    """Parses a file block by block, and keeps the elements that are open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys: dict[str, str] = {}
        self._defaults: dict[str, dict[str, str]] = {kind: {} for kind in _KINDS}
        self._open: list[GraphmlPart] = []
        self._out: list[GraphmlPart] = []
        self._texts: list[str] = []
        self._size = 0
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def error_here(self, why: str) -> InputError:
        """Returns the error with this place of the file, to be raised."""
        return InputError(f"{self._path}, line {self.parser.CurrentLineNumber}: {why}.")

    def take_finished(self) -> list[GraphmlPart]:
        """Returns the nodes and edges that were finished since the last call."""
        out = self._out
        self._out = []
        return out

    def _refuse(self, *_: object) -> None:
        """Raises for a document type or an entity."""
        raise self.error_here("a document type or entity is not read; remove it from the file")

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        """Opens an element."""
        name = element.rpartition(" ")[2]
        if not self._open and name != "graphml":
            raise self.error_here(f"is no GraphML; it starts with <{name[:40]}>")
        if len(self._open) == _DEEPEST:
            raise self.error_here(f"elements stand more than {_DEEPEST} deep in each other")
        if name == "hyperedge":
            raise self.error_here("has a hyperedge; only edges of two ends can be read")
        if name == "key":
            key = attributes.get("id", "")
            self._keys[key] = attributes.get("attr.name", key).strip().casefold()
            if len(self._keys) > _MOST_KEYS:
                raise self.error_here(f"declares more than {_MOST_KEYS} attributes")
        directed = True
        if self._open:
            directed = self._open[-1].directed
        if name == "graph":
            directed = attributes.get("edgedefault") != "undirected"
        elif (own := attributes.get("directed")) is not None:
            directed = own.casefold() == "true"
        line = self.parser.CurrentLineNumber
        data = dict(self._defaults.get(name, {}))
        self._open.append(
            GraphmlPart(kind=name, attributes=attributes, line=line, directed=directed, data=data)
        )
        self._texts = []
        self._size = 0

    def _characters(self, text: str) -> None:
        """Adds to the text of the open element, if that is data."""
        if self._open[-1].kind in ("data", "default"):
            self._size += len(text)
            if self._size > MAX_CELL:
                raise self.error_here("a text is longer than 16 MiB")
            self._texts.append(text)

    def _end(self, _: str) -> None:
        """Closes an element; nodes and edges are finished then."""
        part = self._open.pop()
        text = "".join(self._texts).strip()
        if self._open:
            outer = self._open[-1]
        else:
            outer = part
        if part.kind in _KINDS:
            self._out.append(part)
        elif part.kind == "data" and outer.kind in _KINDS:
            key = part.attributes.get("key", "")
            outer.data[self._keys.get(key, key)] = text
        elif part.kind == "default" and outer.kind == "key":
            for kind in _KINDS:
                if outer.attributes.get("for", "all") in (kind, "all"):
                    self._defaults[kind][self._keys[outer.attributes.get("id", "")]] = text
        self._texts = []
