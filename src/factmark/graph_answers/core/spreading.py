"""Which passages a question is answered from, where relations are as free as text: those near its
entities in a graph of entities and passages, which together have its words. Pure.

First a personalised PageRank: from the entities of the question, and from the ends of the triples
that share its words, weight flows along triples and between a passage and what it names (HippoRAG,
Gutiérrez et al. 2024). Then passages are taken one after another: each for the words of the
question that those before it lack, for an entity that it shares with them, and for its PageRank.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factmark.graph_answers.core.retrieval import Floats, Longs

_ONWARD = 0.85  # of the weight, what flows on; the rest starts anew
_ROUNDS = 20
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
    for _ in range(_ROUNDS):
        flow = np.bincount(heads, weights=(weight / degrees)[tails], minlength=size)
        weight = (1 - _ONWARD) * start + _ONWARD * flow
    return weight


def choose_passages(
    candidates: Sequence[PassageCandidate], weights: Mapping[str, float], most: int
) -> list[tuple[PassageCandidate, float]]:
    """Returns the passages that answer a question best together, each with its worth when it was
    taken, in their order; at most so many.

    Args:
        weights: of the words of the question.
    """
    total = math.fsum(weights.values()) or 1.0
    highest = max((candidate.rank for candidate in candidates), default=0.0)
    left = {candidate.number: candidate for candidate in candidates if candidate.rank > 0}
    shared = dict.fromkeys(left, 0.0)
    covered: set[str] = set()
    chosen: list[tuple[PassageCandidate, float]] = []

    def worth(candidate: PassageCandidate) -> float:
        new = math.fsum(weights[word] for word in candidate.words - covered)
        again = math.fsum(weights[word] for word in candidate.words & covered)
        rank = math.log(candidate.rank / highest)
        words = (new + _AGAIN * again) / total
        return _WORDS * words + _SHARED * shared[candidate.number] + _RANK * rank

    while left and len(chosen) < most:
        best = max(left.values(), key=lambda each: (round(worth(each), 9), -each.number))
        chosen.append((best, worth(best)))
        del left[best.number]
        covered |= best.words
        for other in left.values():
            both = best.entities.keys() & other.entities.keys()
            counts = (best.entities[node] for node in both)
            share = max((1 / (1 + math.log(count)) for count in counts), default=0.0)
            shared[other.number] = max(shared[other.number], share)
    return chosen
