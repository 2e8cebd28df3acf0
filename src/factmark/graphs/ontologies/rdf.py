"""An RDF, OWL, SKOS or OBO ontology behind the same interface as the bundled one and UMLS.

Labels give names, `rdfs:subClassOf`, `skos:broader` and `rdf:type` the types with all above them,
which decide `isa`; `rdfs:domain` and `rdfs:range` what a relation may join, `owl:inverseOf` its
inverse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import IS_A, relation_key
from factmark.graphs.core.ontology import Concept, Relation
from factmark.graphs.rdf_files import (
    OWL,
    RDF,
    RDF_FORMATS,
    RDFS,
    SKOS,
    encode_term,
    label_rank,
    local_name,
    read_quads,
)
from factmark.text.names import name_key

_UP = {f"{RDFS}subClassOf", f"{SKOS}broader", f"{SKOS}broaderTransitive", f"{RDF}type"}
_NAMES = {
    f"{SKOS}altLabel",
    f"{SKOS}hiddenLabel",
    "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym",
}
_TEXTS = {f"{SKOS}definition", f"{RDFS}comment", "http://purl.obolibrary.org/obo/IAO_0000115"}
_SCHEMA = (RDF, RDFS, OWL, SKOS)
_Sets = defaultdict[str, set[str]]


def read_ontology(path: Path, problems: Problems) -> RdfOntology:
    """Returns the ontology of an RDF or OBO file.

    Raises:
        InputError: for a file that is no RDF or cannot be parsed; the message has the line.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such file.")
    if path.suffix.casefold() not in RDF_FORMATS:
        raise InputError(f"{path}: ends in none of {', '.join(RDF_FORMATS)}.")
    ontology = RdfOntology()
    for quad in read_quads(path, problems):
        ontology.add(encode_term(quad.subject), quad.predicate.value, quad.object)
    ontology.finish()
    return ontology


class RdfOntology:
    """Concepts and relations of an RDF file, all held in memory; nodes are as `encode_term` writes
    them."""

    def __init__(self) -> None:
        self._labels: dict[str, tuple[int, str]] = {}
        self._synonyms: defaultdict[str, list[str]] = defaultdict(list)
        self._up: _Sets = defaultdict(set)
        self._domains: _Sets = defaultdict(set)
        self._ranges: _Sets = defaultdict(set)
        self._inverse: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._symmetric: set[str] = set()
        self._obsolete: set[str] = set()
        self._lists: dict[str, dict[str, str]] = defaultdict(dict)
        self._unions: dict[str, str] = {}
        self._by_name: _Sets = defaultdict(set)
        self._properties: dict[str, str] = {}
        self._above: dict[str, frozenset[str]] = {}

    def add(self, subject: str, predicate: str, value: Any) -> None:
        """Adds a statement; what says nothing of concepts or relations is ignored."""
        node = encode_term(value)
        if isinstance(value, Literal):
            self._add_text(subject, predicate, value)
        elif predicate in (f"{RDF}first", f"{RDF}rest"):
            self._lists[subject][predicate] = node
        elif predicate == f"{OWL}unionOf":
            self._unions[subject] = node
        elif predicate == f"{RDF}type" and _is_schema(value):
            if value.value.endswith("SymmetricProperty"):
                self._symmetric.add(subject)
            if value.value.endswith("Property"):
                self._properties[subject] = ""
        elif predicate == f"{RDFS}domain":
            self._domains[subject].add(node)
        elif predicate == f"{RDFS}range":
            self._ranges[subject].add(node)
        elif predicate == f"{OWL}inverseOf":
            self._inverse[subject], self._inverse[node] = node, subject
        elif predicate in _UP and not isinstance(value, BlankNode):
            self._up[subject].add(node)
        elif predicate == f"{SKOS}narrower":
            self._up[node].add(subject)

    def _add_text(self, subject: str, predicate: str, value: Literal) -> None:
        """Adds a label, a synonym or a definition."""
        rank, text = label_rank(predicate, value.language), value.value
        is_english = value.language is None or value.language.casefold().split("-")[0] == "en"
        if rank is not None and (subject not in self._labels or rank < self._labels[subject][0]):
            self._labels[subject] = (rank, text)
        if is_english and (rank is not None or predicate in _NAMES):
            self._synonyms[subject].append(text)
        elif is_english and predicate in _TEXTS:
            self._texts.setdefault(subject, text)
        elif predicate == f"{OWL}deprecated" and text in ("true", "1"):
            self._obsolete.add(subject)

    def finish(self) -> None:
        """Builds the look-ups; to be called once, after the last `add`."""
        relations = {*self._domains, *self._ranges, *self._properties, *self._inverse}
        # A property's label gives way to its own name, which comes last.
        self._properties = {
            key: node
            for node in sorted(relations)
            for key in (
                *(relation_key(label) for _, label in filter(None, [self._labels.get(node)])),
                relation_key(node[1:]),
            )
        }
        nodes = {*self._labels, *self._synonyms, *self._up}.union(*self._up.values())
        for node in nodes - relations - self._obsolete:
            for name in {self._label(node), *self._synonyms[node]}:
                self._by_name[name_key(name)].add(node)

    def _label(self, node: str) -> str:
        """Returns a node's label, or else the last part of its IRI."""
        label = self._labels.get(node)
        return label[1] if label else local_name(node[1:])

    def concepts(self, name: str) -> tuple[Concept, ...]:
        """Returns all nodes of that name, or the one of that IRI."""
        if f"I{name}" in self._labels or f"I{name}" in self._up:
            return (self._concept(f"I{name}"),)
        return tuple(self._concept(node) for node in sorted(self._by_name.get(name_key(name), ())))

    def _concept(self, node: str) -> Concept:
        """Returns a node as a concept; its types are the classes above it."""
        label = self._label(node)
        return Concept(
            id=node[1:],
            name=label,
            types=self._all_above(node),
            synonyms=tuple(dict.fromkeys(n for n in self._synonyms[node] if n != label)),
        )

    def _all_above(self, node: str) -> frozenset[str]:
        """Returns the node and all nodes above it; cycles do no harm."""
        known = self._above.get(node)
        if known is None:
            seen, todo = {node}, [node]
            while todo:
                upper = self._up.get(todo.pop(), set()) - seen
                seen |= upper
                todo += upper
            known = self._above[node] = frozenset(n[1:] for n in seen)
        return known

    def relation(self, name: str) -> Relation | None:
        """Returns the property of that name, label or IRI; None if there is none."""
        node = self._properties.get(relation_key(name))
        if node is None:
            return None
        inverse = self._inverse.get(node)
        return Relation(
            name=relation_key(node[1:]),
            definition=self._texts.get(node, ""),
            inverse=relation_key(inverse[1:]) if inverse else None,
            symmetric=node in self._symmetric,
        )

    def allows(self, relation: str, head: Concept, tail: Concept) -> bool | None:
        """Whether head and tail lie in the domain and the range, also those of the inverse.

        Several domains all have to hold, as RDFS says; for a union one. None where the property
        has neither, or a concept no class above it. `isa` holds where the tail is the head or above
        it, whatever its domain and range.
        """
        if (key := relation_key(relation)) in IS_A or key == "inverse_isa":
            lower, upper = (head, tail) if key in IS_A else (tail, head)
            return None if len(lower.types) < 2 else upper.id in lower.types
        node = self._properties.get(key)
        if node is None:
            return None
        inverse = self._inverse.get(node, "")
        domains = self._domains.get(node, set()) | self._ranges.get(inverse, set())
        ranges = self._ranges.get(node, set()) | self._domains.get(inverse, set())
        if not domains and not ranges:
            return None
        sides = [(domains, head), (ranges, tail)]
        fits = all(self._fits(wanted, concept) for wanted, concept in sides)
        if not fits and any(wanted and len(concept.types) < 2 for wanted, concept in sides):
            return None
        return fits

    def _fits(self, wanted: Iterable[str], concept: Concept) -> bool:
        """Whether a concept lies in all of these classes."""
        return all(
            node == f"I{OWL}Thing" or not concept.types.isdisjoint(self._members(node))
            for node in wanted
        )

    def _members(self, node: str) -> set[str]:
        """Returns a class by itself, or the classes of a union."""
        rest = self._unions.get(node)
        if rest is None:
            return {node[1:]}
        members: set[str] = set()
        seen: set[str] = set()
        while rest and rest != f"I{RDF}nil" and rest not in seen:
            seen.add(rest)
            cell = self._lists.get(rest, {})
            members.add(cell.get(f"{RDF}first", " ")[1:])
            rest = cell.get(f"{RDF}rest")
        return members

    def type_name(self, code: str) -> str:
        """Returns the class's label."""
        return self._label(f"I{code}")

    def types_by_ending(self, name: str) -> frozenset[str]:
        """Returns nothing: beyond a user's own ontology no type is guessed."""
        return frozenset()


def _is_schema(value: Any) -> bool:
    """Whether a node is of the vocabularies RDF, RDFS, OWL or SKOS themselves."""
    return isinstance(value, NamedNode) and value.value.startswith(_SCHEMA)
