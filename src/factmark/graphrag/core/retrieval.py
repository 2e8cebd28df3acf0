"""Which triples of a graph speak of a question: paths of one or two triples around the entities
that it names, those first that account for most of its words. Pure.

A path accounts for a word of the question if it begins or ends at an entity that the word names, or
if a relation in it is called so; with less trust, if the name of an end or a triple's own statement
shares the word, or if a relation is of the same family or group (`relation_words`). What a path
accounts for is added up by the weight of the words; a second triple costs something, and halves
what the path is worth if it accounts for no word of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from factmark.stats.rounding import tiers

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Masks = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]

MOST_WORDS = 64
"""Words of a question, and of its options, that are told apart."""
HUB = 5_000
"""Triples of one entity that are looked at; of a larger one those with a fitting relation, and
others spread evenly."""
_MIDDLES = 256  # entities next to the question's that are looked around
_AROUND = 64  # triples of each of these
_HINTED = 0.55  # what a hint is worth, beside a plain name
_STEP = 0.3  # what a second triple costs, in words of weight 1
_JOINS = 0.3  # what a triple is worth that joins two of the question's entities
_IDLE = 0.5  # of the path's worth, where the second triple accounts for no word of its own
_EXACT = 0.1  # what an end is worth that is named in full, beside a longer name with the same words


class Neighbourhood(Protocol):
    """What the ranking reads of a graph (`index.graph`); triples and nodes by their numbers."""

    def edges(self, node: int, most: int, liked: Sequence[int]) -> Longs: ...
    def around(self, nodes: Ints, most: int) -> tuple[Longs, Longs]: ...
    def rows(self, numbers: Longs) -> Ints: ...
    def said(self, numbers: Longs) -> Masks: ...
    def shared(self, nodes: Ints) -> tuple[Masks, Floats]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A question, as its words weigh.

    Attributes:
        weights: of each bit, shape (64,).
        entities: node -> the bits of the words that name it.
        unsure: node -> the same, of nodes that it may name.
        relations: relation -> the bits of the words that name it, and of those that hint at it.
    """

    weights: Floats
    entities: Mapping[int, int]
    unsure: Mapping[int, int]
    relations: Mapping[int, tuple[int, int]]
    tables: Floats = field(init=False)

    def __post_init__(self) -> None:
        bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
        tables = (self.weights.reshape(8, 8)[:, :, None] * bits.T).sum(axis=1)
        object.__setattr__(self, "tables", tables)

    @property
    def liked(self) -> list[int]:
        """The relations that the question speaks of, those that it names first."""
        return sorted(self.relations, key=lambda key: (-self.relations[key][0].bit_count(), key))

    def worth(self, masks: Masks) -> Floats:
        """The weight of the words of each mask."""
        octets = np.ascontiguousarray(masks).view(np.uint8).reshape(-1, 8)
        total = np.zeros(len(masks))
        for place in range(8):
            if self.tables[place, 255]:
                total += self.tables[place][octets[:, place]]
        return total


class Ranked(NamedTuple):
    """A triple that was found: 1 hop touches an entity of the question, 2 an entity next to one;
    `entity` led to it."""

    number: int
    score: float
    hops: int
    entity: int


class _Steps(NamedTuple):
    """Triples as seen from one of their ends: columns of equal length.

    Attributes:
        near, far: the end that led there, and the other.
        sure, hinted: the bits that the path so far accounts for.
        exact: what fully named ends are worth.
        before: the place of the triple before, in the steps of the first hop; -1 for none.
    """

    numbers: Longs
    near: Ints
    far: Ints
    sure: Masks
    hinted: Masks
    exact: Floats
    before: Longs
    scores: Floats


def rank(
    sought: Sought, graph: Neighbourhood, *, hops: int = 2, most: int = 200
) -> tuple[list[Ranked], int]:
    """The triples around a question's entities, best first, and how many were looked at.

    The two triples of a path stand beside each other, so that one is not cut off without the other.

    Args:
        hops: 1 or 2.
        most: triples that are given back.
    """
    seeds = np.array(list(dict.fromkeys([*sought.entities, *sought.unsure])), dtype=np.int32)
    if not len(seeds):
        return [], 0
    liked = sought.liked
    edges = [graph.edges(int(seed), HUB, liked) for seed in seeds]
    near = np.repeat(seeds, [len(some) for some in edges])
    first = _looked_at(sought, graph, np.concatenate(edges), near)
    second = _second(sought, graph, first) if hops > 1 and len(first.numbers) else None
    looked_at = len(np.unique(first.numbers)) + (0 if second is None else len(second.numbers))
    return _in_order(first, second, most), looked_at


def _second(sought: Sought, graph: Neighbourhood, first: _Steps) -> _Steps | None:
    """The triples that touch the other ends of the first; each after the best one before it."""
    named = np.fromiter(sought.entities, np.int32, len(sought.entities))
    open_ends = np.flatnonzero(~np.isin(first.far, named))
    order = open_ends[np.argsort(-tiers(first.scores)[open_ends], kind="stable")]
    _, place = np.unique(first.far[order], return_index=True)
    chosen = order[np.sort(place)[:_MIDDLES]]  # the best triple to each of the best middles
    numbers, at = graph.around(first.far[chosen], _AROUND)
    if not len(numbers):
        return None
    steps = _looked_at(sought, graph, numbers, first.far[chosen][at], before=first, at=chosen[at])
    onward = steps.far != first.near[steps.before]  # not to where it came from
    return _Steps(*(column[onward] for column in steps))


def _looked_at(
    sought: Sought,
    graph: Neighbourhood,
    numbers: Longs,
    near: Ints,
    *,
    before: _Steps | None = None,
    at: Longs | None = None,
) -> _Steps:
    """Triples with what each accounts for, alone or together with the one before it."""
    rows = graph.rows(numbers)
    far = np.where(rows[:, 0] == near, rows[:, 2], rows[:, 0]).astype(np.int32)
    sure, hinted = _of_relations(sought, rows[:, 1])
    far_sure, far_hinted, exact = _ends(sought, graph, far)
    sure, hinted = sure | far_sure, hinted | far_hinted | graph.said(numbers)
    if before is None or at is None:
        near_sure, near_hinted, near_exact = _ends(sought, graph, near)
        sure, hinted, exact = sure | near_sure, hinted | near_hinted, exact + near_exact
        exact = exact + _JOINS * ((near_sure != 0) & (far_sure != 0) & (near != far))
        at = np.full(len(numbers), -1, dtype=np.int64)
    else:
        sure, hinted = sure | before.sure[at], hinted | before.hinted[at]
        exact = exact + before.exact[at] - _STEP
    scores = sought.worth(sure) + _HINTED * sought.worth(hinted & ~sure) + exact
    if before is not None:
        adds = (sure | hinted) != (before.sure[at] | before.hinted[at])
        scores = np.where(adds, scores, _IDLE * scores)
    return _Steps(numbers, near, far, sure, hinted, exact, at, scores)


def _of_relations(sought: Sought, relations: Ints) -> tuple[Masks, Masks]:
    """The sure and the hinted bits of each relation."""
    different, places = np.unique(relations, return_inverse=True)
    bits = [sought.relations.get(relation, (0, 0)) for relation in different.tolist()]
    masks = np.array(bits, dtype=np.uint64).reshape(-1, 2)[places]
    return masks[:, 0], masks[:, 1]


def _ends(sought: Sought, graph: Neighbourhood, nodes: Ints) -> tuple[Masks, Masks, Floats]:
    """What the names of nodes account for."""
    different, places = np.unique(nodes, return_inverse=True)
    shared, share = graph.shared(different)
    sure = np.zeros(len(different), dtype=np.uint64)
    for masks, named in ((sure, sought.entities), (shared, sought.unsure)):
        for node, bits in named.items():
            place = int(np.searchsorted(different, node))
            if place < len(different) and different[place] == node:
                masks[place] |= np.uint64(bits)
    return sure[places], shared[places], (_EXACT * share)[places]


def _in_order(first: _Steps, second: _Steps | None, most: int) -> list[Ranked]:
    """Triples by the best path that each is in."""
    hops = [steps for steps in (first, second) if steps is not None]
    places = -tiers(np.concatenate([steps.scores for steps in hops]))
    paths = [
        (int(of[place]), hop, int(place))
        for hop, of in enumerate(np.split(places, [len(first.scores)])[: len(hops)])
        for place in np.argsort(of, kind="stable")[:most]
    ]
    ranked: dict[int, Ranked] = {}
    for _, hop, place in sorted(paths):
        score = float(hops[hop].scores[place])
        lead = int(second.before[place]) if hop and second is not None else place
        entity = int(first.near[lead])
        numbers = [int(first.numbers[lead])]
        if hop and second is not None:
            numbers.append(int(second.numbers[place]))
        for at, number in enumerate(numbers):
            ranked.setdefault(number, Ranked(number, score, 1 + at, entity))
        if len(ranked) >= most:
            break
    return list(ranked.values())[:most]


def bits_of(keys: Sequence[str]) -> dict[str, int]:
    """A bit for each different word, at most `MOST_WORDS`."""
    return {key: 1 << place for place, key in enumerate(list(dict.fromkeys(keys))[:MOST_WORDS])}
