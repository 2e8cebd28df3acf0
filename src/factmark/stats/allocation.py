"""How many units to label where: shares of strata, and how many of a cluster."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from typing import Literal

import numpy as np

Kind = Literal["proportional", "equal", "neyman"]

HEAD_SECONDS, TRIPLE_SECONDS = 45.0, 25.0
"""What finding an entity, and then checking a triple, costs a person (Gao et al. 2019)."""


def allocate(
    sizes: Mapping[str, int],
    n: int,
    *,
    kind: Kind = "proportional",
    spreads: Mapping[str, float] | None = None,
    least: int = 1,
) -> dict[str, int]:
    """How many of n labels each stratum gets.

    Labels are given one at a time to the stratum with the largest a / sqrt(k (k + 1)), where k is
    what it has: the method of equal proportions. With a = N S it gives the smallest variance that
    whole numbers allow (Wright 2012, "The Equivalence of Neyman Optimum Allocation for Sampling and
    Equal Proportions for Apportioning the U.S. House of Representatives"), it always adds up to n,
    what a full stratum cannot take goes to the others, and more labels never mean fewer for one.

    Args:
        sizes: stratum -> its units, N.
        kind: a is N (proportional), 1 (equal) or N S (Neyman 1934).
        spreads: stratum -> S, the standard deviation of its labels, for Neyman: `pilot_spread`
            or `assumed_spread`. A stratum that has none counts as the widest, 0.5.
        least: what each gets first, as far as it has units, in the order of a.

    Returns:
        Stratum -> labels; n of them, or all units where there are fewer.
    """
    if n < 0 or least < 0 or min(sizes.values(), default=0) < 0:
        raise ValueError(f"allocate needs n, least and sizes of 0 or more: {n}, {least}")
    weights = {name: _weight(name, sizes[name], kind, spreads or {}) for name in sizes}
    shares = dict.fromkeys(sizes, 0)
    left = min(n, sum(sizes.values()))
    for name in sorted(sizes, key=lambda one: (-weights[one], one)):
        shares[name] = min(least, sizes[name], left)
        left -= shares[name]
    queue = [
        (_turn(weights[name], shares[name]), name) for name in sizes if shares[name] < sizes[name]
    ]
    heapify(queue)
    for _ in range(left):
        _, name = queue[0]
        shares[name] += 1
        if shares[name] < sizes[name]:
            heapreplace(queue, (_turn(weights[name], shares[name]), name))
        else:
            heappop(queue)
    return shares


def _weight(name: str, size: int, kind: Kind, spreads: Mapping[str, float]) -> float:
    if kind == "neyman":
        spread = spreads.get(name, 0.5)
        if not spread >= 0:
            raise ValueError(f"the spread of stratum {name!r} is {spread}; it must be 0 or more")
        return size * spread
    return float(size) if kind == "proportional" else 1.0


def _turn(weight: float, has: int) -> tuple[float, float]:
    """Whose turn it is: the smaller the sooner; with nothing yet, all before others, by weight."""
    return (-weight / math.sqrt(has * (has + 1)) if has else -math.inf, -weight)


def assumed_spread(accuracy: float) -> float:
    """The standard deviation of yes/no labels of which this share is yes.

    For strata by a judge's verdict: how often one expects the verdict to be right.
    """
    if not 0 <= accuracy <= 1:
        raise ValueError(f"an accuracy lies between 0 and 1: {accuracy}")
    return math.sqrt(accuracy * (1 - accuracy))


def pilot_spread(right: float, n: int) -> float:
    """The standard deviation in a stratum as a pilot of n labels tells it.

    Shrunk as (right + 1) / (n + 2), so that a pilot without an error does not end the labelling.
    """
    return assumed_spread((right + 1) / (n + 2))


def triples_per_draw(
    pilot: Sequence[tuple[Sequence[float], int]],
    *,
    head_cost: float = HEAD_SECONDS,
    triple_cost: float = TRIPLE_SECONDS,
    most: int = 20,
) -> int:
    """The m of two-stage sampling that reaches a given width at the least cost.

    It minimises V(m) (c1 + c2 E[min(m, M)]), V the variance of one draw's mean: that between
    clusters, and within them (1 - m/M) S^2 / m where M > m (Gao et al. 2019, who
    bound the cost by c1 + c2 m). Both parts come from the pilot: S^2 from the draws with two
    labels or more (pooled for those with one), the part between as what the spread of the means
    exceeds the part within by.

    Args:
        pilot: per draw its labels and the size of its cluster; at least two draws.
        head_cost, triple_cost: c1 and c2, in one unit of effort.
    """
    if len(pilot) < 2 or any(not values or size < len(values) for values, size in pilot):
        raise ValueError("a pilot has two draws or more, each with labels, no more than its size")
    means = np.array([np.mean(values) for values, _ in pilot])
    counts = np.array([len(values) for values, _ in pilot])
    sizes = np.array([size for _, size in pilot], dtype=float)
    squares = np.array([np.sum((np.array(values) - np.mean(values)) ** 2) for values, _ in pilot])
    freedom = max(1, int(np.sum(counts - 1)))
    pooled = float(squares.sum()) / freedom
    within = np.where(counts > 1, squares / np.maximum(1, counts - 1), pooled)

    def inner(m: np.ndarray | int) -> float:
        return float(np.mean(np.maximum(0, 1 - m / sizes) * within / m))

    between = max(0.0, float(np.var(means, ddof=1)) - inner(counts))
    costs = [
        (between + inner(m)) * (head_cost + triple_cost * float(np.mean(np.minimum(m, sizes))))
        for m in range(1, most + 1)
    ]
    return 1 + int(np.argmin(costs))
