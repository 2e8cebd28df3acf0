"""Circles in a hierarchy: a thing that is above itself. Pure."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from factmark.graphs.profile.core.edges import Edges, Flags, Ints
from factmark.graphs.profile.core.relations import HIERARCHIES

_ROUNDS = 200  # of taking away what is at an end; what is left then is searched node by node


def circles(edges: Edges) -> tuple[Flags, list[list[int]]]:
    """The triples that are part of a circle of a hierarchy, and the nodes of each circle.

    Nodes are in one circle where each is above each other (a strongly connected component).
    """
    flags = np.zeros(len(edges), dtype=bool)
    groups: list[list[int]] = []
    names = np.array(edges.relations, dtype=object)
    for upwards, downwards in HIERARCHIES:
        if len(names):
            up = np.isin(names, list(upwards))[edges.kinds]
        else:
            up = flags
        if len(names):
            down = np.isin(names, list(downwards))[edges.kinds]
        else:
            down = flags
        chosen = np.flatnonzero((up | down) & (edges.heads != edges.tails))
        lower = np.where(down[chosen], edges.tails[chosen], edges.heads[chosen])
        upper = np.where(down[chosen], edges.heads[chosen], edges.tails[chosen])
        kept = _without_ends(lower, upper, len(edges.nodes))
        group_of: dict[int, int] = {}
        for group in _components(lower[kept], upper[kept]):
            group_of |= dict.fromkeys(group, len(groups))
            groups.append(sorted(group))
        for place in chosen[kept].tolist():
            at = group_of.get(int(edges.heads[place]), -1)
            flags[place] = at >= 0 and at == group_of.get(int(edges.tails[place]))
    return flags, groups


def _without_ends(lower: Ints, upper: Ints, n: int) -> Ints:
    """Places of the edges that are left where edges from or to an end are taken away, again and
    again: all that are part of a circle, and few others."""
    kept = np.arange(len(lower))
    for _ in range(_ROUNDS):
        has_upper = np.zeros(n, dtype=bool)
        has_lower = np.zeros(n, dtype=bool)
        has_upper[lower[kept]] = True
        has_lower[upper[kept]] = True
        inner = has_upper[upper[kept]] & has_lower[lower[kept]]
        if inner.all():
            break
        kept = kept[inner]
    return kept


def _components(lower: Ints, upper: Ints) -> Iterator[list[int]]:
    """The strongly connected components of two nodes and more (Tarjan 1972), without recursion."""
    above: dict[int, list[int]] = {}
    for node, over in zip(lower.tolist(), upper.tolist(), strict=True):
        above.setdefault(node, []).append(over)
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    waiting: list[int] = []
    is_waiting: set[int] = set()
    place_of: dict[int, int] = {}
    for root in above:
        if root in number:
            continue
        path = [(root, iter(above[root]))]
        number[root] = low[root] = len(number)
        place_of[root] = len(waiting)
        waiting.append(root)
        is_waiting.add(root)
        while path:
            node, rest = path[-1]
            after = next(rest, None)
            if after is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    at = place_of[node]
                    group, waiting[at:] = waiting[at:], []
                    is_waiting -= set(group)
                    if len(group) > 1:
                        yield group
            elif after not in number:
                number[after] = low[after] = len(number)
                place_of[after] = len(waiting)
                waiting.append(after)
                is_waiting.add(after)
                path.append((after, iter(above.get(after, ()))))
            elif after in is_waiting:
                low[node] = min(low[node], number[after])
