"""Wilson and t: a constant worked by hand, another tool, and the edges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from factmark.stats import t_quantile, wilson


def test_wilson_by_hand() -> None:
    # share 0, n 10: centre and spread are both z²/20, so low is 0 and high z²/(10 + z²).
    z2 = 1.959963984540054**2
    assert wilson(0.0, 10) == (0.0, pytest.approx(z2 / (10 + z2)))


@pytest.mark.parametrize(("hits", "n"), [(0, 1), (1, 1), (3, 10), (10, 20), (99, 100)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_against_scipy(hits: int, n: int, level: float) -> None:
    theirs = stats.binomtest(hits, n).proportion_ci(level, method="wilson")
    assert wilson(hits / n, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(st.floats(0, 1), st.integers(1, 10_000), st.floats(0.5, 0.999))
def test_wilson_holds_the_share_and_has_width(share: float, n: int, level: float) -> None:
    low, high = wilson(share, n, level)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1
    assert high > low


@pytest.mark.parametrize("bad", [(0.5, 0, 0.95), (1.5, 10, 0.95), (0.5, 10, 1.0)])
def test_wilson_refuses_what_has_no_interval(bad: tuple[float, int, float]) -> None:
    with pytest.raises(ValueError, match="wilson needs"):
        wilson(*bad)


def test_t_by_hand() -> None:
    # With one degree of freedom it is Cauchy's: tan(pi (p - 1/2)); p = 0.75 gives 1.
    assert t_quantile(0.75, 1) == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("df", [1, 2, 3, 9, 19, 49, 500])
@pytest.mark.parametrize("probability", [0.6, 0.9, 0.975, 0.995])
def test_t_against_scipy(probability: float, df: int) -> None:
    assert t_quantile(probability, df) == pytest.approx(stats.t.ppf(probability, df), rel=1e-5)
