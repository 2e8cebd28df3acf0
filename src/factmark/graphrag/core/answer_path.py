"""Whether a context holds a whole path from a question's entity to one of its answers. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from factmark.graphs.core.claims import Triple, folded

Steps = tuple[frozenset[str], ...]
"""The relations of a path, each by all its names in a graph, in either direction."""


class AnswerPaths(NamedTuple):
    """The paths that answer a question in a graph, by the graph's own names.

    Attributes:
        entities: where they begin.
        steps: the relations of each.
        answers: where one of them must end.
        in_graph: whether the graph holds one.
    """

    entities: frozenset[str]
    steps: tuple[Steps, ...]
    answers: frozenset[str]
    in_graph: bool


def held_along(paths: AnswerPaths, triples: Sequence[Triple]) -> tuple[bool, tuple[int, ...]]:
    """Whether all triples of one path are there, and the places of those of the first that is."""
    entities, answers = set(map(folded, paths.entities)), set(map(folded, paths.answers))
    ends = [(folded(triple.head), triple.relation, folded(triple.tail)) for triple in triples]
    for steps in paths.steps:
        ways: list[tuple[str, tuple[int, ...]]] = [(name, ()) for name in sorted(entities)]
        for relations in steps:
            ways = [
                (tail if head == name else head, (*places, place))
                for name, places in ways
                for place, (head, relation, tail) in enumerate(ends)
                if relation in relations and name in (head, tail) and place not in places
            ]
        for name, places in ways:
            if name in answers - entities:
                return True, tuple(sorted(places))
    return False, ()


def best_fitting(
    reached: Iterable[tuple[tuple[int, ...], Collection[int]]],
    answers: Collection[int],
    asked: Collection[int],
) -> list[tuple[int, ...]]:
    """The relations of the paths that lead to a set of answers and to little else.

    Of those that fit alike (F1) the shorter ones, and of these those of which the question speaks
    most; several where they cannot be told apart.

    Args:
        reached: the relations of a path, and all ends that it leads to.
        asked: the relations that the question speaks of.
    """
    fits: list[tuple[tuple[int, int, int], tuple[int, ...]]] = []
    for relations, ends in reached:
        both = len(set(answers) & set(ends))
        if both:
            spoken = sum(relation in asked for relation in relations)
            share = round(2 * both / (len(answers) + len(ends)) * 1_000_000)
            fits.append(((share, -len(relations), spoken), relations))
    best = max((fit for fit, _ in fits), default=None)
    return list(dict.fromkeys(relations for fit, relations in fits if fit == best))
