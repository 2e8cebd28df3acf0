"""What a judge's error goes by: length, position, system, slice. Pure.

A judge that favours long answers errs by length: of two answers that people value alike it gives
the longer one more. So the judge's numbers are regressed on people's and on what the error may go
by, over the labelled units; what goes by numbers counts by its rank, since lengths are skewed, what
goes by words has a column for each but one. Tested is whether these columns are all 0, by Wald's
statistic as F, with the variance that keeps clusters whole (HC2 summed by cluster; Liang and Zeger
1986) of residuals without the columns, which keeps its level where the judge errs rarely. Of yes
and no, `verdict_bias` looks at what people say yes to and no to apart, and at all verdicts. Several
factors are corrected by Holm.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from factmark.model import Estimate
from factmark.stats.given_columns import Values, numbers_of, plain_list
from factmark.stats.intervals import Floats, t_quantile
from factmark.stats.judge_line.sample import Codes, cluster_codes
from factmark.stats.judge_line.verdict_bias import JudgedUnits, p_of_all_zero, verdict_bias
from factmark.stats.paired import holm
from factmark.stats.rounding import CLOSE

_FEWEST = 5  # labels of a level that counts by itself
_MOST_LEVELS = 12
_OTHERS = "others"
_BANDS = 4
_MOST_LEVERAGE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBand:
    """Labelled units that are alike in a factor, and how much more the judge gave them than people.

    Attributes:
        name: a level, or from the least to the greatest number.
        error: the judge's number less people's, on average.
    """

    name: str
    error: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasTest:
    """Whether a judge's error goes by a factor.

    Attributes:
        kind: of `numbers`, or of `words`.
        effect: how much more the judge gives at the same value by people: by numbers the middle of
            the upper half than the middle of the lower half; by words the level that it favours
            most than the one it favours least.
        p, p_adjusted: of no effect; Holm's over the factors.
        bands: the levels, or quarters of the numbers.
        among: of yes and no, people's value of the units among which the bias shows most; None
            where it shows over all.
    """

    factor: str
    kind: Literal["numbers", "words"]
    effect: Estimate
    p: float
    p_adjusted: float
    bands: tuple[ErrorBand, ...]
    among: float | None = None

    @property
    def is_biased(self) -> bool:
        """Whether the error goes by the factor, at the level of the intervals."""
        return self.p_adjusted <= 1 - self.effect.level + CLOSE


@dataclass(frozen=True, slots=True, kw_only=True)
class _Labelled:
    """The labelled units: the judge's numbers, people's, and a code for each cluster."""

    judge: Floats
    people: Floats
    clusters: Codes


def bias_tests(
    judge: Sequence[float | None],
    people: Mapping[int, float],
    factors: Mapping[str, Values],
    *,
    clusters: Values | None = None,
    level: float = 0.95,
    is_drawn: bool = True,
) -> tuple[BiasTest, ...]:
    """Tests whether a judge's error goes by each of these factors.

    Args:
        judge: its number for each unit, on people's scale; None where it gave none.
        people: place of a unit -> what people said.
        factors: name -> a number or a word for each unit, None where that is not known.
        is_drawn: whether people were given units at random, or at random within each verdict; the
            verdicts on the others then count, too.

    Returns:
        A test for each factor that varies over at least two levels with five labels, in order.

    Raises:
        ValueError: a factor of another length than the judge's column.
    """
    tests = []
    items = list(range(len(judge)))
    if clusters is not None:
        items = plain_list(clusters)
    for name, given in factors.items():
        column = plain_list(given)
        if len(column) != len(judge):
            raise ValueError(f"{len(judge)} units but {len(column)} values of {name}")
        at = [p for p in sorted(people) if judge[p] is not None and column[p] is not None]
        labelled = _Labelled(
            judge=np.array([judge[place] for place in at], dtype=np.float64),
            people=np.array([people[place] for place in at], dtype=np.float64),
            clusters=cluster_codes([items[place] for place in at]),
        )
        whole = _NO_OTHERS
        if is_drawn and len(set(labelled.judge.tolist())) == 2:
            whole = _whole(judge, column, at)
        test = _test_of(name, [column[place] for place in at], labelled, whole, level)
        if test is not None:
            tests.append(test)
    adjusted = holm([test.p for test in tests])
    return tuple(replace(test, p_adjusted=p) for test, p in zip(tests, adjusted, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """All units with a verdict and a factor: it, the judge's numbers, and the places of the
    labelled ones; nothing where the others do not count."""

    column: Sequence[Any]
    judge: Floats
    labelled: Codes

    def units(self, levels: Sequence[str] | None) -> JudgedUnits | None:
        """Returns the units with the factor as columns: its ranks, or one for each level but the
        first; what is none of them is the level of the others, or the first."""
        if len(self.judge) <= len(self.labelled):
            return None
        if levels is None:
            numbers = numbers_of(self.column)
            if numbers is None:  # words stand further on
                return None
            factor = _score(numbers)[:, None]
        else:
            rest = _OTHERS if _OTHERS in levels else levels[0]
            names = [str(cell) if str(cell) in levels else rest for cell in self.column]
            each = [np.array([n == name for n in names], dtype=np.float64) for name in levels[1:]]
            factor = np.column_stack(each)
        return JudgedUnits(judge=self.judge, factor=factor, labelled=self.labelled)


_NO_OTHERS = _Whole(column=(), judge=np.zeros(0), labelled=np.zeros(0, dtype=np.int64))


def _whole(judge: Sequence[float | None], column: Sequence[Any], labelled: Sequence[int]) -> _Whole:
    """Returns the units with a verdict and a factor."""
    known = [p for p, n in enumerate(judge) if n is not None and column[p] is not None]
    return _Whole(
        column=[column[place] for place in known],
        judge=np.array([judge[place] for place in known], dtype=np.float64),
        labelled=np.searchsorted(known, labelled),
    )


def _test_of(
    name: str, column: Sequence[Any], labelled: _Labelled, whole: _Whole, level: float
) -> BiasTest | None:
    """Returns the test of a factor; None where it varies too little among the labels."""
    numbers = numbers_of(column)
    if numbers is None:
        levels = _levels(column)
        counts = Counter(levels)
        names = [level_name for level_name, _ in counts.most_common()]
        columns = [np.array([each == n for each in levels], dtype=np.float64) for n in names[1:]]
        codes = [names.index(each) for each in levels]
    else:
        ranks = _ranks(numbers)
        columns = [ranks]
        cuts = np.minimum((ranks * _BANDS).astype(int), _BANDS - 1)
        codes = cuts.tolist()
        names = [_range_of(numbers[cuts == band]) for band in range(_BANDS)]
    varies = len(names) > 1 and all(float(np.ptp(column)) > 0 for column in columns)
    if not varies or len(labelled.judge) < 2 * _FEWEST:
        return None
    regression = _regression(labelled, columns)
    p = p_of_all_zero(regression.slopes, regression.without, regression.df)
    among = None
    factor = np.column_stack(columns if numbers is None else [_score(numbers)])
    units = whole.units(names if numbers is None else None)
    by_verdict = verdict_bias(labelled.judge, labelled.people, factor, labelled.clusters, units)
    if by_verdict is not None:
        p, among = by_verdict
    contrast = np.array([0.5])  # from the middle of the lower half to that of the upper one
    if numbers is None:
        contrast = _widest(regression.slopes)
    return BiasTest(
        factor=name,
        kind="words" if numbers is None else "numbers",
        effect=_effect(regression, contrast, labelled, level),
        p=p,
        p_adjusted=p,
        bands=tuple(_bands(names, np.array(codes), labelled, level)),
        among=among,
    )


def _levels(column: Sequence[Any]) -> list[str]:
    """Returns a column of words, the rare ones as `others`."""
    counts = Counter(map(str, column))
    kept = {name for name, n in counts.most_common(_MOST_LEVELS) if n >= _FEWEST}
    levels = [str(value) if str(value) in kept else _OTHERS for value in column]
    if 0 < levels.count(_OTHERS) < _FEWEST and counts:  # too few for a level of their own
        most = counts.most_common(1)[0][0]
        levels = [most if name == _OTHERS else name for name in levels]
    return levels


def _ranks(numbers: Floats) -> Floats:
    """Returns the rank of each number from 0 to 1, equal numbers at their mean."""
    _, codes, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    middle = (last - counts + last) / 2
    return np.asarray(middle[codes] / len(numbers), dtype=np.float64)


def _score(numbers: Floats) -> Floats:
    """Returns numbers as a judge of yes and no may err by them: evenly by their rank, or by whether
    they lie in the upper half. The mean of both, each with the variance 1, loses little where
    either is so (Gastwirth 1966, "On robust procedures")."""
    ranks = _ranks(numbers)
    upper = (ranks > 0.5).astype(np.float64)
    return np.asarray(ranks / ranks.std() + upper / upper.std(), dtype=np.float64)


def _range_of(numbers: Floats) -> str:
    """Returns from where to where numbers go."""
    if not len(numbers):
        return ""
    low, high = float(numbers.min()), float(numbers.max())
    if low == high:
        return f"{low:g}"
    return f"{low:g} to {high:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Regression:
    """The judge's numbers on people's and a factor's columns.

    Attributes:
        slopes: of the factor's columns.
        covariance: theirs.
        without: the same, if they were all 0.
        df: degrees of freedom.
    """

    slopes: Floats
    covariance: Floats
    without: Floats
    df: int


def _regression(labelled: _Labelled, columns: Sequence[Floats]) -> _Regression:
    """Returns the regression on people's values and these columns."""
    beside = [np.ones(len(labelled.judge))]
    if float(np.ptp(labelled.people)) > 0:
        beside.append(labelled.people)
    x = np.column_stack([*beside, *columns])
    inverse = np.linalg.pinv(x.T @ x)
    hat = inverse @ x.T
    slopes = hat @ labelled.judge
    spread = np.sqrt(1 - np.clip(np.einsum("ij,ji->i", x, hat), 0, _MOST_LEVERAGE))
    groups = int(labelled.clusters.max()) + 1

    def covariance(residuals: Floats) -> Floats:
        scores = np.zeros((groups, x.shape[1]))
        np.add.at(scores, labelled.clusters, x * (residuals / spread)[:, None])
        few = groups / max(1, groups - 1)
        whole = few * inverse @ scores.T @ scores @ inverse
        return np.asarray(whole[len(beside) :, len(beside) :], dtype=np.float64)

    plain = np.column_stack(beside)
    alone = labelled.judge - plain @ np.linalg.lstsq(plain, labelled.judge, rcond=None)[0]
    return _Regression(
        slopes=slopes[len(beside) :],
        covariance=covariance(labelled.judge - x @ slopes),
        without=covariance(alone),
        df=max(1, groups - x.shape[1]),
    )


def _effect(
    regression: _Regression, contrast: Floats, labelled: _Labelled, level: float
) -> Estimate:
    """Returns a contrast of the slopes with Student's interval."""
    value = float(contrast @ regression.slopes)
    error = math.sqrt(max(0.0, float(contrast @ regression.covariance @ contrast)))
    half = t_quantile((1 + level) / 2, regression.df) * error
    return Estimate(
        value=value,
        low=value - half,
        high=value + half,
        level=level,
        method="Student's t over clusters, at the same value by people",
        n_items=int(labelled.clusters.max()) + 1,
        n_units=len(labelled.judge),
        n_labels=len(labelled.judge),
    )


def _widest(slopes: Floats) -> Floats:
    """Returns the contrast of the level that is favoured most with the one that is least; the first
    level has the slope 0."""
    every = np.concatenate([[0.0], slopes])
    contrast = np.zeros(len(every))
    contrast[int(np.argmax(every))] += 1
    contrast[int(np.argmin(every))] -= 1
    return contrast[1:]


def _bands(
    names: Sequence[str], codes: Codes, labelled: _Labelled, level: float
) -> list[ErrorBand]:
    """Returns the mean error of each band, with Student's interval over its clusters."""
    bands = []
    for code, name in enumerate(names):
        inside = codes == code
        if not inside.any():
            continue
        errors = (labelled.judge - labelled.people)[inside]
        groups = np.unique(labelled.clusters[inside], return_inverse=True)[1]
        n = int(groups.max()) + 1
        value = float(errors.mean())
        low = high = None
        if n > 1:
            sums = np.bincount(groups, errors - value)
            error = math.sqrt(n / (n - 1) * float(sums @ sums)) / len(errors)
            half = t_quantile((1 + level) / 2, n - 1) * error
            low, high = value - half, value + half
        estimate = Estimate(
            value=value,
            low=low,
            high=high,
            level=level,
            method="Student's t over clusters",
            n_items=n,
            n_units=len(errors),
            n_labels=len(errors),
        )
        bands.append(ErrorBand(name=name, error=estimate))
    return bands
