"""What SHACL shapes say of which things a property may join.

Read are the target of a node shape (`sh:targetClass`, or the shape that is a class itself), its
properties with `sh:path` (also inverse) and `sh:class`, `sh:datatype`, `sh:node`, `sh:or`;
`sh:closed`; and `sh:targetSubjectsOf` and `sh:targetObjectsOf` with a class. Counts, patterns and
values are not: they say nothing of kinds. Source: Shapes Constraint Language, W3C Recommendation,
2017.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from factmark.graphs.core.ontology import Concept
from factmark.graphs.ontologies.class_expressions import all_hold

SH = "http://www.w3.org/ns/shacl#"
_ANY_OF = (f"{SH}or", f"{SH}xone")
_DEEPEST = 16  # shapes within each other
Types = Collection[str]


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a shape says of a property: what is of the class `of` may be joined to the classes
    `to`, to any if there are none. It stands on the other side of the property if `is_inverse`.
    """

    of: frozenset[str]
    to: frozenset[str]
    is_inverse: bool = False


class Shapes:
    """The shapes of a file; nodes are as `encode_term` writes them, classes in answers are
    IRIs."""

    def __init__(self) -> None:
        self._facts: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._rules: defaultdict[str, list[_Rule]] = defaultdict(list)
        self._closed: list[tuple[frozenset[str], set[str]]] = []
        self._ends: defaultdict[str, list[tuple[bool, frozenset[str]]]] = defaultdict(list)

    def add(self, subject: str, predicate: str, node: str) -> None:
        """Adds a statement of SHACL's vocabulary."""
        self._facts[subject][predicate].append(node)

    def finish(self, classes: Collection[str], members: Callable[[str], list[str]]) -> None:
        """Builds the look-ups; to be called once.

        Args:
            classes: nodes that are classes: a shape that is one is its own target.
            members: the items of a list.
        """
        for shape in list(self._facts):
            facts = self._facts[shape]
            targets = _iris({*facts[f"{SH}targetClass"], *({shape} & set(classes))})
            kinds = self._classes_of(shape, members, set())
            for name, is_tail in (("targetSubjectsOf", False), ("targetObjectsOf", True)):
                for path in facts[f"{SH}{name}"] if kinds else ():
                    self._ends[path].append((is_tail, kinds))
            if not targets:
                continue
            starts = facts[f"{SH}ignoredProperties"]
            allowed = {item for start in starts for item in members(start)}
            for part in facts[f"{SH}property"]:
                path, is_inverse = self._path(part)
                allowed |= {path} if not is_inverse else set()
                rule = _Rule(targets, self._classes_of(part, members, set()), is_inverse)
                self._rules[path].append(rule)
            if facts[f"{SH}closed"] and facts[f"{SH}closed"][0][1:] in ("true", "1"):
                self._closed.append((targets, allowed))

    def _path(self, shape: str) -> tuple[str, bool]:
        """Returns the property that a shape is about, and whether turned round; empty for a longer
        path, or none."""
        for path in self._facts[shape][f"{SH}path"]:
            if path.startswith("I"):
                return path, False
            for inverse in self._facts[path][f"{SH}inversePath"]:
                return inverse, True
        return "", False

    def _classes_of(
        self, shape: str, members: Callable[[str], list[str]], seen: set[str], depth: int = 0
    ) -> frozenset[str]:
        """Returns the classes that values of a shape may have; empty for any, and for shapes that
        name each other without end."""
        if shape in seen or depth > _DEEPEST:
            return frozenset()
        seen.add(shape)
        facts = self._facts[shape]
        classes = _iris([*facts[f"{SH}class"], *facts[f"{SH}datatype"]])
        for inner in facts[f"{SH}node"]:
            classes |= _iris(self._facts[inner][f"{SH}targetClass"])
            classes |= self._classes_of(inner, members, seen, depth + 1)
        for start in (start for name in _ANY_OF for start in facts[name]):
            parts = [self._classes_of(part, members, seen, depth + 1) for part in members(start)]
            classes |= frozenset().union(*parts) if all(parts) else frozenset()
        return classes

    @property
    def properties(self) -> set[str]:
        """The properties that shapes speak of."""
        return {*self._rules, *self._ends} - {""}

    def kinds_of(self, properties: Iterable[str]) -> list[tuple[Types, Types]]:
        """Returns the classes of head and tail that properties may join, none for any class."""
        pairs: list[tuple[Types, Types]] = []
        for name in properties:
            for rule in self._rules.get(name, ()):
                pairs.append((rule.to, rule.of) if rule.is_inverse else (rule.of, rule.to))
            for is_tail, kinds in self._ends.get(name, ()):
                pairs.append(((), kinds) if is_tail else (kinds, ()))
        return pairs

    def tails(self) -> Iterator[tuple[str, Types]]:
        """Yields properties, each with classes and datatypes of values that it may have."""
        for name, rules in self._rules.items():
            yield from ((name, rule.to) for rule in rules if not rule.is_inverse)
        for name, ends in self._ends.items():
            yield from ((name, kinds) for is_tail, kinds in ends if is_tail)

    def allows(
        self,
        properties: Collection[str],
        head: Concept,
        tail: Concept,
        fits: Callable[[Types, Concept], bool | None],
    ) -> bool | None:
        """Whether properties may join two things; None where no shape says it.

        A shape speaks of things of its class: it does not forbid its properties to others, and
        forbids other properties to them only if it is closed.

        Args:
            properties: one and those above it.
            fits: whether a thing is of one of some classes; None where that is not known.
        """
        answers: list[bool | None] = []
        for name in properties:
            for rule in self._rules.get(name, ()):
                focus, other = (tail, head) if rule.is_inverse else (head, tail)
                if not rule.of.isdisjoint(focus.types):
                    answers.append(not rule.to or fits(rule.to, other))
            for is_tail, kinds in self._ends.get(name, ()):
                answers.append(fits(kinds, tail if is_tail else head))
        for targets, allowed in self._closed:
            if not targets.isdisjoint(head.types) and allowed.isdisjoint(properties):
                answers.append(False)
        return all_hold(answers) if answers else None


def _iris(nodes: Iterable[str]) -> frozenset[str]:
    """Returns the IRIs among nodes."""
    return frozenset(node[1:] for node in nodes if node.startswith("I"))
