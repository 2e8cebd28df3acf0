"""What holds of agreement whatever the ratings are."""

from __future__ import annotations

from dataclasses import fields
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.model import Estimate
from factmark.stats import Ratings, measure_agreement
from factmark.stats.coefficients import Metric
from rated import bounds, ratings_of

BOUNDS = {
    "exact": (0, 1),
    "within_one": (0, 1),
    "fleiss": (-np.inf, 1),
    "ac2": (-np.inf, 1),
    "icc": (-np.inf, 1),  # of few units the variances in its denominator nearly cancel
    "icc_mean": (-np.inf, 1),
}


@st.composite
def any_ratings(draw: st.DrawFn) -> Ratings:
    labels = list(range(draw(st.integers(3, 5))))
    used = labels[: draw(st.integers(1, len(labels)))]
    given_label = st.sampled_from([*used, None])
    units = draw(st.integers(0, 14))
    count = draw(st.sampled_from([1, 2, 2, 3, 4]))
    columns = [draw(st.lists(given_label, min_size=units, max_size=units)) for _ in range(count)]
    return ratings_of(columns, labels, size=draw(st.integers(1, 3)))  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@settings(max_examples=15)
@given(any_ratings(), st.sampled_from([0.8, 0.95]), st.integers(0, 3))
def test_bounds_hold_the_value(scale: Metric, ratings: Ratings, level: float, seed: int) -> None:
    found, again = (
        measure_agreement(ratings, scale=scale, level=level, resamples=60, seed=seed)
        for _ in range(2)
    )
    assert found == again
    estimates = {field.name: getattr(found, field.name) for field in fields(found)}
    for name, estimate in estimates.items():
        if not isinstance(estimate, Estimate):
            continue
        if estimate.value is None:
            assert (estimate.low, estimate.high) == (None, None)
            assert estimate.method.startswith("none (")
            continue
        low, high = bounds(estimate)
        least, most = BOUNDS.get(name, (-1, 1))
        assert least <= low <= estimate.value <= high <= most
        assert high - low > 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_neither_the_order_of_units_nor_the_names_of_clusters_matter(seed: int) -> None:
    random = Random(seed)
    rows = [{"ada": random.randint(0, 3), "ben": random.randint(0, 3)} for _ in range(14)]
    clusters = [f"c{place // 2}" for place in range(14)]
    names = {name: f"d{place}" for place, name in enumerate(random.sample(clusters[::2], 7))}
    places = random.sample(range(14), 14)
    estimates = []
    for of_rows, of_clusters in (
        (rows, clusters),
        ([rows[place] for place in places], [names[clusters[place]] for place in places]),
    ):
        ratings = Ratings(labels=(0, 1, 2, 3), rows=of_rows, clusters=of_clusters)
        found = measure_agreement(ratings, scale="ordinal", resamples=60)
        estimates.append(
            [(e.value, e.low, e.high) for e in (found.alpha, found.exact, found.fleiss)]
        )
    assert estimates[0] == estimates[1]
