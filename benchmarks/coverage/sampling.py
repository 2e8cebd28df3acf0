"""How often the intervals of samples and of stopping rules hold the truth.

python benchmarks/coverage/sampling.py [RUNS]

Rules that stop on yes/no labels need no simulation: the chance of a stop after x of n is the number
of paths to it times p^x (1 - p)^(n - x), and paths are counted by going through all n. "worst of
all" is the lowest coverage at any accuracy from 0.5 on. Everything else is simulated, seeded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from factmark.analysis.pilots.pilot import Pilot
from factmark.analysis.plan import stopping_of
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.table import table_of_judge
from factmark.model import Estimate
from factmark.stats.cells import tabulate
from factmark.stats.corrections import corrected_mean
from factmark.stats.estimators import (
    simple_random_mean,
    stratified_mean,
    two_stage_mean,
)
from factmark.stats.sampling import allocate
from factmark.stats.sequential import FIRST, LOOK, stopping

Floats = NDArray[np.float64]
Row = dict[str, object]
Interval = Callable[[Floats, Floats], tuple[Floats, Floats]]

ACCURACIES = (0.5, 0.85, 0.9, 0.99)
TARGETS = (0.05, 0.03)
LEVEL = 0.95


def exact(level: float) -> Interval:
    """Clopper and Pearson's interval."""
    tail = (1 - level) / 2

    def bounds(x: Floats, n: Floats) -> tuple[Floats, Floats]:
        low = special.betaincinv(np.maximum(x, 1e-9), n - x + 1, tail)
        high = special.betaincinv(x + 1, np.maximum(n - x, 1e-9), 1 - tail)
        return np.where(x <= 0, 0.0, low), np.where(x >= n, 1.0, high)

    return bounds


def wilson(x: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Wilson's interval."""
    z = stats.norm.isf((1 - LEVEL) / 2)
    half = z * np.sqrt(x * (n - x) / n + z * z / 4) / (n + z * z)
    middle = (x + z * z / 2) / (n + z * z)
    return middle - half, middle + half


def highest_density(prior: float) -> Interval:
    """The shortest interval of the posterior with a Beta(prior, prior) before it."""

    def bounds(x: Floats, n: Floats) -> tuple[Floats, Floats]:
        a, b = x + prior, n - x + prior
        left, right = np.zeros_like(a + b), np.full_like(a + b, 1 - LEVEL)
        for _ in range(40):  # the tail on the left at which both ends are equally dense
            tail = (left + right) / 2
            low, high = special.betaincinv(a, b, tail), special.betaincinv(a, b, tail + LEVEL)
            with np.errstate(divide="ignore", invalid="ignore"):
                slope = (a - 1) * np.log(high / low) + (b - 1) * np.log((1 - high) / (1 - low))
            denser = np.where(x >= n, True, np.where(x <= 0, False, slope > 0))
            left, right = np.where(denser, tail, left), np.where(denser, right, tail)
        low = special.betaincinv(a, b, (left + right) / 2)
        high = special.betaincinv(a, b, (left + right) / 2 + LEVEL)
        return np.where(x <= 0, 0.0, low), np.where(x >= n, 1.0, high)

    return bounds


def stops(interval: Interval, target: float, first: int = FIRST, every: int = 1) -> list[Floats]:
    """All (x, n) at which an interval is narrow enough at last: x, n, log of the paths, low, high.

    At every n the interval is narrow for x up to an edge and from n - edge on; the edge grows.
    """
    paths, lowest, edge, n = np.zeros(1), 0, -1, 0
    found = []
    while len(paths):
        n += 1
        longer = np.full(len(paths) + 1, -np.inf)
        longer[:-1] = paths
        longer[1:] = np.logaddexp(longer[1:], paths)
        paths = longer
        if n < first or (n - first) % every:
            continue
        while 2 * (edge + 1) <= n:
            low, high = interval(np.array(edge + 1.0), np.array(float(n)))
            if (high - low) / 2 > target:
                break
            edge += 1
        x = np.arange(lowest, lowest + len(paths))
        stop = (x <= edge) | (x >= n - edge)
        ends = stop & np.isfinite(paths)
        found.append((x[ends].astype(float), np.full(ends.sum(), float(n)), paths[ends]))
        left = np.flatnonzero(~stop)
        paths = paths[left[0] : left[-1] + 1] if len(left) else paths[:0]
        lowest += int(left[0]) if len(left) else 0
    x, m, log_paths = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return [x, m, log_paths, *interval(x, m)]


def at(points: list[Floats], accuracies: Floats) -> tuple[Floats, Floats, Floats]:
    """Coverage, expected labels and mean width at accuracies strictly between 0 and 1."""
    x, n, paths, low, high = points
    parts = []
    for some in np.array_split(accuracies, max(1, len(accuracies) * len(x) // 2_000_000)):
        p = some[:, None]
        chance = np.exp(paths + x * np.log(p) + (n - x) * np.log1p(-p))
        parts.append((chance @ n, chance @ (high - low), (chance * ((low <= p) & (p <= high)))))
    labels = np.concatenate([part[0] for part in parts])
    widths = np.concatenate([part[1] for part in parts])
    return np.concatenate([part[2].sum(axis=1) for part in parts]), labels, widths


def worst(points: list[Floats], most: int = 3_000) -> tuple[float, float]:
    """The lowest coverage, and where: it drops at the ends of intervals only."""
    ends = np.unique(np.concatenate([points[3], points[4]]))
    ends = np.concatenate([ends - 1e-9, ends + 1e-9])
    ends = np.sort(ends[(ends >= 0.5) & (ends < 1)])
    ends = ends[:: max(1, len(ends) // most)]
    coverage = at(points, ends)[0]
    return float(coverage.min()), float(ends[coverage.argmin()])


@cache
def rules() -> dict[str, Interval]:
    adjusted = 1 - (1 - LEVEL) * LOOK[LEVEL]
    return {
        "stopping": exact(adjusted),
        "peeking, HPD, Jeffreys": highest_density(0.5),
        "peeking, HPD, uniform": highest_density(1.0),
        "peeking, Wilson": wilson,
    }


def row(method: str, setting: str, n: float, coverage: float, width: float, **more: object) -> Row:
    return {
        "statistic": more.pop("statistic", "stopping"),
        "method": method,
        "setting": setting,
        "n": round(n, 1),
        "coverage": round(coverage, 4),
        "mean_width": round(width, 4),
        **more,
    }


def rows_of_rules(targets: tuple[float, ...] = TARGETS) -> Iterator[Row]:
    """Stopping rules on yes/no labels, exactly."""
    p = np.array(ACCURACIES)
    for target in targets:
        for method, interval in rules().items():
            points = stops(interval, target)
            for accuracy, *found in zip(p, *at(points, p), strict=True):
                coverage, labels, width = map(float, found)
                setting = f"accuracy {accuracy:g}, target {target:g}"
                yield row(method, setting, labels, coverage, width, kind="exact")
            lowest, where = worst(points)
            setting = f"worst of all ({where:.4f}), target {target:g}"
            yield row(method, setting, float("nan"), lowest, float("nan"), kind="exact")
        yield from rows_of_plans(target)


def rows_of_plans(target: float) -> Iterator[Row]:
    """A number of labels fixed beforehand, by Wilson, for who knows the accuracy."""
    for accuracy in ACCURACIES:
        n = np.arange(5.0, 20_000.0)
        low, high = wilson(accuracy * n, n)
        planned = float(n[np.argmax((high - low) / 2 <= target)])
        x = np.arange(planned + 1)
        low, high = wilson(x, np.array(planned))
        chance = stats.binom.pmf(x, planned, accuracy)
        held = float(chance @ ((low <= accuracy) & (accuracy <= high)))
        setting = f"accuracy {accuracy:g}, target {target:g}"
        yield row("fixed n, Wilson", setting, planned, held, chance @ (high - low), kind="exact")


def rows_of_levels() -> Iterator[Row]:
    """What the factors in `LOOK` were chosen by: the worst of all, for every setting."""
    for level in (0.8, 0.9, 0.95, 0.99):
        factor = next(part for top, part in LOOK.items() if level <= top)
        for target in (0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01):
            looks = ((30, 1), (10, 1), (30, 5), (30, 10), (30, 50), (100, 1))
            for first, every in looks if target > 0.01 else looks[:1]:
                points = stops(exact(1 - (1 - level) * factor), target, first, every)
                lowest, where = worst(points, 1_500)
                setting = f"level {level:g}, target {target:g}, from {first} each {every}"
                yield row(
                    "stopping",
                    f"{setting}: worst of all ({where:.4f})",
                    float("nan"),
                    lowest,
                    float("nan"),
                    kind="exact",
                    level=level,
                )


def summed(
    statistic: str, method: str, setting: str, truth: float, found: list[tuple[float, float, float]]
) -> Row:
    labels, low, high = np.array(found).T
    held = np.mean((low <= truth + 1e-12) & (truth <= high + 1e-12))
    return row(
        method,
        setting,
        labels.mean(),
        float(held),
        float(np.mean(high - low)),
        statistic=statistic,
        kind=f"{len(found)} runs",
    )


def rows_of_sequences(runs: int) -> Iterator[Row]:
    """The rule as it is called: from a small population, and out of patience."""
    for accuracy in ACCURACIES:
        generator = np.random.default_rng([1, int(accuracy * 100)])
        budget, small = [], []
        few = np.zeros(1_000)
        few[: round(accuracy * 1_000)] = 1
        for _ in range(runs):
            seen = (generator.random(1_200) < accuracy).tolist()
            part = stopping(seen[:150], 0.05)
            budget.append((part.used, *((part.low, part.high) if part.done else part.anytime)))
            drawn = stopping(generator.permutation(few).astype(bool).tolist(), 0.05)
            small.append((drawn.used, drawn.low, drawn.high))
        setting = f"accuracy {accuracy:g}, target 0.05"
        name = "stopping, at 150 labels the anytime interval"
        yield summed("stopping", name, setting, accuracy, budget)
        name = "stopping, of 1,000 units without replacement"
        yield summed("stopping", name, setting, accuracy, small)


def rows_of_plan(runs: int) -> Iterator[Row]:
    """The rule as `plan` uses it: each verdict is labelled until its own target is reached, with a
    look after every label. People's share then lies within the half-width; the corrected interval
    at the stop, which is for a number that was fixed beforehand, is there to compare with."""
    for weight, of_yes, of_no in ((0.7, 0.9, 0.3), (0.5, 0.95, 0.1), (0.9, 0.6, 0.5)):
        verdicts = ("YES",) * round(5_000 * weight) + ("NO",) * round(5_000 * (1 - weight))
        places = {"YES": 0, "NO": verdicts.index("NO")}
        truth = weight * of_yes + (1 - weight) * of_no
        generator = np.random.default_rng([5, int(weight * 100), int(of_yes * 100)])
        promised, corrected = [], []
        for _ in range(runs):
            drawn = {"YES": generator.random(900) < of_yes, "NO": generator.random(450) < of_no}
            everything = _pilot(verdicts, places, drawn)
            progress = stopping_of(everything, 0.08, LEVEL) or {}
            used = {name: drawn[name][: progress[name].used] for name in drawn}
            assert all(verdict.done for verdict in progress.values())
            pilot = _pilot(verdicts, places, used)
            estimate = corrected_mean(verdicts, pilot.labelled.people_by_place, level=LEVEL)
            n, value = len(pilot.labelled.people_by_place), estimate.value or 0.0
            promised.append((n, value - 0.08, value + 0.08))
            corrected.append((n, estimate.low or 0.0, estimate.high or 1.0))
        setting = f"{weight:g} YES of which {of_yes:g} true, of the rest {of_no:g}; target 0.08"
        yield summed(
            "stopping", "stopping by verdict, share ± half-width", setting, truth, promised
        )
        name = "peeking by verdict, corrected interval"
        yield summed("stopping", name, setting, truth, corrected)


def _pilot(
    verdicts: tuple[str, ...], places: Mapping[str, int], drawn: Mapping[str, NDArray[np.bool_]]
) -> Pilot:
    people = {
        places[name] + at: float(label) for name in drawn for at, label in enumerate(drawn[name])
    }
    labelled = table_of_judge(column_of_labels("judge", verdicts, {"YES": 1.0, "NO": 0.0}), people)
    return Pilot(
        judge="judge",
        kind="pair",
        labelled=labelled,
        cells=tabulate(verdicts, people),
        verdict_cells=tabulate(verdicts, people),
        worth={"YES": 1.0, "NO": 0.0},
        cost=0.0,
        seconds=0.0,
        design_effect=1.0,
    )


def population(accuracy: float, alike: float, seed: int) -> tuple[NDArray[np.int64], ...]:
    """Sizes and right units of 20,000 clusters; `alike` is the intraclass correlation."""
    generator = np.random.default_rng(seed)
    sizes = generator.geometric(0.25, 20_000)
    sizes += (generator.random(20_000) < 0.02) * generator.integers(20, 200, 20_000)
    mass = (1 - alike) / alike
    return sizes, generator.binomial(
        sizes, generator.beta(accuracy * mass, (1 - accuracy) * mass, 20_000)
    )


def bounds(estimate: Estimate) -> tuple[float, float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.n_units, estimate.low, estimate.high


def rows_of_clusters(runs: int) -> Iterator[Row]:
    """Draws by size with five units each."""
    for n in (30, 60, 200):
        for accuracy in ACCURACIES:
            for alike in (0.05, 0.3, 0.6):
                sizes, right = population(accuracy, alike, 7)
                truth = right.sum() / sizes.sum()
                generator = np.random.default_rng([n, int(accuracy * 100), int(alike * 100)])
                two_stage = []
                for _ in range(runs):
                    drawn = generator.choice(20_000, n, p=sizes / sizes.sum())
                    some = np.minimum(5, sizes[drawn])
                    hits = generator.hypergeometric(right[drawn], sizes[drawn] - right[drawn], some)
                    two_stage.append(bounds(two_stage_mean(labels(hits, some))))
                setting = f"accuracy {accuracy:g}, {n} draws, correlation {alike:g}"
                yield summed("two-stage mean", "wilson, n effective", setting, truth, two_stage)


def labels(hits: NDArray[np.int64], counts: NDArray[np.int64]) -> list[list[float]]:
    return [
        [1.0] * int(hit) + [0.0] * int(count - hit) for hit, count in zip(hits, counts, strict=True)
    ]


def rows_of_strata(runs: int) -> Iterator[Row]:
    """Strata that differ, labelled by their sizes, and a simple random sample of as many."""
    sizes = {"a": 60_000, "b": 25_000, "c": 10_000, "d": 4_000, "e": 1_000}
    for name, shares in {
        "accuracies 0.95 to 0.4": (0.95, 0.85, 0.7, 0.5, 0.4),
        "accuracies 0.995 to 0.9": (0.995, 0.99, 0.98, 0.95, 0.9),
        "accuracies 0.5": (0.5,) * 5,
    }.items():
        accuracy = dict(zip(sizes, shares, strict=True))
        truth = sum(sizes[one] * accuracy[one] for one in sizes) / 100_000
        for n in (50, 200, 800):
            generator = np.random.default_rng([n, len("proportional"), int(truth * 1_000)])
            shared = allocate(sizes, n)
            found = []
            for _ in range(runs):
                drawn = {
                    one: (generator.random(shared[one]) < accuracy[one]).astype(float).tolist()
                    for one in sizes
                }
                found.append(bounds(stratified_mean(drawn, sizes)))
            setting = f"{name}, {n} labels, proportional"
            yield summed("stratified mean", "korn-graubard", setting, truth, found)
            generator = np.random.default_rng([n, int(truth * 1_000)])
            found = [
                bounds(simple_random_mean((generator.random(n) < truth).astype(float).tolist()))
                for _ in range(runs)
            ]
            yield summed("simple random mean", "wilson", f"{name}, {n} labels", truth, found)


def rows(runs: int) -> list[Row]:
    """All figures; `runs` is the number of simulated samples of each setting."""
    return [
        *rows_of_rules(),
        *rows_of_levels(),
        *rows_of_sequences(max(20, runs // 10)),
        *rows_of_plan(runs),
        *rows_of_clusters(runs),
        *rows_of_strata(runs),
    ]


def main() -> None:
    for one in rows(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000):
        n, coverage, width = one["n"], one["coverage"], one["mean_width"]
        print(f"{one['statistic']}; {one['method']}; {one['setting']}: {n} {coverage} {width}")


if __name__ == "__main__":
    main()
