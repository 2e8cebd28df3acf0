"""How often agreement's intervals hold the truth: a small seeded run of the benchmark."""

from __future__ import annotations

import pytest

from simulations import simulation

benchmark = simulation("agreement")


@pytest.mark.parametrize(("setting", "size"), [("balanced", 4), ("few units tell", 1)])
def test_coverage(setting: str, size: int) -> None:
    """Of 100 samples of 50 units, nominal 95 %; where few units tell, BCa alone holds 50 %."""
    rows = list(benchmark.case(100, setting, 50, size))
    assert {row["statistic"] for row in rows} == {"alpha", "AC1", "kappa"}
    for row in rows:
        assert row["coverage"] >= 0.9, row
        assert row["undefined"] <= 0.1
