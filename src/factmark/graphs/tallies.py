"""What FActScore* and ValidityScore share: judged rows, groups, and shares with intervals."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from factmark.graphs.claims import Triple, folded, relation_key
from factmark.model import Estimate, Status
from factmark.stats import mean_over_clusters, t_quantile
from factmark.stats.clusters import RESAMPLES

Breakdown = Literal["relation", "head_type"]
_RESAMPLED = 1_000  # clusters up to which they are resampled
_DRAWS = 2_000_000  # of clusters, in all resamples together: 2,000 resamples of 1,000 clusters


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One judged triple, or pair of triple and passage.

    Attributes:
        triple: what makes it the same triple as another row, see `Triple.key`.
        cluster: the head entity.
        label: the judge's label, None where the status is not `ok`.
        head_type: the head's type as people read it, `""` where it is unknown.
    """

    triple: tuple[str, str, str]
    cluster: str
    relation: str
    status: Status = "ok"
    label: str | None = None
    head_type: str = ""

    @classmethod
    def of(
        cls, triple: Triple, label: str | None, *, status: Status = "ok", head_type: str = ""
    ) -> Judged:
        """The row of a triple; a label None with status `ok` counts as unparsed."""
        if label is None and status == "ok":
            status = "unparsed"
        return cls(
            triple=triple.key,
            cluster=triple.head_id or folded(triple.head),
            relation=relation_key(triple.relation),
            status=status,
            label=label if status == "ok" else None,
            head_type=head_type,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Rows without a label, by why."""

    unparsed: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.unparsed + self.refused + self.failed

    @classmethod
    def among(cls, rows: Iterable[Judged]) -> Missing:
        """Counts the rows that are not `ok`."""
        counts = {"unparsed": 0, "refused": 0, "failed": 0}
        for row in rows:
            if row.status != "ok":
                counts[row.status] += 1
        return cls(**counts)


def by_triple(rows: Iterable[Judged]) -> list[list[Judged]]:
    """The rows of each triple together, in order of first sight."""
    groups: dict[tuple[str, str, str], list[Judged]] = {}
    for row in rows:
        groups.setdefault(row.triple, []).append(row)
    return list(groups.values())


def split(rows: Sequence[Judged], by: Breakdown) -> dict[str, list[Judged]]:
    """The rows of each relation, or of each type of head; `""` stands for an unknown type."""
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        groups[row.relation if by == "relation" else row.head_type].append(row)
    return dict(sorted(groups.items()))


def share(
    values: Mapping[str, Sequence[float]],
    *,
    n_missing: int = 0,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The mean over all units, with an interval from resampling their clusters.

    The published scores are means over units (supported / total), not over heads, so the mean of
    the clusters' means is not what is wanted. With m the mean over units, n_c the units of cluster
    c and n their mean number, the clusters' values m + (n_c / n)(mean_c - m) have the mean m, and
    resampling them is the bootstrap of the ratio to first order (linearisation; Cochran 1977,
    "Sampling Techniques", chapter 6). `mean_over_clusters` does the rest. Above 1,000 clusters,
    where resampling tells nothing that their standard error does not, the interval is Student's.

    Args:
        values: cluster -> the values of its units, each in [0, 1].
        n_missing: units without a value; all 0 in the worst case, all 1 in the best.
    """
    sizes = {cluster: len(units) for cluster, units in values.items() if units}
    sums = {cluster: float(sum(values[cluster])) for cluster in sizes}
    units, total = sum(sizes.values()), sum(sums.values())
    everything = units + n_missing
    worst = total / everything if everything else None
    best = (total + n_missing) / everything if everything else None
    if not units:
        nothing = mean_over_clusters({}, level=level)
        return replace(nothing, n_missing=n_missing, worst=worst, best=best)
    mean, typical = total / units, units / len(sizes)
    linear = {
        cluster: mean + (size / typical) * (sums[cluster] / size - mean)
        for cluster, size in sizes.items()
    }
    agreed = len({sums[cluster] / size for cluster, size in sizes.items()}) == 1
    if agreed or len(linear) <= _RESAMPLED:  # where all agree, rounding must not hide it
        estimate = mean_over_clusters(
            {cluster: [mean if agreed else value] for cluster, value in linear.items()},
            level=level,
            resamples=max(1, min(resamples, _DRAWS // len(linear))),
            seed=seed,
        )
    else:
        estimate = _student(list(linear.values()), mean, level)
    low = 0.0 if estimate.low is None else max(0.0, estimate.low)
    high = 1.0 if estimate.high is None else min(1.0, estimate.high)
    return replace(
        estimate,
        value=mean,
        low=min(mean, low),
        high=max(mean, high),
        n_units=units,
        n_missing=n_missing,
        worst=worst,
        best=best,
    )


def _student(linear: Sequence[float], mean: float, level: float) -> Estimate:
    n = len(linear)
    error = math.sqrt(sum((value - mean) ** 2 for value in linear) / (n - 1) / n)
    half = t_quantile((1 + level) / 2, n - 1) * error
    return Estimate(
        value=mean,
        low=mean - half,
        high=mean + half,
        level=level,
        method="Student's t over clusters, linearised",
        n_items=n,
        n_units=n,
    )
