"""The simulation behind the correction, in small; `make coverage` runs it in full."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from factmark.stats import corrected_share

PATH = Path(__file__).parents[2] / "benchmarks" / "coverage" / "correction.py"


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coverage_of_correction", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for it
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def small(simulation: ModuleType, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(simulation, "SHARES", (0.7, 0.99))
    monkeypatch.setattr(simulation, "LABELS", (50,))
    monkeypatch.setattr(simulation, "LABELS_OF_ITEMS", (96,))
    return simulation


def test_rows(small: ModuleType) -> None:
    assert small.rows(3) == small.rows(3)
    rows = list(small.rows_of_bar(400))
    used = [row for row in rows if row["used"]]
    assert len(used) == len(small.JUDGES) * 2
    # At 94.5 % the standard error of 400 runs is 1.1 %.
    assert all(row["coverage"] >= 0.91 and row["width_ratio"] < 1.05 for row in used)
    assert min(row["coverage"] for row in rows if row["method"] == "ppi++") < 0.6
    assert min(row["coverage"] for row in rows if row["method"] == "judge-only") < 0.05
    assert all(row["coverage"] >= 0.88 for row in small.rows_of_kinds(200))
    assert all(row["coverage"] >= 0.85 for row in small.rows_of_clusters(100))


@pytest.mark.parametrize("method", ["mover", "ppi++", "human-only", "judge-only"])
def test_tallies_give_what_units_give(
    simulation: ModuleType, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setattr(simulation, "UNITS", 400)
    world = simulation.yes_no(0.7, "80 % judge")
    labelled, totals = simulation.drawn(np.random.default_rng(1), world, 60, 5)
    found = simulation.METHODS[method](labelled, totals, world.worth)
    for seen, total, bounds in zip(labelled, totals, found, strict=True):
        verdicts, said = [], {}
        for k, name in enumerate(("yes", "no")):
            values = [False] * seen[k, 0] + [True] * seen[k, 1]
            said |= {len(verdicts) + place: value for place, value in enumerate(values)}
            verdicts += [name] * int(total[k])
        made = corrected_share(verdicts, said, method=method)  # type: ignore[arg-type]
        assert (made.low, made.high) == pytest.approx(tuple(bounds), abs=1e-9)


def test_tallies_of_items_give_what_units_give(
    simulation: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "UNITS", 400)
    generator = np.random.default_rng(2)
    true = generator.random((50, 8)) < generator.beta(2, 1, 50)[:, None]
    yes = true ^ (generator.random((50, 8)) < 0.2)
    places = generator.choice(400, 80, replace=False)
    of_items = yes.sum(axis=1)
    bounds = simulation.clustered_bounds(
        yes.ravel()[places], true.ravel()[places], places // 8,
        (float(of_items.sum()), float((of_items**2).sum())),
    )  # fmt: skip
    made = corrected_share(
        ["yes" if one else "no" for one in yes.ravel()],
        {int(place): bool(true.ravel()[place]) for place in places},
        clusters=[str(place // 8) for place in range(400)],
    )
    assert (made.low, made.high) == pytest.approx(bounds, abs=1e-9)
