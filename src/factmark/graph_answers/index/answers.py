"""The paths of a whole graph that lead from a question's entity to its answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from factmark.graph_answers.core.holding import AnswerPaths, Steps, best_fitting
from factmark.graph_answers.core.records import GraphQuestion
from factmark.graph_answers.core.retrieval import Ints, Longs
from factmark.graph_answers.index.graph import EVERY, StoredGraph
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graphs.core.claims import folded, relation_key
from factmark.graphs.core.cues import TURNED

_ANSWERS = 20  # of a set, from which paths are looked for
_MOST = 5_000  # triples of one node on such a path

Nodes = Collection[int]


def answer_paths(index: TripleIndex, question: GraphQuestion) -> AnswerPaths | None:
    """The paths that answer a question, as its file names them: by `path` and `entity`, or else
    those that lead from its entity to the whole set of its answers and to little else.

    None where neither is named, the graph does not have the relations of the path, or no path of
    two triples leads to an answer: then it cannot be told along a path.
    """
    if not question.references or not (question.path or question.entities or question.is_set):
        return None
    graph = index.graph
    answers = _nodes(index, question.references)
    entities = _nodes(index, question.entities) or index.linked_nodes(question.text)
    if question.path:
        numbers = [_relations(graph, relation) for relation in question.path]
        if not all(numbers):
            return None
        steps: list[Steps] = [
            tuple(frozenset(map(graph.relations.__getitem__, s)) for s in numbers)
        ]
        there = bool((_walk(graph, entities, numbers) - set(entities)) & set(answers))
    else:
        asked = index.asked_relations(question.text)
        paths = best_fitting(_reached(graph, entities, answers), answers, asked)
        if not paths:
            return None
        steps = [tuple(frozenset({graph.relations[r]}) for r in relations) for relations in paths]
        there = True
    return AnswerPaths(
        entities=frozenset(map(graph.name, entities)) or frozenset(question.entities),
        steps=tuple(steps),
        answers=frozenset(map(graph.name, answers)) or frozenset(question.references),
        in_graph=there,
    )


def _nodes(index: TripleIndex, names: Sequence[str]) -> list[int]:
    """The nodes that bear names: letter by letter where there are such, else as they compare."""
    nodes: dict[int, None] = {}
    for name in names:
        bearers = index.named(name)
        same = [node for node in bearers if folded(index.graph.name(node)) == folded(name)]
        nodes |= dict.fromkeys(same or bearers)
    return list(nodes)


def _relations(graph: StoredGraph, name: str) -> list[int]:
    """The relations of a graph that a name means, in either direction."""
    key = relation_key(name)
    wanted = {key, TURNED.get(key, key), *(k for k, turned in TURNED.items() if turned == key)}
    return [n for n, other in enumerate(graph.relations) if relation_key(other) in wanted]


def _walk(graph: StoredGraph, entities: Nodes, steps: Sequence[Sequence[int]]) -> set[int]:
    """The nodes that a path leads to."""
    nodes = set(entities)
    for relations in steps:
        ends = [graph.edges(node, EVERY, ()) for node in sorted(nodes)[:_MOST]]
        nodes = {
            far
            for node, numbers in zip(sorted(nodes), ends, strict=False)
            for far in _across(graph.rows(numbers), node, relations)
        }
    return nodes


def _across(rows: Ints, node: int, relations: Sequence[int]) -> list[int]:
    """Returns the nodes across from one, in the rows of some relations."""
    kept = rows[np.isin(rows[:, 1], relations)]
    far: Ints = np.where(kept[:, 0] == node, kept[:, 2], kept[:, 0])
    return [int(node) for node in far]


def _reached(
    graph: StoredGraph, entities: Nodes, answers: Nodes
) -> Iterator[tuple[tuple[int, ...], set[int]]]:
    """The relations of each path of one or two triples that leads to an answer, and all ends of
    such paths but the entities themselves."""
    first = _turns(graph, entities)
    last = _turns(graph, list(answers)[:_ANSWERS])
    for (relation, _), middles in first.items():
        if middles & set(answers):
            yield (relation,), middles - set(entities)
    for (relation, _), middles in first.items():
        for (onward, turned), before in last.items():
            if middles & before:
                ends = _turns(graph, middles - set(entities), onward).get(
                    (onward, 1 - turned), set()
                )
                yield (relation, onward), ends - set(entities)


def _turns(
    graph: StoredGraph, nodes: Nodes, relation: int | None = None
) -> dict[tuple[int, int], set[int]]:
    """Returns the other ends of the triples of some nodes, by relation and direction: 0 along it, 1
    against it."""
    near = np.array(sorted(nodes), dtype=np.int32)
    if not len(near):
        return {}
    numbers, places = graph.around(near, _MOST)
    rows = graph.rows(numbers)
    against: Longs = (rows[:, 0] != near[places]).astype(np.int64)
    far = np.where(against == 1, rows[:, 0], rows[:, 2])
    out: dict[tuple[int, int], set[int]] = {}
    for number, turn, end in zip(rows[:, 1].tolist(), against.tolist(), far.tolist(), strict=True):
        if relation is None or number == relation:
            out.setdefault((number, turn), set()).add(end)
    return out
