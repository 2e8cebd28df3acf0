"""Units by verdict and the interval of a cell: by hand, against scipy, and by coverage."""

from __future__ import annotations

import numpy as np
import pytest

from factmark.stats.cells import (
    VerdictCell,
    cell_interval,
    cluster_effects,
    design_effect,
    tabulate,
    value_by_name,
)
from later import later

stats = later("scipy.stats")


def yes_no(successes: int, n: int) -> VerdictCell:
    return VerdictCell(
        label="yes", total=n, labelled=n, sum=float(successes), squares=float(successes)
    )


def jeffreys(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    low, high = stats.beta(successes + 0.5, n - successes + 0.5).interval(level)
    return low if successes else 0.0, high if successes < n else 1.0


def test_tabulate_by_hand() -> None:
    cells = tabulate(["a", None, "a", "b", "a", None], {0: 1.0, 2: 0.5, 1: 0.0})
    assert [(c.label, c.total, c.labelled, c.sum, c.squares) for c in cells] == [
        ("a", 3, 2, 1.5, 1.25),
        (None, 2, 1, 0.0, 0.0),
        ("b", 1, 0, 0.0, 0.0),
    ]
    assert [cell.mean for cell in cells] == [0.75, 0.0, 0.5]


def test_worth_by_hand() -> None:
    # 1, 1/2, 1/2 with half a 0 and half a 1: mean 2.5/4, squares (1.5 + 0.5)/4 = 0.5, variance
    # 0.5 - 0.625² = 0.109375; as yes/no it would be 0.625 * 0.375 = 0.234375.
    cell = VerdictCell(label=None, total=9, labelled=3, sum=2.0, squares=1.5)
    assert cell.smoothed == 0.625
    assert cell.variance == pytest.approx(0.109375)
    assert cell.worth == pytest.approx(0.234375 / 0.109375)
    assert yes_no(3, 7).worth == pytest.approx(1, abs=1e-12)
    assert yes_no(0, 7).worth == pytest.approx(1, abs=1e-12)


def test_interval_by_hand() -> None:
    # One success of 1.25: g = 1/2 + 1/2 / (1 + 1) = 3/4, so that the lower bound is of
    # Beta(1 + 1 - 3/4, 1/4 + 3/4) = Beta(1.25, 1), whose distribution function is x^1.25.
    low, _ = cell_interval(1.0, 1.25, 0.95)
    assert low == pytest.approx(0.025 ** (1 / 1.25))
    _, high = cell_interval(0.25, 1.25, 0.95)
    assert high == pytest.approx(1 - 0.025 ** (1 / 1.25))
    assert cell_interval(0, 10, 0.95)[0] == 0
    assert cell_interval(10, 10, 0.95)[1] == 1


@pytest.mark.parametrize(("successes", "n"), [(1, 5), (3, 8), (30, 60), (99, 100), (7.5, 12.3)])
def test_interval_is_of_scipys_beta(successes: float, n: float) -> None:
    def lower(events: float, others: float) -> float:
        g = 0.5 + 0.5 / (1 + events)
        return float(stats.beta.ppf(0.025, events + 1 - g, others + g))

    low, high = cell_interval(successes, n, 0.95)
    assert low == pytest.approx(lower(successes, n - successes), abs=1e-12)
    assert high == pytest.approx(1 - lower(n - successes, successes), abs=1e-12)


def test_coverage_is_near_the_level_and_better_than_jeffreys() -> None:
    # Exactly, by adding up binomial probabilities.
    found: dict[str, list[float]] = {"cell": [], "jeffreys": []}
    for n in (10, 30, 100):
        x = np.arange(n + 1)
        ours = np.array([cell_interval(float(k), float(n), 0.95) for k in x])
        theirs = np.array([jeffreys(k, n) for k in x])
        for share in np.linspace(0.005, 0.995, 199):
            chance = stats.binom.pmf(x, n, share)
            for name, bounds in (("cell", ours), ("jeffreys", theirs)):
                held = chance @ ((bounds[:, 0] <= share) & (share <= bounds[:, 1]))
                found[name].append(float(held))
    assert np.mean(found["cell"]) > np.mean(found["jeffreys"]) > 0.95
    assert min(found["cell"]) >= min(found["jeffreys"])


def test_verdicts_are_told_apart_by_stratum_where_both_have_labels() -> None:
    from factmark.stats.cells import verdicts_in_strata

    verdicts = ["YES", "YES", "YES", None, "NO"]
    strata = ["circle", "none", "none", "circle", None]
    # People labelled a YES of `circle` and the unit without a verdict; the other YES stay one cell.
    assert verdicts_in_strata(verdicts, strata, {0, 3, 4}) == [
        "YES, circle",
        "YES",
        "YES",
        "no verdict, circle",
        "NO",
    ]


def test_what_a_verdict_is_worth_by_its_name() -> None:
    words = {"True": 1, "yes": 1, "Maybe": 0.5, "fail": 0, "not supported": 0, "1": 1, "0.25": 0.25}
    for word, worth in words.items():
        assert value_by_name(word, {}) == worth
    assert value_by_name(None, {"yes": 1.0}) == 0
    assert value_by_name("yes", {"yes": 0.5}) == 0.5
    assert value_by_name("1.5", {}) is None
    assert value_by_name("perhaps so", {}) is None


def test_cells_are_ordered_by_size_and_those_of_a_verdict_before_those_of_none() -> None:
    cells = tabulate([None, "b", "a", "c", "c"], {})
    assert [cell.label for cell in cells] == ["c", None, "a", "b"]


def test_what_units_add_to_the_variance_by_hand() -> None:
    # "yes" has mean 1/2 and weight 1/2, "no" mean 0; of all the mean is 1/4. A label of "yes" adds
    # 1/2 / 2 (y - 1/2), a unit's verdict its cell's mean less 1/4.
    verdicts, values = ["yes", "yes", "no", "no"], {0: 1.0, 1: 0.0, 2: 0.0, 3: 0.0}
    clusters = ["a", "a", "b", "c"]
    effects = cluster_effects(tabulate(verdicts, values), verdicts, values, clusters)
    labels = np.array([1 / 8, -1 / 8, 0.0, 0.0])
    assert effects.design_effect == pytest.approx(design_effect(labels, clusters))
    weights = np.array([1 / 4, 1 / 4, -1 / 4, -1 / 4])
    assert effects.weights_effect == pytest.approx(design_effect(weights, clusters))
    assert effects.clusters == 3
