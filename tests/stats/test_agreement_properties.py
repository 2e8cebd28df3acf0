"""What holds of agreement whatever the ratings are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
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
def any_ratings(draw: st.DrawFn) -> Ratings:
    labels = list(range(draw(st.integers(3, 5))))
    used = labels[: draw(st.integers(1, len(labels)))]
    given_label = st.sampled_from([*used, None])
    units = draw(st.integers(0, 14))
    count = draw(st.sampled_from([1, 2, 2, 3, 4]))
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
    measures = OF_ANY | (OF_TWO if len(ratings.raters) == 2 else {})
    for name, measure in measures.items():
        estimate = measure(ratings, level=level, resamples=60, seed=seed)
        holds(name, estimate)
        assert estimate == measure(ratings, level=level, resamples=60, seed=seed)
