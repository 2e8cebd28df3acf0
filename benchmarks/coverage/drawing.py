"""How many labels are saved where they are drawn by what the judge's line leaves.

python benchmarks/coverage/drawing.py [RUNS]

2,000 units and a judge of ratings or scores; 50 labels at random, then 100 more: at random, or as
`factmark analyse --sheet` draws them. The truth is the mean of these units, so that widths go by
labels alone: a width smaller by 5 % takes 10 % fewer labels. At any time: the interval of
`--anytime` looked at after each fifth of the further labels, which come in random order.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from judge_line import (
    RATINGS,
    Ints,
    Study,
    World,
    bounds,
    graded,
    probability,
    rating,
    shares_of_claims,
)

from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.drawn_by_residuals import (
    labels_by_stratum,
    strata_of_numbers,
    with_steps,
)
from factmark.stats.judge_line.sample import Drawing
from factmark.stats.sequential import level_at_any_time

Row = dict[str, Any]
PILOT, MORE, LOOKS = 50, 100, 5
LEAST_CORRELATION = 0.6


def worlds() -> Iterator[World]:
    """Judges of the grid that correlate with people by more than 0.6."""
    for stars in RATINGS:
        for kind in ("good", "lenient", "harsh"):
            yield rating(stars, kind)
    for true in (0.5, 0.7, 0.9):
        yield probability(true, 2.5)
    yield graded(3.5, 1.5, 0.15)
    yield graded(9, 1, 0.1)
    yield shares_of_claims()


def by_residuals(generator: np.random.Generator, study: Study) -> tuple[Ints, Ints]:
    """The places of further labels in random order, and the stratum of each unit."""
    strata = strata_of_numbers(study.judge)
    pilot = study.labelled[:PILOT]
    people = dict(zip(pilot.tolist(), study.people[pilot].tolist(), strict=True))
    wanted = labels_by_stratum(study.judge, people, strata, PILOT + MORE, Drawing())
    chosen = []
    for stratum, n in enumerate(wanted):
        inside = np.flatnonzero(strata == stratum)
        free = np.setdiff1d(inside, pilot)
        more = min(len(free), n - (len(inside) - len(free)))
        chosen.append(generator.choice(free, max(0, more), replace=False))
    return generator.permutation(np.concatenate(chosen)), strata


def weighted(
    study: Study, labelled: Ints, planned: Ints, strata: Ints, level: float = 0.95
) -> tuple[float, float]:
    """The interval by some of the labels that are planned, weighted as `analyse` does: by the
    share of the planned ones of a stratum that is there."""
    sizes = np.bincount(strata)
    labels = np.bincount(strata[labelled], minlength=len(sizes))
    weights = (sizes / np.maximum(1, labels))[strata]
    people = dict(zip(labelled.tolist(), study.people[labelled].tolist(), strict=True))
    drawing = with_steps(Drawing(weights=weights), study.judge, len(people))
    return bounds(
        corrected_by_line([study.judge], people, drawing=drawing, target="units", level=level)
    )


def rows(runs: int) -> Iterator[Row]:
    """A row for each world and way of drawing; `saved` is the share of labels."""
    for world in worlds():
        generator = np.random.default_rng([41, *world.name.encode()])
        found: defaultdict[str, list[tuple[bool, float]]] = defaultdict(list)
        correlations = []
        for _ in range(runs):
            study = world.draw(generator, PILOT + MORE)
            correlations.append(np.corrcoef(study.judge, study.people)[0, 1])
            truth = float(study.people.mean())
            for name, drawn in intervals(generator, study):
                held = all(low - 1e-12 <= truth <= high + 1e-12 for low, high in drawn)
                found[name].append((held, drawn[-1][1] - drawn[-1][0]))
        if np.mean(correlations) > LEAST_CORRELATION:
            yield from rows_of(world, found, float(np.mean(correlations)))


def intervals(
    generator: np.random.Generator, study: Study
) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    """Each way's interval, or those that are looked at."""
    people = dict(zip(study.labelled.tolist(), study.people[study.labelled].tolist(), strict=True))
    yield (
        "further labels at random",
        [bounds(corrected_by_line([study.judge], people, target="units"))],
    )
    further, strata = by_residuals(generator, study)
    pilot = study.labelled[:PILOT]
    planned = np.concatenate([pilot, further])
    yield "by what the line leaves", [weighted(study, planned, planned, strata)]
    looks = []
    for look in range(1, LOOKS + 1):
        labelled = np.concatenate([pilot, further[: len(further) * look // LOOKS]])
        level = level_at_any_time(len(labelled))
        looks.append(weighted(study, labelled, planned, strata, level))
    yield "by what the line leaves, at any time", looks


def rows_of(
    world: World, found: dict[str, list[tuple[bool, float]]], correlation: float
) -> Iterator[Row]:
    """The rows of a world."""
    at_random = float(np.mean([width for _, width in found["further labels at random"]]))
    for name, drawn in found.items():
        width = float(np.mean([width for _, width in drawn]))
        saved = ""
        if name == "by what the line leaves":
            saved = f", {1 - (width / at_random) ** 2:.0%} fewer labels"
        yield {
            "statistic": "mean by labels drawn where people lie off",
            "method": name,
            "setting": f"{world.name}, correlation {correlation:.2f}{saved}",
            "n": PILOT + MORE,
            "coverage": float(np.mean([held for held, _ in drawn])),
            "mean_width": width,
            "used": "line" in name,
        }


def main() -> None:
    """Prints the rows."""
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else 100):
        print(
            f"{row['method']:38} {row['setting']:75} {row['coverage']:.1%} {row['mean_width']:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
