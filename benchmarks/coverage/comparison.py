"""How often the interval of a difference holds the truth, and how often the tests cry wolf.

rows(runs) simulates; python benchmarks/coverage/comparison.py [RUNS] prints. The methods that are
not used (BCa alone, Student's t alone) stand beside the one that is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from factmark.stats.intervals import (
    Floats,
    bootstrap_interval,
    combine_all,
    ratio,
    standard_error,
    t_quantile,
)
from factmark.stats.paired import (
    difference_interval,
    mcnemar,
    same_everywhere,
    sign_flips,
)

Draw = Callable[[np.random.Generator, int], Floats]
Bounds = Callable[[Floats, int], tuple[float, float]]
RESAMPLES = 1_000
SIZES = (10, 20, 50, 150)


def singles(gaps: Floats) -> Floats:
    """Items of one unit each, as tallies."""
    return np.column_stack([gaps, np.ones(len(gaps))])


def yes_no(a_only: float, b_only: float) -> Draw:
    """Right or wrong: the chances that only A, only B, is right."""

    def draw(generator: np.random.Generator, n: int) -> Floats:
        chance = generator.random(n)
        ups, downs = chance < a_only, (chance >= a_only) & (chance < a_only + b_only)
        return singles(ups.astype(float) - downs)

    return draw


def graded(ties: float, low: float, high: float, a: float, b: float) -> Draw:
    """A share of ties; of the others the difference is beta(a, b) between low and high."""

    def draw(generator: np.random.Generator, n: int) -> Floats:
        gaps = low + (high - low) * generator.beta(a, b, n)
        return singles(np.where(generator.random(n) < ties, 0.0, gaps))

    return draw


def heads(generator: np.random.Generator, n: int) -> Floats:
    """Heads of two and more triples, each with its own leaning; the mean is over units."""
    sizes = 1 + generator.geometric(0.4, n)
    ups = generator.beta(0.5, 2, n)
    downs = generator.beta(0.5, 4, n) * (1 - ups)
    counts = np.array(
        [
            generator.multinomial(k, [u, d, 1 - u - d])
            for k, u, d in zip(sizes, ups, downs, strict=True)
        ]
    )
    return np.column_stack([counts[:, 0] - counts[:, 1], sizes]).astype(float)


SETTINGS: dict[str, tuple[Draw, float]] = {
    "yes/no, 30 % to 10 % discordant": (yes_no(0.3, 0.1), 0.2),
    "yes/no, 3 % to 3 % discordant": (yes_no(0.03, 0.03), 0.0),
    "yes/no, 8 % to 0 % discordant": (yes_no(0.08, 0.0), 0.08),
    "graded, 60 % ties, centred": (graded(0.6, -0.5, 1.0, 1, 2), 0.0),
    "graded, 90 % ties, centred": (graded(0.9, -0.5, 1.0, 1, 2), 0.0),
    "graded, 80 % ties, one-sided": (graded(0.8, 0.0, 1.0, 1, 1), 0.1),
    "graded, no ties, one-sided": (graded(0.0, 0.0, 1.0, 0.5, 3), 1 / 7),
    "heads with several triples": (heads, 0.2 - 0.8 / 9),
}


def used(tallies: Floats, seed: int) -> tuple[float, float]:
    made = difference_interval(tallies, resamples=RESAMPLES, seed=seed)
    return made.low, made.high


def bca(tallies: Floats, seed: int) -> tuple[float, float]:
    made = bootstrap_interval(tallies, ratio, resamples=RESAMPLES, seed=seed, bounds=(-1, 1))
    if made is None:
        return same_everywhere(combine_all(tallies, ratio), len(tallies))
    return made.low, made.high


def student(tallies: Floats, seed: int) -> tuple[float, float]:
    value, m = combine_all(tallies, ratio), len(tallies)
    half = t_quantile(0.975, m - 1) * standard_error(tallies, ratio)
    return (value - half, value + half) if half > 0 else same_everywhere(value, m)


METHODS: dict[str, Bounds] = {
    "used (Tango, or outer of BCa and t)": used,
    "BCa alone": bca,
    "Student's t alone": student,
}


def rows(runs: int) -> list[dict[str, Any]]:
    """statistic, method, setting, n, coverage, mean_width; of a test the coverage is 1 - size."""
    return [*_intervals(runs), *_tests(runs)]


def _intervals(runs: int) -> Iterator[dict[str, Any]]:
    for setting, (draw, truth) in SETTINGS.items():
        for n in SIZES:
            generator = np.random.default_rng([n, len(setting)])
            samples = [draw(generator, n) for _ in range(runs)]
            for method, bounds in METHODS.items():
                made = [bounds(tallies, seed) for seed, tallies in enumerate(samples)]
                yield {
                    "statistic": "difference of two systems",
                    "method": method,
                    "setting": setting,
                    "n": n,
                    "coverage": float(np.mean([low <= truth <= high for low, high in made])),
                    "mean_width": float(np.mean([high - low for low, high in made])),
                }


def _tests(runs: int) -> Iterator[dict[str, Any]]:
    """Nothing differs; whole heads lean to one side in the second setting."""
    for setting, leans in (("independent units", (0.5, 0.5)), ("units of a head", (0.1, 0.9))):
        for n in SIZES:
            generator = np.random.default_rng([n, len(setting)])
            hits = {"sign flips of heads": 0, "McNemar exact": 0}
            for seed in range(runs):
                ups = generator.binomial(5, generator.choice(leans, n))
                if setting == "independent units":
                    gaps = generator.choice([-1.0, 0.0, 1.0], n)
                    up, down = int(np.sum(gaps > 0)), int(np.sum(gaps < 0))
                else:
                    gaps, up, down = 2.0 * ups - 5, int(ups.sum()), int(np.sum(5 - ups))
                hits["sign flips of heads"] += sign_flips(gaps, draws=1_000, seed=seed).p <= 0.05
                hits["McNemar exact"] += mcnemar(up, down) <= 0.05
            for method, count in hits.items():
                yield {
                    "statistic": "test of no difference",
                    "method": method,
                    "setting": setting,
                    "n": n,
                    "coverage": 1 - count / runs,
                    "mean_width": None,
                }


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    for row in rows(runs):
        width = "" if row["mean_width"] is None else f"{row['mean_width']:.3f}"
        print(
            f"{row['statistic']:26} {row['setting']:32} {row['method']:36} {row['n']:4} "
            f"{row['coverage']:6.1%} {width}"
        )


if __name__ == "__main__":
    main()
