"""What SHACL shapes say of which things a property may join.

Read are the target of a node shape (`sh:targetClass`, or the shape that is a class itself), its
properties with `sh:path` (also inverse) and `sh:class`, `sh:datatype`, `sh:in`, `sh:node`,
`sh:and`, `sh:or`; `sh:closed`; and `sh:targetSubjectsOf` and `sh:targetObjectsOf` with such. What
else a shape says of values is not read: counts and patterns say nothing of kinds; where there is a
`sh:not`, nothing is allowed by the rest. Source: Shapes Constraint Language, W3C Recommendation,
2017.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import chain

from factmark.graphs.core.ontology import Concept
from factmark.graphs.ontologies.class_expressions import Clauses, all_hold, any_of, code_of

SH = "http://www.w3.org/ns/shacl#"
_KINDS = ("class", "datatype")
_LISTS = ("in", "and", "or", "xone")
_DEEPEST = 16  # shapes within each other
Types = Collection[str]


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a shape says of a property: what is of a class in `of` may be joined to what is as `to`
    says, and only if `is_whole` surely. It stands on the other side of the property if
    `is_inverse`."""

    of: frozenset[str]
    to: Clauses
    is_inverse: bool
    is_whole: bool


class Shapes:
    """The shapes of a file; nodes are as `encode_term` writes them, classes in answers are
    IRIs."""

    def __init__(self) -> None:
        self._facts: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._rules: defaultdict[str, list[_Rule]] = defaultdict(list)
        self._closed: list[tuple[frozenset[str], set[str]]] = []
        self._ends: defaultdict[str, list[tuple[bool, Clauses]]] = defaultdict(list)

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
            kinds = self._clauses_of(shape, members)
            for name, is_tail in (("targetSubjectsOf", False), ("targetObjectsOf", True)):
                if kinds:
                    for path in facts[f"{SH}{name}"]:
                        self._ends[path].append((is_tail, kinds))
            if not targets:
                continue
            starts = facts[f"{SH}ignoredProperties"]
            allowed = set()
            for start in starts:
                allowed.update(members(start))
            for part in facts[f"{SH}property"]:
                path, is_inverse = self._path(part)
                if not is_inverse:
                    allowed |= {path}
                else:
                    allowed |= set()
                is_whole = not self._facts[part][f"{SH}not"]
                rule = _Rule(targets, self._clauses_of(part, members), is_inverse, is_whole)
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

    def _clauses_of(
        self, shape: str, members: Callable[[str], list[str]], outer: tuple[str, ...] = ()
    ) -> Clauses:
        """Returns what values of a shape have to be; nothing for any, and for shapes that name each
        other without end.

        Args:
            outer: the shapes that this one stands in.
        """
        if shape in outer or len(outer) > _DEEPEST:
            return ()
        within = (*outer, shape)
        facts = self._facts[shape]
        clauses = []
        for name in _KINDS:
            for iri in _iris(facts[f"{SH}{name}"]):
                clauses.append(frozenset([iri]))
        lists = {}
        for name in _LISTS:
            lists[name] = [members(start) for start in facts[f"{SH}{name}"]]
        clauses += [frozenset(map(code_of, items)) for items in lists["in"] if items]
        clauses += [_iris(self._facts[inner][f"{SH}targetClass"]) for inner in facts[f"{SH}node"]]
        for inner in (*facts[f"{SH}node"], *chain(*lists["and"])):
            clauses += self._clauses_of(inner, members, within)
        for items in (*lists["or"], *lists["xone"]):
            clauses += any_of([self._clauses_of(item, members, within) for item in items])
        return tuple(filter(None, clauses))

    @property
    def properties(self) -> set[str]:
        """The properties that shapes speak of."""
        return {*self._rules, *self._ends} - {""}

    def kinds_of(self, properties: Iterable[str]) -> list[tuple[Types, Types]]:
        """Returns the classes of head and tail that properties may join, none for any class."""
        pairs: list[tuple[Types, Types]] = []
        for name in properties:
            for rule in self._rules.get(name, ()):
                to = frozenset[str]().union(*rule.to)
                pairs.append((to, rule.of) if rule.is_inverse else (rule.of, to))
            for is_tail, kinds in self._ends.get(name, ()):
                end = frozenset[str]().union(*kinds)
                pairs.append(((), end) if is_tail else (end, ()))
        return pairs

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
                if rule.is_inverse:
                    focus, other = (tail, head)
                else:
                    focus, other = (head, tail)
                if not rule.of.isdisjoint(focus.types):
                    answers += [fits(clause, other) for clause in rule.to]
                    answers.append(True if rule.is_whole else None)
            for is_tail, kinds in self._ends.get(name, ()):
                for clause in kinds:
                    answers.append(fits(clause, tail if is_tail else head))
        for targets, allowed in self._closed:
            if not targets.isdisjoint(head.types) and allowed.isdisjoint(properties):
                answers.append(False)
        if answers:
            return all_hold(answers)
        return None


def _iris(nodes: Iterable[str]) -> frozenset[str]:
    """Returns the IRIs among nodes."""
    return frozenset(node[1:] for node in nodes if node.startswith("I"))
