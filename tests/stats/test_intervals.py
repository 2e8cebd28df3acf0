"""Intervals of a share: constants worked by hand, other tools, coverage, and the edges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.stats.intervals import clopper_pearson, wilson
from later import later

stats = later("scipy.stats")


Z = 1.959963984540054
INTERVALS = {"wilson": wilson, "clopper-pearson": clopper_pearson}
shares = st.floats(0, 1)
sizes = st.floats(0.5, 1e5)
levels = st.floats(0.5, 0.999)


def test_wilson_by_hand() -> None:
    # share 0, n 10: centre and spread are both z²/20, so low is 0 and high z²/(10 + z²).
    assert wilson(0.0, 10) == (0.0, pytest.approx(Z**2 / (10 + Z**2)))


def test_clopper_pearson_by_hand() -> None:
    # No success in 10: high solves (1 - p)^10 = 0.025.
    assert clopper_pearson(0.0, 10) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert clopper_pearson(1.0, 10) == (pytest.approx(0.025**0.1), 1.0)


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (3, 10), (10, 20), (99, 100), (7, 5000)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_both_intervals_are_those_of_scipy(hits: int, n: int, level: float) -> None:
    for method, ours in (("wilson", wilson), ("exact", clopper_pearson)):
        theirs = stats.binomtest(hits, n).proportion_ci(level, method=method)
        assert ours(hits / n, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize("name", INTERVALS)
@given(share=shares, n=sizes, level=levels)
def test_holds_the_share_and_has_width(name: str, share: float, n: float, level: float) -> None:
    low, high = INTERVALS[name](share, n, level)
    assert 0 <= low <= share <= high <= 1
    assert high > low


@pytest.mark.parametrize("name", INTERVALS)
@pytest.mark.parametrize(
    "bad",
    [(0.5, 0, 0.95), (1.5, 10, 0.95), (0.5, 10, 1.0), (math.nan, 10, 0.95), (0.5, math.inf, 0.95)],
)
def test_refuses_what_has_no_interval(name: str, bad: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="needs n > 0"):
        INTERVALS[name](*bad)
