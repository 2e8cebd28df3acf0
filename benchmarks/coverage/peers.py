"""The corrected mean beside other tools' on the same draws; writes peers.csv for docs/coverage.md.

PYTHONPATH=src PYTHON benchmarks/coverage/peers.py [RUNS]

PYTHON is that of an environment of its own, with numpy, truescore, ppi-python and judgy. 2,000
units; a judge gives each a verdict, a rating or a score, people say what n of them are worth. Each
tool is called by what its documentation says for such data; where it has no way for a design, it
has no row. A judge's missing numbers are 0 to tools that take no missing ones.
"""

from __future__ import annotations

import csv
import math
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from judge_line import (
    ITEM,
    STRATA,
    UNITS,
    Floats,
    Study,
    World,
    at_random,
    graded,
    in_strata,
    of_items,
    probability,
    rating,
    shares_of_claims,
    with_gaps,
)

from factmark.evaluated.columns import column_of_numbers
from factmark.evaluated.corrected import How, corrected_mean_of
from factmark.evaluated.table import table_of_judge
from factmark.stats.corrections import corrected_mean
from factmark.stats.judge_line.sample import Drawing

HERE = Path(__file__).resolve().parent
COLUMNS = ("setting", "n", "tool", "coverage", "mean_width", "runs", "milliseconds")
Bounds = tuple[float, float]
_JUDGY_DRAWS = 200  # of its bootstrap, 20,000 by default: its time, hardly its interval


class Cell(NamedTuple):
    """Where studies are drawn from, with how many labels, and what tools must know of it."""

    world: World
    n: int
    are_words: bool = False
    are_whole_items: bool = False
    is_told: bool = True


def verdicts(true: float, finds_true: float, finds_false: float) -> World:
    """Yes or no by people and by the judge."""

    def draw(generator: np.random.Generator, n: int) -> Study:
        people = (generator.random(UNITS) < true).astype(np.float64)
        chance = generator.random(UNITS)
        judge = np.where(people > 0, chance < finds_true, chance > finds_false)
        return at_random(generator, judge.astype(np.float64), people, n)

    return World(f"yes or no, {true:g} true, {finds_true:g}/{finds_false:g} right", true, draw)


def verdicts_of_items(*, whole: bool) -> World:
    """Yes or no of items of eight units that are alike; n whole items, or n units."""

    def draw(generator: np.random.Generator, n: int) -> Study:
        of_item = np.repeat(generator.normal(size=UNITS // ITEM), ITEM)
        height = math.sqrt(0.3) * of_item + math.sqrt(0.7) * generator.normal(size=UNITS)
        people = (height < 0.5244).astype(np.float64)  # 0.7 of a normal value
        judge = np.where(generator.random(UNITS) < 0.88, people, 1 - people)
        items = np.repeat(np.arange(UNITS // ITEM), ITEM)
        labelled = generator.choice(UNITS, n, replace=False)
        if whole:
            chosen = generator.choice(UNITS // ITEM, n, replace=False)
            labelled = np.flatnonzero(np.isin(items, chosen))
        return Study(judge, people, labelled, Drawing(clusters=items))

    what = "whole items" if whole else "units of items"
    return World(f"yes or no, {what}", 0.7, draw)


def verdicts_in_strata(*, are_told: bool) -> World:
    """Yes or no, and as many labels in each of three strata of unlike size and truth."""
    shares, true = (np.array(column) for column in zip(*STRATA, strict=True))

    def draw(generator: np.random.Generator, n: int) -> Study:
        strata = generator.choice(3, UNITS, p=shares)
        people = (generator.random(UNITS) < true[strata]).astype(np.float64)
        judge = np.where(generator.random(UNITS) < 0.85, people, 1 - people)
        each = [
            generator.choice(np.flatnonzero(strata == stratum), n // 3, replace=False)
            for stratum in range(3)
        ]
        drawing = Drawing(strata=strata) if are_told else None
        return Study(judge, people, np.concatenate(each), drawing)

    told = "" if are_told else ", which nobody says"
    return World(f"yes or no, strata labelled alike{told}", float(shares @ true), draw)


def cells() -> Iterator[Cell]:
    """All settings."""
    for true, right, n in (
        (0.7, (0.9, 0.9), 100),
        (0.95, (0.98, 0.2), 100),
        (0.9, (0.9, 0.9), 300),
    ):
        yield Cell(verdicts(true, *right), n, are_words=True)
    for n in (10, 20, 30):
        yield Cell(verdicts(0.9, 0.9, 0.9), n, are_words=True)
    for stars, kind, n in (
        ("mostly five", "good", 20),
        ("mostly five", "lenient", 50),
        ("flat", "good", 50),
        ("flat", "noisy", 100),
        ("mostly five", "useless", 100),
    ):
        yield Cell(rating(stars, kind), n)
    for true, apart, n in ((0.7, 2.5, 30), (0.7, 2.5, 100), (0.9, 1.0, 100), (0.9, 2.5, 300)):
        yield Cell(probability(true, apart), n)
    yield Cell(graded(3.5, 1.5, 0.15), 50)
    yield Cell(shares_of_claims(), 100)
    for n in (10, 30):
        yield Cell(verdicts_of_items(whole=True), n, are_words=True, are_whole_items=True)
        yield Cell(of_items(), n, are_whole_items=True)
    yield Cell(verdicts_of_items(whole=False), 100, are_words=True)
    yield Cell(verdicts_in_strata(are_told=True), 90, are_words=True)
    yield Cell(in_strata(), 90)
    yield Cell(verdicts_in_strata(are_told=False), 90, are_words=True)
    missing = with_gaps(verdicts(0.8, 0.9, 0.85), 0.05, 0.25)
    yield Cell(missing, 100, are_words=True)
    yield Cell(with_gaps(probability(0.8, 2.5), 0.05, 0.25), 100)
    yield Cell(with_gaps(rating("flat", "good"), 0.25, 0.25), 100)


def by_factmark(cell: Cell, study: Study) -> Bounds:
    """As `factmark.correct` has it."""
    drawing = study.drawing or Drawing()
    judged = np.flatnonzero(~np.isnan(study.judge)).tolist()
    numbers = {place: float(study.judge[place]) for place in judged}
    labels = dict(zip(study.labelled.tolist(), study.people[study.labelled].tolist(), strict=True))
    table = table_of_judge(
        column_of_numbers("judge", numbers, UNITS),
        labels,
        clusters=None if drawing.clusters is None else list(map(str, drawing.clusters)),
        strata=None if drawing.strata is None else list(map(str, drawing.strata)),
    )
    estimate = corrected_mean_of(table, "judge", How(by_stratum=True))
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def by_people(cell: Cell, study: Study) -> Bounds | None:
    """People's labels alone; no answer to strata."""
    if study.drawing is not None and study.drawing.strata is not None:
        return None
    labels = dict(enumerate(study.people[study.labelled].tolist()))
    clusters = None
    if study.drawing is not None and study.drawing.clusters is not None:
        clusters = [str(study.drawing.clusters[place]) for place in study.labelled]
    alone = corrected_mean([None] * len(labels), labels, method="human-only", clusters=clusters)
    assert alone.low is not None
    assert alone.high is not None
    return alone.low, alone.high


def by_truescore(cell: Cell, study: Study) -> Bounds | None:
    """`ppi_estimate`, which takes whole clusters and no strata."""
    from truescore.correct import ppi_estimate

    drawing = study.drawing or Drawing()
    if drawing.strata is not None or (drawing.clusters is not None and not cell.are_whole_items):
        return None
    estimate = ppi_estimate(
        np.nan_to_num(study.judge),
        study.people[study.labelled],
        study.labelled,
        clusters=drawing.clusters,
    )
    return float(estimate.low), float(estimate.high)


def by_ppi_python(cell: Cell, study: Study) -> Bounds | None:
    """`ppi_mean_ci`, which takes weights, by which strata are weighted, and no clusters."""
    import ppi_py

    drawing = study.drawing or Drawing()
    if drawing.clusters is not None:
        return None
    judge = np.nan_to_num(study.judge)
    weights = None
    if drawing.strata is not None:
        strata = np.asarray(drawing.strata)
        labelled = strata[study.labelled]
        weights = (np.bincount(strata) / np.bincount(labelled))[labelled]
    others = np.delete(judge, study.labelled)
    low, high = ppi_py.ppi_mean_ci(
        study.people[study.labelled], judge[study.labelled], others, alpha=0.05, w=weights
    )
    return float(np.ravel(low)[0]), float(np.ravel(high)[0])


def by_judgy(cell: Cell, study: Study) -> Bounds | None:
    """`estimate_success_rate`, which takes yes and no of units drawn at random."""
    from judgy import estimate_success_rate

    if not cell.are_words or study.drawing is not None:
        return None
    judge = np.nan_to_num(study.judge).astype(int)
    _, low, high = estimate_success_rate(
        study.people[study.labelled].astype(int),
        judge[study.labelled],
        np.delete(judge, study.labelled),
        bootstrap_iterations=_JUDGY_DRAWS,
    )
    return float(low), float(high)


TOOLS = {
    "factmark": by_factmark,
    "people alone": by_people,
    "truescore": by_truescore,
    "ppi-python": by_ppi_python,
    "judgy": by_judgy,
}


def rows(runs: int) -> Iterator[dict[str, Any]]:
    """A row for each tool in each setting; a tool's runs without an interval miss the truth."""
    for cell in cells():
        generator = np.random.default_rng([41, cell.n, *cell.world.name.encode()])
        np.random.seed(cell.n)
        bounds: dict[str, list[Bounds]] = {name: [] for name in TOOLS}
        seconds = dict.fromkeys(TOOLS, 0.0)
        for _ in range(runs):
            study = cell.world.draw(generator, cell.n)
            for name, tool in TOOLS.items():
                begun = time.process_time()
                interval: Bounds | None
                try:
                    interval = tool(cell, study)
                except (ValueError, ZeroDivisionError):
                    interval = (math.nan, math.nan)
                seconds[name] += time.process_time() - begun
                if interval is not None:
                    bounds[name].append(interval)
        for name, drawn in bounds.items():
            if drawn:
                yield row_of(cell, name, np.array(drawn), 1_000 * seconds[name] / runs)


def row_of(cell: Cell, tool: str, drawn: Floats, milliseconds: float) -> dict[str, Any]:
    """A tool's row in a setting."""
    low, high = drawn.T
    truth = cell.world.truth
    return {
        "setting": cell.world.name,
        "n": cell.n,
        "tool": tool,
        "coverage": round(float(np.mean((low <= truth + 1e-12) & (truth - 1e-12 <= high))), 4),
        "mean_width": round(float(np.nanmean(high - low)), 4),
        "runs": len(drawn),
        "milliseconds": round(milliseconds, 2),
    }


def main() -> None:
    """Writes peers.csv."""
    warnings.filterwarnings("ignore")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with (HERE / "peers.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows(runs):
            writer.writerow(row)
            file.flush()


if __name__ == "__main__":
    main()
