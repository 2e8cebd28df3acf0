"""An RDF, OWL, SKOS or OBO ontology behind the same interface as the bundled one and UMLS.

Labels give names, `rdfs:subClassOf`, `owl:equivalentClass`, `skos:broader` and `rdf:type` the types
with all above them, which decide `isa`, and so do disjoint classes; `rdfs:domain` and `rdfs:range`,
also of properties above, of inverses and of chains of properties, schema.org's `domainIncludes`
and `rangeIncludes`, restrictions on properties, and SHACL shapes what a relation may join.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode

from factmark.files.problems import Problems
from factmark.graphs.core.claims import IS_A, relation_key
from factmark.graphs.core.datatypes import LITERAL, XSD, is_datatype
from factmark.graphs.core.iri_names import (
    OWL,
    OWN_NAMES,
    RDF,
    RDFS,
    SKOS,
    iri_of_curie,
    local_name,
)
from factmark.graphs.core.ontology import Concept, Relation, Signature
from factmark.graphs.formats.rdf_files import (
    encode_term,
    is_obo,
    label_rank,
    ontology_files,
    read_quads,
)
from factmark.graphs.ontologies.class_expressions import (
    ClassExpressions,
    Clauses,
    DisjointClasses,
    all_hold,
    any_of,
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
_DISJOINT_LISTS = {f"{OWL}{name}" for name in ("members", "distinctMembers", "disjointUnionOf")}
_SAME = ("same_as", "equivalent_class", "exact_match")
_ADDRESSES = {f"{XSD}anyURI", "http://schema.org/URL", "https://schema.org/URL"}
_Sets = defaultdict[str, set[str]]
_Fillers = defaultdict[str, defaultdict[str, set[str]]]
"""Class -> property -> what its things have by it."""


def read_ontology(path: Path, problems: Problems) -> RdfOntology:
    """Returns the ontology of an RDF or OBO file, or of all those of a folder.

    Raises:
        InputError: for a file that is no RDF or cannot be parsed; the message has the line.
    """
    ontology = RdfOntology()
    for number, file in enumerate(ontology_files(path)):
        relates = is_obo(file)
        for quad in read_quads(file, problems):
            ends = []
            for term in (quad.subject, quad.object):
                ends.append(_own_node(term, number))
            ontology.add(ends[0], quad.predicate.value, ends[1], quad.object, relates=relates)
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
        self._domains_any: _Sets = defaultdict(set)
        self._ranges_any: _Sets = defaultdict(set)
        self._super: _Sets = defaultdict(set)
        self._of_properties = {
            f"{RDFS}domain": self._domains,
            f"{RDFS}range": self._ranges,
            f"{RDFS}subPropertyOf": self._super,
            **dict.fromkeys(_DOMAIN_INCLUDES, self._domains_any),
            **dict.fromkeys(_RANGE_INCLUDES, self._ranges_any),
        }
        self._inverses: _Sets = defaultdict(set)
        self._both_ways = {
            f"{OWL}inverseOf": self._inverses,
            f"{OWL}equivalentProperty": self._super,
        }
        self._disjoint = DisjointClasses()
        # class, list of classes that share nothing
        self._disjoint_lists: list[tuple[str, str]] = []
        self._declared_classes: set[str] = set()
        self._classes = ClassExpressions()
        self._conditions: list[tuple[str, str, bool]] = []  # class, expression, whether equal
        self._only: _Fillers = defaultdict(lambda: defaultdict(set))
        self._some: _Fillers = defaultdict(lambda: defaultdict(set))
        self._shapes = Shapes()
        self._chains: list[tuple[str, str]] = []  # property, list of those that it follows from
        self._chained: defaultdict[str, set[tuple[str, str, bool]]] = defaultdict(set)
        self._texts: dict[str, str] = {}
        self._symmetric: set[str] = set()
        self._obsolete: set[str] = set()
        self._by_name: _Sets = defaultdict(set)
        self._declared_properties: set[str] = set()
        self._properties: dict[str, list[str]] = {}
        self._nodes: set[str] = set()
        self._values: _Sets = defaultdict(set)  # property -> datatypes that it takes
        self._take_values: set[str] = set()
        self._take_things: set[str] = set()
        self._above: dict[str, frozenset[str]] = {}
        self._above_any = lru_cache(maxsize=1_000)(self._find_above_any)
        self._implied = lru_cache(maxsize=10_000)(self._find_implied)
        self._demands = lru_cache(maxsize=10_000)(self._find_demands)
        self._taken = lru_cache(maxsize=10_000)(self._find_taken)

    def add(
        self, subject: str, predicate: str, node: str, value: Any, *, relates: bool = False
    ) -> None:
        """Adds a statement; what says nothing of concepts or relations is ignored.

        Args:
            value: the term that the object `node` is.
            relates: any other statement says what all things of a class have, as in OBO.
        """
        sets = self._of_properties.get(predicate)
        if predicate.startswith(SH):
            self._shapes.add(subject, predicate, node)
        elif self._classes.add(subject, predicate, node):
            pass
        elif isinstance(value, Literal):
            self._add_text(subject, predicate, value)
        elif sets is not None:
            sets[subject].add(node)
        elif predicate in _DISJOINT_LISTS:
            self._disjoint_lists.append((subject, node))
        elif predicate in (f"{OWL}disjointWith", f"{OWL}differentFrom"):
            self._disjoint.add((subject, node))
        elif predicate == f"{OWL}propertyChainAxiom":
            self._chains.append((subject, node))
            self._declared_properties.add(subject)
        elif (both_ways := self._both_ways.get(predicate)) is not None:
            both_ways[subject].add(node)
            both_ways[node].add(subject)
        elif predicate == f"{RDF}type" and _is_schema(value):
            self._declare(subject, value.value)
        elif predicate in _UP or predicate == f"{OWL}equivalentClass":
            is_equal = predicate not in _UP
            if node.startswith("B"):
                self._conditions.append((subject, node, is_equal))
            elif is_equal and subject.startswith("B"):
                self._conditions.append((node, subject, True))
            else:
                self._up[subject].add(node)
                if is_equal:
                    self._up[node].add(subject)
        elif predicate == f"{SKOS}narrower":
            self._up[node].add(subject)
        elif relates:
            self._some[subject][f"I{predicate}"].add(node)

    def _declare(self, subject: str, kind: str) -> None:
        """Adds what a node is said to be: a property, or a class."""
        if kind.endswith("SymmetricProperty"):
            self._symmetric.add(subject)
            self._inverses[subject].add(subject)
        if kind.endswith("DatatypeProperty"):
            self._take_values.add(subject)
        if kind.endswith("Property"):
            self._declared_properties.add(subject)
        elif kind.endswith("Class") and subject.startswith("I"):
            self._declared_classes.add(subject)

    def _add_text(self, subject: str, predicate: str, value: Literal) -> None:
        """Adds a label, a synonym or a definition."""
        rank = label_rank(predicate, value.language)
        text = value.value
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
        for name, start in self._disjoint_lists:
            classes = self._classes.items(start)
            self._disjoint.add(classes)
            for lower in classes if name.startswith("I") else ():  # a union
                self._up[lower].add(name)
        self._conditions += [(node, node, True) for node in self._classes.named()]
        for name, node, is_equal in self._conditions:
            self._add_condition(name, node, is_equal)
            if is_equal:
                self._classes.name_data_range(name, node)
        nodes = {*self._labels, *self._synonyms, *self._declared_classes, *self._up}
        fillers = (*self._only.values(), *self._some.values())
        named = (n for of in fillers for parts in of.values() for n in parts if n[0] == "I")
        nodes = nodes.union(named, *self._up.values())
        self._nodes = {node for node in nodes if not is_datatype(node[1:])}
        self._shapes.finish(self._declared_classes.union(*self._up.values()), self._classes.items)
        relations = self._declared_properties | self._shapes.properties
        relations = relations.union(*self._of_properties.values(), *fillers, self._inverses)
        relations = {n for n in relations.union(*self._super.values()) if n.startswith("I")}
        self._find_values()
        for name, start in self._chains:
            links = self._classes.items(start)
            for is_turned, names in enumerate(self._implied(name) if links else ()):
                for lower in names:
                    self._chained[lower].add((links[0], links[-1], bool(is_turned)))
        by_label: defaultdict[str, list[str]] = defaultdict(list)
        by_name: defaultdict[str, list[str]] = defaultdict(list)
        for node in sorted(relations):
            for key in {relation_key(node[1:]), OWN_NAMES.get(node[1:], relation_key(node[1:]))}:
                by_name[key].append(node)
            if node in self._labels:
                by_label[relation_key(self._label(node))].append(node)
        self._properties = {**by_label, **by_name}  # a label gives way to a property's own name
        for node in self._nodes - relations - self._obsolete:
            for name in {self._label(node), *self._synonyms[node], *_names_in_iri(node)}:
                self._by_name[name_key(name)].add(node)

    def _add_condition(self, name: str, node: str, is_equal: bool) -> None:
        """Adds what an expression says of a class, or of a thing, that lies in it or is equal to
        it."""
        for part in self._classes.above(node):
            for rule in self._classes.restrictions(part):
                if rule.only:
                    fillers = self._only
                else:
                    fillers = self._some
                fillers[name][rule.property].add(rule.filler)
            for other in self._classes.complements(part):
                self._disjoint.add((name, other))
            if part.startswith("I") and part != name:
                self._up[name].add(part)
        if is_equal:
            for lower in self._classes.below(node):
                if lower.startswith("I"):
                    self._up[lower].add(name)

    def _find_values(self) -> None:
        """Notes of each property the datatypes that something says it takes, and whether one says
        that it takes things."""
        sets = (self._ranges, self._ranges_any, *self._only.values(), *self._some.values())
        kinds = []
        for of_property in sets:
            for p in of_property:
                for n in of_property[p]:
                    kinds.append((p, n))
        codes = [(p, code) for p, n in kinds for c in self._classes.clauses(n) for code in c]
        shown = ((p, to) for p in self._shapes.properties for _, to in self._shapes.kinds_of([p]))
        codes += [(p, code) for p, to in shown for code in to]
        for name, code in codes:
            if self._classes.is_datatype(code):
                self._values[name].add(code)
            else:
                self._take_things.add(name)

    def _label(self, node: str) -> str:
        """Returns a node's label, or else the last part of its IRI."""
        label = self._labels.get(node)
        if label:
            return label[1]
        return local_name(node[1:])

    def concepts(self, name: str) -> tuple[Concept, ...]:
        """Returns all nodes of that name, or the one of that IRI, which may be short
        (`MONDO:0005148`)."""
        for iri in (name, iri_of_curie(name)) if ":" in name else (name,):
            if f"I{iri}" in self._nodes:
                return (self._concept(f"I{iri}"),)
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

    def relation(self, name: str) -> Relation | None:
        """Returns the property of that name, label or IRI; None if there is none. Of several the
        one of which most is said."""
        nodes = self._properties.get(relation_key(name))
        if nodes is None:
            return None
        node = max(nodes, key=lambda node: (any(self._signatures(node)), node in self._texts))
        inverse = min((n for n in self._inverses[node] if n[0] == "I"), default="")
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
        for heads, tails in self._demands(node):
            if heads or tails:
                yield Signature(
                    heads=frozenset[str]().union(*heads), tails=frozenset[str]().union(*tails)
                )
        for of, to in self._shapes.kinds_of(sorted(self._implied(node)[0])):
            yield Signature(heads=frozenset(of), tails=frozenset(to))

    def _find_implied(self, node: str) -> tuple[frozenset[str], frozenset[str]]:
        """Returns the properties that follow from one, itself among them, and those that follow
        with head and tail exchanged."""
        above = _closure([node], self._super)
        inverses: set[str] = set()
        for lower in above:
            inverses.update(self._inverses.get(lower, ()))
        return above, _closure(inverses, self._super)

    def _find_demands(self, node: str) -> list[tuple[Clauses, Clauses]]:
        """Returns what heads and what tails of a property have to be, by its domains and ranges and
        those of what it follows from or is the inverse of; then by schema.org's, if there are."""
        demands = []
        for one_is_enough, ends in enumerate(
            ((self._domains, self._ranges), (self._domains_any, self._ranges_any))
        ):
            sides = []
            for pair in (ends, ends[::-1]):
                sides.append(
                    {
                        kind
                        for names, of in zip(self._implied(node), pair, strict=True)
                        for name in names
                        for kind in of.get(name, ())
                    }
                )
            if any(sides):
                heads, tails = (self._clauses_of(side, one_is_enough > 0) for side in sides)
                demands.append((heads, tails))
        return demands

    def _clauses_of(self, nodes: Collection[str], one_is_enough: bool = False) -> Clauses:
        """Returns what a thing has to be that lies in all of these classes, or in one of them."""
        each = [self._classes.clauses(node) for node in sorted(nodes)]
        if one_is_enough:
            return any_of(each)
        return tuple(chain(*each))

    def allows(self, relation: str, head: Concept, tail: Concept) -> bool | None:
        """Whether head and tail lie in the domain and the range, also those of inverses and of
        properties above, and as restrictions of their classes and shapes say.

        Several domains all have to hold, as RDFS says; of a union, and of what a domain includes,
        one. What things of a class have by a restriction (`someValuesFrom`) may be joined, whatever
        else is said. None where nothing is said of the property, or a concept is wider than what is
        due, or has no class above it and none that is disjoint; of several properties of that name
        any may hold. `isa` holds where the tail is the head or above it, and `same_as` not between
        disjoint classes, whatever domain and range are.
        """
        key = relation_key(relation)
        if key in IS_A or key == "inverse_isa":
            if key in IS_A:
                lower, upper = (head, tail)
            else:
                lower, upper = (tail, head)
            if upper.id in lower.types:
                return True
            known = len(lower.types) > 1 or self._disjoint.part(lower.types, upper.types)
            if known:
                return False
            return None
        if key not in self._properties:
            apart = key in _SAME and self._disjoint.part(head.types, tail.types)
            if apart:
                return False
            return None
        answers = set()
        for node in self._properties[key]:
            answers.add(self._property_allows(node, head, tail))
        if True in answers:
            return True
        if None in answers:
            return None
        return False

    def _property_allows(self, node: str, head: Concept, tail: Concept) -> bool | None:
        """Whether a property may join two things; what follows from a chain of properties may be,
        whatever else is said."""
        if self._has_some(node, head, tail):
            return True
        answers = [self._shapes.allows(self._implied(node)[0], head, tail, self.fits)]
        for heads, tails in self._demands(node):
            fit = [self.fits(clause, head) for clause in heads]
            answers.append(all_hold([*fit, *(self.fits(clause, tail) for clause in tails)]))
        answers += self._by_only(node, head, tail)
        if False in answers:
            answer = False
        elif True in answers:
            answer = True
        else:
            answer = None
        if answer or node not in self._chained:
            return answer
        chained = self._by_chains(node, head, tail)
        if True in chained:
            return True
        if None in {answer, *chained}:
            return None
        return False

    def _by_chains(self, node: str, head: Concept, tail: Concept) -> set[bool | None]:
        """Returns whether chains of properties lead from the head to the tail, by what the first
        property says of heads and the last of tails; None where one of them says nothing."""
        answers = set[bool | None]()
        for first, last, is_turned in self._chained[node]:
            if is_turned:
                start, end = (tail, head)
            else:
                start, end = (head, tail)
            heads: list[frozenset[str]] = []
            for of, _ in self._demands(first):
                heads.extend(of)
            tails: list[frozenset[str]] = []
            for _, of in self._demands(last):
                tails.extend(of)
            fit = [*(self.fits(of, start) for of in heads), *(self.fits(of, end) for of in tails)]
            answers.add(all_hold([*fit, True if heads and tails else None]))
        return answers

    def fits(self, clause: Collection[str], concept: Concept) -> bool | None:
        """Whether a concept is of one of these classes; None where too little is known of it, or
        it is the wider class, of which some may be."""
        if not concept.types.isdisjoint(clause):
            return True
        if all(self._disjoint.part(concept.types, self._all_above(f"I{c}")) for c in clause):
            return False
        is_wider = concept.id in self._above_any(frozenset(clause))
        if len(concept.types) < 2 or is_wider:
            return None
        return False

    def _has_some(self, node: str, head: Concept, tail: Concept) -> bool:
        """Whether things of the head's class have such a tail by the property, or one below it; or
        the other way round."""
        return bool(self._some) and any(
            node in self._implied(name)[is_turned]
            and any(self._is_all_of(filler, other) for filler in fillers)
            for is_turned, focus, other in ((False, head, tail), (True, tail, head))
            for kind in focus.types
            for name, fillers in self._some.get(f"I{kind}", {}).items()
        )

    def _is_all_of(self, node: str, concept: Concept) -> bool:
        """Whether a concept surely lies in a class."""
        clauses = self._classes.clauses(node)
        return bool(clauses) and all(not c.isdisjoint(concept.types) for c in clauses)

    def _by_only(self, node: str, head: Concept, tail: Concept) -> Iterator[bool | None]:
        """Yields the answer of each restriction that lets things of a class have only certain
        values by the property, or one above it."""
        for is_turned, focus, other in ((False, head, tail), (True, tail, head)):
            names = self._implied(node)[is_turned]
            if self._only:
                for kind in focus.types:
                    for name, fillers in self._only.get(f"I{kind}", {}).items():
                        if name in names:
                            clauses = self._clauses_of(fillers)
                            yield all_hold(self.fits(clause, other) for clause in clauses)

    def value(self, relation: str, text: str, node: str = "") -> Concept | None:
        """Returns a tail as a value, where the property takes values: its types are the datatypes
        that it is of, or, where it is of none that the property takes, those of any text."""
        wanted, takes_things = self._taken(relation_key(relation))
        if node:  # of a thing only its address is a value
            wanted = wanted & _ADDRESSES
        of_text = {}
        for code in sorted(wanted):
            of_text[code] = self._classes.is_value(node or text, code)
        types = set()
        for code, answer in of_text.items():
            if answer:
                types.add(code)
        unsure = None in of_text.values()
        if not types and (unsure or not wanted or node or takes_things):
            return None
        # it is of no other
        more: tuple[()] | tuple[str, str] = ()
        if not unsure:
            more = (LITERAL, f"{XSD}string")
        return Concept(id="", name=text, types=frozenset((*types, *more)))

    def _find_taken(self, key: str) -> tuple[frozenset[str], bool]:
        """Returns the datatypes that a property takes, and whether it also takes things that are no
        values."""
        nodes = self._properties.get(key, ())
        above: set[str] = set()
        for node in nodes:
            above.update(self._implied(node)[0])
        wanted: set[str] = set()
        for name in above:
            wanted.update(self._values.get(name, ()))
        if not self._take_values.isdisjoint(above):
            wanted = wanted or {LITERAL}
        return frozenset(wanted), not self._take_things.isdisjoint(above)

    def _find_above_any(self, codes: frozenset[str]) -> frozenset[str]:
        """Returns classes and all that stand above one of them."""
        return frozenset(name[1:] for name in _closure((f"I{code}" for code in codes), self._up))

    def _all_above(self, node: str) -> frozenset[str]:
        """Returns the IRIs of a node and of all nodes above it."""
        if node not in self._above:
            self._above[node] = frozenset(n[1:] for n in _closure([node], self._up))
        return self._above[node]

    def type_name(self, code: str) -> str:
        """Returns the label of a class or datatype; of a restricted one without a name, that of
        what it restricts."""
        if code.startswith('"'):
            return code
        return self._label(f"I{self._classes.base_of(code)}")

    def types_by_ending(self, name: str) -> frozenset[str]:
        """Returns nothing: beyond a user's own ontology no type is guessed."""
        return frozenset()


def _own_node(term: object, file: int) -> str:
    """Returns a term as `encode_term` does, a blank node with the number of its file, since other
    files may use the same id."""
    node = encode_term(term)
    if node.startswith("B"):
        return f"B{file}.{node[1:]}"
    return node


def _names_in_iri(node: str) -> tuple[str, ...]:
    """Returns the last part of an IRI that is made of words, as it is and with blanks between
    them."""
    name = re.split(r"[/#]", node)[-1]
    is_word = node.startswith("I") and name.replace("_", "").isalpha()
    if is_word:
        return (name, local_name(node[1:]))
    return ()


def _is_schema(value: Any) -> bool:
    """Whether a node is of the vocabularies RDF, RDFS, OWL or SKOS themselves."""
    return isinstance(value, NamedNode) and value.value.startswith(_SCHEMA)


def _closure(nodes: Iterable[str], up: _Sets) -> frozenset[str]:
    """Returns nodes with all that stand above them; cycles do no harm."""
    seen = {*nodes}
    todo = [*seen]
    while todo:
        upper = up.get(todo.pop(), set()) - seen
        seen |= upper
        todo += upper
    return frozenset(seen)
