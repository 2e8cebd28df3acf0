"""What it does to a corrected share that units come in clusters. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmark.stats.cells import Cell

PRIOR_CORRELATION = 0.3
PRIOR_CLUSTERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How much wider clusters make an interval.

    Attributes:
        design_effect: of people's labels within the cells: how many times the variance is that of
            independent units; at least 1.
        weights_effect: the same of the cells' shares among all units; at least 1.
        clusters: those with a label.
        df: degrees of freedom of the variance; None without clusters.
    """

    design_effect: float = 1.0
    weights_effect: float = 1.0
    clusters: int = 0
    df: int | None = None


def spread(
    cells: Sequence[Cell],
    verdicts: Sequence[str | None],
    values: Mapping[int, float],
    clusters: Sequence[str],
) -> Spread:
    """The design effects of the labels and of the weights, by linearisation.

    A labelled unit of cell k counts w_k / n_k (y - p_k), any unit (p_k - value) / N.
    """
    units = sum(cell.total for cell in cells)
    by_label = {cell.label: cell for cell in cells}
    value = sum(cell.total * cell.mean for cell in cells) / units
    of_labels = {}
    for place, said in values.items():
        cell = by_label[verdicts[place]]
        of_labels[place] = cell.total / units / cell.labelled * (said - cell.mean)
    of_weights = {n: by_label[verdict].mean - value for n, verdict in enumerate(verdicts)}
    many = len({clusters[place] for place in values})
    return Spread(
        design_effect=design_effect(of_labels, clusters),
        weights_effect=design_effect(of_weights, clusters),
        clusters=many,
        df=max(1, many - 1 + PRIOR_CLUSTERS),
    )


def design_effect(parts: Mapping[int, float], clusters: Sequence[str]) -> float:
    """How many times the variance of a sum is that of independent units; at least 1.

    Args:
        parts: place -> what the unit adds to the linearised estimate; the parts' sum is 0.
        clusters: place -> cluster.

    The sums by cluster, squared, times m / (m - 1), over the sum of squares (Cochran 1977,
    "Sampling Techniques", 9A.1; Kish 1965, 8.2). Few clusters tell it badly, fewer still where
    nearly all units agree; so it is pulled towards 1 + (b - 1) 0.3, the design effect of an
    intra-cluster correlation of 0.3, with b the units of a unit's cluster. That prior weighs as
    much as twenty clusters, which is also what it adds to the degrees of freedom.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    for place, part in parts.items():
        sums[clusters[place]] += part
    if not sums:
        return 1.0
    sizes = Counter(clusters[place] for place in parts)
    return pulled(
        clusters=len(sums),
        mates=sum(size * size for size in sizes.values()) / len(parts),
        together=math.fsum(part * part for part in sums.values()),
        alone=math.fsum(part * part for part in parts.values()),
    )


def pulled(*, clusters: int, mates: float, together: float, alone: float) -> float:
    """The design effect that was seen, pulled towards what is expected; see `design_effect`.

    Args:
        clusters: how many there are.
        mates: the units of a unit's cluster, on average over units.
        together, alone: the sums of squares by cluster and by unit.
    """
    expected = 1 + (mates - 1) * PRIOR_CORRELATION
    if clusters < 2 or alone <= 0:
        return expected
    seen = clusters / (clusters - 1) * together / alone
    return max(1.0, (clusters * seen + PRIOR_CLUSTERS * expected) / (clusters + PRIOR_CLUSTERS))
