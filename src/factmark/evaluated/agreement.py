"""How far judges and people agree, from the table of what they said. Pure.

Two sides are compared on the units that both were asked about. Who was asked and gave no label
leaves a unit missing; a unit that one side alone was asked about takes no part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.columns import Flags, ValueColumn
from factmark.evaluated.table import Evaluated
from factmark.stats.agreement import Agreement, Ratings, measure_agreement
from factmark.stats.coefficients import Metric
from factmark.stats.comparison import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScale:
    """How labels are compared, and why so.

    Attributes:
        labels: in their order; those that were offered, used or not.
        values: what they are worth; empty where that does not matter.
    """

    metric: Metric
    labels: tuple[str, ...]
    values: tuple[float, ...]
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterSides:
    """Who is compared: every label of one side beside every label of the other; without others
    all of the one side among each other."""

    ones: Sequence[ValueColumn]
    others: Sequence[ValueColumn] = ()

    @property
    def asked(self) -> Flags:
        """For each unit whether both sides were asked about it; of one side alone, two of it."""
        return _of_both(
            [column.were_asked for column in self.ones],
            [column.were_asked for column in self.others],
        )

    @property
    def labelled(self) -> Flags:
        """For each unit whether both sides gave it a label; of one side alone, two of it."""
        return _of_both(
            [column.codes >= 0 for column in self.ones],
            [column.codes >= 0 for column in self.others],
        )

    @property
    def anybody_asked(self) -> Flags:
        """For each unit whether anybody was asked about it."""
        asked = [column.were_asked for column in (*self.ones, *self.others)]
        return _counts(asked) > 0


def _of_both(ones: Sequence[Flags], others: Sequence[Flags]) -> Flags:
    """Returns for each unit whether it is so on both sides; on one side alone, of two."""
    if others:
        return (_counts(ones) > 0) & (_counts(others) > 0)
    return _counts(ones) > 1


def _counts(flags: Sequence[Flags]) -> NDArray[np.int64]:
    """Returns for each unit of how many it is so."""
    counts: NDArray[np.int64] = np.sum(flags, axis=0, dtype=np.int64)
    return counts


def pairs_that_share_units(columns: Mapping[str, ValueColumn]) -> set[tuple[str, str]]:
    """Returns the pairs of names, in either order, of whom both were asked about a unit."""
    asked = np.array([column.were_asked for column in columns.values()], dtype=np.float32)
    names = list(columns)
    return {
        (names[first], names[second]) for first, second in np.argwhere(asked @ asked.T > 0).tolist()
    }


def ratings_of(
    table: Evaluated, sides: RaterSides, scale: LabelScale, places: NDArray[np.int64]
) -> Ratings:
    """Returns what two sides said of the units at some places, as coefficients take it.

    Args:
        scale: with all labels that they gave.
    """
    ones = _by_place("1", sides.ones)
    others = _by_place("2", sides.others)
    rows: list[dict[str, str]] = [{} for _ in places]
    for name, column in (ones | others).items():
        codes = column.codes[places]
        for place in np.flatnonzero(codes >= 0).tolist():
            rows[place][name] = column.labels[codes[place]]
    ratings = Ratings(
        labels=scale.labels, values=scale.values, rows=rows, clusters=table.items_at(places)
    )
    if not sides.others:
        return ratings
    return ratings.crossed(ones, others)


def _by_place(side: str, columns: Sequence[ValueColumn]) -> dict[str, ValueColumn]:
    """Returns columns by names that keep their order where they are sorted."""
    return {f"{side}.{place:06} {column.name}": column for place, column in enumerate(columns)}


def agreement_between(
    table: Evaluated,
    sides: RaterSides,
    scale: LabelScale,
    how: Options,
    places: NDArray[np.int64] | None = None,
) -> Agreement:
    """Returns how far two sides agree on the units that both were asked about, by all coefficients
    that the scale allows.

    Args:
        how: level, resamples and seed of the intervals.
        places: of the units to go by, where it is not all of them.
    """
    if places is None:
        places = np.arange(len(table))
    asked = places[sides.asked[places]]
    ratings = ratings_of(table, sides, scale, asked)
    agreement = measure_agreement(
        ratings,
        scale=scale.metric,
        level=how.level,
        resamples=how.resamples,
        seed=how.seed,
    )
    if sides.others:
        return agreement
    names = [rater.partition(" ")[2] for rater in agreement.raters]
    return replace(agreement, raters=tuple(names))
