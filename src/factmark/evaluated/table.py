"""One table of what judges and people said of units, which every estimate is made from. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.coding import CodedColumn
from factmark.evaluated.columns import ValueColumn

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """Units by what judges and people said of them; all columns are as long as there are units.

    Attributes:
        ids: of the units, in the order of their file.
        judges: name -> what a judge said.
        people: name -> what a person said; people of one name are one column.
        cluster: what is not independent of each other: a question, a document.
        stratum: the slice that a unit is of.
        system: whose output it is.
        probability: with which people were given a unit; NaN where that is not known.
    """

    ids: Sequence[str]
    judges: Mapping[str, ValueColumn]
    people: Mapping[str, ValueColumn] = field(default_factory=dict)
    cluster: CodedColumn | None = None
    stratum: CodedColumn | None = None
    system: CodedColumn | None = None
    probability: Floats | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def people_means(self) -> Floats:
        """For each unit the mean of what people said; NaN where nobody said anything."""
        if not self.people:
            return np.full(len(self), math.nan)
        rows = np.vstack([column.numbers for column in self.people.values()])
        filled = ~np.isnan(rows)
        n = filled.sum(axis=0)
        sums = np.where(filled, rows, 0.0).sum(axis=0)
        return np.where(n > 0, sums / np.maximum(n, 1), math.nan)

    @property
    def clusters(self) -> list[str] | None:
        """For each unit the name of its cluster, its own where it has none; None where no unit
        shares a cluster."""
        if self.cluster is None or self.cluster.counts.max(initial=0) < 2:
            return None
        names = [f"item {name}" for name in self.cluster.cells]
        return [
            f"unit {place}" if code < 0 else names[code]
            for place, code in enumerate(self.cluster.codes.tolist())
        ]
