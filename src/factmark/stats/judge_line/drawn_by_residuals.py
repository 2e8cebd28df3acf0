"""How many labels each stratum of a judge's numbers gets, by what its line leaves. Pure.

Where the judge is sure, people mostly say what the line says, and a label tells little. So units
are put into strata by the judge's number, and labels go to each by its size times the root mean
square of what the line leaves there (Neyman 1934, "On the two different aspects of the
representative method"; for judges: Zrnic and Candès 2024, "Active statistical inference"). A pilot
tells that badly, so what is left of a stratum is pulled towards what is left of all, and no stratum
gets less than a third of what it would at random. Within a stratum units are drawn at random: the
share that is labelled is each unit's probability. The line has a step for each stratum, too, which
leaves less where people's values bend.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from factmark.stats.intervals import Floats
from factmark.stats.judge_line.line import fit
from factmark.stats.judge_line.sample import Codes, Drawing, sample_of
from factmark.stats.rounding import largest_remainders

FEWEST = 20  # labels that tell where people lie off
_MOST_RATINGS = 11  # a stratum each
_STRATA = 6  # of scores, of as many units each
_FOR_A_STEP = 5  # labels of a stratum, on average
_PULL = 5.0  # labels' worth of pull towards what is left of all
_LEAST = 0.3  # of the root mean square of all, of a stratum


def strata_of_numbers(numbers: Floats) -> Codes:
    """Returns the stratum of each unit by the judge's number: a rating's own, or sixths of scores;
    the last one has the units without a number."""
    known = ~np.isnan(numbers)
    ends = np.unique(numbers[known])
    if len(ends) > _MOST_RATINGS:
        shares = np.linspace(0, 1, _STRATA + 1)[1:-1]
        ends = np.unique(np.quantile(numbers[known], shares))
    strata = np.searchsorted(ends, numbers, side="right")
    return np.where(known, strata, len(ends) + 1).astype(np.int64)


def with_steps(drawing: Drawing, numbers: Floats, labels: int) -> Drawing:
    """Returns how so many labels were drawn, with the strata of the judge's numbers for the line's
    steps; as it is where labels were drawn by other strata, or are too few for steps."""
    strata = strata_of_numbers(numbers)
    if drawing.strata is not None or labels < _FOR_A_STEP * len(np.unique(strata)):
        return drawing
    weights = drawing.weights
    if weights is None:
        weights = np.ones(len(numbers))
    return replace(drawing, weights=weights, strata=strata)


def labels_by_stratum(
    numbers: Floats, people: Mapping[int, float], strata: Codes, total: int, drawing: Drawing
) -> list[int]:
    """Returns how many labels each stratum is to have in all, those that are there included.

    Args:
        numbers: the judge's of each unit.
        people: place of a unit -> its value in [0, 1] by people, of `FEWEST` units or more.
        strata: as `strata_of_numbers` has them.
        total: labels that are wanted in all.
        drawing: how the units with a label were drawn.
    """
    line = fit(sample_of([numbers], people, with_steps(drawing, numbers, len(people))))
    n = int(strata.max()) + 1
    sizes = np.bincount(strata, minlength=n)
    of_labels = strata[line.at]
    done = np.bincount(of_labels, minlength=n)
    squares = np.bincount(of_labels, line.residuals**2, minlength=n)
    overall = float(np.mean(line.residuals**2))
    left = np.sqrt((squares + _PULL * overall) / (done + _PULL))
    needs = sizes * np.maximum(left, _LEAST * math.sqrt(overall))
    return _allotted(needs.tolist(), done.tolist(), sizes.tolist(), total)


def _allotted(
    needs: Sequence[float], done: Sequence[int], sizes: Sequence[int], total: int
) -> list[int]:
    """Returns labels in proportion to needs, in each at least one and those that are there, at most
    one for each unit."""
    wanted: dict[int, int] = {}
    least = [max(1, n) for n in done]
    open_strata = [place for place, need in enumerate(needs) if need > 0]
    while open_strata:
        rest = max(0, total - sum(wanted.values()))
        sum_of_needs = math.fsum(needs[place] for place in open_strata)
        shares = {place: rest * needs[place] / sum_of_needs for place in open_strata}
        fixed = [
            place for place in open_strata if not least[place] <= shares[place] <= sizes[place]
        ]
        if not fixed:
            wanted |= largest_remainders(shares, round(math.fsum(shares.values())))
            break
        for place in fixed:
            wanted[place] = sizes[place]
            if shares[place] < least[place]:
                wanted[place] = least[place]
        open_strata = [place for place in open_strata if place not in wanted]
    return [wanted.get(place, n) for place, n in enumerate(done)]
