"""What holds of agreement whatever the ratings are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.model import Estimate
from factmark.stats import Ratings
from rated import (
    bounds,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    kendall_tau_b,
    krippendorff_alpha,
    percent_agreement,
    ratings_of,
    value,
)

Measure = Callable[..., Estimate]
OF_ANY: dict[str, Measure] = {
    "alpha nominal": krippendorff_alpha,
    "alpha ordinal": lambda ratings, **how: krippendorff_alpha(ratings, "ordinal", **how),
    "alpha interval": lambda ratings, **how: krippendorff_alpha(ratings, "interval", **how),
    "AC1": gwet_ac,
    "AC2 linear": lambda ratings, **how: gwet_ac(ratings, "linear", **how),
    "AC2 quadratic": lambda ratings, **how: gwet_ac(ratings, "quadratic", **how),
    "AC2 ordinal": lambda ratings, **how: gwet_ac(ratings, "ordinal", **how),
    "Fleiss": fleiss_kappa,
    "exact": percent_agreement,
    "within one": lambda ratings, **how: percent_agreement(ratings, 1, **how),
}
OF_TWO: dict[str, Measure] = {
    "Cohen": cohen_kappa,
    "Cohen linear": lambda ratings, **how: cohen_kappa(ratings, "linear", **how),
    "Cohen quadratic": lambda ratings, **how: cohen_kappa(ratings, "quadratic", **how),
    "tau-b": kendall_tau_b,
}
BOUNDS = {"exact": (0, 1), "within one": (0, 1), "Fleiss": (-np.inf, 1)}
BOUNDS |= {name: (-np.inf, 1) for name in OF_ANY if name.startswith("AC2")}


@st.composite
def any_ratings(draw: st.DrawFn, raters: int | None = None, missing: bool = True) -> Ratings:
    labels = list(range(draw(st.integers(3, 5))))
    used = labels[: draw(st.integers(1, len(labels)))]
    given_label = st.sampled_from([*used, None] if missing else used)
    units = draw(st.integers(0, 14))
    count = raters or draw(st.integers(1, 4))
    columns = [draw(st.lists(given_label, min_size=units, max_size=units)) for _ in range(count)]
    return ratings_of(columns, labels, size=draw(st.integers(1, 3)))  # type: ignore[arg-type]


def holds(name: str, estimate: Estimate) -> None:
    if estimate.value is None:
        assert (estimate.low, estimate.high) == (None, None)
        assert estimate.method.startswith("none (")
        return
    low, high = bounds(estimate)
    least, most = BOUNDS.get(name, (-1, 1))
    assert least <= low <= estimate.value <= high <= most
    assert high - low > 1e-9


@settings(max_examples=30)
@given(any_ratings(), st.sampled_from([0.8, 0.95]), st.integers(0, 3))
def test_bounds_hold_the_value(ratings: Ratings, level: float, seed: int) -> None:
    for name, measure in OF_ANY.items():
        estimate = measure(ratings, level=level, resamples=60, seed=seed)
        holds(name, estimate)
        assert estimate == measure(ratings, level=level, resamples=60, seed=seed)


@given(any_ratings(raters=2))
def test_bounds_hold_the_value_of_two(ratings: Ratings) -> None:
    for name, measure in OF_TWO.items():
        holds(name, measure(ratings, resamples=60))


@settings(max_examples=30)
@given(any_ratings(), st.integers(0, 4))
def test_labels_nobody_used_do_no_harm(ratings: Ratings, more: int) -> None:
    wider = Ratings(
        labels=(*ratings.labels, *range(100, 100 + more)),
        rows=ratings.rows,
        clusters=ratings.clusters,
        values=(*ratings.worth, *range(100, 100 + more)),
    )
    for name, measure in OF_ANY.items():
        holds(name, measure(wider, resamples=40))
    for measure in (krippendorff_alpha, fleiss_kappa):
        assert measure(wider, resamples=40).value == measure(ratings, resamples=40).value


@settings(max_examples=30)
@given(any_ratings(), st.randoms(use_true_random=False))
def test_names_of_labels_do_not_matter(ratings: Ratings, source: object) -> None:
    order = list(ratings.labels)
    source.shuffle(order)  # type: ignore[attr-defined]
    renamed = dict(zip(ratings.labels, order, strict=True))
    rows = [{rater: renamed[label] for rater, label in row.items()} for row in ratings.rows]
    other = Ratings(labels=ratings.labels, rows=rows, clusters=ratings.clusters)
    for measure in (krippendorff_alpha, gwet_ac, fleiss_kappa, percent_agreement):
        ours, theirs = measure(ratings, resamples=60), measure(other, resamples=60)
        assert (ours.value is None) == (theirs.value is None)
        if ours.value is not None:
            assert bounds(theirs) == pytest.approx(bounds(ours), abs=1e-9)
            assert theirs.value == pytest.approx(ours.value, abs=1e-11)


@given(any_ratings(raters=2, missing=False))
def test_of_two_complete_raters_fleiss_and_alpha_differ_by_the_small_sample_term(
    ratings: Ratings,
) -> None:
    # Krippendorff 2019, 12.2: 1 - alpha = (1 - pi) (n - 1) / n, n ratings in all.
    pi, alpha = fleiss_kappa(ratings, resamples=20), krippendorff_alpha(ratings, resamples=20)
    assert (pi.value is None) == (alpha.value is None)
    if pi.value is not None:
        n = 2 * len(ratings.rows)
        assert 1 - value(alpha) == pytest.approx((1 - pi.value) * (n - 1) / n, abs=1e-9)
