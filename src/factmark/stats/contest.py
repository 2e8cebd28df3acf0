"""A contest: systems, the scores that they got on the same units, and what the strata say.

Two systems are compared by every score, and by one of them in each stratum; more than two make a
leader board by every score.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

from factmark.model import Estimate, Measure
from factmark.stats.comparison import (
    Comparison,
    Options,
    Per,
    Units,
    difference,
    mask_of_shared_units,
    value_within,
)
from factmark.stats.judge_line.difference import JudgedSide
from factmark.stats.judge_line.pairs import corrected_pairs, corrected_values
from factmark.stats.paired import holm
from factmark.stats.rounding import CLOSE, tiers

OVERALL = "overall"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """What is compared.

    Attributes:
        measure: `answers`, `factscore` or `validity`.
        item, unit: what is resampled and what is paired, as people call several of them.
        scores: the first is the one to go by unless another is asked for.
        systems: name -> key of a score -> its units, with shares of the score's scale; at least
            two, all with all scores.
        per: key of a score -> how it is averaged, see `Options.per`; by item where it is not named.
        stratum: what the strata are: `category`, `relation`.
        strata: unit -> its stratum.
        least: the share of the units of a system, or of its stratum, that must have a value for
            any to count; system -> share, none where it is not named.
        unjudged: system -> its claims without a verdict, where a unit is made of several; of units
            with none but such there is no value.
        marks: system -> key of a score -> its units with what the judge and people gave them, where
            people labelled some; see `corrected_pairs`.
        problems: what a reader must know of the input, one sentence each.
        signature: where the numbers come from.
    """

    measure: str
    item: str
    unit: str
    scores: tuple[Measure, ...]
    systems: Mapping[str, Mapping[str, Units]]
    stratum: str
    strata: Mapping[str, str]
    per: Mapping[str, Per] = field(default_factory=dict)
    least: Mapping[str, float] = field(default_factory=dict)
    unjudged: Mapping[str, int] = field(default_factory=dict)
    marks: Mapping[str, Mapping[str, JudgedSide]] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)

    def marks_by(self, score: Measure) -> dict[str, JudgedSide]:
        """Returns each system's units by a score, of those that people labelled units of."""
        return {name: sides[score.key] for name, sides in self.marks.items() if score.key in sides}

    def score(self, key: str) -> Measure | None:
        """Returns the score with that key or symbol, in any case; None if there is none."""
        return next((score for score in self.scores if score.is_called(key)), None)

    def options_of(self, score: Measure, options: Options) -> Options:
        """Returns `options` with the averaging, the direction and the scale of a score."""
        return replace(
            options,
            per=self.per.get(score.key, "item"),
            lower_is_better=score.lower_is_better,
            scale=score.scale,
        )

    def units(self, name: str, score: Measure) -> Mapping[str | None, Units]:
        """Returns a system's units by stratum, with all of them under None; the values are None
        where a smaller share of the units than `least` has one.
        """
        strata: dict[str | None, dict[str, dict[str, Sequence[float | None]]]] = {None: {}}
        for cluster, units in self.systems[name][score.key].items():
            for unit, values in units.items():
                for stratum in (None, self.strata.get(unit, "")):
                    strata.setdefault(stratum, {}).setdefault(cluster, {})[unit] = values
        least = self.least.get(name, 0.0)
        return {stratum: _values_if_enough(units, least) for stratum, units in strata.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """One comparison of two systems: by which score, and over which units."""

    score: Measure
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
    score: Measure
    rows: tuple[ComparedRow, ...]
    boards: Mapping[str, LeaderBoard]
    options: Options

    @property
    def comparisons(self) -> tuple[ComparedRow, ...]:
        """Every comparison: the rows of two systems, or every pair of each leader board."""
        return self.rows + tuple(
            ComparedRow(score=score, stratum=OVERALL, comparison=pair)
            for score in self.contest.scores
            if score.key in self.boards
            for pair in self.boards[score.key].comparisons
        )


def compare_systems(contest: Contest, score: Measure, options: Options | None = None) -> Outcome:
    """Compares all systems of a contest by all scores; `score` is the one that decides.

    Raises:
        ValueError: for fewer than two systems, or a value outside [0, 1].
    """
    options = options or Options()
    rows: list[ComparedRow] = []
    boards: dict[str, LeaderBoard] = {}
    if len(contest.systems) != 2:
        for each in contest.scores:
            systems = {}
            for name in contest.systems:
                systems[name] = contest.units(name, each)[None]
            settings = contest.options_of(each, options)
            boards[each.key] = leader_board(systems, settings, contest.marks_by(each))
    if not boards:
        for each in contest.scores:
            rows += _compare_by_stratum(contest, each, [None], options)
        strata: list[str | None] = list(dict.fromkeys(contest.strata.values()))
        rows += _compare_by_stratum(contest, score, strata if len(strata) > 1 else [], options)
    return Outcome(contest=contest, score=score, rows=tuple(rows), boards=boards, options=options)


def _compare_by_stratum(
    contest: Contest, score: Measure, strata: Sequence[str | None], options: Options
) -> list[ComparedRow]:
    """Compares the two systems in each stratum, with Holm's p where there are several."""
    (name_a, a), (name_b, b) = ((name, contest.units(name, score)) for name in contest.systems)
    comparisons = [
        difference(
            a.get(stratum, {}),
            b.get(stratum, {}),
            names=(name_a, name_b),
            options=contest.options_of(score, options),
        )
        for stratum in strata
    ]
    if None in strata:
        settings = contest.options_of(score, options)
        comparisons = corrected_pairs(comparisons, contest.marks_by(score), settings)
    if len(strata) > 1:
        comparisons = with_holm(comparisons)
    compared_rows = []
    for stratum, comparison in zip(strata, comparisons, strict=True):
        compared_rows.append(
            ComparedRow(score=score, stratum=stratum or OVERALL, comparison=comparison)
        )
    return compared_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One system of a leader board.

    Attributes:
        value: over the units that all systems have.
        corrected: the same by people's labels, where they labelled enough of every system; then
            ranks go by it.
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
    corrected: Estimate | None = None

    @property
    def decisive(self) -> Estimate:
        """The value that ranks: people's, else the judge's."""
        return self.corrected or self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderBoard:
    """Systems from best to worst, and all their pairs.

    Attributes:
        places: empty where there is no unit that all systems have.
        comparisons: of every pair, the better placed as A, with Holm's p over all pairs; each over
            the units that the two have.
        n_units, n_left_out: units that all systems have, and those that some system lacks.
    """

    places: tuple[Place, ...]
    comparisons: tuple[Comparison, ...]
    n_units: int
    n_left_out: int


def _values_if_enough(units: Units, least: float) -> Units:
    """Returns the units, all without a value if fewer than a share of `least` have one."""
    values: list[float | None] = []
    for cluster_units in units.values():
        for unit in cluster_units.values():
            values.extend(unit)
    if sum(value is not None for value in values) >= (least - CLOSE) * len(values):
        return units
    return {
        cluster: {unit: (None,) * len(values) for unit, values in cluster_units.items()}
        for cluster, cluster_units in units.items()
    }


def leader_board(
    systems: Mapping[str, Units],
    options: Options | None = None,
    marks: Mapping[str, JudgedSide] | None = None,
) -> LeaderBoard:
    """Ranks systems by their value on the units that all of them have.

    Two systems are told apart if Holm's p of their pair (permutation test, paired over the units
    that both have) is at most 1 - level. Where people labelled enough of every system, its
    corrected value ranks and the corrected differences tell apart (`corrected_pairs`).

    Raises:
        ValueError: for fewer than two systems, or a value outside [0, 1].
    """
    if len(systems) < 2:
        raise ValueError(f"a leader board needs two systems: {list(systems)}")
    options = options or Options()
    pairs = math.comb(len(systems), 2)  # with few draws no p would be small enough for Holm
    draws = max(options.draws, math.ceil(5 * pairs / (1 - options.level)))
    options = replace(options, draws=draws)
    shared, n_units, n_left_out = mask_of_shared_units(systems.values())
    values = {}
    for name, units in systems.items():
        values[name] = value_within(units, shared, options)
    corrected = corrected_values(systems, marks or {}, options)
    ranked = corrected or values
    places = tiers([_rank_key(value, options) for value in ranked.values()]).tolist()
    standing = dict(zip(ranked, places, strict=True))
    order = sorted(systems, key=standing.__getitem__)
    comparisons = [
        difference(systems[a], systems[b], names=(a, b), options=options)
        for a, b in combinations(order, 2)
    ]
    if corrected:
        comparisons = corrected_pairs(comparisons, marks or {}, options)
    comparisons = with_holm(comparisons)
    held = _held_ranks(order, comparisons)
    places = []
    for name in order if n_units else ():
        places.append(
            Place(
                name=name,
                value=values[name],
                rank=1 + sum(other < standing[name] for other in standing.values()),
                rank_low=held[name].low,
                rank_high=held[name].high,
                letters=held[name].letters,
                corrected=corrected.get(name),
            )
        )
    return LeaderBoard(
        places=tuple(places),
        comparisons=tuple(comparisons),
        n_units=n_units,
        n_left_out=n_left_out,
    )


class _HeldRanks(NamedTuple):
    """The best and the worst rank that a system may hold, and its letters."""

    low: int
    high: int
    letters: tuple[str, ...]


def _held_ranks(order: Sequence[str], comparisons: Sequence[Comparison]) -> dict[str, _HeldRanks]:
    """Returns each system's ranks and letters by the pairs that are told apart."""
    apart = []
    winners = []
    for row in comparisons:
        if row.told_apart:
            apart.append((row.a, row.b))
            a_has_more = (row.decisive[0].value or 0.0) > 0
            winners.append(row.a if a_has_more != row.lower_is_better else row.b)
    groups = letters(order, apart)
    held = {}
    for name in order:
        wins = winners.count(name)
        held[name] = _HeldRanks(
            low=1 + sum(name in pair for pair in apart) - wins,
            high=len(order) - wins,
            letters=groups[name],
        )
    return held


def _rank_key(estimate: Estimate, options: Options) -> float:
    """What systems are sorted by: smaller is better, and a system without a value comes last."""
    if estimate.value is None:
        return math.inf
    if options.lower_is_better:
        return estimate.value
    return -estimate.value


def with_holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Returns the comparisons with Holm's adjusted p, over all of them that have a p, and with the
    smallest p that each could have beside the others.
    """
    places = [at for at, row in enumerate(comparisons) if row.p_alone is not None]
    out = list(comparisons)
    ps = [out[at].p_alone or 0.0 for at in places]
    adjusted = holm(ps)
    in_order = sorted(ps)
    adjusted_in_order = sorted(adjusted)
    for at, p in zip(places, adjusted, strict=True):
        least = out[at].p_least
        if least is not None:
            smaller = bisect_left(in_order, least * (1 - CLOSE))
            others = 0.0
            if smaller:
                others = adjusted_in_order[smaller - 1]
            least = min(1.0, max(others, (len(ps) - smaller) * least))
        out[at] = replace(out[at], p_adjusted=p, p_least=least)
    return out


def letters(names: Sequence[str], apart: Collection[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Returns each system's letters: two systems share one if and only if they are not told apart.

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
            if a in group and b in group:
                split += [group - {a}, group - {b}]
            else:
                split += [group]
        once = list(dict.fromkeys(split))
        groups = [group for group in once if not any(group < other for other in once)]
    place = {name: at for at, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    lettered = [(_letter(at), group) for at, group in enumerate(groups)]
    return {name: tuple(mark for mark, group in lettered if name in group) for name in names}


def _letter(at: int) -> str:
    """Returns the name of group number `at`: a to z, then aa, ab, ...

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'aa')
    """
    text = ""
    at += 1
    while at:
        at, rest = divmod(at - 1, len(_ALPHABET))
        text = _ALPHABET[rest] + text
    return text
