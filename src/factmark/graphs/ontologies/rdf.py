"""An RDF, OWL or SKOS ontology behind the same interface as the bundled one and UMLS.

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
    encoded,
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
_ENGLISH = (None, "en")
Set = defaultdict[str, set[str]]


class RdfOntology:
    """Concepts and relations of RDF files. All of it is held in memory."""

    def __init__(self) -> None:
        self._labels: dict[str, tuple[int, str]] = {}
        self._synonyms: defaultdict[str, list[str]] = defaultdict(list)
        self._up: Set = defaultdict(set)
        self._domains: Set = defaultdict(set)
        self._ranges: Set = defaultdict(set)
        self._inverse: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._symmetric: set[str] = set()
        self._obsolete: set[str] = set()
        self._lists: dict[str, dict[str, str]] = defaultdict(dict)
        self._unions: dict[str, str] = {}
        self._by_name: Set = defaultdict(set)
        self._properties: dict[str, str] = {}
        self._above: dict[str, frozenset[str]] = {}

    def load(self, path: Path, problems: Problems) -> None:
        """Adds a file.

        Raises:
            InputError: for a file that is no RDF or cannot be parsed; the message has the line.
        """
        if path.suffix.casefold() not in RDF_FORMATS:
            raise InputError(f"{path}: ends in none of {', '.join(RDF_FORMATS)}.")
        for quad in read_quads(path, problems):
            self._add(encoded(quad.subject), quad.predicate.value, quad.object)

    def _add(self, subject: str, predicate: str, value: Any) -> None:
        if isinstance(value, Literal):
            self._say(subject, predicate, value)
        elif predicate in (f"{RDF}first", f"{RDF}rest"):
            self._lists[subject][predicate] = encoded(value)
        elif predicate == f"{OWL}unionOf":
            self._unions[subject] = encoded(value)
        elif predicate == f"{RDF}type" and _is_schema(value):
            if value.value.endswith("SymmetricProperty"):
                self._symmetric.add(subject)
            if value.value.endswith("Property"):
                self._properties[subject] = ""
        elif predicate == f"{RDFS}domain":
            self._domains[subject].add(encoded(value))
        elif predicate == f"{RDFS}range":
            self._ranges[subject].add(encoded(value))
        elif predicate == f"{OWL}inverseOf":
            self._inverse[subject], self._inverse[encoded(value)] = encoded(value), subject
        elif predicate in _UP and not isinstance(value, BlankNode):
            self._up[subject].add(encoded(value))
        elif predicate == f"{SKOS}narrower":
            self._up[encoded(value)].add(subject)

    def _say(self, subject: str, predicate: str, value: Literal) -> None:
        rank = label_rank(predicate, value.language)
        language = value.language and value.language.casefold().split("-")[0]
        if rank is not None:
            known = self._labels.get(subject)
            if known is None or rank < known[0]:
                self._labels[subject] = (rank, value.value)
            if language in _ENGLISH:
                self._synonyms[subject].append(value.value)
        elif predicate in _NAMES and language in _ENGLISH:
            self._synonyms[subject].append(value.value)
        elif predicate in _TEXTS and language in _ENGLISH:
            self._texts.setdefault(subject, value.value)
        elif predicate == f"{OWL}deprecated" and value.value in ("true", "1"):
            self._obsolete.add(subject)

    def finish(self) -> RdfOntology:
        """Builds the look-ups, once all files are loaded."""
        relations = set(self._domains) | set(self._ranges) | set(self._properties)
        relations |= set(self._inverse)
        self._properties = {
            key: node for node in sorted(relations) for key in self._relation_keys(node)
        }
        nodes = set(self._labels) | set(self._synonyms) | set(self._up).union(*self._up.values())
        for node in nodes - relations - self._obsolete:
            for name in {self._label(node), *self._synonyms[node]}:
                self._by_name[name_key(name)].add(node)
        return self

    def _relation_keys(self, node: str) -> list[str]:
        """The keys of a property: its label first gives way to its own name, which comes last."""
        label = self._labels.get(node)
        labelled = [] if label is None else [relation_key(label[1])]
        return [*labelled, relation_key(node[1:])]

    def _label(self, node: str) -> str:
        label = self._labels.get(node)
        return label[1] if label else local_name(node[1:])

    def concepts(self, name: str) -> tuple[Concept, ...]:
        """All nodes of that name, or the one of that IRI."""
        if f"I{name}" in self._labels or f"I{name}" in self._up:
            return (self._concept(f"I{name}"),)
        return tuple(self._concept(node) for node in sorted(self._by_name.get(name_key(name), ())))

    def _concept(self, node: str) -> Concept:
        label = self._label(node)
        return Concept(
            id=node[1:],
            name=label,
            types=self._all_above(node),
            synonyms=tuple(dict.fromkeys(n for n in self._synonyms[node] if n != label)),
        )

    def _all_above(self, node: str) -> frozenset[str]:
        """The node and all that is above it; rings are no trouble."""
        known = self._above.get(node)
        if known is None:
            seen, todo = {node}, [node]
            while todo:
                for upper in self._up.get(todo.pop(), ()):
                    if upper not in seen:
                        seen.add(upper)
                        todo.append(upper)
            known = self._above[node] = frozenset(n[1:] for n in seen)
        return known

    def relation(self, name: str) -> Relation | None:
        """A property of that name, label or IRI."""
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

        Several domains all have to hold, as RDFS says; of a union one. None where the property
        has neither, or a concept no class above it. `isa` holds where the tail is the head or above
        it, whatever its domain and range.
        """
        if (key := relation_key(relation)) in IS_A or key == "inverse_isa":
            lower, upper = (head, tail) if key in IS_A else (tail, head)
            return None if len(lower.types) < 2 else upper.id in lower.types
        node = self._properties.get(relation_key(relation))
        if node is None:
            return None
        inverse = self._inverse.get(node, "")
        domains = self._domains.get(node, set()) | self._ranges.get(inverse, set())
        ranges = self._ranges.get(node, set()) | self._domains.get(inverse, set())
        if not domains and not ranges:
            return None
        sides = [(domains, head), (ranges, tail)]
        if any(wanted and len(concept.types) < 2 for wanted, concept in sides):
            return None if not all(self._fits(w, c) for w, c in sides) else True
        return all(self._fits(wanted, concept) for wanted, concept in sides)

    def _fits(self, wanted: Iterable[str], concept: Concept) -> bool:
        return all(
            bool(self._members(one) & concept.types) or one == f"I{OWL}Thing" for one in wanted
        )

    def _members(self, node: str) -> set[str]:
        """A class, or the classes of a union."""
        out, rest = set(), self._unions.get(node)
        if rest is None:
            return {node[1:]}
        seen: set[str] = set()
        while rest and rest != f"I{RDF}nil" and rest not in seen:
            seen.add(rest)
            cell = self._lists.get(rest, {})
            out.add(cell.get(f"{RDF}first", " ")[1:])
            rest = cell.get(f"{RDF}rest")
        return out

    def type_name(self, code: str) -> str:
        """The class's label."""
        return self._label(f"I{code}")

    def types_by_ending(self, name: str) -> frozenset[str]:
        """Nothing: an ontology of the user's own is not guessed beyond."""
        return frozenset()


def _is_schema(value: Any) -> bool:
    return isinstance(value, NamedNode) and value.value.startswith(_SCHEMA)


def read_ontology(paths: Iterable[Path], problems: Problems) -> RdfOntology:
    """The ontology of one or more RDF files.

    Raises:
        InputError: as `RdfOntology.load`.
    """
    ontology = RdfOntology()
    for path in paths:
        if not path.is_file():
            raise InputError(f"{path}: there is no such file.")
        ontology.load(path, problems)
    return ontology.finish()
