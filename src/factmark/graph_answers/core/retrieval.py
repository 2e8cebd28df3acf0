"""Which triples of a graph speak of a question: paths of up to four triples around the entities
that it names, of the kinds that its words ask for. Pure.

Paths are of one kind (a signature) if they lead from the same entity through the same relations in
the same directions: its films, and their directors. A path accounts for a word of the question if
it begins or ends at an entity that the word names, or if a relation in it is called so; with less
trust, if the name of an end or a triple's own statement shares the word, or if a relation is of the
same family or group (`relation_words`). What a path accounts for is added up by the weight of the
words. A further triple costs something, and halves what the path is worth if it accounts for no
word of its own, unless the question asks for the relation twice: the films of this film's director.
A third triple and a fourth are looked for only where the question speaks of as many relations.

The kind that accounts for most fills the context; the more of its paths are there, the sooner a
kind that is nearly as good has its turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from factmark.stats.rounding import CLOSE, tiers

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Masks = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]

MOST_WORDS = 64
"""Words of a question, and of its options, that are told apart."""
HUB = 1_000
"""Triples of one entity that are looked at; for a larger one those with a fitting relation, and
others spread evenly."""
_FIRST = 2_000  # triples of all entities of a question
_MIDDLES = 256  # ways to entities next to the question's that are looked around
_AROUND = 64  # triples of each of these
_SECOND = 1_500  # of all of these
_FURTHER = 64  # ways to entities that are looked around for a third triple, or a fourth
_HINTED = 0.55  # what a hint is worth, beside a plain name
_STEP = 0.3  # what a second triple costs, in words of weight 1
_JOINS = 0.3  # what a triple is worth that joins two of the question's entities
_IDLE = 0.5  # of the path's worth, where the second triple accounts for no word of its own
_EXACT = 0.1  # what an end is worth that is named in full, beside a longer name with the same words
_NEARER = 0.1  # what a path is worth whose first relation is asked for nearer to the entity
_WEARY = 0.02  # of a path's worth, for each of its kind that comes before
_UNSURE = 0.1  # the same, by the share of the question that the best path does not account for
# at most, where the best path's relation is named, or not
_LEAST_WEARY = 0.25
_MOST_WEARY = 0.6
_LINED_UP = 600  # paths that take turns


class Neighbourhood(Protocol):
    """What the ranking reads of a graph (`index.graph`); triples and nodes by their numbers."""

    def edges(self, node: int, most: int, liked: Sequence[int]) -> Longs:
        """Returns at most so many triples that touch a node, those of liked relations first."""

    def around(self, nodes: Ints, most: int) -> tuple[Longs, Longs]:
        """Returns the triples that touch some nodes, at most so many of each, and the place of each
        triple's node."""

    def rows(self, numbers: Longs) -> Ints:
        """Returns head, relation and tail of triples."""

    def words_of_relations(self, relations: Ints) -> Masks:
        """Returns for each relation the bits of the question's words that name it or hint at
        it."""

    def words_of_triples(self, numbers: Longs) -> Masks:
        """Returns for each triple the bits of the question's words that it has."""

    def shared(self, nodes: Ints) -> tuple[Masks, Floats]:
        """Returns for each node the bits of the question's words in its name, and their share of
        the name."""


_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").T


class _Ends(NamedTuple):
    """The entities of a question in the order of their numbers, by columns; the last is none.

    Attributes:
        sure, unsure: the bits of the words that name it, and of those that may.
    """

    nodes: Longs
    sure: Masks
    unsure: Masks
    trust: Floats

    def places(self, nodes: Ints) -> Longs:
        """Returns the place of each node in the columns; for a node that is no entity of the
        question the last place."""
        places = np.searchsorted(self.nodes[:-1], nodes)
        return np.where(self.nodes[places] == nodes, places, len(self.nodes) - 1)


def _ends_of(sought: Sought) -> _Ends:
    """Returns the entities of a question as columns."""
    nodes = sorted({*sought.entities, *sought.unsure})
    columns = (sought.entities, sought.unsure)
    sure, unsure = (np.array([*(c.get(n, 0) for n in nodes), 0], dtype=np.uint64) for c in columns)
    trust = np.array([*(sought.trust.get(n, 0.0) for n in nodes), 0.0])
    return _Ends(np.array([*nodes, -1], dtype=np.int64), sure, unsure, trust)


class Twice(NamedTuple):
    """What a path is worth that follows one relation twice: there and `back`, or `onward`."""

    back: float
    onward: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A question, as its words weigh.

    Attributes:
        weights: of each bit, shape (64,).
        entities: node -> the bits of the words that name it.
        unsure: node -> the same, of nodes that it may name.
        relations: relation -> the bits of the words that name it, and of those that hint at it.
        trust: node -> what its being named is worth beyond the words.
        twice: relation that is asked for twice -> what following it twice is worth.
        reach: triples of a path that the question may ask for.
        stands: node -> the place of its name among the words of the question.
        spoken: relation -> the places of the words that ask for it.
    """

    weights: Floats
    entities: Mapping[int, int]
    unsure: Mapping[int, int]
    relations: Mapping[int, tuple[int, int]]
    trust: Mapping[int, float] = field(default_factory=dict)
    twice: Mapping[int, Twice] = field(default_factory=dict)
    reach: int = 2
    stands: Mapping[int, int] = field(default_factory=dict)
    spoken: Mapping[int, Sequence[int]] = field(default_factory=dict)
    tables: Floats = field(init=False)
    ends: _Ends = field(init=False)
    masks: Masks = field(init=False)

    def __post_init__(self) -> None:
        used = 1 + int(np.flatnonzero(self.weights)[-1:].max(initial=0)) // 8  # octets of words
        tables = np.zeros((8, 256))
        tables[:used] = (self.weights.reshape(8, 8)[:used, :, None] * _BITS).sum(axis=1)
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "ends", _ends_of(self))
        masks = np.zeros((2, max(self.relations, default=-1) + 2), dtype=np.uint64)
        for relation, bits in self.relations.items():
            masks[:, relation] = bits
        object.__setattr__(self, "masks", masks)

    @property
    def liked(self) -> list[int]:
        """The relations that the question speaks of, those that it names first."""
        return sorted(self.relations, key=lambda key: (-self.relations[key][0].bit_count(), key))

    def in_order(self, node: int, first: int, second: int) -> bool:
        """Whether the question asks for one relation nearer to the name of a node than for
        another."""
        at = self.stands.get(node)
        if at is None or not self.spoken.get(first) or not self.spoken.get(second):
            return False
        near, far = (min(abs(at - place) for place in self.spoken[r]) for r in (first, second))
        return near < far

    def worth(self, masks: Masks) -> Floats:
        """The weight of the words of each mask."""
        octets = np.ascontiguousarray(masks).view(np.uint8).reshape(-1, 8)
        total = np.zeros(len(masks))
        for place in range(8):
            if self.tables[place, 255]:
                total += self.tables[place][octets[:, place]]
        return total


class Ranked(NamedTuple):
    """A triple that was found: 1 hop touches an entity of the question, 2 an entity next to one,
    and so on; `entity` led to it."""

    number: int
    score: float
    hops: int
    entity: int


class _Steps(NamedTuple):
    """Triples as seen from one of their ends: columns of equal length.

    Attributes:
        near, far: the end that led there, and the other.
        turns: relation and direction as one number: twice the relation, 1 more against it.
        sure, hinted: the bits that the path so far accounts for.
        exact: what fully named ends are worth.
        before: the place of the triple before, in the steps of the hop before; -1 for none.
        seeds: the entity that the path begins at.
        kinds: paths of one kind, of so many hops, have one number.
    """

    numbers: Longs
    near: Ints
    far: Ints
    turns: Longs
    sure: Masks
    hinted: Masks
    exact: Floats
    before: Longs
    scores: Floats
    seeds: Ints
    kinds: Longs


def rank(
    sought: Sought, graph: Neighbourhood, *, hops: int = 2, most: int = 200
) -> tuple[list[Ranked], int]:
    """The triples around a question's entities, best first, and how many were looked at.

    The triples of a path stand beside each other, so that one is not cut off without the others.

    Args:
        hops: 1 to 4; more than two only as far as the question's own `reach`.
        most: triples that are given back.
    """
    seeds = np.array(list(dict.fromkeys([*sought.entities, *sought.unsure])), dtype=np.int32)
    if not len(seeds):
        return [], 0
    liked = sought.liked
    share = min(HUB, max(_FIRST // len(seeds), _AROUND))
    edges = []
    for seed in seeds:
        edges.append(graph.edges(int(seed), share, liked))
    near = np.repeat(seeds, [len(of_seed) for of_seed in edges])
    levels = [_weigh_triples(sought, graph, np.concatenate(edges), near)]
    while len(levels) < min(hops, max(sought.reach, 2)) and len(levels[-1].numbers):
        onward = _triples_onward(sought, graph, levels)
        if onward is None:
            break
        levels.append(onward)
    further = sum(len(level.numbers) for level in levels[1:])
    looked_at = len(distinct(levels[0].numbers)) + further
    return _in_order(sought, levels, most), looked_at


def distinct(numbers: Longs) -> Longs:
    """Returns the different ones of some numbers, in order. Of a few thousand `np.unique`, which
    hashes them, takes eight times as long."""
    ordered = np.sort(numbers)
    return ordered[_is_other(ordered)]


def _is_other(ordered: Longs) -> npt.NDArray[np.bool_]:
    """Whether each number differs from the one before it; `np.r_` would take as long again."""
    other = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=other[1:])
    return other


def _triples_onward(
    sought: Sought, graph: Neighbourhood, levels: Sequence[_Steps]
) -> _Steps | None:
    """Returns the triples that touch the far ends of the last ones, each after the best of the
    triples before it, and none that its path has already, or that leads back to where it began;
    None where there are none."""
    last = levels[-1]
    middles = _MIDDLES
    if len(levels) > 1:
        middles = _FURTHER
    is_named = np.array([node in sought.entities for node in sought.ends.nodes.tolist()])
    open_ends = np.flatnonzero(~is_named[sought.ends.places(last.far)])
    order = open_ends[best_places(last.scores[open_ends], 4 * middles)]
    ways = (last.far[order].astype(np.int64) << 32) | last.kinds[order]
    _, place = np.unique(ways, return_index=True)
    chosen = order[np.sort(place)[:middles]]  # the best triple of each kind to the best middles
    if not len(chosen):
        return None
    numbers, at = graph.around(last.far[chosen], min(_AROUND, 1 + _SECOND // len(chosen)))
    if not len(numbers):
        return None
    steps = _weigh_triples(sought, graph, numbers, last.far[chosen][at], before=last, at=chosen[at])
    onward = (steps.far != steps.near) & (steps.far != steps.seeds)
    place = steps.before
    for level in reversed(levels):
        onward &= steps.numbers != level.numbers[place]
        place = level.before[place]
    return _Steps(*(column[onward] for column in steps))


def _weigh_triples(
    sought: Sought,
    graph: Neighbourhood,
    numbers: Longs,
    near: Ints,
    *,
    before: _Steps | None = None,
    at: Longs | None = None,
) -> _Steps:
    """Returns triples with the words of the question that each accounts for, by itself or together
    with the triple before it."""
    rows = graph.rows(numbers)
    against = rows[:, 0] != near
    far = np.where(against, rows[:, 0], rows[:, 2]).astype(np.int32)
    turns = 2 * rows[:, 1].astype(np.int64) + against
    sure, hinted = _of_relations(sought, rows[:, 1])
    far_sure, far_hinted, exact, far_trust = _ends(sought, graph, far)
    own = sure | hinted | far_sure
    sure = sure | far_sure
    hinted = hinted | far_hinted | graph.words_of_triples(numbers)
    if before is None or at is None:
        seeds, at = np.unique(near, return_inverse=True)
        near_sure, near_hinted, near_exact, trust = _ends(sought, graph, seeds)
        near_sure = near_sure[at]
        sure = sure | near_sure
        hinted = hinted | near_hinted[at]
        exact = exact + (near_exact + trust)[at]
        joins = (near_sure != 0) & (far_sure & ~near_sure != 0)  # not two that bear one name
        exact = exact + joins * (_JOINS + far_trust)
        start = near
        kinds = sought.ends.places(near)
        at = np.full(len(numbers), -1, dtype=np.int64)
    else:
        sure = sure | before.sure[at]
        hinted = hinted | before.hinted[at]
        exact = exact + before.exact[at] - _STEP
        start = before.seeds[at]
        kinds = before.kinds[at]
    scores = sought.worth(sure) + _HINTED * sought.worth(hinted & ~sure) + exact
    if before is not None:
        known = before.sure[at] | before.hinted[at]
        adds = (sure | hinted) != known
        if int(before.before[0]) >= 0:  # a third triple: no word of a name that happens to be there
            adds = own & ~known != 0
        more = _worth_of_relations(sought, start, before.turns[at], turns)
        exact = exact + more
        scores = np.where(adds | (more >= _STEP), scores + more, _IDLE * scores)
    _, kinds = np.unique(kinds << 32 | turns, return_inverse=True)
    return _Steps(numbers, near, far, turns, sure, hinted, exact, at, scores, start, kinds)


def _worth_of_relations(sought: Sought, starts: Ints, first: Longs, second: Longs) -> Floats:
    """Returns what two relations of each path, one after the other, add to its worth: where one is
    asked for twice, or two are asked for in their order.

    Args:
        starts: the entity that each path begins at.
    """
    if not sought.twice and len([r for r in sought.spoken if sought.spoken[r]]) < 2:
        return np.zeros(len(starts))
    size = 1 + max(int(first.max(initial=0)), int(second.max(initial=0)))
    seeds = sought.ends.places(starts)
    keys, places = np.unique((seeds * size + first) * size + second, return_inverse=True)
    worth = np.zeros(len(keys))
    nodes = sought.ends.nodes.tolist()
    for place, key in enumerate(keys.tolist()):
        there = key // size % size
        onward = key % size
        if there // 2 == onward // 2:
            twice = sought.twice.get(there // 2, Twice(0.0, 0.0))
            if there == onward:
                worth[place] = twice.onward
            else:
                worth[place] = twice.back
        elif sought.in_order(nodes[key // size**2], there // 2, onward // 2):
            worth[place] = _NEARER
    return worth[places]


def _of_relations(sought: Sought, relations: Ints) -> tuple[Masks, Masks]:
    """The sure and the hinted bits of each relation."""
    places = np.minimum(relations, sought.masks.shape[1] - 1)
    return sought.masks[0][places], sought.masks[1][places]


def _ends(sought: Sought, graph: Neighbourhood, nodes: Ints) -> tuple[Masks, Masks, Floats, Floats]:
    """What the names of nodes account for, in full or in part, and what an entity is trusted."""
    shared, share = graph.shared(nodes)
    places = sought.ends.places(nodes)
    sure = sought.ends.sure[places]
    unsure = sought.ends.unsure[places]
    return sure, shared | unsure, _EXACT * share, sought.ends.trust[places]


def _in_order(sought: Sought, levels: Sequence[_Steps], most: int) -> list[Ranked]:
    """Returns the triples by the best path that each is in. Paths of one kind give way to others
    after a while: the sooner, the more words of the question none accounts for."""
    if not len(levels[0].numbers):
        return []
    scores = np.concatenate([level.scores for level in levels])
    masks = np.concatenate([level.sure | level.hinted for level in levels])
    relations = np.concatenate([level.turns // 2 for level in levels])
    kinds = np.concatenate([len(levels) * level.kinds + n for n, level in enumerate(levels)])
    starts = np.cumsum([0, *(len(level.numbers) for level in levels)])
    order = best_places(scores, max(_LINED_UP, most))
    best = order[:1]
    left = 1 - float(sought.worth(masks[best])[0]) / max(float(sought.weights.sum()), 1.0)
    named = bool(sought.relations.get(int(relations[best[0]]), (0, 0))[0])
    weary = (_WEARY + _UNSURE * left) * np.maximum(_earlier(kinds[order]) - 1, 0)
    worth = scores[order] * (1 - np.minimum(weary, _LEAST_WEARY if named else _MOST_WEARY))
    ranked: dict[int, Ranked] = {}
    for path in order[np.argsort(-tiers(worth), kind="stable")].tolist():
        depth = int(np.searchsorted(starts, path, side="right")) - 1
        numbers = _numbers_of(levels, depth, path - int(starts[depth]))
        entity = int(levels[depth].seeds[path - int(starts[depth])])
        for hop, number in enumerate(numbers, 1):
            ranked.setdefault(number, Ranked(number, float(scores[path]), hop, entity))
        if len(ranked) >= most:
            break
    return list(ranked.values())[:most]


def _numbers_of(levels: Sequence[_Steps], depth: int, place: int) -> list[int]:
    """Returns the triples of a path in their order, given the place of its last one."""
    numbers: list[int] = []
    for level in reversed(levels[: depth + 1]):
        numbers.append(int(level.numbers[place]))
        place = int(level.before[place])
    return numbers[::-1]


def best_places(scores: Floats, most: int) -> Longs:
    """The places of the best scores, in order; of equals the first before."""
    places = np.arange(len(scores))
    if len(scores) > most:
        least = np.partition(scores, len(scores) - most)[len(scores) - most]
        places = np.flatnonzero(scores >= least - CLOSE)
    return places[np.argsort(-tiers(scores[places]), kind="stable")][:most]


def _earlier(kinds: Longs) -> Longs:
    """Of each, how many of the same kind stand before it."""
    order = np.argsort(kinds, kind="stable")
    ordered = kinds[order]
    starts = np.flatnonzero(_is_other(ordered))
    sizes = np.diff(starts, append=len(ordered))
    out = np.empty(len(kinds), dtype=np.int64)
    out[order] = np.arange(len(kinds)) - np.repeat(starts, sizes)
    return out


def bits_of(keys: Sequence[str]) -> dict[str, int]:
    """A bit for each different word, at most `MOST_WORDS`."""
    return {key: 1 << place for place, key in enumerate(list(dict.fromkeys(keys))[:MOST_WORDS])}
