"""Agreement between raters, each coefficient with an interval from resampling clusters.

Report alpha and AC1 side by side: when one label prevails alpha and kappa fall towards 0 however
often raters agree, since chance would agree as often, while AC1 stays high (Feinstein and Cicchetti
1990, "High agreement but low kappa"). Either alone misleads; the shares of the labels say which.

A unit with fewer than two ratings compares nothing; it is in `n_missing`. Fleiss' kappa and Gwet's
coefficients still take the shares of labels from it, as their author does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from factmark.model import Estimate, Scale, content_hash
from factmark.stats import coefficients
from factmark.stats.coefficients import (
    MOST_CATEGORIES,
    Codes,
    Coefficient,
    Metric,
    agreement_weights,
)
from factmark.stats.given_columns import plain_list
from factmark.stats.intervals import (
    RESAMPLES,
    Floats,
    Interval,
    bootstrap_interval,
    combine_all,
    no_estimate,
    normal_quantile,
    standard_error,
)
from factmark.stats.rounding import CLOSE

Label = str | int | float


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

    All four may be arrays or columns of a DataFrame.

    Raises:
        ValueError: when the parts do not fit together; says which.
    """

    labels: tuple[Label, ...]
    rows: Sequence[Mapping[str, Label]]
    clusters: Sequence[str]
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for name, kind in (
            ("labels", tuple),
            ("rows", list),
            ("clusters", list),
            ("values", tuple),
        ):
            object.__setattr__(self, name, kind(plain_list(getattr(self, name))))
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
        unknown = {label for row in self.rows for label in row.values()} - set(self.labels)
        if unknown:
            raise ValueError(
                f"labels given but not offered: {sorted(unknown, key=repr)}; add them to `labels`, "
                "or leave out what is no label"
            )

    @property
    def worth(self) -> tuple[float, ...]:
        """The number that each label stands for on an interval scale, in the order of `labels`."""
        if self.values:
            return self.values
        numbers = []
        for label in self.labels:
            if not isinstance(label, str):
                numbers.append(label)
        if len(numbers) == len(self.labels):
            return tuple(float(number) for number in numbers)
        return tuple(float(place) for place in range(1, len(self.labels) + 1))

    @property
    def raters(self) -> tuple[str, ...]:
        """The names of all who gave any rating, sorted."""
        return tuple(sorted({rater for row in self.rows for rater in row}))

    @property
    def codes(self) -> Codes:
        """Each rating as the place of its label in `labels`, from 0; -1 where there is no rating.
        Shape (units, raters).
        """
        raters = {rater: place for place, rater in enumerate(self.raters)}
        labels = {label: place for place, label in enumerate(self.labels)}
        codes = np.full((len(self.rows), len(raters)), -1, dtype=np.int64)
        for unit, row in enumerate(self.rows):
            for rater, label in row.items():
                codes[unit, raters[rater]] = labels[label]
        return codes

    def crossed(self, ones: Collection[str], others: Collection[str]) -> Ratings:
        """Returns ratings that pair every rating by `ones` with every rating by `others`, such as a
        judge with each person.

        Each pair becomes a unit rated by `ones` and `others`, under its unit's cluster; so what is
        measured is agreement across the groups and none within, and a unit weighs as many times as
        it has pairs. A unit rated by one group alone stays, as one unit without a partner. Nobody
        is paired with themself.
        """
        rows: list[dict[str, Label]] = []
        clusters: list[str] = []
        for row, cluster in zip(self.rows, self.clusters, strict=True):
            left = []
            for rater in sorted(ones):
                if rater in row:
                    left.append(rater)
            right = []
            for rater in sorted(others):
                if rater in row:
                    right.append(rater)
            pairs = []
            for a in left:
                for b in right:
                    if a != b:
                        pairs.append({"ones": row[a], "others": row[b]})
            alone = [{"ones": row[a]} for a in left[:1]] or [{"others": row[b]} for b in right[:1]]
            new = pairs or alone or [{}]
            rows += new
            clusters += [cluster] * len(new)
        return Ratings(labels=self.labels, rows=rows, clusters=clusters, values=self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """All that says how far raters agree.

    Attributes:
        alpha: Krippendorff's, in the metric of the scale; to be read beside `ac1`.
        ac1: Gwet's AC1.
        ac2: Gwet's AC2, by ordinal weights on an ordinal scale, quadratic on an interval one.
        exact: the share of pairs of ratings that are the same.
        within_one: the share at most one step apart.
        fleiss: Fleiss' kappa.
        cohen, cohen_linear, cohen_quadratic: Cohen's kappa, of two raters.
        tau_b: Kendall's, of two raters.
        icc, icc_mean: ICC(2,1) of one rating, ICC(2,k) of the mean of a unit's ratings.
        raters, labels: whose ratings, and the scale.
        confusion: shape (q, q). Of two raters: how many units the first (row) and the second
            (column) gave which labels. Of more: Krippendorff's coincidences, symmetric.
        shares: label -> its share of all ratings.
        n_units: units with two or more ratings.
        n_left_out: units with fewer.

    On a nominal scale, or with two labels, what weighs how far apart labels are is None; so is what
    is of two raters when there are more, or fewer.
    """

    alpha: Estimate
    ac1: Estimate
    ac2: Estimate | None
    exact: Estimate
    within_one: Estimate | None
    fleiss: Estimate
    cohen: Estimate | None
    cohen_linear: Estimate | None
    cohen_quadratic: Estimate | None
    tau_b: Estimate | None
    icc: Estimate | None
    icc_mean: Estimate | None
    raters: tuple[str, ...]
    labels: tuple[Label, ...]
    confusion: tuple[tuple[float, ...], ...]
    shares: Mapping[Label, float]
    n_units: int
    n_left_out: int

    @property
    def kappa(self) -> Estimate:
        """Cohen's of two raters, Fleiss' of more."""
        return self.cohen or self.fleiss


def measure_agreement(
    ratings: Ratings,
    *,
    scale: Metric = "nominal",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Agreement:
    """Every coefficient that applies to the ratings on their scale, each with its interval."""
    q = len(ratings.labels)
    worth = ratings.worth
    codes = ratings.codes
    raters = ratings.raters
    few = scale != "interval" or q <= MOST_CATEGORIES
    two = len(raters) == 2
    ordered = scale != "nominal" and q > 2
    ranked = scale != "nominal"
    weighted = agreement_weights("ordinal" if scale == "ordinal" else "quadratic", worth)
    given = coefficients.label_counts(codes, q).sum(axis=0)
    if two:
        pairs = coefficients.pair_counts(codes, q)
    else:
        pairs = coefficients.coincidences(codes, q)
    paired = int(((codes >= 0).sum(axis=1) >= 2).sum())

    def estimate(coefficient: Coefficient) -> Estimate:
        return estimate_agreement(ratings, coefficient, level=level, resamples=resamples, seed=seed)

    def by_label(coefficient: Callable[[], Coefficient]) -> Estimate:
        """Of labels as categories, which numbers from 0 to 100 are not."""
        if few:
            return estimate(coefficient())
        why = f"none (of more than {MOST_CATEGORIES} numbers: hardly two are the same)"
        return no_estimate(level, why, n_missing=len(codes) - paired, n_units=paired)

    def where(applies: bool, coefficient: Callable[[], Coefficient]) -> Estimate | None:
        if applies:
            return estimate(coefficient())
        return None

    return Agreement(
        alpha=estimate(coefficients.alpha(scale, worth)),
        ac1=by_label(lambda: coefficients.gwet(np.eye(q))),
        ac2=where(few and ordered, lambda: coefficients.gwet(weighted)),
        exact=estimate(coefficients.share_within(0, q)),
        within_one=where(ordered, lambda: coefficients.share_within(1, q)),
        fleiss=by_label(lambda: coefficients.fleiss(q)),
        cohen=by_label(lambda: coefficients.cohen("identity", worth)) if two else None,
        cohen_linear=where(few and two and ordered, lambda: coefficients.cohen("linear", worth)),
        cohen_quadratic=where(
            few and two and ordered, lambda: coefficients.cohen("quadratic", worth)
        ),
        tau_b=where(few and two and ranked, lambda: coefficients.tau_b(q)),
        icc=where(ordered, lambda: coefficients.intraclass(worth, len(raters))),
        icc_mean=where(ordered, lambda: coefficients.intraclass(worth, len(raters), mean=True)),
        raters=raters,
        labels=ratings.labels,
        confusion=tuple(tuple(map(float, row)) for row in pairs.sum(axis=0).reshape(q, q)),
        shares=dict(zip(ratings.labels, map(float, given / max(given.sum(), 1)), strict=True)),
        n_units=paired,
        n_left_out=len(codes) - paired,
    )


def estimate_agreement(
    ratings: Ratings,
    coefficient: Coefficient,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Returns a coefficient with its interval; value None where it is undefined, with the reason in
    `method`.

    `n_items` are the clusters whose units contribute, `n_units` the units with two ratings or more,
    `n_missing` all others.

    Raises:
        ValueError: for a coefficient of two raters when there are more.
    """
    codes = ratings.codes
    if coefficient.two and codes.shape[1] > 2:
        raise ValueError(
            f"{coefficient.name} is of two raters and there are {codes.shape[1]}: give the "
            "ratings of two, or pair two groups by Ratings.crossed"
        )
    rated = (codes >= 0).sum(axis=1)
    paired = int((rated >= 2).sum())
    missing = len(codes) - paired
    if not paired:
        return no_estimate(level, "none (no unit has two ratings)", n_missing=missing)
    units = coefficient.tally(codes)
    used = np.flatnonzero(units.any(axis=1)).tolist()
    names = [ratings.clusters[unit] for unit in used]
    tallies = sums_by_cluster(units[used], names)
    value = combine_all(tallies, coefficient.combine)
    data = content_hash(coefficient.name, ratings.worth, tallies.astype("<f8").tobytes().hex())
    scale = Scale(*coefficient.bounds)
    if not math.isfinite(value):
        none = no_estimate(
            level,
            f"none (undefined: {coefficient.undefined})",
            n_missing=missing,
            n_items=len(tallies),
            n_units=paired,
            data=data,
        )
        return replace(none, scale=scale)
    design_effect = _design_effect(tallies, units[used], coefficient)
    clusters = float(np.count_nonzero(tallies[:, coefficient.mass].sum(axis=1) > 0))
    effective = max(clusters, paired / max(1.0, design_effect) if design_effect else 0.0)
    drawn = bootstrap_interval(
        tallies,
        coefficient.combine,
        level=level,
        resamples=resamples,
        seed=seed,
        bounds=coefficient.bounds,
    )
    inner = drawn or Interval(low=value, high=value, method="resampling cannot tell")
    share = normal_quantile((1 + level) / 2) ** 2 / effective
    interval = _widen(inner, tallies, coefficient, codes, share)
    worst, best = _extremes(coefficient, value, paired, missing)
    return Estimate(
        value=_without_rounding_error(value),
        low=_without_rounding_error(interval.low),
        high=_without_rounding_error(interval.high),
        level=level,
        method=interval.method,
        n_items=len(tallies),
        n_units=paired,
        n_missing=missing,
        worst=worst,
        best=best,
        design_effect=design_effect,
        seed=seed if "resamples" in interval.method else None,
        data=data,
        scale=scale,
    )


def _without_rounding_error(value: float) -> float:
    """Rounds to 12 decimals, so that what should be 0 or 1 is exactly that."""
    return round(value, 12) + 0.0


def sums_by_cluster(units: Floats, names: Sequence[str]) -> Floats:
    """Returns the sum of each cluster's rows, shape (m, d), sorted by the sums: what clusters are
    called, or which comes first, draws no other resamples."""
    places = {}
    for place, name in enumerate(sorted(set(names))):
        places[name] = place
    cluster = np.array([places[name] for name in names], dtype=np.int64)
    columns = [np.bincount(cluster, weights=column) for column in units.T]
    sums: Floats = np.column_stack(columns)
    return sums[np.lexsort(sums.T)]


def _widen(
    inner: Interval, tallies: Floats, coefficient: Coefficient, codes: Codes, share: float
) -> Interval:
    """Returns the bootstrap's interval, widened to the values that a few more units could give.

    Resampling knows only what was seen: when two units of fifty tell of the rarer label, its
    interval is far too narrow (a nominal 95 % held the truth in half of simulated samples); when
    raters never differ, it has no width. The Wilson interval of a share that was never seen in n
    ends where z² more would all have shown it. So here: the interval holds every value that the
    coefficient would have if z² more effective units had all got the same two labels. With more
    than a few units of each sort that lies within the bootstrap's anyway. What it gains and costs
    is measured in benchmarks/coverage/agreement.py.

    Args:
        share: z² over how many independent units those with two ratings are worth; where that is
            not known, over the clusters that they are in.
    """
    low = inner.low
    high = inner.high
    for pairs in _possible_pairs(codes, coefficient):
        imagined = _values_with_more_units(tallies, coefficient, pairs, share)
        low = min([low, *imagined])
        high = max([high, *imagined])
        if high - low > CLOSE:
            break
    low = max(coefficient.bounds[0], low)
    high = min(coefficient.bounds[1], high)
    if low >= inner.low - CLOSE and high <= inner.high + CLOSE:
        return inner
    return Interval(low=low, high=high, method=f"{inner.method}, widened by z² more units")


def _possible_pairs(codes: Codes, coefficient: Coefficient) -> Iterator[Codes]:
    """Yields the pairs of labels that a further unit could get, shape (pairs, 2): likely ones
    first.

    First the pairs that some unit got, and two of the same for each label that some rater gave
    (where order alone counts those are no likelier than others); then any two of the labels that
    were given; then any two on the scale.
    """
    q = coefficient.labels
    if coefficient.two:
        unit = coefficients.pair_counts
    else:
        unit = coefficients.coincidences
    seen = unit(codes, q).sum(axis=0).reshape(q, q) > 0
    given = np.unique(codes[codes >= 0])
    if not coefficient.ranks:
        seen[given, given] = True
    yield np.argwhere(seen)
    yield np.array([(left, right) for left in given for right in given])
    yield np.argwhere(np.ones((q, q)))


def _values_with_more_units(
    tallies: Floats, coefficient: Coefficient, pairs: Codes, share: float
) -> list[float]:
    """Returns, for each pair of labels, the coefficient if `share` more units had all got that
    pair.
    """
    rows = coefficient.tally(pairs)
    more = share * tallies[:, coefficient.mass].sum()
    rows *= (more / rows[:, coefficient.mass].sum(axis=1))[:, None]
    values = coefficient.combine(tallies.sum(axis=0) + rows)
    units = []
    for value in values:
        if math.isfinite(value):
            units.append(float(value))
    return units


def _extremes(
    coefficient: Coefficient, value: float, paired: int, missing: int
) -> tuple[float | None, float | None]:
    """Returns the worst and the best case of a plain share; (None, None) for other coefficients."""
    if not coefficient.share:
        return None, None
    total = paired + missing
    return value * paired / total, (value * paired + missing) / total


def _design_effect(tallies: Floats, units: Floats, coefficient: Coefficient) -> float | None:
    """Returns the variance of the value with whole clusters over that with independent units
    (jackknife).
    """
    if len(tallies) == len(units):
        return 1.0
    ours = standard_error(tallies, coefficient.combine)
    independent = standard_error(units, coefficient.combine)
    if ours > CLOSE and independent > CLOSE:
        return (ours / independent) ** 2
    return None
