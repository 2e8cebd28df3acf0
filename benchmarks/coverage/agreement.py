"""How often the intervals of agreement hold the truth, from data whose agreement is known.

python benchmarks/coverage/agreement.py [runs]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from factmark.model import Estimate
from factmark.stats import Ratings
from factmark.stats.agreement import estimate_agreement
from factmark.stats.coefficients import alpha, cohen, gwet

RESAMPLES = 1_000
TOGETHER = 0.5  # how many units of a cluster share its true label, and how many a rater's mood
SETTINGS: dict[str, tuple[tuple[float, ...], float]] = {  # true shares, how often a rater errs
    "balanced": ((0.5, 0.5), 0.15),
    "one prevails": ((0.9, 0.1), 0.05),
    "few units tell": ((0.96, 0.04), 0.4),
    "four labels": ((0.1, 0.2, 0.4, 0.3), 0.2),
    "six labels": ((1 / 6,) * 6, 0.3),
}
STATISTICS = ("alpha", "AC1", "kappa")


def rater(shares: tuple[float, ...], error: float) -> NDArray[np.float64]:
    """P(label given | true label): an error is a label drawn by the shares."""
    q = len(shares)
    return (1 - error) * np.eye(q) + error * np.broadcast_to(shares, (q, q))


def truth(statistic: str, shares: tuple[float, ...], error: float) -> float:
    """The coefficient in the population, from the table of two ratings."""
    given = rater(shares, error)
    table = given.T @ np.diag(shares) @ given
    margin = table.sum(axis=0)
    chance = (margin**2).sum()
    if statistic == "AC1":
        chance = (1 - chance) / (len(shares) - 1)
    return float((np.trace(table) - chance) / (1 - chance))


def sample(
    generator: np.random.Generator, shares: tuple[float, ...], error: float, n: int, size: int
) -> Ratings:
    """n units in clusters of a size, each rated by two raters who err independently."""
    q = len(shares)
    cluster = np.arange(n) // size
    states = generator.choice(q, size=cluster.max() + 1, p=shares)
    fresh = generator.choice(q, size=n, p=shares)
    true = np.where(generator.random(n) < TOGETHER, states[cluster], fresh)
    columns = []
    for _ in range(2):
        alike = generator.random(n) < TOGETHER
        moods = generator.random(cluster.max() + 1)[cluster]
        errs = np.where(alike, moods, generator.random(n)) < error
        columns.append(np.where(errs, generator.choice(q, size=n, p=shares), true))
    rows = [{"a": int(a), "b": int(b)} for a, b in zip(*columns, strict=True)]
    return Ratings(labels=tuple(range(q)), rows=rows, clusters=[str(name) for name in cluster])


def estimate(statistic: str, ratings: Ratings, seed: int) -> Estimate:
    coefficients = {
        "alpha": alpha("nominal", ratings.worth),
        "AC1": gwet(np.eye(len(ratings.labels))),
        "kappa": cohen("identity", ratings.worth),
    }
    return estimate_agreement(ratings, coefficients[statistic], resamples=RESAMPLES, seed=seed)


def rows(runs: int) -> list[dict[str, object]]:
    """A row per statistic, setting, number of units and size of cluster, seeded.

    `coverage` is of the runs that had an interval; where the coefficient was undefined, since one
    label was given throughout, there is none: `undefined` is their share.
    """
    return [row for which in cases() for row in case(runs, *which)]


def cases() -> Iterator[tuple[str, int, int]]:
    """Setting, number of units, size of cluster."""
    for setting in SETTINGS:
        for n in (50, 200):
            for size in (1, 4):
                yield setting, n, size


def case(runs: int, setting: str, n: int, size: int) -> Iterator[dict[str, object]]:
    """The rows of one case, one per statistic, all from the same samples."""
    shares, error = SETTINGS[setting]
    generator = np.random.default_rng([n, size, len(setting)])
    data = [sample(generator, shares, error, n, size) for _ in range(runs)]
    for statistic in STATISTICS:
        true = truth(statistic, shares, error)
        found = [estimate(statistic, ratings, seed) for seed, ratings in enumerate(data)]
        bounds = [(e.low, e.high) for e in found if e.low is not None and e.high is not None]
        yield {
            "statistic": statistic,
            "method": "cluster bootstrap, BCa, widened by z² more units",
            "setting": f"{setting}, clusters of {size}, truth {true:.2f}",
            "n": n,
            "coverage": sum(low <= true <= high for low, high in bounds) / max(len(bounds), 1),
            "mean_width": sum(high - low for low, high in bounds) / max(len(bounds), 1),
            "undefined": 1 - len(bounds) / runs,
        }


def main() -> None:
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000):
        print(
            "\t".join(
                f"{part:.3f}" if isinstance(part, float) else str(part) for part in row.values()
            )
        )


if __name__ == "__main__":
    main()
