"""The simulation behind the choice of intervals, in small; `make coverage` runs it in full."""

from __future__ import annotations

from types import ModuleType

import pytest

from simulations import simulation


@pytest.fixture(scope="module")
def clusters() -> ModuleType:
    return simulation("clusters")


def test_exact_rows_of_independent_units(clusters: ModuleType) -> None:
    rows = {(row["method"], row["setting"], row["n"]): row for row in clusters._shares()}
    # Wald, n 10, p 0.99: only 9 of 10 holds 0.99 (0.9 ± 0.186), 10 * 0.99^9 * 0.01; and 8 of 10
    # (0.8 ± 0.248), 45 * 0.99^8 * 0.01²; and 7 of 10 does not (0.7 ± 0.284).
    wald = rows["wald", "independent, p 0.99", 10]
    assert wald["coverage"] == pytest.approx(10 * 0.99**9 * 0.01 + 45 * 0.99**8 * 0.01**2)
    assert rows["clopper-pearson", "independent, p 0.8", 50]["coverage"] >= 0.95
