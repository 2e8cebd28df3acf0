"""How often means corrected by a line in a judge's numbers hold the truth.

python benchmarks/coverage/judge_line.py [RUNS]

2,000 units; a judge gives each a rating or a score, people say what n of them are worth. Beside it
`people alone` and PPI++ (Angelopoulos, Duchi and Zrnic 2023, with the tuned weight), on the same
draws. Widths are those of the intervals within 0 and 1.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factmark.model import Estimate
from factmark.stats.corrections import corrected_mean
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.sample import Drawing

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Row = dict[str, Any]
Bounds = tuple[float, float]

UNITS, ITEM, ALIKE = 2_000, 8, 0.3
LABELS = (20, 50, 100, 300)
RATINGS = {  # how many of a hundred units people give 1, 2, ... 5 stars
    "mostly five": (2, 3, 7, 18, 70),
    "flat": (20, 20, 20, 20, 20),
    "at both ends": (30, 8, 4, 8, 50),
    "mostly one": (50, 25, 12, 8, 5),
}
JUDGES = ("good", "lenient", "harsh", "noisy", "useless")
CUTS = (-1.2, -0.6, 0.1, 0.9)  # of a normal value, between one to five stars
STRATA = ((0.7, 0.95), (0.2, 0.8), (0.1, 0.4))  # share of the units, and of these that are true


class Study(NamedTuple):
    """What was given of all units, and the places of those that people labelled."""

    judge: Floats
    people: Floats
    labelled: Ints
    drawing: Drawing | None = None


Draw = Callable[[np.random.Generator, int], Study]


class World(NamedTuple):
    """Where studies are drawn from: its name, the true mean, and how one is drawn with n labels."""

    name: str
    truth: float
    draw: Draw


def at_random(generator: np.random.Generator, judge: Floats, people: Floats, n: int) -> Study:
    """Labels of n units at random."""
    return Study(judge, people, generator.choice(len(people), n, replace=False))


def rating(stars: str, kind: str) -> World:
    """One to five stars by people, and a judge that errs by a star or two, or knows nothing."""
    share = np.array(RATINGS[stars]) / 100

    def draw(generator: np.random.Generator, n: int) -> Study:
        people = generator.choice(5, UNITS, p=share)
        chance = generator.random(UNITS)
        if kind == "good":
            judge = np.where(chance < 0.85, people, people + generator.choice([-1, 1], UNITS))
        elif kind == "lenient":
            judge = np.where(chance < 0.5, people, people + generator.integers(1, 3, UNITS))
        elif kind == "harsh":
            judge = np.where(chance < 0.6, people, people - 1)
        elif kind == "noisy":
            judge = np.where(chance < 0.4, people, generator.integers(0, 5, UNITS))
        else:
            judge = generator.choice(5, UNITS, p=[0.05, 0.1, 0.2, 0.4, 0.25])
        return at_random(generator, np.clip(judge, 0, 4) / 4, people / 4, n)

    return World(f"stars {stars}, {kind} judge", float(share @ np.arange(5)) / 4, draw)


def probability(true: float, apart: float) -> World:
    """A judge's probability of what people call true or false."""

    def draw(generator: np.random.Generator, n: int) -> Study:
        people = (generator.random(UNITS) < true).astype(np.float64)
        height = generator.normal(0, 1, UNITS) + apart * (people - 0.3)
        return at_random(generator, np.round(1 / (1 + np.exp(-height)), 4), people, n)

    return World(f"probability, {true:g} true, {apart:g} apart", true, draw)


def graded(a: float, b: float, noise: float) -> World:
    """Scores by people, too."""

    def draw(generator: np.random.Generator, n: int) -> Study:
        people = generator.beta(a, b, UNITS)
        judge = np.clip(0.15 + 0.8 * people + generator.normal(0, noise, UNITS), 0, 1)
        return at_random(generator, np.round(judge, 4), people, n)

    return World(f"scores by people, mean {a / (a + b):g}", a / (a + b), draw)


def shares_of_claims() -> World:
    """Shares of an answer's claims, as faithfulness is scored."""
    values = np.array([0.0, 0.25, 0.33, 0.5, 0.67, 0.75, 1.0])
    share = np.array([0.06, 0.05, 0.05, 0.1, 0.1, 0.12, 0.52])

    def draw(generator: np.random.Generator, n: int) -> Study:
        people = generator.choice(values, UNITS, p=share)
        off = np.round(np.clip(people + generator.normal(0.05, 0.3, UNITS), 0, 1), 2)
        judge = np.where(generator.random(UNITS) < 0.55, people, off)
        return at_random(generator, judge, people, n)

    return World("shares of claims", float(values @ share), draw)


def of_items() -> World:
    """Stars of items of eight units that are alike; people rate n whole items."""
    truth = sum(1 - NormalDist().cdf(cut) for cut in CUTS) / 4

    def alike(generator: np.random.Generator, by_item: float) -> Floats:
        of_item = np.repeat(generator.normal(size=UNITS // ITEM), ITEM)
        own = generator.normal(size=UNITS)
        both: Floats = math.sqrt(by_item) * of_item + math.sqrt(1 - by_item) * own
        return both

    def draw(generator: np.random.Generator, n: int) -> Study:
        people = np.searchsorted(np.array(CUTS), alike(generator, ALIKE)) / 4
        error = alike(generator, 0.5)
        judge = np.clip(people + 0.25 * (error > 0.8) - 0.25 * (error < -1.2), 0, 1)
        items = np.repeat(np.arange(UNITS // ITEM), ITEM)
        chosen = generator.choice(UNITS // ITEM, n, replace=False)
        labelled = np.flatnonzero(np.isin(items, chosen))
        return Study(judge, people, labelled, Drawing(clusters=items))

    return World("stars, whole items", truth, draw)


def in_strata() -> World:
    """A probability, and as many labels in each of three strata of unlike size and truth."""
    shares, true = (np.array(column) for column in zip(*STRATA, strict=True))

    def draw(generator: np.random.Generator, n: int) -> Study:
        strata = generator.choice(3, UNITS, p=shares)
        people = (generator.random(UNITS) < true[strata]).astype(np.float64)
        height = generator.normal(0, 1, UNITS) + 2.5 * (people - 0.3)
        judge = np.round(1 / (1 + np.exp(-height)), 4)
        each = [
            generator.choice(np.flatnonzero(strata == stratum), n // 3, replace=False)
            for stratum in range(3)
        ]
        return Study(judge, people, np.concatenate(each), Drawing(strata=strata))

    return World("probability, strata labelled alike", float(shares @ true), draw)


def with_gaps(world: World, of_true: float, of_false: float) -> World:
    """The same, with a judge that gives nothing for some units, more often of one kind."""

    def draw(generator: np.random.Generator, n: int) -> Study:
        study = world.draw(generator, n)
        rate = np.where(study.people > 0.5, of_true, of_false)
        gone = generator.random(len(rate)) < rate
        return study._replace(judge=np.where(gone, np.nan, study.judge))

    return World(f"{world.name}, {of_true:.0%} to {of_false:.0%} missing", world.truth, draw)


def worlds() -> Iterator[tuple[str, World, tuple[int, ...]]]:
    """The statistic, what it is drawn from, and with how many labels."""
    plain = "mean corrected by a line"
    for stars in RATINGS:
        for kind in JUDGES:
            yield plain, rating(stars, kind), LABELS
    for true in (0.5, 0.7, 0.9):
        for apart in (1.0, 2.5):
            yield plain, probability(true, apart), LABELS
    yield plain, graded(3.5, 1.5, 0.15), LABELS
    yield plain, graded(9, 1, 0.1), LABELS
    yield plain, shares_of_claims(), LABELS
    designs = "mean corrected by a line, other draws"
    yield designs, of_items(), (10, 30)
    yield designs, in_strata(), (90,)
    yield designs, with_gaps(probability(0.8, 2.5), 0.05, 0.25), (100,)
    yield designs, with_gaps(rating("flat", "good"), 0.25, 0.25), (100,)


def by_ppi(study: Study) -> Bounds:
    """PPI++ of a mean, with the weight that its variance is least with."""
    y, f = study.people[study.labelled], study.judge[study.labelled]
    n, rest = len(y), len(study.judge) - len(y)
    others = np.delete(study.judge, study.labelled)
    covariance = float(np.mean((y - y.mean()) * (f - f.mean())))
    weight = covariance / max(1e-12, float(study.judge.var())) / (1 + n / rest)
    weight = min(1.0, max(0.0, weight))
    value = float(y.mean()) + weight * float(others.mean() - f.mean())
    variance = float((y - weight * f).var()) / n + weight**2 * float(others.var()) / rest
    half = NormalDist().inv_cdf(0.975) * math.sqrt(variance)
    return max(0.0, value - half), min(1.0, value + half)


def bounds(estimate: Estimate) -> Bounds:
    """The interval of an estimate of something."""
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def intervals(study: Study) -> Iterator[tuple[str, Bounds]]:
    """Each method's interval."""
    labels = dict(zip(study.labelled.tolist(), study.people[study.labelled].tolist(), strict=True))
    estimate = corrected_by_line([study.judge], labels, drawing=study.drawing)
    yield "line in the judge's values", bounds(estimate)
    if study.drawing is None:
        judge = [None] * len(study.judge)
        yield "people alone", bounds(corrected_mean(judge, labels, method="human-only"))
        if not np.isnan(study.judge).any():
            yield "PPI++", by_ppi(study)


def rows(runs: int, part: int = 0, parts: int = 1) -> Iterator[Row]:
    """statistic, method, setting, n, coverage, mean_width; and whether the package uses it."""
    for place, (statistic, world, labels) in enumerate(worlds()):
        if place % parts == part:
            for n in labels:
                yield from cell(statistic, world, n, runs)


def cell(statistic: str, world: World, n: int, runs: int) -> Iterator[Row]:
    """A row for each method in one setting."""
    generator = np.random.default_rng([n, *world.name.encode()])
    found: defaultdict[str, list[Bounds]] = defaultdict(list)
    for _ in range(runs):
        for method, interval in intervals(world.draw(generator, n)):
            found[method].append(interval)
    for method, drawn in found.items():
        low, high = np.array(drawn).T
        yield {
            "statistic": statistic,
            "method": method,
            "setting": world.name,
            "n": n,
            "coverage": float(
                np.mean((low <= world.truth + 1e-12) & (world.truth - 1e-12 <= high))
            ),
            "mean_width": float(np.mean(high - low)),
            "used": method.startswith("line"),
        }


def main() -> None:
    """Prints the rows as Markdown."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    part, parts = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (0, 1)
    print("| statistic | setting | n | method | coverage | mean width |\n|---|---|---|---|---|---|")
    for row in rows(runs, part, parts):
        print(
            f"| {row['statistic']} | {row['setting']} | {row['n']} | {row['method']} "
            f"| {row['coverage']:.1%} | {row['mean_width']:.4f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
