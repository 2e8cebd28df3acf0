"""Which passages a question is answered from, where relations are as free as text: those near its
entities in a graph of entities and passages, which together have its words. Pure.

First a personalised PageRank: from the entities of the question, and from the ends of the triples
that share its words, weight flows along triples and between a passage and what it names (HippoRAG,
Gutiérrez et al. 2024). Then passages are taken one after another: each for the words of the
question that those before it lack, for an entity that it shares with them, and for its PageRank.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factmark.graph_answers.core.retrieval import Floats, Longs, Neighbourhood, Sought

_ONWARD = 0.85  # of the weight, what flows on; the rest starts anew
_ROUNDS = 20
_UNSURE = 0.5  # what an entity weighs that a question may name, beside one that it names
_SHORT = 1 << 15  # vertices whose numbers are sorted in one pass
_DIGITS = 9  # of a worth, by which passages are ordered
_WORDS = 2.0  # what all words of the question are worth
_AGAIN = 0.3  # of it, for words that a passage before has
_SHARED = 1.0  # what an entity is worth that only this passage and one before name
_RANK = 0.06  # what a factor of e in PageRank is worth


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageCandidate:
    """A passage near a question's entities.

    Attributes:
        number: of the passage.
        rank: its PageRank.
        words: the question's words that it has.
        entities: what it names -> how many passages name it.
    """

    number: int
    rank: float
    words: frozenset[str]
    entities: Mapping[int, int]


def weights_of_entities(sought: Sought) -> dict[int, float]:
    """Returns each entity of a question with the weight of the words that name it, or may."""
    weights = {}
    for sure, nodes in ((_UNSURE, sought.unsure), (1.0, sought.entities)):
        worths = sought.worth(np.array(list(nodes.values()), dtype=np.uint64))
        for node, worth in zip(nodes, worths.tolist(), strict=True):
            weights[node] = sure * worth + sought.trust.get(node, 0.0)
    return weights


def worth_of_triples(sought: Sought, graph: Neighbourhood, numbers: Longs) -> Floats:
    """Returns the weight of the words of a question that each of some triples has."""
    rows = graph.rows(numbers)
    masks = graph.words_of_relations(rows[:, 1]) | graph.words_of_triples(numbers)
    for end in (0, 2):
        masks = masks | graph.shared(rows[:, end])[0]
    return sought.worth(masks)


def personalised_pagerank(tails: Longs, heads: Longs, start: Floats) -> Floats:
    """Returns how much weight each vertex has after `_ROUNDS` rounds, shape as `start`.

    Args:
        tails, heads: the ends of the edges, each edge in both directions.
        start: where weight starts, not negative; sums to more than 0.
    """
    size = len(start)
    degrees = np.maximum(np.bincount(tails, minlength=size), 1)
    start = start / start.sum()
    weight = start
    if not len(heads):
        return start * (1 - _ONWARD)
    order = np.argsort(heads.astype(np.int16 if size < _SHORT else np.int64), kind="stable")
    into = heads[order]
    firsts = np.flatnonzero(np.append(True, into[1:] != into[:-1]))
    reached, tails = into[firsts], tails[order]
    for _ in range(_ROUNDS):
        flow = np.add.reduceat((weight / degrees)[tails], firsts)
        weight = (1 - _ONWARD) * start
        weight[reached] += _ONWARD * flow
    return weight


def choose_passages(
    candidates: Sequence[PassageCandidate], weights: Mapping[str, float], most: int
) -> list[tuple[PassageCandidate, float]]:
    """Returns the passages that answer a question best together, each with its worth when it was
    taken, in their order; at most so many.

    Args:
        weights: of the words of the question.
    """
    left = [candidate for candidate in candidates if candidate.rank > 0]
    if not left:
        return []
    total = math.fsum(weights.values()) or 1.0
    ranks = np.array([candidate.rank for candidate in left])
    numbers = np.array([candidate.number for candidate in left])
    has = _words_had(left, weights)
    worth_of_words = np.array(list(weights.values())) * (_WORDS / total)
    by_rank = _RANK * np.log(ranks / ranks.max())
    namers = _namers(left)
    shared = np.zeros(len(left))
    again = np.ones(len(weights))  # what a word is still worth
    chosen: list[tuple[PassageCandidate, float]] = []
    for _ in range(min(most, len(left))):
        worth = has @ (worth_of_words * again) + _SHARED * shared + by_rank
        place = int(np.lexsort((numbers, -np.round(worth, _DIGITS)))[0])
        best = left[place]
        chosen.append((best, float(worth[place])))
        by_rank[place] = -np.inf  # it is taken
        again[has[place] > 0] = _AGAIN
        for node, count in best.entities.items():
            same = namers[node]
            if len(same) > 1:
                shared[same] = np.maximum(shared[same], 1 / (1 + math.log(count)))
    return chosen


def _words_had(candidates: Sequence[PassageCandidate], words: Collection[str]) -> Floats:
    """Returns 1 where a passage, a row, has a word, a column; else 0."""
    rows = [[word in each.words for word in words] for each in candidates]
    return np.array(rows, dtype=np.float64)


def _namers(candidates: Sequence[PassageCandidate]) -> dict[int, list[int]]:
    """Returns each entity with the places of the passages that name it."""
    namers: dict[int, list[int]] = {}
    for place, candidate in enumerate(candidates):
        for node in candidate.entities:
            namers.setdefault(node, []).append(place)
    return namers
