"""One table of what judges and people said of units, which every estimate is made from. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.coding import NOTHING, CodedColumn, coded
from factmark.evaluated.columns import ValueColumn, column_of_numbers

Floats = NDArray[np.float64]
JUDGE = "judge"
"""What the judge of a table of one judge is called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """Units by what judges and people said of them; all columns are as long as there are units.

    Attributes:
        ids: of the units, in the order of their file.
        judges: name -> what a judge said, and of which units they were asked.
        people: name -> the same of a person; people of one name are one column.
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

    def at(self, places: Sequence[int]) -> Evaluated:
        """Returns the table of some of its units."""
        chosen = np.array(places, dtype=np.int64)

        def of_column(column: CodedColumn | None) -> CodedColumn | None:
            return None if column is None else replace(column, codes=column.codes[chosen])

        return Evaluated(
            ids=[self.ids[place] for place in places],
            judges={name: column.at(chosen) for name, column in self.judges.items()},
            people={name: column.at(chosen) for name, column in self.people.items()},
            cluster=of_column(self.cluster),
            stratum=of_column(self.stratum),
            system=of_column(self.system),
            probability=None if self.probability is None else self.probability[chosen],
        )

    @property
    def by_system(self) -> dict[str, Evaluated]:
        """System -> its units, in the order of their names; nothing without systems."""
        if self.system is None:
            return {}
        codes = self.system.codes
        names = {str(name): place for place, name in enumerate(self.system.cells)}
        return {
            name: self.at(np.flatnonzero(codes == names[name]).tolist()) for name in sorted(names)
        }

    @property
    def everybody(self) -> dict[str, ValueColumn]:
        """Name -> what a judge or a person said."""
        return {**self.judges, **self.people}

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
    def people_by_place(self) -> dict[int, float]:
        """Place of each unit that people labelled -> the mean of what they said."""
        means = self.people_means
        return {place: float(means[place]) for place in np.flatnonzero(~np.isnan(means)).tolist()}

    @property
    def items(self) -> list[str]:
        """For each unit the name of its cluster, its own where it has none."""
        return self.items_at(np.arange(len(self)))

    def items_at(self, places: NDArray[np.int64]) -> list[str]:
        """Returns the same of some of the units."""
        if self.cluster is None:
            return [f"unit {place}" for place in places.tolist()]
        names = [str(name) for name in self.cluster.cells]
        codes = self.cluster.codes[places].tolist()
        return [
            f"unit {place}" if code < 0 else names[code]
            for place, code in zip(places.tolist(), codes, strict=True)
        ]

    @property
    def systems(self) -> list[str]:
        """For each unit whose output it is; empty where that is not known."""
        if self.system is None:
            return [""] * len(self)
        return [str(self.system.at(place) or "") for place in range(len(self))]

    @property
    def clusters(self) -> NDArray[np.int64] | None:
        """For each unit a number of its cluster, its own where it has none; None where no unit
        shares a cluster."""
        if self.cluster is None or self.cluster.counts.max(initial=0) < 2:
            return None
        codes = self.cluster.codes.astype(np.int64)
        alone = np.arange(len(codes)) + len(self.cluster.cells)
        return np.where(codes < 0, alone, codes)


def table_of_judge(
    judge: ValueColumn,
    people: Mapping[int, float],
    *,
    ids: Sequence[str] = (),
    clusters: Sequence[str] | None = None,
    strata: Sequence[str | None] | None = None,
    systems: Sequence[str] | None = None,
) -> Evaluated:
    """Returns the table of a judge, by its name, and people.

    Args:
        people: place of a unit -> the mean of what they said.
        clusters, strata, systems: of each unit.
    """
    n = len(judge.codes)
    groups = {"cluster": clusters, "stratum": strata, "system": systems}
    columns: dict[str, Any] = {}
    for name, cells in groups.items():
        if cells is not None:
            columns[name] = coded(name, cells)
    return Evaluated(
        ids=ids or [str(place) for place in range(n)],
        judges={judge.name: judge},
        people={"people": column_of_numbers("people", people, n)},
        **columns,
    )


def table_of_rows(
    rows: Mapping[str, Mapping[str, str | None]],
    worth: Mapping[str, float],
    *,
    clusters: Sequence[str],
    strata: Sequence[str] | None = None,
    people: Collection[str] | None = None,
) -> Evaluated:
    """Returns the table of labels as they were given.

    Args:
        rows: unit -> name of each who was asked about it -> their label; None where they gave none.
        worth: label -> its value; a label that has none is not a number.
        clusters, strata: of each unit.
        people: the names of people, the others being judges; all where it is None.
    """
    labels = {label for row in rows.values() for label in row.values() if label is not None}
    known = tuple(sorted(labels))
    codes: dict[str | None, int] = {label: place for place, label in enumerate(known)}
    codes[None] = NOTHING
    columns: dict[str, ValueColumn] = {}
    for place, row in enumerate(rows.values()):
        for name, label in row.items():
            column = columns.get(name)
            if column is None:
                column = _unasked(name, known, worth, len(rows))
                columns[name] = column
            column.codes[place] = codes[label]
            column.were_asked[place] = True
    judges = {}
    if people is not None:
        judges = {name: column for name, column in columns.items() if name not in people}
    return Evaluated(
        ids=list(rows),
        judges=judges,
        people={name: column for name, column in columns.items() if name not in judges},
        cluster=coded("cluster", clusters),
        stratum=None if strata is None else coded("stratum", strata),
    )


def _unasked(name: str, labels: tuple[str, ...], worth: Mapping[str, float], n: int) -> ValueColumn:
    """Returns the column of somebody who was asked about none of the units."""
    return ValueColumn(
        name=name,
        kind="word",
        labels=labels,
        values=tuple(worth.get(label, math.nan) for label in labels),
        codes=np.full(n, NOTHING, dtype=np.int32),
        asked=np.zeros(n, dtype=np.bool_),
    )
