"""What an OWL file says of classes beyond `subClassOf`: unions, intersections, enumerations,
restrictions on properties, restricted datatypes, and classes that share nothing.

Nodes are as `encode_term` writes them. Codes are what types are called: IRIs of classes and
datatypes, and a text in quotes for a value. Complements, other than as a class above or beside
another, and numbers of values are not read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from factmark.graphs.core.datatypes import XSD, in_bounds, is_datatype, is_of_datatype
from factmark.graphs.core.iri_names import OWL, RDF, RDFS

Clauses = tuple[frozenset[str], ...]
"""What a thing has to be: of each set one of its codes. None: anything."""

_SOME = ("someValuesFrom", "hasValue")
_COUNTED = ("minQualifiedCardinality", "qualifiedCardinality")
_STRUCTURE = {
    *(f"{RDF}first", f"{RDF}rest"),
    *(f"{OWL}{name}" for name in (*_SOME, *_COUNTED, "allValuesFrom", "onProperty", "onClass")),
    *(f"{OWL}{name}" for name in ("unionOf", "intersectionOf", "complementOf", "oneOf")),
    *(f"{OWL}{name}" for name in ("onDatatype", "onDataRange", "withRestrictions")),
}
_EVERYTHING = (f"I{OWL}Thing", f"I{RDFS}Resource")
_DEEPEST = 16  # expressions within each other
_MOST_CLAUSES = 64


class Restriction(NamedTuple):
    """What things of a class have by a property: only values of the filler, or else at least
    one."""

    property: str
    filler: str
    only: bool


class ClassExpressions:
    """The class expressions of a file."""

    def __init__(self) -> None:
        self._facts: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
        self._clauses: dict[tuple[str, int], Clauses] = {}
        self._data_ranges: dict[str, str] = {}

    def add(self, subject: str, predicate: str, node: str) -> bool:
        """Adds a statement, and returns whether it is of an expression."""
        if predicate not in _STRUCTURE and not predicate.startswith(XSD):
            return False
        self._facts[subject].setdefault(predicate, []).append(node)
        return True

    def _all(self, node: str, *names: str) -> list[str]:
        """Returns all that a node has by properties of OWL, in whatever order the file has it in
        the same one."""
        facts = self._facts.get(node) or {}
        return [value for name in names for value in sorted({*facts.get(f"{OWL}{name}", ())})]

    def _fact(self, node: str, name: str) -> str:
        """Returns what a node has by a property of OWL, the first of several; empty if nothing."""
        return next(iter(self._all(node, name)), "")

    def items(self, start: str) -> list[str]:
        """Returns the items of a list; one in a circle ends."""
        items: list[str] = []
        seen: set[str] = set()
        while start and start != f"I{RDF}nil" and start not in seen:
            seen.add(start)
            cell = self._facts.get(start, {})
            first = cell.get(f"{RDF}first")
            if first:
                items.append(min(first))
            start = min(cell.get(f"{RDF}rest", ("",)))
        return items

    def named(self) -> list[str]:
        """Returns the classes with a name of their own that are said to be an expression."""
        kinds = {f"{OWL}{name}" for name in ("unionOf", "intersectionOf", "oneOf", "complementOf")}
        return [
            n for n, facts in self._facts.items() if n[0] == "I" and not kinds.isdisjoint(facts)
        ]

    def above(self, node: str) -> list[str]:
        """Returns the classes and the restrictions that all things of a class are of: the parts of
        its intersections, also of those in them; another class alone."""
        parts: list[str] = []
        seen = {node}
        todo = [node]
        while todo:
            inner = todo.pop()
            starts = self._all(inner, "intersectionOf")
            items = []
            for start in starts:
                for n in self.items(start):
                    if n not in seen:
                        items.append(n)
            seen.update(items)
            todo += items
            if inner != node or not starts:
                parts.append(inner)
        return parts

    def below(self, node: str) -> list[str]:
        """Returns the classes of unions, and the things that a class lists."""
        return [n for start in self._all(node, "unionOf", "oneOf") for n in self.items(start)]

    def complements(self, node: str) -> list[str]:
        """Returns the classes of which a node is all else."""
        return self._all(node, "complementOf")

    def restrictions(self, node: str) -> list[Restriction]:
        """Returns what a node says of the values of a property."""
        property_ = self._fact(node, "onProperty")
        if not property_:
            return []
        fillers = self._all(node, *_SOME)
        if any(n != "L0" for n in self._all(node, *_COUNTED)):
            fillers += self._all(node, "onClass", "onDataRange")
        only = []
        for n in self._all(node, "allValuesFrom"):
            only.append(Restriction(property_, n, only=True))
        return [*only, *(Restriction(property_, n, only=False) for n in fillers)]

    def clauses(self, node: str, depth: int = 0) -> Clauses:
        """Returns what a thing of a class has to be; nothing where an expression does not say it,
        or is too deep or too wide to be followed."""
        if depth == _DEEPEST:
            return ()
        key = self._data_ranges.get(node, node), depth
        if key not in self._clauses:
            self._clauses[key] = self._read_clauses(*key)
        return self._clauses[key]

    def _read_clauses(self, node: str, depth: int) -> Clauses:
        """Returns what `clauses` does."""
        if node in _EVERYTHING:
            return ()
        clauses: list[frozenset[str]] = []
        unions = self._all(node, "unionOf")
        for start in unions:
            clauses += any_of([self.clauses(item, depth + 1) for item in self.items(start)])
        parts = self._all(node, "intersectionOf")
        for start in parts:
            for n in self.items(start):
                clauses.extend(self.clauses(n, depth + 1))
        lists = self._all(node, "oneOf")
        for start in lists:
            clauses.append(frozenset(map(code_of, self.items(start))))
        if unions or parts or lists:  # of several all hold
            return tuple(dict.fromkeys(self._with_name(node, c) for c in clauses))[:_MOST_CLAUSES]
        if node.startswith("B") and not self._fact(node, "onDatatype"):
            return ()
        return (frozenset({code_of(node)}),)

    def _with_name(self, node: str, clause: frozenset[str]) -> frozenset[str]:
        """Returns what a thing of a class has to be, or of the class by its own name, if it has
        one and is no datatype."""
        is_class = node.startswith("I") and not all(map(self.is_datatype, clause))
        if is_class:
            return clause | {code_of(node)}
        return clause

    def name_data_range(self, name: str, node: str) -> None:
        """Has `name` stand for an expression that it is equal to, if that is one of datatypes or
        values."""
        codes: list[str] = []
        for clause in self.clauses(node):
            codes.extend(clause)
        if codes and all(map(self.is_datatype, codes)):
            self._data_ranges[name] = node

    def is_datatype(self, code: str) -> bool:
        """Whether a code is a value, a usual datatype, or one that the file restricts."""
        if code.startswith('"') or is_datatype(code):
            return True
        return any(self._fact(f"{letter}{code}", "onDatatype") for letter in "IB")

    def base_of(self, code: str) -> str:
        """Returns the datatype that one without a name of its own restricts; of any other code
        itself."""
        return self._fact(f"B{code}", "onDatatype")[1:] or code

    def is_value(self, text: str, code: str) -> bool | None:
        """Whether a text is a value of a datatype; None if that cannot be told."""
        if code.startswith('"'):
            return code[1:-1] == text
        node = next((n for n in (f"I{code}", f"B{code}") if self._fact(n, "onDatatype")), "")
        if not node:
            return is_of_datatype(text, code)
        answers = []
        for base in self._all(node, "onDatatype"):
            answers.append(is_of_datatype(text, base[1:]))
        for start in self._all(node, "withRestrictions"):
            for facets in self.items(start):
                of = self._facts.get(facets, {})
                for n, bounds in of.items():
                    for b in bounds:
                        answers.append(in_bounds(text, n, b[1:]))
        return all_hold(answers)


class DisjointClasses:
    """Groups of classes, of which no two share a thing. A group is kept as it stands, not as its
    pairs."""

    def __init__(self) -> None:
        self._groups: defaultdict[str, list[int]] = defaultdict(list)
        self._count = 0

    def add(self, nodes: Iterable[str]) -> None:
        """Adds a group."""
        self._count += 1
        for node in set(nodes):
            self._groups[node[1:]].append(self._count)

    def part(self, types: Iterable[str], others: Iterable[str]) -> bool:
        """Whether one of the types shares nothing with one of the others."""
        members: defaultdict[int, set[str]] = defaultdict(set)
        if self._groups:
            for name in types:
                for group in self._groups.get(name, ()):
                    members[group].add(name)
        return bool(members) and any(
            members[group] - {other}
            for other in others
            for group in self._groups.get(other, ())
            if group in members
        )


def code_of(node: str) -> str:
    """Returns a node as types are called."""
    if node.startswith("L"):
        return f'"{node[1:]}"'
    return node[1:]


def any_of(options: Sequence[Clauses]) -> Clauses:
    """Returns what a thing has to be that is as one of the options says; nothing where one of them
    says nothing, or they are too many.

    >>> [sorted(clause) for clause in any_of([(frozenset("a"),), (frozenset("b"), frozenset("c"))])]
    [['a', 'b'], ['a', 'c']]
    """
    if not options or not all(options) or prod(map(len, options)) > _MOST_CLAUSES:
        return ()
    return tuple(dict.fromkeys(frozenset[str]().union(*sets) for sets in product(*options)))


def all_hold(answers: Iterable[bool | None]) -> bool | None:
    """Whether all answers are yes; None where none is no and one is not known.

    >>> all_hold([True, None]), all_hold([None, False]), all_hold([])
    (None, False, True)
    """
    known = set(answers)
    if False in known:
        return False
    if None in known:
        return None
    return True
