"""OBO graphs (JSON) as a stream of quads, the same that the OBO flat file of an ontology gives.

Nodes give labels, definitions and exact synonyms; obsolete ones are left out. Edges give
`rdfs:subClassOf`, inverse relations and statements; axioms domains, ranges, definitions and chains
of properties. Source: the OBO Graphs schema (geneontology/obographs).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import json_value, read_text, without_surrogates
from factmark.graphs.core.iri_names import OWL, RDF, RDFS, SKOS
from factmark.graphs.formats.obo_files import chain_quads, node_of_id

_PROPERTIES: Mapping[str, str] = {
    "is_a": f"{RDFS}subClassOf",
    "subPropertyOf": f"{RDFS}subPropertyOf",
    "inverseOf": f"{OWL}inverseOf",
    "type": f"{RDF}type",
}
_EXACT = "hasExactSynonym"
_Object = Mapping[str, Any]


def obo_graph_quads(path: Path, problems: Problems) -> Iterator[Quad]:
    """Yields the statements of an OBO graph; nodes and edges that cannot be read are reported.

    Raises:
        InputError: the file is no JSON, or holds no node and no edge.
    """
    value = json_value(path, read_text(path))
    graphs = []
    if isinstance(value, dict):
        graphs = _objects(value, "graphs")
    count = 0
    obsolete: set[object] = set()
    for graph in graphs:
        for number, node in enumerate(_objects(graph, "nodes"), start=1):
            count += 1
            problems.rows += 1
            if not (isinstance(node.get("id"), str) and node["id"].strip()):
                problems.drop("a node without an id", f"node {number}")
            elif _meta_of(node).get("deprecated") is True:
                obsolete.add(node["id"])
            else:
                yield from _quads_of_node(node)
        for number, edge in enumerate(_objects(graph, "edges"), start=1):
            count += 1
            problems.rows += 1
            ends = [edge.get(name) for name in ("sub", "pred", "obj")]
            if not obsolete.isdisjoint(map(str, ends)):
                continue
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
    """Yields what a node says of itself."""
    meta = _meta_of(node)
    subject = node_of_id(node["id"])
    if node.get("type") == "PROPERTY":
        yield Quad(subject, NamedNode(f"{RDF}type"), NamedNode(f"{OWL}ObjectProperty"))
    definition = meta.get("definition")
    synonyms = _objects(meta, "synonyms")
    texts = [
        ("label", node.get("lbl"), RDFS),
        ("definition", definition.get("val") if isinstance(definition, dict) else None, SKOS),
        *(("altLabel", s.get("val"), SKOS) for s in synonyms if s.get("pred") == _EXACT),
    ]
    for name, value, vocabulary in texts:
        if isinstance(value, str) and value.strip():
            yield Quad(
                subject, NamedNode(vocabulary + name), Literal(without_surrogates(value).strip())
            )


def _meta_of(node: _Object) -> _Object:
    """Returns what an object says beside its name."""
    meta = node.get("meta")
    if isinstance(meta, dict):
        return meta
    return {}


def _quads_of_axioms(graph: _Object) -> Iterator[Quad]:
    """Yields domains, ranges, equivalent nodes, definitions and chains."""
    for axiom in _objects(graph, "domainRangeAxioms"):
        relations = _ids([axiom.get("predicateId")])
        for name, field in (("domain", "domainClassIds"), ("range", "rangeClassIds")):
            if relations:
                for node in _ids(axiom.get(field)):
                    yield Quad(relations[0], NamedNode(f"{RDFS}{name}"), node)
    for same in _objects(graph, "equivalentNodesSets"):
        nodes = _ids(same.get("nodeIds"))
        for other in nodes[1:]:
            yield Quad(nodes[0], NamedNode(f"{OWL}equivalentClass"), other)
    for axiom in _objects(graph, "logicalDefinitionAxioms"):
        for node in _ids([axiom.get("definedClassId")]):
            for genus in _ids(axiom.get("genusIds")):
                yield Quad(node, NamedNode(f"{RDFS}subClassOf"), genus)
            for part in _objects(axiom, "restrictions"):
                ends = _ids([part.get("propertyId"), part.get("fillerId")])
                if len(ends) == 2:
                    yield Quad(node, *ends)
    for axiom in _objects(graph, "propertyChainAxioms"):
        links = _ids(axiom.get("chainPredicateIds"))
        if links:
            for relation in _ids([axiom.get("predicateId")]):
                yield from chain_quads(relation, links)


def _ids(parts: object) -> list[NamedNode]:
    """Returns the nodes that a list names."""
    names = []
    if isinstance(parts, list):
        names = parts
    return [node_of_id(name) for name in names if isinstance(name, str) and name.strip()]


def _objects(value: _Object, name: str) -> list[_Object]:
    """Returns the objects in a list of an object."""
    parts = value.get(name)
    if isinstance(parts, list):
        return [part for part in parts if isinstance(part, dict)]
    return []
