"""The paths of a whole graph that lead from a question's entity to its answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from factmark.graph_answers.core.holding import AnswerPaths, Steps, best_fitting
from factmark.graph_answers.core.records import GraphQuestion
from factmark.graph_answers.core.retrieval import Ints, Longs
from factmark.graph_answers.index.graph import StoredGraph
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graphs.core.claims import folded, relation_key
from factmark.graphs.core.cues import TURNED

LONGEST_PATH = 4
"""Triples of a path that is looked for."""
_UNSTATED = 2  # triples of a path whose length the file does not state, at least
_ANSWERS = 20  # of a set, from which paths are looked for
_MOST = 5_000  # triples of one node on such a path
_WAYS = 300_000  # paths of one kind that are followed

Nodes = Collection[int]


def answer_paths(index: TripleIndex, question: GraphQuestion) -> AnswerPaths | None:
    """The paths that answer a question, as its file names them: by `path` and `entity`, or else
    those of as many triples as it states (`hops`; as many as its words ask for where it states
    nothing) that lead from its entity to the whole set of its answers and to little else.

    None where neither is named, the graph does not have the relations of the path, it has more than
    `LONGEST_PATH` triples, or none leads to the answers: then it cannot be told along a path.
    """
    if not question.references or not (question.path or question.entities or question.is_set):
        return None
    graph = index.graph
    answers = _nodes(index, question.references)
    entities = _nodes(index, question.entities) or index.linked_nodes(question.text)
    asked, reach = index.asked_relations(question.text)
    lengths = _lengths(question, reach)
    if question.path:
        numbers = [_relations(graph, relation) for relation in question.path]
        if not all(numbers) or not lengths:
            return None
        steps: list[Steps] = [
            tuple(frozenset(map(graph.relations.__getitem__, s)) for s in numbers)
        ]
    else:
        reached: list[tuple[tuple[int, ...], set[int]]] = []
        for length in lengths:
            reached.extend(_reached(graph, entities, answers, length))
        paths = best_fitting(reached, answers, asked)
        if not paths:
            return None
        steps = []
        for relations in paths:
            steps.append(tuple(frozenset({graph.relations[r]}) for r in relations))
    return AnswerPaths(
        entities=frozenset(map(graph.name, entities)) or frozenset(question.entities),
        steps=tuple(steps),
        answers=frozenset(map(graph.name, answers)) or frozenset(question.references),
    )


def _lengths(question: GraphQuestion, reach: int) -> range:
    """How many triples the path to the answer may have; empty for more than can be looked for.

    Args:
        reach: how many the words of the question ask for.
    """
    stated = question.hops
    if question.path:
        stated = len(question.path)
    if stated is None:
        return range(1, min(max(reach, _UNSTATED), LONGEST_PATH) + 1)
    return range(stated, min(stated, LONGEST_PATH) + 1)


def _nodes(index: TripleIndex, names: Sequence[str]) -> list[int]:
    """The nodes that bear names: letter by letter where there are such, else as they compare."""
    nodes: dict[int, None] = {}
    for name in names:
        bearers = index.named(name)
        same = []
        for node in bearers:
            if folded(index.graph.name(node)) == folded(name):
                same.append(node)
        nodes |= dict.fromkeys(same or bearers)
    return list(nodes)


def _relations(graph: StoredGraph, name: str) -> list[int]:
    """The relations of a graph that a name means, in either direction."""
    key = relation_key(name)
    wanted = {key, TURNED.get(key, key), *(k for k, turned in TURNED.items() if turned == key)}
    relations = []
    for n, other in enumerate(graph.relations):
        if relation_key(other) in wanted:
            relations.append(n)
    return relations


class _Ways(NamedTuple):
    """Paths of one kind: where each begins and ends, and its triples; shapes (n,), (n, length)."""

    starts: Longs
    ends: Longs
    numbers: Longs


Kind = tuple[tuple[int, int], ...]
"""Relation and direction of each triple of a path: 0 along it, 1 against it."""


def _reached(
    graph: StoredGraph, entities: Nodes, answers: Nodes, length: int
) -> Iterator[tuple[tuple[int, ...], set[int]]]:
    """The relations of each path of so many triples that leads to an answer, and all ends of such
    paths. None has a triple twice, or comes back to where it began.

    Kinds that would come to more than `_WAYS` paths are left out.
    """
    before = _turns_at(graph, list(answers)[:_ANSWERS])
    begun = np.array(sorted(entities), dtype=np.int64)
    none = np.empty((len(begun), 0), dtype=np.int64)
    kinds: dict[Kind, _Ways] = {(): _Ways(begun, begun, none)}
    for _ in range(length - 1):
        kinds = {
            (*kind, turn): ways
            for kind, so_far in kinds.items()
            for turn, ways in _onward(graph, so_far).items()
        }
    for kind, so_far in kinds.items():
        last = {turn for turn, nodes in before.items() if np.isin(so_far.ends, nodes).any()}
        if last:
            for turn, ways in _onward(graph, so_far).items():
                if turn in last:
                    relations = (*(relation for relation, _ in kind), turn[0])
                    yield relations, set(ways.ends.tolist()) - set(entities)


def _onward(graph: StoredGraph, ways: _Ways) -> dict[tuple[int, int], _Ways]:
    """Returns paths with one triple more, by its relation and direction; nothing for too many."""
    ends = ways.ends.astype(np.int32)
    if graph.degrees(ends) > _WAYS:
        return {}
    numbers, places = graph.around(ends, _MOST)
    rows = graph.rows(numbers)
    near = ways.ends[places]
    against: Longs = (rows[:, 0] != near).astype(np.int64)
    far: Longs = np.where(against == 1, rows[:, 0], rows[:, 2]).astype(np.int64)
    before = ways.numbers[places]
    new = (far != near) & (far != ways.starts[places]) & ~(before == numbers[:, None]).any(axis=1)
    turns = 2 * rows[new, 1].astype(np.int64) + against[new]
    if not new.any():
        return {}
    longer = np.column_stack([before[new], numbers[new]])
    order = np.argsort(turns, kind="stable")
    kinds, begins = np.unique(turns[order], return_index=True)
    groups = np.split(order, begins[1:])
    return {
        (int(kind) // 2, int(kind) % 2): _Ways(
            ways.starts[places][new][group], far[new][group], longer[group]
        )
        for kind, group in zip(kinds, groups, strict=True)
    }


def _turns_at(graph: StoredGraph, answers: Nodes) -> dict[tuple[int, int], Ints]:
    """Returns the nodes from which one triple leads to an answer, by its relation and direction."""
    near = np.array(sorted(answers), dtype=np.int64)
    ways = _Ways(near, near, np.empty((len(near), 0), dtype=np.int64))
    return {
        (relation, 1 - against): onward.ends.astype(np.int32)
        for (relation, against), onward in _onward(graph, ways).items()
    }
