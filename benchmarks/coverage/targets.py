"""How often intervals hold the mean of just these units, and that of what made them.

python benchmarks/coverage/targets.py [RUNS]

Each run makes a table of units, observes a random part of it, and has a random part of that
labelled. The truth of target `units` is the mean of that very table, that of `process` is what the
tables are drawn from.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factmark.model import Estimate, Target
from factmark.stats import corrected_share, mean_over_clusters, ratio_over_clusters

Floats = NDArray[np.float64]
TARGETS: tuple[Target, ...] = ("units", "process")
RIGHT = 0.85  # how often the judge is
HEADS = 3  # triples of one


class Study(NamedTuple):
    """An estimate for each target, and the true means of the table and of the process."""

    estimates: dict[Target, Estimate]
    truths: dict[Target, float]


def rows(runs: int) -> Iterator[dict[str, Any]]:
    """statistic, method, setting, n, coverage, mean_width; and whether the package uses it."""
    for size, part, labelled in (
        (60, 1.0, 0.5),
        (60, 1.0, 0.9),
        (200, 1.0, 0.25),
        (200, 0.5, 0.5),
        (400, 0.5, 0.2),
    ):
        for share in (0.6, 0.85):

            def labels(
                generator: np.random.Generator,
                size: int = size,
                part: float = part,
                labelled: float = labelled,
                share: float = share,
            ) -> Study:
                return _corrected(generator, size, part, labelled, share)

            setting = f"p {share}, {part:.0%} of {size} judged, {labelled:.0%} of these labelled"
            yield from _simulated("corrected share", "mover", setting, size, labels, runs)
    for size, part in ((40, 0.5), (40, 0.9), (200, 0.5)):

        def clusters(generator: np.random.Generator, size: int = size, part: float = part) -> Study:
            return _scores(generator, size, part)

        setting = f"{part:.0%} of {size} questions answered"
        yield from _simulated(
            "mean over clusters", "bootstrap, studentised", setting, size, clusters, runs
        )

        def triples(generator: np.random.Generator, size: int = size, part: float = part) -> Study:
            return _triples(generator, size, part)

        setting = f"{part:.0%} of {HEADS * size} triples drawn"
        yield from _simulated(
            "ratio over clusters", "student t, logit", setting, size, triples, runs
        )


def _corrected(
    generator: np.random.Generator, size: int, part: float, labelled: float, share: float
) -> Study:
    """The corrected share of a table of yes/no units, from verdicts and labels at random."""
    truth = generator.random(size) < share
    verdicts = np.where(generator.random(size) < RIGHT, truth, ~truth)
    judged = generator.permutation(size)[: round(part * size)]
    known = range(round(labelled * len(judged)))
    labels = {place: float(truth[judged[place]]) for place in known}
    given = ["yes" if verdict else "no" for verdict in verdicts[judged]]
    return Study(
        {target: corrected_share(given, labels, target=target, part=part) for target in TARGETS},
        {"units": float(truth.mean()), "process": share},
    )


def _scores(generator: np.random.Generator, size: int, part: float) -> Study:
    """The mean score of questions of which a random part has an answer."""
    scores = generator.beta(2, 1, size)
    scores[generator.random(size) < 0.3] = 1.0
    answered = {str(n): [score] for n, score in enumerate(scores[: round(part * size)].tolist())}
    return Study(
        {
            target: mean_over_clusters(
                answered, resamples=1_000, n_missing=size - len(answered), target=target
            )
            for target in TARGETS
        },
        {"units": float(scores.mean()), "process": 0.7 * 2 / 3 + 0.3},
    )


def _triples(generator: np.random.Generator, size: int, part: float) -> Study:
    """The share of supported triples of heads, a random part of which was drawn."""
    lean = generator.beta(4, 2, size)
    supported = generator.random((size, HEADS)) < lean[:, None]
    drawn = generator.permutation(size * HEADS)[: round(part * size * HEADS)]
    tallies: dict[str, list[float]] = {}
    for place in drawn.tolist():
        head, triple = divmod(place, HEADS)
        tallies.setdefault(str(head), []).append(float(supported[head, triple]))
    return Study(
        {target: ratio_over_clusters(tallies, target=target, part=part) for target in TARGETS},
        {"units": float(supported.mean()), "process": 4 / 6},
    )


def _simulated(
    statistic: str,
    method: str,
    setting: str,
    n: int,
    draw: Callable[[np.random.Generator], Study],
    runs: int,
) -> Iterator[dict[str, Any]]:
    """A row for each target of one setting."""
    generator = np.random.default_rng([len(statistic), n, sum(setting.encode())])
    held = dict.fromkeys(TARGETS, 0)
    width = dict.fromkeys(TARGETS, 0.0)
    for _ in range(runs):
        study = draw(generator)
        for target in TARGETS:
            estimate, truth = study.estimates[target], study.truths[target]
            low, high = estimate.low or 0.0, estimate.high or 0.0
            held[target] += low - 1e-12 <= truth <= high + 1e-12
            width[target] += high - low
    for target in TARGETS:
        yield {
            "statistic": f"{statistic}, for {target}",
            "method": method,
            "setting": setting,
            "n": n,
            "coverage": held[target] / runs,
            "mean_width": width[target] / runs,
            "used": True,
        }


def main() -> None:
    """Prints the rows as Markdown."""
    print("| statistic | setting | coverage | mean width |\n|---|---|---|---|")
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000):
        print(
            f"| {row['statistic']} | {row['setting']} | {row['coverage']:.1%} "
            f"| {row['mean_width']:.3f} |"
        )


if __name__ == "__main__":
    main()
