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
        self._facts: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._clauses: dict[str, Clauses] = {}
        self._data_ranges: dict[str, str] = {}

    def add(self, subject: str, predicate: str, node: str) -> bool:
        """Adds a statement, and returns whether it is of an expression."""
        if predicate not in _STRUCTURE and not predicate.startswith(XSD):
            return False
        facts = self._facts[subject]  # of several the same one, in whatever order they stand
        facts[predicate] = min(node, facts.get(predicate, node))
        return True

    def _fact(self, node: str, name: str) -> str:
        """Returns what a node has by a property of OWL; empty if nothing."""
        facts = self._facts.get(node)
        return facts.get(f"{OWL}{name}", "") if facts else ""

    def items(self, start: str) -> list[str]:
        """Returns the items of a list; one in a circle ends."""
        items: list[str] = []
        seen: set[str] = set()
        while start and start != f"I{RDF}nil" and start not in seen:
            seen.add(start)
            cell = self._facts.get(start, {})
            if first := cell.get(f"{RDF}first"):
                items.append(first)
            start = cell.get(f"{RDF}rest", "")
        return items

    def named(self) -> list[str]:
        """Returns the classes with a name of their own that are said to be an expression."""
        kinds = {f"{OWL}{name}" for name in ("unionOf", "intersectionOf", "oneOf", "complementOf")}
        return [
            n for n, facts in self._facts.items() if n[0] == "I" and not kinds.isdisjoint(facts)
        ]

    def above(self, node: str) -> list[str]:
        """Returns the classes and the restrictions that all things of a class are of: the parts of
        an intersection, also of those in it; another class alone."""
        parts: list[str] = []
        seen, todo = {node}, [node]
        while todo:
            inner = todo.pop()
            if start := self._fact(inner, "intersectionOf"):
                items = [item for item in self.items(start) if item not in seen]
                seen.update(items)
                todo += items
            if inner != node or not start:
                parts.append(inner)
        return parts

    def below(self, node: str) -> list[str]:
        """Returns the classes of a union, or the things that a class lists."""
        return self.items(self._fact(node, "unionOf") or self._fact(node, "oneOf"))

    def complement(self, node: str) -> str:
        """Returns the class of which a node is all else; empty if it is no complement."""
        return self._fact(node, "complementOf")

    def restriction(self, node: str) -> Restriction | None:
        """Returns what a node says of the values of a property; None if it says nothing."""
        if not (property_ := self._fact(node, "onProperty")):
            return None
        if filler := self._fact(node, "allValuesFrom"):
            return Restriction(property_, filler, only=True)
        filler = next(filter(None, (self._fact(node, name) for name in _SOME)), "")
        if any(self._fact(node, name) not in ("", "L0") for name in _COUNTED):
            filler = filler or self._fact(node, "onClass") or self._fact(node, "onDataRange")
        return Restriction(property_, filler, only=False) if filler else None

    def clauses(self, node: str, depth: int = 0) -> Clauses:
        """Returns what a thing of a class has to be; nothing where an expression does not say it,
        or is too deep or too wide to be followed."""
        node = self._data_ranges.get(node, node)
        if node not in self._clauses:
            clauses = self._read_clauses(node, depth) if depth < _DEEPEST else ()
            if depth:
                return clauses
            self._clauses[node] = clauses
        return self._clauses[node]

    def _read_clauses(self, node: str, depth: int) -> Clauses:
        """Returns what `clauses` does."""
        if node in _EVERYTHING:
            return ()
        if start := self._fact(node, "unionOf"):
            return any_of([self.clauses(item, depth + 1) for item in self.items(start)])
        if start := self._fact(node, "intersectionOf"):
            parts = (clause for n in self.items(start) for clause in self.clauses(n, depth + 1))
            return tuple(dict.fromkeys(parts))[:_MOST_CLAUSES]
        if start := self._fact(node, "oneOf"):
            return (frozenset(map(code_of, self.items(start))),)
        if node.startswith("B") and not self._fact(node, "onDatatype"):
            return ()
        return (frozenset({code_of(node)}),)

    def name_data_range(self, name: str, node: str) -> None:
        """Has `name` stand for an expression that it is equal to, if that is one of datatypes or
        values."""
        codes = [code for clause in self.clauses(node) for code in clause]
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
        answers = [is_of_datatype(text, self._fact(node, "onDatatype")[1:])]
        for facets in self.items(self._fact(node, "withRestrictions")):
            of = self._facts.get(facets, {})
            answers += [in_bounds(text, name, bound[1:]) for name, bound in of.items()]
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
        for name in types if self._groups else ():
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
    return f'"{node[1:]}"' if node.startswith("L") else node[1:]


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
    return False if False in known else None if None in known else True
