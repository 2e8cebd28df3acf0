"""Many systems on the same items: ranks, and which of them the data cannot tell apart."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from factmark.model import Estimate
from factmark.stats.comparison import Comparison, Options, Units, common, difference, measured
from factmark.stats.paired_tests import holm

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One system of a leader board.

    Attributes:
        value: over the units that all systems have.
        rank: by value, 1 the best; equal values share the better rank.
        rank_low, rank_high: the best and the worst rank that it may hold: behind those that are
            told apart from it and better, before those that are told apart and worse.
        letters: systems that share a letter are not told apart; those that share none are.
    """

    name: str
    value: Estimate
    rank: int
    rank_low: int
    rank_high: int
    letters: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderBoard:
    """Systems from best to worst, and all their pairs.

    Attributes:
        comparisons: of every pair, the better placed as A, with Holm's p over all pairs; each over
            the units that the two have.
        n_units, n_left_out: units that all systems have, and those that some system lacks.
    """

    places: tuple[Place, ...]
    comparisons: tuple[Comparison, ...]
    n_units: int
    n_left_out: int


def leader_board(systems: Mapping[str, Units], options: Options | None = None) -> LeaderBoard:
    """Ranks systems by their value on the units that all of them have.

    Two systems are told apart if Holm's p of their pair (permutation test, paired over the units
    that both have) is at most 1 - level.

    Raises:
        ValueError: for fewer than two systems, or a value outside [0, 1].
    """
    if len(systems) < 2:
        raise ValueError(f"a leader board needs two systems: {list(systems)}")
    options = options or Options()
    pairs = math.comb(len(systems), 2)  # with few draws no p would be small enough for Holm
    draws = max(options.draws, math.ceil(5 * pairs / (1 - options.level)))
    options = replace(options, draws=draws)
    shared, n_units, n_left_out = common(systems.values())
    values = {name: measured(units, shared, options) for name, units in systems.items()}
    sign = 1 if options.lower_is_better else -1
    order = sorted(systems, key=lambda name: _standing(values[name], sign))
    made = adjusted(
        [
            difference(systems[a], systems[b], names=(a, b), options=options)
            for a, b in combinations(order, 2)
        ]
    )
    apart = [(row.a, row.b) for row in made if row.told_apart]
    groups = letters(order, apart)
    return LeaderBoard(
        places=tuple(
            Place(
                name=name,
                value=values[name],
                rank=1
                + sum(_standing(values[o], sign) < _standing(values[name], sign) for o in order),
                rank_low=1 + sum(name == _loser(row) for row in made if row.told_apart),
                rank_high=len(order) - sum(name == _winner(row) for row in made if row.told_apart),
                letters=groups[name],
            )
            for name in order
        ),
        comparisons=tuple(made),
        n_units=n_units,
        n_left_out=n_left_out,
    )


def adjusted(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with Holm's p over all of them that have one."""
    places = [at for at, row in enumerate(comparisons) if row.p_permutation is not None]
    out = list(comparisons)
    for at, p in zip(places, holm([out[at].p_permutation or 0.0 for at in places]), strict=True):
        out[at] = replace(out[at], p_adjusted=p)
    return out


def letters(names: Sequence[str], apart: Collection[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The compact letter display: names share a letter if and only if they are not told apart.

    Insert and absorb (Piepho 2004, "An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons", J Comput Graph Stat 13:456, section 3): all names begin in one group; each pair
    that is told apart splits every group that holds both, and a group inside another is dropped.
    What is left are the largest groups without such a pair, in whatever order the pairs come, so
    no second step ("sweeping") drops letters that people would look for.

    Args:
        names: best first; the groups are lettered in that order.
        apart: pairs that are told apart.
    """
    groups = [frozenset(names)]
    for a, b in apart:
        split: list[frozenset[str]] = []
        for group in groups:
            split += [group - {a}, group - {b}] if a in group and b in group else [group]
        once = list(dict.fromkeys(split))
        groups = [group for group in once if not any(group < other for other in once)]
    place = {name: at for at, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    lettered = [(_letter(at), group) for at, group in enumerate(groups)]
    return {name: tuple(mark for mark, group in lettered if name in group) for name in names}


def _letter(at: int) -> str:
    """a to z, then aa, ab, ...

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'aa')
    """
    text = ""
    at += 1
    while at:
        at, rest = divmod(at - 1, len(_ALPHABET))
        text = _ALPHABET[rest] + text
    return text


def _standing(estimate: Estimate, sign: int) -> float:
    """The smaller the better; a system without a value comes last."""
    return math.inf if estimate.value is None else sign * estimate.value


def _winner(row: Comparison) -> str:
    ahead = (row.difference.value or 0.0) > 0
    return row.a if ahead != row.lower_is_better else row.b


def _loser(row: Comparison) -> str:
    return row.b if _winner(row) == row.a else row.a
