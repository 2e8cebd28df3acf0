"""The files of a profile: triples of one or several, passages, types of nodes, an ontology."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from factmark.errors import InputError
from factmark.files.problems import Problems, in_brackets
from factmark.files.rows import header_of, read_rows
from factmark.graphs.core.claims import folded
from factmark.graphs.core.ontology import Ontology, Relation
from factmark.graphs.profile.core.edges import EdgeCollector, Edges
from factmark.graphs.profile.core.patterns import UNTYPED, Types, choose_types, own_types
from factmark.graphs.triples.triples import read_graph
from factmark.passages.passage_file import read_passages

_NODE = ("id", "node", "entity", "name", "title", "head")
_TYPE = ("type", "types", "entity_type", "category", "semantic_type", "class")
TYPES = 1_000  # that a report names
SMALL = 20_000  # nodes that are looked up in the bundled ontology without being asked to


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFiles:
    """What a profile reads.

    Attributes:
        types: a table of nodes and their types, where there is one.
    """

    triples: Sequence[Path]
    passages: Path | None = None
    types: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str = "utf-8"
    nodes: Sequence[Path] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadGraph:
    """A graph that has been read.

    Attributes:
        row_ids: the user's name of each row, or its place in its file.
        passages: ids of all passages of the file of passages.
    """

    edges: Edges
    row_ids: Sequence[str]
    passages: Sequence[str]


def read_graph_files(files: GraphFiles, problems: Problems) -> ReadGraph:
    """Reads all triples.

    Raises:
        InputError: a file cannot be read, or holds no triple.
    """
    collector = EdgeCollector()
    rows = []
    with ExitStack() as stack:
        passages = None
        if files.passages is not None:
            passages = read_passages(files.passages, problems, encoding=files.encoding)
            stack.enter_context(passages)
        for _, triple in read_graph(
            files.triples,
            problems,
            passages=passages,
            columns=files.columns,
            encoding=files.encoding,
            nodes=files.nodes,
        ):
            collector.add(triple)
            rows.append(triple.id or triple.where)
        names = []
        if passages is not None:
            names = [name for name, _ in passages]
    if not rows:
        paths = ", ".join(map(str, files.triples))
        raise InputError(f"{paths}: no triple that can be used{in_brackets(problems)}.")
    return ReadGraph(edges=collector.edges(), row_ids=rows, passages=names)


def read_types(
    files: GraphFiles, edges: Edges, ontology: Ontology, *, asked: bool, problems: Problems
) -> Types:
    """What nodes are: by the table of types, by the ontology that was `asked` for, or by what types
    more nodes: the graph's own `isa`, or in a small graph the bundled ontology."""
    n = len(edges.nodes)
    if files.types is not None:
        return choose_types(_types_in_table(files, edges, problems), n, files.types.name)
    own = {}
    if not asked:
        own = own_types(edges)
    looked_up = {}
    if asked or n <= SMALL:
        looked_up = _types_in_ontology(edges, ontology)
    if len(own) >= len(looked_up):
        return choose_types(own, n, "the graph's own isa")
    return choose_types(looked_up, n, "the ontology" if asked else "the bundled ontology")


def _types_in_ontology(edges: Edges, ontology: Ontology) -> dict[int, list[str]]:
    """Returns the types that an ontology has for nodes, by the places of the nodes."""
    types = {}
    for place, name in enumerate(edges.nodes):
        codes: set[str] = set()
        for concept in ontology.concepts(name):
            codes.update(concept.types)
        if codes:
            types[place] = sorted(map(ontology.type_name, codes))
    return types


def _types_in_table(files: GraphFiles, edges: Edges, problems: Problems) -> dict[int, list[str]]:
    """Returns the types in the user's table of nodes, by the places of the nodes. InputError: it
    lacks a column."""
    assert files.types is not None  # noqa: S101  # the caller looked
    header = {name.casefold(): name for name in header_of(files.types, files.encoding)}
    node, kind = (
        next((header[name] for name in names if name in header), None) for names in (_NODE, _TYPE)
    )
    if node is None or kind is None:
        raise InputError(
            f"{files.types}: needs a column with nodes ({', '.join(_NODE)}) and one with their "
            f"types ({', '.join(_TYPE)}). It has {', '.join(header.values()) or 'none'}."
        )
    types: dict[int, list[str]] = {}
    for _, row in read_rows(files.types, problems, files.encoding):
        name = str(row.get(node) or "").strip()
        value = row.get(kind)
        place = edges.places.get(name, edges.places.get(folded(name)))
        if isinstance(value, list | tuple):
            values = value
        else:
            values = str(value or "").split("|")
        if place is not None and (named := [str(part).strip() for part in values if part]):
            types.setdefault(place, []).extend(named)
    return types


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyCoverage:
    """How much of a graph an ontology knows.

    Attributes:
        relations, triples: how many of the graph's relations it knows, and triples of these.
        typed: nodes whose type is known, and from where.
        types: the types of nodes, the most frequent thousand, and how many nodes.
        unknown: relations that it does not know, the most frequent first.
        unused: relations of the ontology that the graph has not, where it can list its own.
    """

    name: str
    relations: int
    triples: int
    typed: int
    source: str
    types: tuple[tuple[str, int], ...]
    unknown: tuple[str, ...]
    unused: tuple[str, ...]


def known_relations(edges: Edges, ontology: Ontology) -> dict[str, Relation]:
    """What an ontology says of the graph's relations, by their keys."""
    pairs = ((name, ontology.relation(name)) for name in edges.relations)
    relations = {}
    for name, relation in pairs:
        if relation is not None:
            relations[name] = relation
    return relations


def coverage_of(
    edges: Edges, types: Types, known: Mapping[str, Relation], ontology: Ontology, name: str
) -> OntologyCoverage:
    """How much of the graph the ontology knows, and what of it the graph does not use."""
    counts = np.bincount(edges.kinds, minlength=len(edges.relations)).tolist()
    by_size = sorted(zip(edges.relations, counts, strict=True), key=lambda row: (-row[1], row[0]))
    typed = types.of[types.of != UNTYPED]
    sizes = np.bincount(typed, minlength=len(types.names)).tolist()
    listed = getattr(ontology, "relations", {})  # an index of UMLS lists none
    return OntologyCoverage(
        name=name,
        relations=len(known),
        triples=sum(n for relation, n in by_size if relation in known),
        typed=len(typed),
        source=types.source,
        types=tuple(sorted(zip(types.names, sizes, strict=True), key=lambda t: (-t[1], t[0])))[
            :TYPES
        ],
        unknown=tuple(relation for relation, _ in by_size if relation not in known),
        unused=tuple(sorted(set(listed) - set(known))),
    )
