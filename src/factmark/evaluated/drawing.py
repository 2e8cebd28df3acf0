"""Whether people were given units of all kinds alike: an exact test of each group against the rest.

Pure. Labels of which more were drawn in a group say nothing of all units until they are weighted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.coding import Codes
from factmark.stats.rounding import CLOSE

RARE = 0.01  # labels that were drawn alike differ so much in one file of a hundred
_MOST_GROUPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRate:
    """A group of units of which people labelled more, or fewer, than of the others.

    Attributes:
        name: of the group.
        labelled, units: of the group.
        rate_of_others: the share of the other units that people labelled.
        p: of the exact test, corrected for the number of groups.
    """

    name: str
    labelled: int
    units: int
    rate_of_others: float
    p: float


def unequal_rates(
    names: Sequence[str], groups: Codes, labelled: NDArray[np.bool_]
) -> list[GroupRate]:
    """Returns the groups whose units were labelled at another rate than the others, by Fisher's
    exact test of each against the rest (1922, "On the interpretation of chi-squared from
    contingency tables") with Bonferroni's correction; none where there are over a hundred groups.

    Args:
        names: of the groups.
        groups: the place of each unit's group; -1 where it is in none.
        labelled: whether people labelled a unit.
    """
    inside = groups >= 0
    total = int(inside.sum())
    drawn = int((labelled & inside).sum())
    if not (0 < drawn < total and 1 < len(names) <= _MOST_GROUPS):
        return []
    sizes = np.bincount(groups[inside], minlength=len(names))
    hits = np.bincount(groups[inside & labelled], minlength=len(names))
    present = int(np.count_nonzero(sizes))
    rates = []
    for name, size, hit in zip(names, sizes.tolist(), hits.tolist(), strict=True):
        if not 0 < size < total:
            continue
        p = min(1.0, present * fisher(hit, size, drawn, total))
        if p < RARE:
            others = (drawn - hit) / (total - size)
            rates.append(GroupRate(name=name, labelled=hit, units=size, rate_of_others=others, p=p))
    return rates


def fisher(hit: int, size: int, drawn: int, total: int) -> float:
    """Returns how likely so many, or as unlikely a number, of the drawn units are of a group.

    Args:
        hit: drawn units of the group.
        size: units of the group.
        drawn, total: units drawn, and all units.

    >>> round(fisher(3, 4, 4, 8), 4)  # the lady tasting tea, two-sided
    0.4857
    """
    least, most = max(0, drawn + size - total), min(drawn, size)
    x = np.arange(least, most, dtype=np.float64)
    up = np.log((size - x) * (drawn - x))
    down = np.log((x + 1) * (total - size - drawn + x + 1))
    logs = np.concatenate(([0.0], np.cumsum(up - down)))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    as_unlikely = weights <= weights[hit - least] * (1 + CLOSE)
    return float(weights[as_unlikely].sum())
