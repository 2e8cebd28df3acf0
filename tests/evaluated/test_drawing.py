"""Whether people were given units of all groups alike, by Fisher's exact test."""

from __future__ import annotations

import numpy as np
import pytest

from factmark.evaluated.drawing import fisher, unequal_rates


def test_the_lady_tasting_tea() -> None:
    """Fisher 1935: three of four cups right, by hand (1 + 16) / 70 on either side."""
    assert fisher(3, 4, 4, 8) == pytest.approx(34 / 70)


@pytest.mark.parametrize(("hit", "size", "drawn", "total"), [(9, 30, 40, 400), (0, 15, 60, 300)])
def test_fisher_is_that_of_scipy(hit: int, size: int, drawn: int, total: int) -> None:
    """The value of another tool."""
    stats = pytest.importorskip("scipy.stats")
    table = [[hit, size - hit], [drawn - hit, total - size - drawn + hit]]
    assert fisher(hit, size, drawn, total) == pytest.approx(stats.fisher_exact(table).pvalue)


def test_a_group_of_which_more_were_drawn_is_named() -> None:
    """Three in ten against one in a hundred is no chance; three groups drawn alike are."""
    groups = np.arange(3000, dtype=np.int32) % 3
    often = (groups == 0) & (np.arange(3000) % 10 < 3)
    seldom = (groups > 0) & (np.arange(3000) % 100 == 7)
    rates = unequal_rates(("a", "b", "c"), groups, often | seldom)
    assert {rate.name for rate in rates} >= {"a"}
    assert rates[0].labelled == int(often.sum())
    alike = np.random.default_rng(1).random(3000) < 0.1
    assert unequal_rates(("a", "b", "c"), groups, alike) == []
