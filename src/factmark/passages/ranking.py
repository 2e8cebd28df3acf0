"""The best of what was found: an order without chance, and one order made of several."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

Hit = tuple[float, int]
"""How well something fits, and its number."""

FUSION = 60
"""The k of reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009."""
_MOST = 4_096


def best(found: Callable[[int], list[Hit]], k: int, total: int) -> list[Hit]:
    """The k best hits, equally good ones by their numbers.

    An index may order equals as it likes and cut them off anywhere, so more are asked for until the
    last one is worse than the k-th. Past 4,096 equals the order is the index's own.

    Args:
        found: gives up to so many hits, best first.
        total: how many there are.
    """
    limit = min(total, k + 8)
    while True:
        hits = found(limit)
        ordered = sorted(hits, key=lambda hit: (-hit[0], hit[1]))
        all_seen = len(hits) < limit or limit >= total
        if all_seen or ordered[-1][0] < ordered[k - 1][0] or limit >= max(_MOST, k):
            return ordered[:k]
        limit = min(total, 4 * limit)


def fused(rankings: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """The k best over several rankings: each gives 1 / (60 + rank) to what it holds.

    >>> fused([[(9.0, 1), (8.0, 2)], [(0.5, 2)]], 1)
    [(0.03252247488101534, 2)]
    """
    scores: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, (_, number) in enumerate(ranking, start=1):
            scores[number] += 1 / (FUSION + rank)
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(score, number) for number, score in ordered[:k]]
