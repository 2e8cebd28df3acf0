"""An RDF, OWL, SKOS or OBO ontology behind the same interface as the bundled one and UMLS.

Labels give names, `rdfs:subClassOf`, `owl:equivalentClass`, `skos:broader` and `rdf:type` the types
with all above them, which decide `isa`, and so do disjoint classes; `rdfs:domain` and `rdfs:range`,
also of properties above and of the inverse, schema.org's `domainIncludes` and `rangeIncludes`, and
SHACL shapes what a relation may join.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import IS_A, relation_key
from factmark.graphs.core.iri_names import OWL, RDF, RDFS, SKOS, local_name
from factmark.graphs.core.ontology import Concept, Relation, Signature
from factmark.graphs.formats.rdf_files import (
    RDF_FORMATS,
    encode_term,
    is_rdf,
    label_rank,
    read_quads,
)
from factmark.graphs.ontologies.shapes import SH, Shapes
from factmark.text.names import name_key

_UP = {f"{RDFS}subClassOf", f"{SKOS}broader", f"{SKOS}broaderTransitive", f"{RDF}type"}
_NAMES = {
    f"{SKOS}altLabel",
    f"{SKOS}hiddenLabel",
    "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym",
}
_TEXTS = {f"{SKOS}definition", f"{RDFS}comment", "http://purl.obolibrary.org/obo/IAO_0000115"}
_SCHEMA = (RDF, RDFS, OWL, SKOS, SH)
_DOMAIN_INCLUDES = {f"{scheme}://schema.org/domainIncludes" for scheme in ("http", "https")}
_RANGE_INCLUDES = {f"{scheme}://schema.org/rangeIncludes" for scheme in ("http", "https")}
_SAME = ("same_as", "equivalent_class", "exact_match")
_Sets = defaultdict[str, set[str]]


def read_ontology(path: Path, problems: Problems) -> RdfOntology:
    """Returns the ontology of an RDF or OBO file, or of all those of a folder.

    Raises:
        InputError: for a file that is no RDF or cannot be parsed; the message has the line.
    """
    ontology = RdfOntology()
    for file in ontology_files(path):
        for quad in read_quads(file, problems):
            ontology.add(encode_term(quad.subject), quad.predicate.value, quad.object)
    ontology.finish()
    return ontology


def ontology_files(path: Path) -> list[Path]:
    """Returns the files of an ontology: the one that is named, or all RDF and OBO files of a
    folder.

    Raises:
        InputError: there are none.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and is_rdf(file))
        if not files:
            raise InputError(f"{path}: holds no RRF, RDF or OBO file.")
        return files
    if not path.is_file():
        raise InputError(f"{path}: there is no such file.")
    if not is_rdf(path):
        raise InputError(f"{path}: ends in none of {', '.join(RDF_FORMATS)}, and is no OBO graph.")
    return [path]


class RdfOntology:
    """Concepts and relations of an RDF file, all held in memory; nodes are as `encode_term` writes
    them."""

    def __init__(self) -> None:
        self._labels: dict[str, tuple[int, str]] = {}
        self._synonyms: defaultdict[str, list[str]] = defaultdict(list)
        self._up: _Sets = defaultdict(set)
        self._domains: _Sets = defaultdict(set)
        self._ranges: _Sets = defaultdict(set)
        self._domains_any: _Sets = defaultdict(set)
        self._ranges_any: _Sets = defaultdict(set)
        self._super: _Sets = defaultdict(set)
        self._disjoint: _Sets = defaultdict(set)
        self._apart: list[str] = []  # lists of classes of which no two share a thing
        self._declared: set[str] = set()  # as classes
        self._shapes = Shapes()
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
        if predicate.startswith(SH):
            self._shapes.add(subject, predicate, node)
        elif isinstance(value, Literal):
            self._add_text(subject, predicate, value)
        elif predicate in (f"{RDF}first", f"{RDF}rest"):
            self._lists[subject][predicate] = node
        elif predicate == f"{OWL}unionOf":
            self._unions[subject] = node
        elif predicate in (f"{OWL}members", f"{OWL}disjointUnionOf"):
            self._apart.append(node)
        elif predicate == f"{OWL}disjointWith":
            self._disjoint[subject].add(node)
            self._disjoint[node].add(subject)
        elif predicate == f"{RDFS}subPropertyOf":
            self._super[subject].add(node)
        elif predicate in _DOMAIN_INCLUDES:
            self._domains_any[subject].add(node)
        elif predicate in _RANGE_INCLUDES:
            self._ranges_any[subject].add(node)
        elif predicate == f"{OWL}equivalentClass" and not isinstance(value, BlankNode):
            self._up[subject].add(node)
            self._up[node].add(subject)
        elif predicate == f"{RDF}type" and _is_schema(value):
            if value.value.endswith("SymmetricProperty"):
                self._symmetric.add(subject)
            if value.value.endswith("Property"):
                self._properties[subject] = ""
            elif value.value.endswith("Class"):
                self._declared.add(subject)
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
        for start in self._apart:
            classes = self._items(start)
            for name in classes:
                self._disjoint[name] |= {*classes} - {name}
        nodes = {*self._labels, *self._synonyms, *self._up}.union(*self._up.values())
        self._shapes.finish(self._declared.union(*self._up.values()), self._items)
        relations = {*self._domains, *self._ranges, *self._properties, *self._inverse}
        relations |= {*self._domains_any, *self._ranges_any, *self._super}
        relations |= {f"I{name}" for name in self._shapes.properties}
        # A property's label gives way to its own name, which comes last.
        self._properties = {
            key: node
            for node in sorted(relations)
            for key in (
                *(relation_key(label) for _, label in filter(None, [self._labels.get(node)])),
                relation_key(node[1:]),
            )
        }
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
            definition=self._texts.get(node, ""),
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
            label=self._label(node),
            definition=self._texts.get(node, ""),
            inverse=relation_key(inverse[1:]) if inverse else None,
            symmetric=node in self._symmetric,
            allowed=tuple(self._signatures(node)),
        )

    def _signatures(self, node: str) -> Iterator[Signature]:
        """Yields what a property may join, as far as it is to be shown: where several domains have
        to hold, each of them."""
        above = self._properties_above(node)
        sides = (self._domains, self._ranges), (self._domains_any, self._ranges_any)
        for domains, ranges in sides:
            heads, tails = self._sides_of(above, domains, ranges)
            kinds = [frozenset(self._classes(side)) for side in (heads, tails)]
            if any(kinds):
                yield Signature(heads=kinds[0], tails=kinds[1])
        for of, to in self._shapes.kinds_of(sorted(name[1:] for name in above)):
            yield Signature(heads=frozenset(of), tails=frozenset(to))

    def _classes(self, nodes: Iterable[str]) -> set[str]:
        """Returns the IRIs of classes, of a union its parts."""
        return {name for node in nodes for name in self._members(node)}

    def _properties_above(self, node: str) -> set[str]:
        """Returns a property and all above it."""
        seen, todo = {node}, [node]
        while todo:
            upper = self._super.get(todo.pop(), set()) - seen
            seen |= upper
            todo += upper
        return seen

    def _sides_of(
        self, properties: Iterable[str], domains: _Sets, ranges: _Sets
    ) -> tuple[set[str], set[str]]:
        """Returns the domains and the ranges of properties, those of their inverses turned
        round."""
        heads: set[str] = set()
        tails: set[str] = set()
        for name in properties:
            heads |= domains.get(name, set())
            tails |= ranges.get(name, set())
            inverse = self._inverse.get(name)
            for turned in self._properties_above(inverse) if inverse else ():
                heads |= ranges.get(turned, set())
                tails |= domains.get(turned, set())
        return heads, tails

    def allows(self, relation: str, head: Concept, tail: Concept) -> bool | None:
        """Whether head and tail lie in the domain and the range, also those of the inverse and of
        properties above it, and as shapes say.

        Several domains all have to hold, as RDFS says; of a union, and of what a domain includes,
        one. None where nothing is said of the property, or a concept has no class above it and none
        that is disjoint. `isa` holds where the tail is the head or above it, and `same_as` not
        between disjoint classes, whatever domain and range are.
        """
        if (key := relation_key(relation)) in IS_A or key == "inverse_isa":
            lower, upper = (head, tail) if key in IS_A else (tail, head)
            if upper.id in lower.types:
                return True
            known = len(lower.types) > 1 or self._are_disjoint(lower.types, upper.types)
            return False if known else None
        node = self._properties.get(key)
        if node is None:
            apart = key in _SAME and self._are_disjoint(head.types, tail.types)
            return False if apart else None
        above = self._properties_above(node)
        answers = [
            self._fit(self._sides_of(above, self._domains, self._ranges), head, tail, all),
            self._fit(self._sides_of(above, self._domains_any, self._ranges_any), head, tail, any),
            self._shapes.allows({name[1:] for name in above}, head.types, tail.types),
        ]
        return False if False in answers else True if True in answers else None

    def _fit(
        self,
        sides: tuple[set[str], set[str]],
        head: Concept,
        tail: Concept,
        how_many: Callable[[Iterable[bool]], bool],
    ) -> bool | None:
        """Whether head and tail lie in these domains and ranges, all or any of them; None where
        there are none, or too little is known of a concept."""
        if not any(sides):
            return None
        unknown = False
        for wanted, concept in zip(sides, (head, tail), strict=True):
            if not wanted or how_many(self._lies_in(node, concept) for node in wanted):
                continue
            if len(concept.types) > 1 or self._are_disjoint(concept.types, self._classes(wanted)):
                return False
            unknown = True
        return None if unknown else True

    def _lies_in(self, node: str, concept: Concept) -> bool:
        """Whether a concept lies in a class."""
        everything = (f"I{OWL}Thing", f"I{RDFS}Resource")
        return node in everything or not concept.types.isdisjoint(self._members(node))

    def _are_disjoint(self, types: Iterable[str], others: Iterable[str]) -> bool:
        """Whether a type, or one above it, is disjoint with one of the others, or one above."""
        above = {name for other in others for name in self._all_above(f"I{other}")}
        return any(
            f"I{name}" in self._disjoint.get(f"I{upper}", ())
            for kind in types
            for upper in self._all_above(f"I{kind}")
            for name in above
        )

    def _members(self, node: str) -> set[str]:
        """Returns a class by itself, or the classes of a union."""
        rest = self._unions.get(node)
        return {node[1:]} if rest is None else {item[1:] for item in self._items(rest)}

    def _items(self, start: str) -> list[str]:
        """Returns the items of a list; one in a circle ends."""
        items: list[str] = []
        seen: set[str] = set()
        rest: str | None = start
        while rest and rest != f"I{RDF}nil" and rest not in seen:
            seen.add(rest)
            cell = self._lists.get(rest, {})
            items.append(cell.get(f"{RDF}first", " "))
            rest = cell.get(f"{RDF}rest")
        return items

    def type_name(self, code: str) -> str:
        """Returns the class's label."""
        return self._label(f"I{code}")

    def types_by_ending(self, name: str) -> frozenset[str]:
        """Returns nothing: beyond a user's own ontology no type is guessed."""
        return frozenset()


def _is_schema(value: Any) -> bool:
    """Whether a node is of the vocabularies RDF, RDFS, OWL or SKOS themselves."""
    return isinstance(value, NamedNode) and value.value.startswith(_SCHEMA)
