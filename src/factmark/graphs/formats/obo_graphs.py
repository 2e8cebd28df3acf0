"""OBO graphs (JSON) as a stream of quads, the same that the OBO flat file of an ontology gives.

Nodes give labels, definitions and exact synonyms; obsolete ones are left out. Edges give
`rdfs:subClassOf`, inverse relations and statements; axioms domains and ranges. Not read: logical
definitions and property chains. Source: the OBO Graphs schema (geneontology/obographs).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import json_value, read_text
from factmark.graphs.core.iri_names import OWL, RDF, RDFS, SKOS
from factmark.graphs.formats.obo_files import node_of_id

_PROPERTIES: Mapping[str, str] = MappingProxyType(
    {
        "is_a": f"{RDFS}subClassOf",
        "subPropertyOf": f"{RDFS}subPropertyOf",
        "inverseOf": f"{OWL}inverseOf",
        "type": f"{RDF}type",
    }
)
_Object = Mapping[str, Any]


def obo_graph_quads(path: Path, problems: Problems) -> Iterator[Quad]:
    """Yields the statements of an OBO graph; nodes and edges that cannot be read are reported.

    Raises:
        InputError: the file is no JSON, or holds no node and no edge.
    """
    value = json_value(path, read_text(path))
    graphs = _objects(value, "graphs") if isinstance(value, dict) else []
    count = 0
    for graph in graphs:
        for number, node in enumerate(_objects(graph, "nodes"), start=1):
            count += 1
            problems.rows += 1
            if isinstance(node.get("id"), str) and node["id"].strip():
                yield from _quads_of_node(node)
            else:
                problems.drop("a node without an id", f"node {number}")
        for number, edge in enumerate(_objects(graph, "edges"), start=1):
            count += 1
            problems.rows += 1
            ends = [edge.get(name) for name in ("sub", "pred", "obj")]
            if all(isinstance(end, str) and end.strip() for end in ends):
                subject, relation, target = map(str, ends)
                property_ = NamedNode(_PROPERTIES.get(relation) or node_of_id(relation).value)
                yield Quad(node_of_id(subject), property_, node_of_id(target))
            else:
                problems.drop("an edge without sub, pred and obj", f"edge {number}")
        yield from _quads_of_axioms(graph)
    if not count:
        raise InputError(f"{path}: holds no node and no edge; it is no OBO graph.")


def _quads_of_node(node: _Object) -> Iterator[Quad]:
    """Yields what a node says of itself; nothing if it is obsolete."""
    meta = node.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    if meta.get("deprecated") is True:
        yield Quad(node_of_id(node["id"]), NamedNode(f"{OWL}deprecated"), Literal("true"))
        return
    subject = node_of_id(node["id"])
    if node.get("type") == "PROPERTY":
        yield Quad(subject, NamedNode(f"{RDF}type"), NamedNode(f"{OWL}ObjectProperty"))
    definition = meta.get("definition")
    texts = {
        f"{RDFS}label": [node.get("lbl")],
        f"{SKOS}definition": [definition.get("val") if isinstance(definition, dict) else None],
        f"{SKOS}altLabel": [
            synonym.get("val")
            for synonym in _objects(meta, "synonyms")
            if synonym.get("pred") == "hasExactSynonym"
        ],
    }
    for predicate, values in texts.items():
        for value in values:
            if isinstance(value, str) and value.strip():
                yield Quad(subject, NamedNode(predicate), Literal(value.strip()))


def _quads_of_axioms(graph: _Object) -> Iterator[Quad]:
    """Yields domains, ranges and equivalent nodes."""
    for axiom in _objects(graph, "domainRangeAxioms"):
        for name, field in (("domain", "domainClassIds"), ("range", "rangeClassIds")):
            for node in axiom.get(field) or ():
                relation = node_of_id(str(axiom.get("predicateId") or "?"))
                yield Quad(relation, NamedNode(f"{RDFS}{name}"), node_of_id(str(node)))
    for same in _objects(graph, "equivalentNodesSets"):
        first, *others = [str(node) for node in same.get("nodeIds") or ()] or [""]
        for other in others:
            property_ = NamedNode(f"{OWL}equivalentClass")
            yield Quad(node_of_id(first), property_, node_of_id(other))


def _objects(value: _Object, name: str) -> list[_Object]:
    """Returns the objects in a list of an object."""
    parts = value.get(name)
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
