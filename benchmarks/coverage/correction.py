"""How often the intervals of corrected shares hold the truth, beside the other methods.

python benchmarks/coverage/correction.py [RUNS]

N units are drawn from what has the truth p, the judge gives a verdict on all and people label n.
Only tallies matter, so they are what is drawn, all runs of a cell at once; `mover` itself is the
package's, the other methods are its formulas over arrays (a test holds them to the package).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from factmark.stats.cells import (
    PRIOR_CLUSTERS,
    ClusterEffects,
    Part,
    VerdictCell,
    cell_interval,
    mover_bounds,
    shrunk_design_effect,
    variance_between,
)
from factmark.stats.corrections import mover
from factmark.stats.intervals import normal_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Row = dict[str, object]
Bounds = NDArray[np.float64]

LEVEL = 0.95
Z = normal_quantile((1 + LEVEL) / 2)
UNITS = 10_000
SHARES = (0.5, 0.7, 0.9, 0.95, 0.99)
LABELS = (50, 100, 300)
JUDGES = {  # sensitivity and specificity
    "80 % judge": (0.8, 0.8),
    "90 % judge": (0.9, 0.9),
    "95 % judge": (0.95, 0.95),
    "lenient judge": (0.98, 0.2),
}
ITEM, ALIKE = 8, 0.3  # units of an item, and the correlation of what is true among them
LABELS_OF_ITEMS = (48, 96, 304)
WIDER = {  # cells of the bar that may be as much wider than plain Jeffreys as they need to be
    ("lenient judge", 0.95, 100),
    ("lenient judge", 0.99, 50),
    ("lenient judge", 0.99, 100),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What is drawn from: P(verdict and people's value), and what each value is worth."""

    joint: Floats  # verdicts by values
    worth: Floats

    @property
    def truth(self) -> float:
        return float(self.joint.sum(axis=0) @ self.worth)


def yes_no(share: float, judge: str, unparsed: float = 0.0) -> World:
    """A yes/no judge; `unparsed` of its verdicts are none, whatever the truth."""
    sensitivity, specificity = JUDGES[judge]
    joint = np.array(
        [
            [(1 - share) * (1 - specificity), share * sensitivity],
            [(1 - share) * specificity, share * (1 - sensitivity)],
        ]
    )
    none = np.array([[1 - share, share]]) * unparsed
    joint = np.vstack([joint * (1 - unparsed), none]) if unparsed else joint
    return World(joint=joint, worth=np.array([0.0, 1.0]))


def half_credit(share: float, agree: float) -> World:
    """Yes, maybe and no, worth 1, 1/2 and 0, with a mean a little above `share`.

    The judge errs either way as often.
    """
    said = np.array([1 - share, 0.0, share]) + np.array([-0.3, 0.5, -0.2]) * (1 - share) * 0.8
    judge = np.full((3, 3), (1 - agree) / 2)
    np.fill_diagonal(judge, agree)
    return World(joint=judge * said, worth=np.array([0.0, 0.5, 1.0]))


def ratings(mean: float, agree: float) -> World:
    """0 to 5 stars, in fifths, binomial; a judge that does not agree is one star off."""
    stars = np.arange(6)
    said = np.array([math.comb(5, k) * mean**k * (1 - mean) ** (5 - k) for k in range(6)])
    near = np.where(np.abs(stars[:, None] - stars) == 1, 1.0, 0.0)
    judge = near / near.sum(axis=0) * (1 - agree)
    np.fill_diagonal(judge, agree)
    return World(joint=judge * said, worth=stars / 5)


def drawn(generator: np.random.Generator, world: World, n: int, runs: int) -> tuple[Ints, Ints]:
    """Labelled units by verdict and value, and all units by verdict; labels are at random."""
    flat = world.joint.ravel() / world.joint.sum()
    labelled = generator.multinomial(n, flat, runs).reshape(runs, *world.joint.shape)
    rest = generator.multinomial(UNITS - n, flat, runs).reshape(labelled.shape)
    return labelled, labelled.sum(axis=2) + rest.sum(axis=2)


def drawn_by_verdict(
    generator: np.random.Generator, world: World, n: int, runs: int
) -> tuple[Ints, Ints]:
    """The same, with as many labels on each verdict."""
    weights = world.joint.sum(axis=1) / world.joint.sum()
    totals = generator.multinomial(UNITS, weights, runs)
    labelled = np.zeros((runs, *world.joint.shape), dtype=np.int64)
    for k, part in enumerate(world.joint):
        each = np.minimum(n // len(weights), totals[:, k])
        labelled[:, k] = generator.multinomial(each, part / part.sum())
    return labelled, totals


def cells_of(labelled: Ints, totals: Ints, worth: Floats) -> Iterator[tuple[VerdictCell, ...]]:
    """The cells of each run."""
    counts = labelled.sum(axis=2).tolist()
    sums, squares = (labelled @ worth).tolist(), (labelled @ worth**2).tolist()
    for total, count, one, two in zip(totals.tolist(), counts, sums, squares, strict=True):
        yield tuple(
            VerdictCell(label=str(k), total=a, labelled=b, sum=c, squares=d)
            for k, (a, b, c, d) in enumerate(zip(total, count, one, two, strict=True))
            if a
        )


def by_mover(labelled: Ints, totals: Ints, worth: Floats) -> Bounds:
    return np.array(
        [
            (found.low, found.high)
            for found in (mover(cells, level=LEVEL) for cells in cells_of(labelled, totals, worth))
        ]
    )


@lru_cache(maxsize=65_536)
def plain(successes: float, n: float, level: float) -> tuple[float, float]:
    """Jeffreys' interval as it is."""
    low, high = stats.beta(successes + 0.5, max(0.0, n - successes) + 0.5).interval(level)
    return float(low) if successes > 0 else 0.0, float(high) if successes < n else 1.0


def by_plain_jeffreys(labelled: Ints, totals: Ints, worth: Floats) -> Bounds:
    """mover, but for Jeffreys' intervals of the cells."""
    found = []
    for cells in cells_of(labelled, totals, worth):
        parts = [Part(weight=c.total / UNITS, share=c.mean, n=c.labelled * c.worth) for c in cells]
        sampled = variance_between(parts) / UNITS
        found.append(mover_bounds(parts, sampled, level=LEVEL, z=Z, interval=plain))
    return np.array(found)


def by_people(labelled: Ints, totals: Ints, worth: Floats) -> Bounds:
    """human-only, for yes/no labels."""
    n = int(labelled[0].sum())
    table = np.array([cell_interval(float(x), float(n), LEVEL) for x in range(n + 1)])
    return table[labelled[:, :, 1].sum(axis=1)]


def by_judge(labelled: Ints, totals: Ints, worth: Floats) -> Bounds:
    """judge-only, for yes/no verdicts; the first verdict is yes."""
    return np.array([cell_interval(float(x), float(UNITS), LEVEL) for x in totals[:, 0].tolist()])


def by_ppi(labelled: Ints, totals: Ints, worth: Floats) -> Bounds:
    """ppi++, for yes/no labels and verdicts; the first verdict is yes."""
    n = labelled[0].sum()
    rest = UNITS - n
    y, f, all_f = (
        labelled[:, :, 1].sum(axis=1) / n,
        labelled[:, 0].sum(axis=1) / n,
        totals[:, 0] / UNITS,
    )
    rest_f = (totals[:, 0] - f * n) / rest
    covariance = labelled[:, 0, 1] / n - y * f
    variance = all_f * (1 - all_f) * UNITS / (UNITS - 1)
    ratio = np.divide(covariance, variance, out=np.zeros_like(y), where=variance > 0)
    tuning = np.clip(ratio / (1 + n / rest), 0, 1)
    value = np.clip(y + tuning * (rest_f - f), 0, 1)
    of_labels = y * (1 - y) - 2 * tuning * covariance + tuning**2 * f * (1 - f)
    half = Z * np.sqrt(np.maximum(0, of_labels) / n + tuning**2 * rest_f * (1 - rest_f) / rest)
    return np.column_stack([np.maximum(0, value - half), np.minimum(1, value + half)])


Method = Callable[[Ints, Ints, Floats], Bounds]
METHODS: Mapping[str, Method] = {
    "mover": by_mover,
    "mover with plain Jeffreys cells": by_plain_jeffreys,
    "ppi++": by_ppi,
    "human-only": by_people,
    "judge-only": by_judge,
}


def row(method: str, setting: str, n: int, truth: float, bounds: Bounds, **more: object) -> Row:
    held = (bounds[:, 0] <= truth + 1e-12) & (truth <= bounds[:, 1] + 1e-12)
    return {
        "statistic": "corrected share",
        "method": method,
        "setting": setting,
        "n": n,
        "coverage": float(held.mean()),
        "mean_width": float(np.ptp(bounds, axis=1).mean()),
        "used": method == "mover",
        "runs": len(bounds),
        **more,
    }


def rows_of_bar(runs: int) -> Iterator[Row]:
    """The grid that the default is held to; `width_ratio` is mover's over plain Jeffreys'."""
    for judge in JUDGES:
        for share in SHARES:
            for n in LABELS:
                yield from cell_of_bar(runs, judge, share, n)


def cell_of_bar(runs: int, judge: str, share: float, n: int) -> Iterator[Row]:
    world = yes_no(share, judge)
    generator = np.random.default_rng([n, round(1_000 * share), list(JUDGES).index(judge)])
    labelled, totals = drawn(generator, world, n, runs)
    found = {name: method(labelled, totals, world.worth) for name, method in METHODS.items()}
    widths = {name: float(np.ptp(bounds, axis=1).mean()) for name, bounds in found.items()}
    for name, bounds in found.items():
        made = row(name, f"p {share:g}, {judge}", n, share, bounds)
        if name == "mover":
            made["width_ratio"] = widths[name] / widths["mover with plain Jeffreys cells"]
            made["may_widen"] = (judge, share, n) in WIDER
        yield made


def rows_of_kinds(runs: int) -> Iterator[Row]:
    """Labels by verdict, unparsed verdicts, half credit and ratings."""
    for place, share in enumerate(SHARES):
        kinds: dict[str, tuple[str, World]] = {}
        for judge in JUDGES:
            world = yes_no(share, judge)
            kinds[f"labels by verdict, p {share:g}, {judge}"] = ("labels by verdict", world)
        for agree in (0.8, 0.95):
            kinds[f"half credit, judge agrees {agree:g}"] = (
                "corrected half credit",
                half_credit(share, agree),
            )
            kinds[f"0 to 5, judge agrees {agree:g}"] = (
                "corrected rating",
                ratings(share, agree),
            )
        kinds["5 % unparsed, 90 % judge"] = ("corrected share", yes_no(share, "90 % judge", 0.05))
        for n in LABELS:
            for kind, (name, (statistic, world)) in enumerate(kinds.items()):
                by_verdict = statistic == "labels by verdict"
                generator = np.random.default_rng([7, n, place, kind])
                draw = drawn_by_verdict if by_verdict else drawn
                bounds = by_mover(*draw(generator, world, n, runs), world.worth)
                setting = name if by_verdict else f"{name}, mean {world.truth:.3g}"
                told = "corrected share, labels by verdict" if by_verdict else statistic
                yield row("mover", setting, n, world.truth, bounds, statistic=told)


def rows_of_clusters(runs: int, shares: tuple[float, ...] | None = None) -> Iterator[Row]:
    """Items of eight units, labelled as whole items or as units at random."""
    for share in shares or SHARES:
        generator = np.random.default_rng([8, round(1_000 * share)])
        found: dict[tuple[str, int, str], list[tuple[float, float]]] = {}
        for _ in range(runs):
            for key, bounds in clustered_sample(generator, share):
                found.setdefault(key, []).append(bounds)
        for (judge, n, design), made in found.items():
            setting = f"p {share:g}, {judge}, {design}"
            statistic = "corrected share over items"
            yield row("mover", setting, n, share, np.array(made), statistic=statistic)


def clustered_sample(
    generator: np.random.Generator, share: float
) -> Iterator[tuple[tuple[str, int, str], tuple[float, float]]]:
    """One set of units, and what each judge and way of labelling makes of it."""
    items = UNITS // ITEM
    more = (1 - ALIKE) / ALIKE
    tendency = generator.beta(share * more, (1 - share) * more, items)
    true = generator.random((items, ITEM), dtype=np.float32) < tendency[:, None]
    chance = generator.random((items, ITEM), dtype=np.float32)
    mixed = generator.choice(UNITS, LABELS_OF_ITEMS[-1], replace=False)
    for judge, (sensitivity, specificity) in JUDGES.items():
        yes = chance < np.where(true, sensitivity, 1 - specificity)
        of_items = yes.sum(axis=1)
        weights = (float(of_items.sum()), float((of_items**2).sum()))
        for n in LABELS_OF_ITEMS:
            for design, places in (("whole items", np.arange(n)), ("units at random", mixed[:n])):
                said, held = yes.ravel()[places], true.ravel()[places]
                yield (judge, n, design), clustered_bounds(said, held, places // ITEM, weights)


def yes_no_cell(label: str, total: int, labelled: int, hits: int) -> VerdictCell:
    return VerdictCell(
        label=label, total=total, labelled=labelled, sum=float(hits), squares=float(hits)
    )


def clustered_bounds(
    yes: NDArray[np.bool_], true: NDArray[np.bool_], item: Ints, weights: tuple[float, float]
) -> tuple[float, float]:
    """`mover` with the spread that `clustered_cells.spread` finds, from tallies.

    Args:
        weights: the number of units with the verdict yes, and the sum of its squares by item.
    """
    total = {True: weights[0], False: UNITS - weights[0]}
    cells, parts = [], np.zeros(len(yes))
    for label, mask in ((True, yes), (False, ~yes)):
        count, hits = int(mask.sum()), int((mask & true).sum())
        if total[label]:
            cells.append(yes_no_cell(str(label), int(total[label]), count, hits))
        if count:
            part = total[label] / UNITS / count * (true - hits / count)
            parts = np.where(mask, part, parts)
    sizes = np.bincount(item)
    sums = np.bincount(item, parts)
    clusters = int(np.count_nonzero(sizes))
    effect = shrunk_design_effect(
        clusters=clusters,
        mates=float((sizes**2).sum()) / len(item),
        together=float(sums @ sums),
        alone=float(parts @ parts),
    )
    spread = ClusterEffects(
        design_effect=effect,
        weights_effect=_weights_effect(cells, weights),
        clusters=clusters,
        df=clusters - 1 + PRIOR_CLUSTERS,
    )
    found = mover(cells, level=LEVEL, wider=spread)
    assert found.low is not None and found.high is not None  # noqa: PT018 - there are labels
    return found.low, found.high


def _weights_effect(cells: list[VerdictCell], weights: tuple[float, float]) -> float:
    """An item with k units of yes and the rest of no adds k a + (8 - k) b."""
    value = sum(cell.total * cell.mean for cell in cells) / UNITS
    gaps = {cell.label: cell.mean - value for cell in cells}
    a, b = gaps.get("True", 0.0), gaps.get("False", 0.0)
    items = UNITS // ITEM
    slope = a - b
    together = slope**2 * weights[1] + 2 * slope * ITEM * b * weights[0] + items * (ITEM * b) ** 2
    alone = weights[0] * a * a + (UNITS - weights[0]) * b * b
    return shrunk_design_effect(clusters=items, mates=float(ITEM), together=together, alone=alone)


def rows(runs: int) -> list[Row]:
    """The bar's grid, the other kinds of labels and verdicts, and clusters; all with `runs`."""
    return [*rows_of_bar(runs), *rows_of_kinds(runs), *rows_of_clusters(runs)]


def main() -> None:
    for one in rows(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000):
        print(
            f"{one['statistic']}; {one['method']}; {one['setting']}; {one['n']}: "
            f"{one['coverage']:.4f} {one['mean_width']:.4f}"
        )


if __name__ == "__main__":
    main()
