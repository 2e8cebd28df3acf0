"""A contest: systems, the scores that they got on the same units, and what the strata say.

Two systems are compared by every score, and by one of them in each stratum; more than two make a
leader board by every score.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from factmark.model import Estimate
from factmark.stats.comparison import (
    Comparison,
    Options,
    Per,
    Units,
    common,
    difference,
    measured,
)
from factmark.stats.paired import holm

OVERALL = "overall"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What is measured of a unit, in [0, 1].

    Attributes:
        key: its name in files.
        symbol: its name where there is little room.
        per: how it is averaged, see `Options.per`.
    """

    key: str
    symbol: str
    name: str
    per: Per
    lower_is_better: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """What is compared.

    Attributes:
        measure: `answers`, `factscore` or `validity`.
        item, unit: what is resampled and what is paired, as people call several of them.
        scores: the first is the one to go by unless another is asked for.
        systems: name -> key of a score -> its units; at least two, all with all scores.
        stratum: what the strata are: `category`, `relation`.
        strata: unit -> its stratum.
        least: the share of the units of a system, or of its stratum, that must have a value for
            any to count; system -> share, none where it is not named.
        problems: what a reader must know of the input, one sentence each.
        signature: where the numbers come from.
    """

    measure: str
    item: str
    unit: str
    scores: tuple[Score, ...]
    systems: Mapping[str, Mapping[str, Units]]
    stratum: str
    strata: Mapping[str, str]
    least: Mapping[str, float] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)

    def score(self, key: str) -> Score | None:
        """The score of that key or symbol, whatever its case."""
        wanted = key.casefold()
        for score in self.scores:
            if wanted in (score.key.casefold(), score.symbol.casefold()):
                return score
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One comparison of two systems: by which score, and over which units."""

    score: Score
    stratum: str
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a contest ended.

    Attributes:
        score: the score to go by.
        rows: of two systems: every score over all units, then the score to go by in each stratum,
            with Holm's p over the strata; empty of more.
        boards: of more than two systems: key of a score -> leader board; empty of two.
        options: how it was made.
    """

    contest: Contest
    score: Score
    rows: tuple[Row, ...]
    boards: Mapping[str, LeaderBoard]
    options: Options


def hold(contest: Contest, score: Score, options: Options | None = None) -> Outcome:
    """Compares all systems of a contest; `score` is one of its scores.

    Raises:
        ValueError: for fewer than two systems, or a value outside [0, 1].
    """
    options = options or Options()
    rows: tuple[Row, ...] = ()
    boards: dict[str, LeaderBoard] = {}
    if len(contest.systems) == 2:
        rows = tuple(_overall(contest, options)) + tuple(_by_stratum(contest, score, options))
    else:
        boards = {
            one.key: leader_board(
                {name: _units(contest, name, one) for name in contest.systems},
                _of(one, options),
            )
            for one in contest.scores
        }
    return Outcome(contest=contest, score=score, rows=rows, boards=boards, options=options)


def _of(score: Score, options: Options) -> Options:
    return replace(options, per=score.per, lower_is_better=score.lower_is_better)


def _overall(contest: Contest, options: Options) -> list[Row]:
    a, b = contest.systems
    return [
        Row(
            score=score,
            stratum=OVERALL,
            comparison=difference(
                _units(contest, a, score),
                _units(contest, b, score),
                names=(a, b),
                options=_of(score, options),
            ),
        )
        for score in contest.scores
    ]


def _by_stratum(contest: Contest, score: Score, options: Options) -> list[Row]:
    a, b = contest.systems
    names = list(dict.fromkeys(contest.strata.values()))
    if len(names) < 2:
        return []
    ours, theirs = (_strata_of(contest, one, score) for one in (a, b))
    made = adjusted(
        [
            difference(
                ours.get(name, {}), theirs.get(name, {}), names=(a, b), options=_of(score, options)
            )
            for name in names
        ]
    )
    return [
        Row(score=score, stratum=name, comparison=one)
        for name, one in zip(names, made, strict=True)
    ]


def _units(contest: Contest, name: str, score: Score) -> Units:
    return _enough(contest.systems[name][score.key], contest.least.get(name, 0.0))


def _strata_of(contest: Contest, name: str, score: Score) -> Mapping[str, Units]:
    parts = _split(contest.systems[name][score.key], contest.strata)
    least = contest.least.get(name, 0.0)
    return {stratum: _enough(units, least) for stratum, units in parts.items()}


def _enough(units: Units, least: float) -> Units:
    """The units; all without a value where a smaller share than `least` has one."""
    values = [value for some in units.values() for unit in some.values() for value in unit]
    if sum(value is not None for value in values) >= least * len(values):
        return units
    return {
        cluster: {unit: (None,) * len(values) for unit, values in some.items()}
        for cluster, some in units.items()
    }


def _split(units: Units, strata: Mapping[str, str]) -> Mapping[str, Units]:
    """The units of each stratum."""
    out: dict[str, dict[str, dict[str, tuple[float | None, ...]]]] = {}
    for cluster, some in units.items():
        for unit, values in some.items():
            part = out.setdefault(strata.get(unit, ""), {})
            part.setdefault(cluster, {})[unit] = tuple(values)
    return out


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
