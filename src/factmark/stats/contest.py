"""A contest: systems, the scores that they got on the same units, and what the strata say.

Two systems are compared by every score, and by one of them in each stratum; more than two make a
leader board by every score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from factmark.stats.comparison import Comparison, Options, Per, Units, difference
from factmark.stats.leader_board import LeaderBoard, adjusted, leader_board

OVERALL = "overall"


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
