"""Which triples look wrong, and why: a flag for each kind of suspicion. Pure.

A suspect is no error. How often each kind was one, on graphs that people labelled, stands in
docs/graphs.md; for a graph of one's own people's labels tell (`strata`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factmark.graphs.profile.core.edges import Edges, Flags, Ints
from factmark.graphs.profile.core.loops import circles
from factmark.graphs.profile.core.names import NamePair, near_duplicates
from factmark.graphs.profile.core.patterns import Pattern, Types, patterns
from factmark.graphs.profile.core.relations import (
    Known,
    RelationProfile,
    inverses,
    relation_profiles,
)

KINDS: Mapping[str, str] = {
    "self": "head and tail are one node",
    "both directions": "a one-way relation stands in the graph the other way round too",
    "circle": "part of a circle in a hierarchy: a thing above itself",
    "several values": "one of several values where nearly all other nodes have one",
    "name not in passage": "no passage of the triple has both names",
    "rare pattern": "its relation hardly ever joins such types",
    "alone": "head and tail are in no other triple",
    "near-duplicate name": "head or tail has a name that hardly differs from another node's",
}
"""Kind of suspicion -> what it says; the first that fits is a triple's stratum."""
NO_SUSPECT = "no suspect"
_HUB = 20  # triples that a hub has at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspects:
    """What looks wrong in a graph.

    Attributes:
        flags: kind -> the triples.
        patterns: the most frequent, rare and other; `n_patterns` is how many there are.
        pairs: near-duplicate names.
        circles: the nodes of each circle.
        hubs: nodes, the one with most triples first.
    """

    flags: Mapping[str, Flags]
    relations: tuple[RelationProfile, ...]
    patterns: tuple[Pattern, ...]
    n_patterns: int
    pairs: Sequence[NamePair]
    circles: Sequence[Sequence[int]]
    hubs: Sequence[int]

    def kinds_of(self, triple: int) -> list[str]:
        """The kinds of suspicion of a triple, in the order of `KINDS`."""
        return [kind for kind, flags in self.flags.items() if flags[triple]]

    def strata(self) -> tuple[tuple[str, ...], Ints]:
        """The names of the strata, and the place in them of each triple: its first kind, or the
        last stratum, `NO_SUSPECT`."""
        names = (*self.flags, NO_SUSPECT)
        places = np.full(len(next(iter(self.flags.values()))), len(names) - 1, dtype=np.int64)
        for place, flags in reversed(list(enumerate(self.flags.values()))):
            places[flags] = place
        return names, places


def find_suspects(edges: Edges, types: Types, known: Known) -> Suspects:
    """All that looks wrong in a graph by its shape and its names."""
    turned = _turned(edges, edges.kinds)
    relations, more_tails, more_heads = relation_profiles(edges, turned, known)
    one_way = np.array([relation.one_way for relation in relations], dtype=bool)
    loops = edges.heads == edges.tails
    both = (turned | _turned_by_inverse(edges, known)) & one_way[edges.kinds] & ~loops
    seen, n_patterns, rare = patterns(edges, types)
    in_circle, groups = circles(edges)
    pairs = near_duplicates(edges.nodes)
    degrees = edges.degrees()
    hubs = np.flatnonzero(degrees >= max(_HUB, len(edges) ** 0.5))
    flags = {
        "self": loops,
        "name not in passage": edges.unnamed,
        "rare pattern": rare,
        "both directions": both,
        "circle": in_circle & ~loops,
        "several values": more_tails | more_heads,
        "near-duplicate name": _at_nodes(edges, _rarer(pairs, degrees)),
        "alone": (degrees[edges.heads] == 1) & (degrees[edges.tails] == 1),
    }
    return Suspects(
        flags={kind: flags[kind] for kind in KINDS},
        relations=relations,
        patterns=seen,
        n_patterns=n_patterns,
        pairs=pairs,
        circles=groups,
        hubs=hubs[np.argsort(-degrees[hubs], kind="stable")].tolist(),
    )


def _turned(edges: Edges, kinds_of_reverse: Ints) -> Flags:
    """Returns which triples have tail and head in a triple of that other relation (-1 for none)."""
    n = max(1, len(edges.nodes))
    m = max(1, len(edges.relations))
    keys = (edges.heads * m + edges.kinds) * n + edges.tails
    reverse = (edges.tails * m + kinds_of_reverse) * n + edges.heads
    return np.isin(reverse, keys) & (kinds_of_reverse >= 0)


def _turned_by_inverse(edges: Edges, known: Known) -> Flags:
    """Returns which triples stand beside their contrary, by an inverse relation: `a causes b`
    beside `a due to b`, which says `b causes a`."""
    pairs = inverses(edges.relations, known)
    if not pairs:
        return np.zeros(len(edges), dtype=bool)
    n = max(1, len(edges.nodes))
    m = max(1, len(edges.relations))
    other = np.full(m, -1, dtype=np.int64)
    for a, b in pairs:
        other[a], other[b] = b, a
    kinds = other[edges.kinds]
    keys = (edges.heads * m + edges.kinds) * n + edges.tails
    return np.isin((edges.heads * m + kinds) * n + edges.tails, keys) & (kinds >= 0)


def _rarer(pairs: Sequence[NamePair], degrees: Ints) -> Ints:
    """Of each pair of names the node in fewer triples: more likely the one that is misspelt."""
    nodes = set()
    for a, b, _ in pairs:
        nodes.add(a if degrees[a] < degrees[b] else b)
    return np.array(sorted(nodes), dtype=np.int64)


def _at_nodes(edges: Edges, nodes: Ints) -> Flags:
    """Returns which triples have one of the nodes as head or tail."""
    chosen = np.zeros(len(edges.nodes), dtype=bool)
    chosen[nodes] = True
    return chosen[edges.heads] | chosen[edges.tails]
