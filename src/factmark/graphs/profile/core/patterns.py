"""Which types a relation joins, and which of these patterns are rarer than they should be. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factmark.graphs.profile.core.edges import Edges, Flags, Ints
from factmark.graphs.profile.core.relations import HIERARCHIES

UNTYPED = -1
_LEAST_NODES = 20  # of a type that tells something
_LEAST_SHARE = 0.002  # of the typed nodes
_EXPECTED = 5.0  # triples of a pattern: where fewer are expected, none is no news
_RARE = 0.1  # of the expected triples
_RARE_SHARE = 0.02  # of the relation's
_KEPT = 2_000  # patterns of either kind; a graph of narrow types has hundreds of thousands


@dataclass(frozen=True, slots=True, kw_only=True)
class Types:
    """What nodes are.

    Attributes:
        names: of the types.
        of: node -> place in `names`, `UNTYPED` where it is not known.
        source: where the types come from, in words; empty where there are none.
    """

    names: Sequence[str]
    of: Ints
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A relation between two types.

    Attributes:
        triples: that have the pattern.
        expected: how many would have it if the relation joined its types as all relations do.
        rare: whether its triples are suspects.
    """

    head: str
    relation: str
    tail: str
    triples: int
    expected: float
    rare: bool


def choose_types(options: Mapping[int, Sequence[str]], n_nodes: int, source: str) -> Types:
    """One type of each node that has several: the narrowest that enough others share.

    Args:
        options: node -> its types, at least one.
    """
    counts = Counter(name for names in options.values() for name in set(names))
    least = max(_LEAST_NODES, _LEAST_SHARE * len(options))
    places: dict[str, int] = {}
    of = np.full(n_nodes, UNTYPED, dtype=np.int64)
    for node, names in options.items():
        shared = []
        for name in names:
            if counts[name] >= least:
                shared.append(name)
        if shared:
            best = min(shared, key=lambda name: (counts[name], name))
        else:
            best = max(names, key=lambda name: (counts[name], name))
        of[node] = places.setdefault(best, len(places))
    return Types(names=list(places), of=of, source=source if options else "")


def own_types(edges: Edges) -> dict[int, list[str]]:
    """Node -> what the graph itself says that it is, by `isa` and the like."""
    upwards = HIERARCHIES[0][0]
    codes = [place for place, name in enumerate(edges.relations) if name in upwards]
    types: dict[int, list[str]] = {}
    for place in np.flatnonzero(np.isin(edges.kinds, codes)).tolist():
        tail = int(edges.tails[place])
        types.setdefault(int(edges.heads[place]), []).append(edges.nodes[tail])
    return types


def patterns(edges: Edges, types: Types) -> tuple[tuple[Pattern, ...], int, Flags]:
    """The patterns of a graph, the most frequent 2,000 rare ones and 2,000 others; how many there
    are in all; and the triples of the rare ones.

    A pattern is rare where it has at most a tenth of the triples that its types let expect, and at
    most a fiftieth of its relation's. What the graph's own `isa` says is no pattern: types come
    from it.
    """
    rare = np.zeros(len(edges), dtype=bool)
    is_up = np.isin(np.array(edges.relations, dtype=object), list(HIERARCHIES[0][0]))
    heads = types.of[edges.heads]
    tails = types.of[edges.tails]
    rows = np.flatnonzero((heads != UNTYPED) & (tails != UNTYPED) & ~is_up[edges.kinds])
    if not len(rows):
        return (), 0, rare
    heads = heads[rows]
    tails = tails[rows]
    kinds = edges.kinds[rows]
    n_types = len(types.names)
    n_kinds = len(edges.relations)
    keys, which, counts = np.unique(
        (kinds * n_types + heads) * n_types + tails, return_inverse=True, return_counts=True
    )
    kind = keys // n_types**2
    head = keys // n_types % n_types
    tail = keys % n_types
    of_kind = np.bincount(kinds, minlength=n_kinds)[kind]
    of_head = np.bincount(heads, minlength=n_types)[head]
    of_tail = np.bincount(tails, minlength=n_types)[tail]
    expected = of_kind * of_head * of_tail / len(rows) ** 2
    is_rare = (expected >= _EXPECTED) & (counts <= _RARE * expected)
    is_rare &= counts <= _RARE_SHARE * of_kind
    rare[rows] = is_rare[which]
    order = np.argsort(-counts, kind="stable")
    kept = np.concatenate([order[is_rare[order]][:_KEPT], order[~is_rare[order]][:_KEPT]])
    kept = kept[np.argsort(-counts[kept], kind="stable")]
    seen = tuple(
        Pattern(
            head=types.names[head[at]],
            relation=edges.relations[kind[at]],
            tail=types.names[tail[at]],
            triples=int(counts[at]),
            expected=round(float(expected[at]), 1),
            rare=bool(is_rare[at]),
        )
        for at in kept.tolist()
    )
    return seen, len(keys), rare
