"""Which units to label: random samples of a stream, the same whatever its order.

Every unit has a priority, a keyed hash of the seed and its key, and a sample of n is the n smallest
(bottom-k sampling: Cohen and Kaplan 2007, "Summarizing Data Using Bottom-k Sketches").
The hash stands in for a uniform draw, so a sample is simple random without replacement; it

- does not depend on the order of the stream, so a file that was sorted or split gives the same one;
- is nested: a larger n with the same seed adds units and keeps the earlier ones, in their order, so
  labelling resumes and grows;
- needs memory for the sample only, and one pass over the stream or two.

Keys are unique names of units; one that comes twice is drawn once. Nothing here reads a file:
streams are iterables, and what is read twice is a function that gives the stream anew. Take labels
in the order of the `keys` given back, then what is labelled so far is itself such a sample.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from heapq import heapify, heappop, heappush, heapreplace

TRIPLES_PER_DRAW = 5
"""m; Gao et al. 2019 found 3 to 5 to be best on the graphs that they tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Units drawn at random without replacement: of all, of a stratum, or of a drawn cluster.

    Attributes:
        keys: in the order in which to label them.
        size: the units that they were drawn from.
    """

    keys: tuple[str, ...]
    size: int


Drawn = Sample | Mapping[str, Sample] | tuple[Sample, ...]
"""What was drawn: at random, per stratum, or in two stages, a sample for each draw of a cluster."""


def keys_of(drawn: Drawn) -> list[str]:
    """Returns all units of a sample; a unit that was drawn twice is there twice."""
    if isinstance(drawn, Sample):
        return list(drawn.keys)
    parts = drawn.values() if isinstance(drawn, Mapping) else drawn
    return [key for part in parts for key in part.keys]


def simple_random(keys: Iterable[str], n: int, *, seed: int = 0) -> Sample:
    """Returns n of the keys at random; all if there are no more. One pass, memory for n keys."""
    drawn = _Smallest(n)
    size = 0
    rank = _ranking(seed, "unit")
    for key in keys:
        size += 1
        drawn.add(rank(key), key)
    return Sample(keys=drawn.in_order(), size=size)


def stratified(
    read: Callable[[], Iterable[tuple[str, str]]], n: int, *, seed: int = 0
) -> dict[str, Sample]:
    """Returns n units at random, shared out among the strata by `allocate`; a larger n keeps the
    earlier units.

    Two passes, one to count and one to draw, and memory for n keys and a number a stratum.

    Args:
        read: gives the stream of (key, stratum), the same twice.

    Returns:
        A sample for every stratum of the stream, sorted by name; an empty one where it got none.
    """
    sizes = Counter(stratum for _, stratum in read())
    drawn = {}
    for name, share in allocate(sizes, n).items():
        drawn[name] = _Smallest(share)
    rank = _ranking(seed, "unit")
    for key, stratum in read():
        drawn[stratum].add(rank(key), key)
    return {name: Sample(keys=drawn[name].in_order(), size=sizes[name]) for name in sorted(sizes)}


def two_stage(
    read: Callable[[], Iterable[tuple[str, str]]],
    n: int,
    *,
    at_most: int = TRIPLES_PER_DRAW,
    seed: int = 0,
) -> tuple[Sample, ...]:
    """Draws a two-stage weighted cluster sample: n draws of a cluster by its size, m units of each.

    Gao et al. 2019, "Efficient Knowledge Graph Accuracy Evaluation", PVLDB 12(11).
    A cluster is drawn by drawing one of its units, which gives it a chance in proportion to its
    size without an index of sizes; so it takes two passes, and memory for about n (m + 1) keys. A
    cluster can be drawn again; each time its units are drawn anew, as the variance of the estimator
    wants (`two_stage_mean`). The n units that point to clusters are drawn without replacement,
    Gao's with: unbiased still, and where n is much of the stream its variance is a little less.

    Args:
        read: gives the stream of (key, cluster), the same twice.
        at_most: m.

    Returns:
        At most m units of each drawn cluster, in the order in which to label them; nested in n
        and in m.
    """
    # A unit drawn at random points to its cluster: that draws clusters by size without their sizes.
    pointers = _Smallest(n)
    rank = _ranking(seed, "unit")
    cluster_of: dict[str, str] = {}
    for key, cluster in read():
        if pointers.add(rank(key), key):
            cluster_of[key] = cluster
    visits: dict[str, list[_Smallest]] = {}
    order = []
    for key in pointers.in_order():
        own = visits.setdefault(cluster_of[key], [])
        own.append(_Smallest(at_most))
        order.append((cluster_of[key], own[-1]))
    most = max(map(len, visits.values()), default=0)
    ranks = [_ranking(seed, f"visit {time}") for time in range(most)]
    sizes: Counter[str] = Counter()
    for key, cluster in read():
        if cluster in visits:
            sizes[cluster] += 1
            for rank, drawn in zip(ranks, visits[cluster], strict=False):
                drawn.add(rank(key), key)
    return tuple(Sample(keys=drawn.in_order(), size=sizes[cluster]) for cluster, drawn in order)


def allocate(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """Returns how many of n labels each stratum gets, in proportion to its units.

    Each gets one, the largest first; then labels go one at a time to the stratum with the largest
    N / sqrt(k (k + 1)), where k is what it has: the method of equal proportions (Wright 2012, "The
    Equivalence of Neyman Optimum Allocation for Sampling and Equal Proportions for Apportioning the
    U.S. House of Representatives"). It always adds up to n, what a full stratum cannot take goes to
    the others, and more labels never mean fewer for one.

    Args:
        sizes: stratum -> its units, N.

    Returns:
        Stratum -> labels; n of them, or all units where there are fewer.
    """
    shares = dict.fromkeys(sizes, 0)
    queue = [(*_turn_key(size, 0), name) for name, size in sizes.items() if size]
    heapify(queue)
    for _ in range(min(n, sum(sizes.values()))):
        name = queue[0][-1]
        shares[name] += 1
        if shares[name] < sizes[name]:
            heapreplace(queue, (*_turn_key(sizes[name], shares[name]), name))
        else:
            heappop(queue)
    return shares


def _turn_key(size: int, has: int) -> tuple[float, int]:
    """A stratum's place in the queue for the next label: the smallest key is served first."""
    return (-size / math.sqrt(has * (has + 1)) if has else -math.inf, -size)


def _ranking(seed: int, purpose: str) -> Callable[[str], bytes]:
    """A function from key to priority: eight pseudo-random bytes; independent for each purpose."""
    start = blake2b(f"{purpose}:{seed}:".encode(), digest_size=8)

    def rank(key: str) -> bytes:
        hashing = start.copy()
        hashing.update(key.encode("utf-8", "surrogatepass"))
        return hashing.digest()

    return rank


class _Smallest:
    """The n keys with the smallest priorities of those added, each once."""

    def __init__(self, n: int) -> None:
        if n < 0:
            raise ValueError(f"cannot draw {n}: a sample has 0 units or more")
        self.n = n
        self._held: set[str] = set()
        self._heap: list[tuple[int, str]] = []  # priorities negated: the largest is on top
        # from here on up a key is not among the n
        self._bar: bytes | None
        if n:
            self._bar = None
        else:
            self._bar = b""

    def add(self, rank: bytes, key: str) -> bool:
        """Adds a key unless it is known or n smaller ones are; returns whether it was added."""
        if (self._bar is not None and rank >= self._bar) or key in self._held:
            return False
        entry = (-int.from_bytes(rank), key)
        if len(self._heap) < self.n:
            heappush(self._heap, entry)
        else:
            self._held.discard(heapreplace(self._heap, entry)[1])
        self._held.add(key)
        if len(self._heap) == self.n:
            self._bar = (-self._heap[0][0]).to_bytes(8)
        return True

    def in_order(self) -> tuple[str, ...]:
        """Returns the keys, the one with the smallest priority first."""
        return tuple(key for _, key in sorted(self._heap, reverse=True))
