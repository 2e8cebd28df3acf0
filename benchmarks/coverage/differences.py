"""How often corrected differences of two systems, means of answers, and slices hold the truth; and
how often a judge's bias is found.

python benchmarks/coverage/differences.py [RUNS]

Marks are real ones: C, H and S by the rules and by marks of 3,732 answers of domains of which the
rules had learnt nothing (`unseen_scores.csv`, by `python benchmarks/tagger.py halves`), drawn with
replacement; two systems are two answers of one domain. Other settings are simulated.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factmark.model import Estimate
from factmark.stats.corrections import corrected_mean
from factmark.stats.judge_line.bias import bias_tests
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.difference import JudgedSide, corrected_difference
from factmark.stats.judge_line.sample import Drawing
from factmark.stats.judge_line.slices import corrected_slices

Floats = NDArray[np.float64]
Generator = np.random.Generator
Row = dict[str, Any]
SCORES = Path(__file__).with_name("unseen_scores.csv")
UNITS = 200
MARKS = (20, 40, 80)
ITEMS = [f"q{place}" for place in range(UNITS)]
CLOSE = 1e-9


class Pair(NamedTuple):
    """What the judge and people gave A and B on the same items."""

    judge_a: Floats
    judge_b: Floats
    people_a: Floats
    people_b: Floats


class World(NamedTuple):
    """Where pairs are drawn from: its name, the true difference, and how."""

    name: str
    truth: float
    draw: Callable[[Generator], Pair]


def unseen() -> tuple[Floats, Floats]:
    """The rules' C, H and S of each answer, and people's."""
    with SCORES.open(encoding="utf-8") as file:
        rows = [list(map(float, row)) for row in list(csv.reader(file))[1:]]
    table = np.array(rows)
    return table[:, :3], table[:, 3:]


def of_marks(place: int) -> World:
    """Pairs of answers of one domain; A is the better one a little more often."""
    rules, people = unseen()
    first = np.arange(0, len(rules) - 1, 2)
    turned = (people[first, 2] < people[first + 1, 2]) & (
        np.random.default_rng(5).random(len(first)) < 0.4
    )
    a, b = np.where(turned, first + 1, first), np.where(turned, first, first + 1)

    def draw(generator: Generator) -> Pair:
        drawn = generator.integers(0, len(a), UNITS)
        sides = (rules[a[drawn]], rules[b[drawn]], people[a[drawn]], people[b[drawn]])
        return Pair(*(side[:, place] for side in sides))

    truth = float((people[a, place] - people[b, place]).mean())
    return World(f"marks of unseen domains, {'CHS'[place]}", truth, draw)


def of_verdicts(true: tuple[float, float], favour: float) -> World:
    """Yes or no, right of 9 in 10, with half of the errors shared; the judge calls so many more of
    B's true."""

    def verdicts(generator: Generator, people: Floats, shared: Floats, favour: float) -> Floats:
        own = np.where(generator.random(UNITS) < 0.5, shared, generator.random(UNITS))
        judged = np.where(own < 0.9, people, 1 - people)
        return np.where(generator.random(UNITS) < favour, 1.0, judged)

    def draw(generator: Generator) -> Pair:
        hard = generator.normal(size=UNITS)
        people = []
        for share in true:
            height = math.sqrt(0.5) * hard + math.sqrt(0.5) * generator.normal(size=UNITS)
            people.append((height < NormalDist().inv_cdf(share)).astype(np.float64))
        shared = generator.random(UNITS)
        judge_a = verdicts(generator, people[0], shared, 0.0)
        judge_b = verdicts(generator, people[1], shared, favour)
        return Pair(judge_a, judge_b, *people)

    name = f"yes or no, {true[0]:g} and {true[1]:g} true"
    if favour:
        name += f", {favour:.0%} of B's are called true"
    return World(name, true[0] - true[1], draw)


def of_scores(noise: float) -> World:
    """Scores; what the judge errs by is shared by both of an item, and it gives B 0.1 more."""

    def people_of(generator: Generator, n: int) -> tuple[Floats, Floats]:
        hard = generator.beta(4, 2, n)
        better = np.clip(hard + generator.normal(0.05, 0.15, n), 0, 1)
        return better, np.clip(hard + generator.normal(0, 0.15, n), 0, 1)

    def draw(generator: Generator) -> Pair:
        a, b = people_of(generator, UNITS)
        shared = generator.normal(0, noise, UNITS)
        own = generator.normal(0, noise / 2, (2, UNITS))
        judge_a = np.clip(a + shared + own[0], 0, 1)
        return Pair(judge_a, np.clip(b + 0.1 + shared + own[1], 0, 1), a, b)

    many = people_of(np.random.default_rng(1), 4_000_000)
    truth = float((many[0] - many[1]).mean())
    return World(f"scores, the judge errs by {noise:g} and gives B 0.1 more", truth, draw)


def worlds() -> Iterator[World]:
    """All settings of a difference."""
    for place in range(3):
        yield of_marks(place)
    yield of_verdicts((0.8, 0.7), 0.0)
    yield of_verdicts((0.8, 0.8), 0.3)
    yield of_verdicts((0.95, 0.9), 0.3)
    yield of_scores(0.15)
    yield of_scores(0.4)


def side(judge: Floats, people: Floats, labelled: NDArray[np.int64]) -> JudgedSide:
    """A system with labels of some items."""
    labels: list[float | None] = [None] * len(judge)
    for place in labelled.tolist():
        labels[place] = float(people[place])
    return JudgedSide(items=ITEMS, judge=judge.tolist(), people=labels)


def holds(estimate: Estimate, truth: float) -> tuple[bool, float]:
    """Whether an interval holds the truth, and its width."""
    assert estimate.low is not None
    assert estimate.high is not None
    held = estimate.low - CLOSE <= truth <= estimate.high + CLOSE
    return held, estimate.high - estimate.low


def row_of(statistic: str, method: str, setting: str, n: int, drawn: Sequence[Any]) -> Row:
    """A row of so many (held, width)."""
    held, widths = zip(*drawn, strict=True)
    return {
        "statistic": statistic,
        "method": method,
        "setting": setting,
        "n": n,
        "coverage": float(np.mean(held)),
        "mean_width": float(np.mean(widths)),
        "used": method != "people alone",
    }


def rows(runs: int) -> Iterator[Row]:
    """Of differences, by the line and by people alone."""
    statistic = "corrected difference"
    for world in worlds():
        for n in MARKS:
            generator = np.random.default_rng([n, *world.name.encode()])
            line, alone = [], []
            nothing = np.zeros(UNITS)
            for _ in range(runs):
                pair = world.draw(generator)
                labelled = generator.choice(UNITS, n, replace=False)
                a = side(pair.judge_a, pair.people_a, labelled)
                b = side(pair.judge_b, pair.people_b, labelled)
                line.append(holds(corrected_difference(a, b).estimate, world.truth))
                a = side(nothing, pair.people_a, labelled)
                b = side(nothing, pair.people_b, labelled)
                alone.append(holds(corrected_difference(a, b).estimate, world.truth))
            yield row_of(statistic, "line for both systems", world.name, n, line)
            yield row_of(statistic, "people alone", world.name, n, alone)


def rows_of_answers(runs: int) -> Iterator[Row]:
    """Of C, H and S of 200 answers with marks of some."""
    rules, people = unseen()
    clusters = Drawing(clusters=ITEMS)
    for place, name in enumerate("CHS"):
        truth = float(people[:, place].mean())
        for n in MARKS:
            generator = np.random.default_rng([n, place])
            line, alone = [], []
            for _ in range(runs):
                drawn = generator.integers(0, len(rules), UNITS)
                marks = dict(enumerate(people[drawn[:n], place].tolist()))
                judge = rules[drawn, place].tolist()
                line.append(holds(corrected_by_line([judge], marks, drawing=clusters), truth))
                by_people = corrected_mean([None] * UNITS, marks, method="human-only")
                alone.append(holds(by_people, truth))
            setting = f"marks of unseen domains, {name}"
            yield row_of("corrected answers", "line in the rules' score", setting, n, line)
            yield row_of("corrected answers", "people alone", setting, n, alone)


class Slices(NamedTuple):
    """A setting of slices: how large they are, true means, the judge's errors, and labels."""

    name: str
    sizes: Sequence[float]
    truths: Sequence[float]
    judge: float
    favour: Sequence[float]
    labels: int
    scores: bool = False


EVEN_4, UNEVEN_12 = [1.0] * 4, [8.0, 6, 5, 4, 3, 2, 2, 1, 1, 1, 1, 1]
UNEVEN_10 = [6.0, 5, 4, 3, 2, 2, 1, 1, 1, 1]
SLICES = (
    Slices("4 alike, 90 % judge", EVEN_4, [0.9, 0.8, 0.7, 0.6], 0.9, [0] * 4, 100),
    Slices("4 alike, 90 % judge", EVEN_4, [0.9, 0.8, 0.7, 0.6], 0.9, [0] * 4, 300),
    Slices("8 alike, 95 % judge, 0.95 true", [1] * 8, [0.95] * 8, 0.95, [0] * 8, 200),
    Slices(
        "12 unlike in size, 85 % judge", UNEVEN_12, np.linspace(0.9, 0.5, 12), 0.85, [0] * 12, 150
    ),
    Slices(
        "12, lenient in one",
        UNEVEN_12,
        np.linspace(0.9, 0.5, 12),
        0.85,
        [0] * 8 + [0.6, 0, 0, 0],
        150,
    ),
    Slices(
        "6, a small one is unlike the others",
        [5, 5, 5, 5, 5, 1],
        [0.8] * 5 + [0.3],
        0.8,
        [0] * 5 + [0.5],
        120,
    ),
    Slices("5 alike, scores", [1] * 5, [0.8, 0.7, 0.6, 0.5, 0.4], 0.2, [0] * 5, 100, True),
    Slices(
        "5 alike, scores, bias differs",
        [1] * 5,
        [0.8, 0.7, 0.6, 0.5, 0.4],
        0.2,
        [0.2, 0.1, 0, -0.1, -0.2],
        100,
        True,
    ),
    Slices(
        "10 unlike in size, scores", UNEVEN_10, np.linspace(0.8, 0.4, 10), 0.2, [0] * 10, 80, True
    ),
    Slices(
        "10, scores, bias differs",
        UNEVEN_10,
        np.linspace(0.8, 0.4, 10),
        0.2,
        np.linspace(-0.2, 0.2, 10),
        200,
        True,
    ),
    Slices("20 alike, 90 % judge", [1] * 20, np.linspace(0.9, 0.6, 20), 0.9, [0] * 20, 200),
    Slices("3 alike, a judge that knows nothing", [1] * 3, [0.8, 0.7, 0.6], 0.5, [0] * 3, 90),
)


def sliced(generator: Generator, given: Slices) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """The judge's and people's values of 2,000 units, and their slices."""
    sizes = np.array(given.sizes) / sum(given.sizes)
    places = generator.choice(len(sizes), 2_000, p=sizes)
    truths, favour = np.array(given.truths)[places], np.array(given.favour)[places]
    if given.scores:
        people = generator.beta(4 * truths, 4 - 4 * truths)
        judge = np.clip(people + favour + generator.normal(0, given.judge, 2_000), 0, 1)
        return judge, people, places
    people = (generator.random(2_000) < truths).astype(np.float64)
    judge = np.where(generator.random(2_000) < given.judge, people, 1 - people)
    return np.where(generator.random(2_000) < favour, 1.0, judge), people, places


def rows_of_slices(runs: int) -> Iterator[Row]:
    """Of all slices at once; the width is that of one, on average."""
    for given in SLICES:
        generator = np.random.default_rng([given.labels, *given.name.encode()])
        drawn = []
        for _ in range(runs):
            judge, people, places = sliced(generator, given)
            labels = dict(enumerate(people[: given.labels].tolist()))
            held, widths = True, []
            for each in corrected_slices(judge.tolist(), labels, places.tolist()):
                if each.estimate.value is not None:
                    inside, width = holds(each.estimate, given.truths[int(each.name)])
                    held = held and inside
                    widths.append(width)
            drawn.append((held, float(np.mean(widths))))
        yield row_of("slices at once", "one line, pooled in part", given.name, given.labels, drawn)


def rows_of_bias(runs: int) -> Iterator[Row]:
    """How often no bias is found among length, position, system and slice: where there is none,
    and where the judge gives the longer half 0.1 more; of yes and no beside the most powerful test
    of the labelled units, see `oracle`. 300 of 2,000 judged units are labelled."""
    for kind in BIASED:
        for planted in (0.0, 0.1):
            if not planted and "," in kind:
                continue  # the same judge
            generator = np.random.default_rng([int(10 * planted), *kind.encode()])
            quiet = 0
            for _ in range(runs):
                judge, people, factors = _with_bias(generator, kind, planted)
                tests = bias_tests(judge, people, factors)
                looked = [test for test in tests if test.factor == "length" or not planted]
                quiet += not any(test.is_biased for test in looked)
            what = "no bias" if not planted else "0.1 by length, found in the rest"
            row = {
                "statistic": "bias of a judge" if planted else "no bias of a judge",
                "method": "Holm over 4",
                "setting": f"{kind}, {what}",
                "n": 300,
                "coverage": quiet / runs,
                "mean_width": None,
                "used": not planted,
            }
            yield row
            if planted and kind in FLIPS:
                missed = 1 - oracle(FLIPS[kind], generator)
                yield row | {"method": "Neyman and Pearson's, by labelled ones", "coverage": missed}


FLIPS = {  # people's value -> which share of the judge's no of the longer half becomes yes
    "yes or no": {0: 0.1 / 0.34, 1: 0.1 / 0.34},
    "yes or no, of what people call false": {0: 0.1 / 0.274 / 0.9, 1: 0.0},
    "yes or no, whatever people say": {0: 0.1 / 0.9, 1: 1.0},
}
BIASED = (*FLIPS, "stars", "scores")
_TRUE, _RIGHT = NormalDist().cdf(0.6), 0.9


def oracle(flips: Mapping[int, float], generator: Generator, runs: int = 20_000) -> float:
    """How often a planted bias is found at Holm's first step over four columns, on both sides, by
    the likelihood ratio of who knows the halves, the judge's rates and the bias itself: no test of
    the labelled units alone finds it more often (Neyman and Pearson 1933)."""
    said = {0: 1 - _RIGHT, 1: _RIGHT}
    longer = {value: rate + (1 - rate) * flips[value] for value, rate in said.items()}
    middle = {value: (said[value] + longer[value]) / 2 for value in said}

    def ratios(short: Mapping[int, float], long: Mapping[int, float]) -> Floats:
        ratio = np.zeros(runs)
        sizes = generator.multinomial(300, [(1 - _TRUE) / 2, _TRUE / 2] * 2, runs)
        for place, rate, known in ((0, short, said), (2, long, longer)):
            for value in (0, 1):
                n = sizes[:, place + value]
                yes = generator.binomial(n, rate[value])
                near = np.clip([known[value], middle[value]], CLOSE, 1 - CLOSE)
                ratio += yes * math.log(near[0] / near[1])
                ratio += (n - yes) * math.log((1 - near[0]) / (1 - near[1]))
        return ratio

    bar = np.quantile(ratios(middle, middle), 1 - 0.05 / 4 / 2)
    return float(np.mean(ratios(said, longer) > bar))


def _with_bias(
    generator: Generator, kind: str, planted: float
) -> tuple[list[float | None], dict[int, float], dict[str, list[Any]]]:
    """A judge of 2,000 units, people of 300 of them, and four columns."""
    n = 2_000
    long = generator.normal(size=n)
    quality = generator.normal(size=n)
    if kind in FLIPS:
        people = (quality < 0.6).astype(np.float64)
        judge = np.where(generator.random(n) < _RIGHT, people, 1 - people)
        rate = np.where(people > 0, FLIPS[kind][1], FLIPS[kind][0]) * planted / 0.1
        flipped = (long > 0) & (generator.random(n) < rate)
        judge = np.where(flipped, 1.0, judge)
    elif kind == "stars":
        people = np.clip(np.round(2.5 + 1.2 * quality), 0, 4) / 4
        off = generator.choice([-0.25, 0, 0.25], n, p=[0.2, 0.6, 0.2])
        judge = np.clip(np.clip(people + off, 0, 1) + planted * (long > 0), 0, 1)
    else:
        people = np.clip(0.6 + 0.2 * quality, 0, 1)
        judge = np.clip(people + generator.normal(0, 0.2, n) + planted * (long > 0), 0, 1)
    factors = {
        "length": np.exp(5 + 0.8 * long).tolist(),
        "position": generator.integers(0, 5, n).tolist(),
        "system": generator.choice(list("ABC"), n).tolist(),
        "slice": generator.choice(list("vwxyz"), n).tolist(),
    }
    return judge.tolist(), dict(enumerate(people[:300].tolist())), factors


def main() -> None:
    """Prints the rows as Markdown."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| statistic | setting | n | method | coverage | mean width |\n|---|---|---|---|---|---|")
    for part in (rows, rows_of_answers, rows_of_slices, rows_of_bias):
        for row in part(runs):
            print(
                f"| {row['statistic']} | {row['setting']} | {row['n']} | {row['method']} "
                f"| {row['coverage']:.1%} | {row['mean_width'] or 0:.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
