"""The simulation behind the correction, in small; `make coverage` runs it in full."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from published_corrections import ppi_plus_plus

from factmark.stats import corrected_share
from simulations import simulation_module


@pytest.fixture(scope="module")
def correction() -> ModuleType:
    return simulation_module("correction")


@pytest.fixture
def small(correction: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(correction, "SHARES", (0.7, 0.99))
    monkeypatch.setattr(correction, "LABELS", (50,))
    monkeypatch.setattr(correction, "LABELS_OF_ITEMS", (96,))
    return correction


def test_the_simulation_repeats_itself_and_shows_which_methods_hold(small: ModuleType) -> None:
    assert small.rows(2) == small.rows(2)
    rows = list(small.rows_of_bar(200))
    used = [row for row in rows if row["used"]]
    assert len(used) == len(small.JUDGES) * 2
    # At 94.5 % the standard error of 200 runs is 1.6 %.
    assert all(row["coverage"] >= 0.9 and row["width_ratio"] < 1.05 for row in used)
    assert min(row["coverage"] for row in rows if row["method"] == "ppi++") < 0.6
    assert min(row["coverage"] for row in rows if row["method"] == "judge-only") < 0.05
    assert all(row["coverage"] >= 0.85 for row in small.rows_of_kinds(60))
    assert all(row["coverage"] >= 0.8 for row in small.rows_of_clusters(40))


@pytest.mark.parametrize("method", ["mover", "ppi++", "human-only", "judge-only"])
def test_tallies_give_what_units_give(
    correction: ModuleType, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(correction, "UNITS", 400)
    world = correction.yes_no(0.7, "80 % judge")
    labelled, totals = correction.drawn(np.random.default_rng(1), world, 60, 5)
    found = correction.METHODS[method](labelled, totals, world.worth)
    for seen, total, bounds in zip(labelled, totals, found, strict=True):
        verdicts, said = [], {}
        for k, name in enumerate(("yes", "no")):
            values = [False] * seen[k, 0] + [True] * seen[k, 1]
            said |= {len(verdicts) + place: value for place, value in enumerate(values)}
            verdicts += [name] * int(total[k])
        if method == "ppi++":
            made = ppi_plus_plus([float(name == "yes") for name in verdicts], said)
        else:
            made = corrected_share(verdicts, said, method=method)  # type: ignore[arg-type]
        assert (made.low, made.high) == pytest.approx(tuple(bounds), abs=1e-9)
