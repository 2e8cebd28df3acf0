"""Who gave which unit which label: what agreement is measured on."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Label = str | int | float
Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """The labels that units got from raters: people, judges, or a person's first and final rating.

    Attributes:
        labels: all that could be given, in the order of the scale, used or not: Gwet's
            coefficients depend on how many were offered.
        rows: per unit, rater -> label. A rater who gave none is absent.
        clusters: per unit, the sampled thing that it belongs to; these are resampled.
        values: what each label is worth; empty means the labels themselves where all are numbers,
            and otherwise their places 1, 2, ... on the scale.

    Raises:
        ValueError: when the parts do not fit together; says which.
    """

    labels: tuple[Label, ...]
    rows: Sequence[Mapping[str, Label]]
    clusters: Sequence[str]
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len(self.labels) < 2 or len(set(self.labels)) < len(self.labels):
            raise ValueError(f"agreement needs two or more different labels: {self.labels}")
        if len(self.rows) != len(self.clusters):
            raise ValueError(
                f"{len(self.rows)} units have {len(self.clusters)} clusters: give one each"
            )
        if self.values and len(self.values) != len(self.labels):
            raise ValueError(
                f"{len(self.labels)} labels have {len(self.values)} values: give one each"
            )
        if not all(math.isfinite(value) for value in self.worth):
            raise ValueError(f"values of labels must be finite: {self.worth}")
        if unknown := {label for row in self.rows for label in row.values()} - set(self.labels):
            raise ValueError(
                f"labels given but not offered: {sorted(unknown, key=repr)}; add them to `labels`, "
                "or leave out what is no label"
            )

    @property
    def worth(self) -> tuple[float, ...]:
        """What each label is worth on an interval scale."""
        if self.values:
            return self.values
        numbers = [label for label in self.labels if not isinstance(label, str)]
        if len(numbers) == len(self.labels):
            return tuple(float(number) for number in numbers)
        return tuple(float(place) for place in range(1, len(self.labels) + 1))

    @property
    def raters(self) -> tuple[str, ...]:
        """All who rated anything, sorted."""
        return tuple(sorted({rater for row in self.rows for rater in row}))

    @property
    def codes(self) -> Codes:
        """Places of the labels, from 0; -1 where there is none. Shape (units, raters)."""
        raters = {rater: place for place, rater in enumerate(self.raters)}
        labels = {label: place for place, label in enumerate(self.labels)}
        codes = np.full((len(self.rows), len(raters)), -1, dtype=np.int64)
        for unit, row in enumerate(self.rows):
            for rater, label in row.items():
                codes[unit, raters[rater]] = labels[label]
        return codes

    def only(self, *raters: str) -> Ratings:
        """The same units with the ratings of these raters alone: one judge against another, say."""
        rows = [{rater: row[rater] for rater in raters if rater in row} for row in self.rows]
        return Ratings(labels=self.labels, rows=rows, clusters=self.clusters, values=self.values)

    def crossed(self, ones: Collection[str], others: Collection[str]) -> Ratings:
        """Every rating of some against every rating of others: a judge against all people, say.

        Each pair becomes a unit rated by `ones` and `others`, under its unit's cluster; so what is
        measured is agreement across the groups and none within, and a unit weighs as many times as
        it has pairs. A unit rated by one group alone stays, as one unit without a partner. Nobody
        is paired with themself.
        """
        rows: list[dict[str, Label]] = []
        clusters: list[str] = []
        for row, cluster in zip(self.rows, self.clusters, strict=True):
            left = [rater for rater in sorted(ones) if rater in row]
            right = [rater for rater in sorted(others) if rater in row]
            pairs = [{"ones": row[a], "others": row[b]} for a in left for b in right if a != b]
            alone = [{"ones": row[a]} for a in left[:1]] or [{"others": row[b]} for b in right[:1]]
            new = pairs or alone or [{}]
            rows += new
            clusters += [cluster] * len(new)
        return Ratings(labels=self.labels, rows=rows, clusters=clusters, values=self.values)
