"""How large a graph is, and how its triples are spread over nodes, relations and passages. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from factmark.graphs.profile.core.edges import NO_PASSAGE, Edges, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How often a count occurs, in bins that double: 0, 1, 2, 3 to 4, 5 to 8, ...

    Attributes:
        bins: the counts, as `3–4`, and how many have such a count.
    """

    mean: float
    median: float
    most: int
    bins: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphCounts:
    """The size of a graph.

    Attributes:
        rows: of the files that hold a triple, repeated ones too.
        dangling: nodes that are in one triple only.
        degrees: triples of a node; `values`: tails of a head by one relation; `yields`: triples of
            a passage, those that gave nothing too.
        without_passage: rows that name none.
        barren: passages that gave nothing, by id; the first hundred.
        n_barren: how many there are.
    """

    rows: int
    triples: int
    nodes: int
    relations: int
    passages: int
    dangling: int
    without_passage: int
    degrees: Spread
    values: Spread
    yields: Spread | None
    barren: tuple[str, ...]
    n_barren: int


BARREN = 100  # passages that gave nothing, as a report names them


def graph_counts(edges: Edges, passages: Sequence[str]) -> GraphCounts:
    """The counts of a graph.

    Args:
        passages: ids of all that were to be read, also such as no triple names; may be empty.
    """
    degrees = edges.degrees()
    keys = edges.heads * max(1, len(edges.relations)) + edges.kinds
    _, values = np.unique(keys, return_counts=True)
    with_one = edges.passage_of != NO_PASSAGE
    pairs = np.unique(
        edges.triple_of[with_one] * max(1, len(edges.passages)) + edges.passage_of[with_one]
    )
    per_passage = np.bincount(pairs % max(1, len(edges.passages)), minlength=len(edges.passages))
    named = set(edges.passages)
    barren = []
    for name in passages:
        if name not in named:
            barren.append(name)
    yields = np.concatenate([per_passage, np.zeros(len(barren), dtype=np.int64)])
    return GraphCounts(
        rows=edges.n_rows,
        triples=len(edges),
        nodes=len(edges.nodes),
        relations=len(edges.relations),
        passages=len(yields),
        dangling=int((degrees == 1).sum()),
        without_passage=int((~with_one).sum()),
        degrees=spread(degrees),
        values=spread(values),
        yields=spread(yields) if len(yields) else None,
        barren=tuple(barren[:BARREN]),
        n_barren=len(barren),
    )


def spread(counts: Ints) -> Spread:
    """How counts are spread.

    >>> spread(np.array([0, 1, 1, 2, 7])).bins
    (('0', 1), ('1', 2), ('2', 1), ('3–4', 0), ('5–8', 1))
    """
    if not len(counts):
        return Spread(mean=0.0, median=0.0, most=0, bins=())
    most = int(counts.max())
    ends = [0, 1]
    while ends[-1] < most:
        ends.append(2 * ends[-1])
    which = np.searchsorted(ends, counts)
    sizes = np.bincount(which, minlength=len(ends)).tolist()
    names = []
    for place, end in enumerate(ends):
        names.append(str(end) if end < 3 else f"{ends[place - 1] + 1:,}–{end:,}")
    bins = tuple(zip(names, sizes, strict=False))
    return Spread(
        mean=float(counts.mean()),
        median=float(np.median(counts)),
        most=most,
        bins=bins if bins[0][1] else bins[1:],
    )
