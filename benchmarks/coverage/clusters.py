"""How often the intervals of shares and of means over clusters hold the truth, and how wide.

python benchmarks/coverage/clusters.py [RUNS]

Shares of independent units need no simulation, the binomial probabilities add up. Clusters are
simulated, seeded: yes/no units with a tendency per cluster (beta-binomial), and means of values in
[0, 1] as answers have them. What the package does not use is there to compare; `used` marks what it
does.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from factmark.model import Estimate
from factmark.stats import mean_over_clusters, ratio_over_clusters
from factmark.stats.clusters import logit_student
from factmark.stats.intervals import (
    bootstrap_interval,
    clopper_pearson,
    resample,
    standard_error,
    t_quantile,
    wilson,
)

Floats = NDArray[np.float64]
Bounds = tuple[float, float]

LEVEL = 0.95


def jeffreys(share: float, n: float, level: float = LEVEL) -> Bounds:
    """The equal-tailed interval of the posterior under Beta(1/2, 1/2)."""
    low, high = stats.beta(share * n + 0.5, (1 - share) * n + 0.5).interval(level)
    return float(low) if share > 0 else 0.0, float(high) if share < 1 else 1.0


def wald(share: float, n: float, level: float = LEVEL) -> Bounds:
    """The textbook's share ± z standard errors, cut to [0, 1]."""
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(share * (1 - share) / n)
    return max(0.0, share - half), min(1.0, share + half)


SHARE_INTERVALS: dict[str, Callable[[float, float, float], Bounds]] = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "jeffreys": jeffreys,
    "wald": wald,
}
RESAMPLES = 1_000
CLUSTERS = (10, 20, 50, 200)
SHARES = (0.5, 0.8, 0.95, 0.99)
SIZES = {  # setting -> sizes of clusters with their probabilities, intra-cluster correlation
    "1 unit each": ((1,), (1.0,), 0.0),
    "8 units each": ((8,), (1.0,), 0.0),
    "8 units each, rho 0.3": ((8,), (1.0,), 0.3),
    "1 to 20 units": ((1, 2, 3, 5, 8, 20), (0.4, 0.2, 0.15, 0.1, 0.1, 0.05), 0.0),
    "1 to 20 units, rho 0.3": ((1, 2, 3, 5, 8, 20), (0.4, 0.2, 0.15, 0.1, 0.1, 0.05), 0.3),
}
# setting -> probabilities of 0 and of 1, and the beta distribution of what is between
VALUES = {
    "completeness": (0.1, 0.4, 2.0, 1.0),
    "completeness, 9 in 10 whole": (0.02, 0.9, 3.0, 1.0),
    "hallucination rate": (0.65, 0.03, 1.0, 3.0),
    "hallucination rate, rare": (0.92, 0.0, 1.0, 3.0),
    "combined score": (0.08, 0.22, 3.0, 1.5),
    "alike": (0.0, 0.0, 20.0, 8.0),
}


def rows(runs: int) -> list[dict[str, Any]]:
    """statistic, method, setting, n, coverage, mean_width; and whether the package uses it."""
    return [*_shares(), *_ratios(runs), *_means(runs)]


def _shares() -> Iterator[dict[str, Any]]:
    for name, interval in SHARE_INTERVALS.items():
        for n in CLUSTERS:
            bounds = np.array([interval(k / n, n, LEVEL) for k in range(n + 1)])
            for share in SHARES:
                chance = stats.binom.pmf(np.arange(n + 1), n, share)
                held = (bounds[:, 0] <= share) & (share <= bounds[:, 1])
                yield {
                    "statistic": "share",
                    "method": name,
                    "setting": f"independent, p {share}",
                    "n": n,
                    "coverage": float(chance @ held),
                    "mean_width": float(chance @ (bounds[:, 1] - bounds[:, 0])),
                    "used": name == "wilson",
                }


def _ratios(runs: int) -> Iterator[dict[str, Any]]:
    for place, setting in enumerate(SIZES):
        for share in SHARES:
            for m in CLUSTERS:
                generator = np.random.default_rng([place, round(1000 * share), m])
                draw = partial(_units, generator, setting, share, m)
                where = ("ratio over clusters", f"{setting}, p {share}", m)
                yield from _simulated(where, draw, share, runs)


def _units(generator: np.random.Generator, setting: str, share: float, m: int) -> list[Floats]:
    sizes, odds, rho = SIZES[setting]
    counts = generator.choice(sizes, m, p=odds)
    tendency = np.full(m, share)
    if rho:
        tendency = generator.beta(share * (1 - rho) / rho, (1 - share) * (1 - rho) / rho, m)
    return [(generator.random(n) < p).astype(float) for n, p in zip(counts, tendency, strict=True)]


def _means(runs: int) -> Iterator[dict[str, Any]]:
    for place, (setting, (zero, one, a, b)) in enumerate(VALUES.items()):
        truth = one + (1 - zero - one) * a / (a + b)
        for m in CLUSTERS:
            draw = partial(_scores, np.random.default_rng([place, m]), setting, m)
            yield from _simulated(("mean over clusters", setting, m), draw, truth, runs)


def _scores(generator: np.random.Generator, setting: str, m: int) -> list[Floats]:
    zero, one, a, b = VALUES[setting]
    chance, between = generator.random(m), generator.beta(a, b, m)
    ends = np.where(chance < zero + one, 1.0, between)
    return list(np.where(chance < zero, 0.0, ends)[:, None])


def _simulated(
    where: tuple[str, str, int], draw: Callable[[], list[Floats]], truth: float, runs: int
) -> Iterator[dict[str, Any]]:
    statistic, setting, m = where
    label, used = USED[statistic]
    found = np.zeros((runs, 1 + len(COMPARED), 2))
    for seed in range(runs):
        values = draw()
        made = used({str(cluster): units for cluster, units in enumerate(values)}, seed)
        found[seed] = made.low, made.high  # of all where the clusters agree: no method has more
        if not made.method.startswith("wilson"):
            for place, method in enumerate(COMPARED.values()):
                found[seed, 1 + place] = method(values, seed) or found[seed, 0]
    held = (found[:, :, 0] - 1e-12 <= truth) & (truth <= found[:, :, 1] + 1e-12)
    for place, name in enumerate([label, *COMPARED]):
        if name != label or not place:
            yield {
                "statistic": statistic,
                "method": name,
                "setting": setting,
                "n": m,
                "coverage": float(held[:, place].mean()),
                "mean_width": float(np.ptp(found[:, place], axis=1).mean()),
                "used": not place,
            }


def _ratio(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]


def _sums(values: list[Floats]) -> Floats:
    return np.array([[units.sum(), len(units)] for units in values], dtype=np.float64)


def _percentile(values: list[Floats], seed: int) -> Bounds:
    """The expanded percentile interval of the linearised ratio (Hesterberg 2015)."""
    tallies = _sums(values)
    m, total = len(tallies), tallies.sum(axis=0)
    value = total[0] / total[1]
    linear = value + (tallies[:, 0] - value * tallies[:, 1]) * m / total[1]
    draws = resample(linear[:, None], lambda s: s[:, 0] / m, resamples=RESAMPLES, seed=seed)
    tail = NormalDist().cdf(-math.sqrt(m / (m - 1)) * t_quantile((1 + LEVEL) / 2, m - 1))
    low, high = np.clip(np.quantile(draws, [tail, 1 - tail]), 0, 1)
    return float(low), float(high)


def _bca(values: list[Floats], seed: int) -> Bounds | None:
    made = bootstrap_interval(
        _sums(values), _ratio, level=LEVEL, resamples=RESAMPLES, seed=seed, bounds=(0, 1)
    )
    return (made.low, made.high) if made else None


def _logit(values: list[Floats], _: int) -> Bounds:
    tallies = _sums(values)
    value = float(_ratio(tallies.sum(axis=0, keepdims=True))[0])
    made = logit_student(value, standard_error(tallies, _ratio), len(tallies), LEVEL)
    return made.low, made.high


def _effective(interval: str) -> Callable[[list[Floats], int], Bounds]:
    """With the effective n of Korn and Graubard 1998: share (1 - share) / error² * (z / t)²."""

    def of(values: list[Floats], _: int) -> Bounds:
        tallies = _sums(values)
        value = float(_ratio(tallies.sum(axis=0, keepdims=True))[0])
        ratio = NormalDist().inv_cdf((1 + LEVEL) / 2) / t_quantile((1 + LEVEL) / 2, len(values) - 1)
        n = value * (1 - value) / standard_error(tallies, _ratio) ** 2 * ratio**2
        return SHARE_INTERVALS[interval](value, n, LEVEL)

    return of


COMPARED: dict[str, Callable[[list[Floats], int], Bounds | None]] = {
    "expanded percentile": _percentile,
    "BCa": _bca,
    "Student on the logit": _logit,
    "Wilson, effective n": _effective("wilson"),
    "Jeffreys, effective n": _effective("jeffreys"),
}

USED: dict[str, tuple[str, Callable[[dict[str, Floats], int], Estimate]]] = {
    "ratio over clusters": (
        "Student on the logit",
        lambda tallies, _: ratio_over_clusters(tallies, level=LEVEL),
    ),
    "mean over clusters": (
        "studentised bootstrap",
        lambda tallies, seed: mean_over_clusters(
            tallies, level=LEVEL, resamples=RESAMPLES, seed=seed
        ),
    ),
}


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print("| statistic | setting | n | method | coverage | mean width |\n|---|---|---|---|---|---|")
    for row in rows(runs):
        name = f"**{row['method']}**" if row["used"] else row["method"]
        print(
            f"| {row['statistic']} | {row['setting']} | {row['n']} | {name} "
            f"| {row['coverage']:.3f} | {row['mean_width']:.3f} |"
        )


if __name__ == "__main__":
    main()
