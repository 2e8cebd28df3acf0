"""What a judge's error goes by: by hand, by least squares, and how often a bias is found."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from factmark.stats.judge_line.bias import BiasTest, bias_tests

Floats = NDArray[np.float64]


def bias_by(judge: Floats, people: Floats, **factors: object) -> dict[str, BiasTest]:
    columns = {name: np.asarray(column).tolist() for name, column in factors.items()}
    tests = bias_tests(judge.tolist(), dict(enumerate(people.tolist())), columns)
    return {test.factor: test for test in tests}


def test_errors_of_levels_by_hand() -> None:
    """Of system a the judge gives 0.1 more than people, of b 0.3 more: 0.2 between the two."""
    people = np.array([0.2, 0.4, 0.6] * 20)
    systems = ["a", "b"] * 30
    judge = people + np.where(np.array(systems) == "a", 0.1, 0.3)
    system = bias_by(judge, people, system=systems)["system"]
    assert system.kind == "words"
    assert system.effect.value == pytest.approx(0.2)
    errors = {band.name: band.error.value for band in system.bands}
    assert errors == {"a": pytest.approx(0.1), "b": pytest.approx(0.3)}
    assert system.is_biased


def test_a_line_in_the_ranks_is_least_squares() -> None:
    """The slope beside people's values by `numpy.linalg.lstsq`; the effect is half of it, from the
    middle of the lower half of the ranks to that of the upper."""
    generator = np.random.default_rng(9)
    length = np.exp(generator.normal(5, 1, 200))
    people = generator.random(200)
    judge = people * 0.8 + 0.05 * np.log(length) + generator.normal(0, 0.1, 200)
    ranks = (np.argsort(np.argsort(length)) + 0.5) / 200
    slopes = np.linalg.lstsq(np.column_stack([np.ones(200), people, ranks]), judge, rcond=None)[0]
    effect = bias_by(judge, people, length=length)["length"].effect
    assert effect.value == pytest.approx(slopes[2] / 2)
    assert effect.low is not None
    assert effect.low > 0


def test_quality_that_goes_by_length_is_no_bias() -> None:
    """Long answers are better, and the judge errs alike on all: no bias in 95 of 100 studies."""
    found = 0
    for seed in range(200):
        generator = np.random.default_rng([seed, 5])
        length = generator.normal(0, 1, 150)
        people = np.clip(np.round(2.5 + length + generator.normal(0, 1, 150)), 0, 4) / 4
        judge = np.clip(people + generator.choice([-0.25, 0, 0.25], 150, p=[0.2, 0.6, 0.2]), 0, 1)
        found += bias_by(judge, people, length=length)["length"].is_biased
    assert found <= 0.09 * 200


def test_a_planted_bias_is_found_among_several_factors() -> None:
    """The judge gives 0.1 more to the longer half; of 300 labels that is found in 80 of 100 studies
    although three other factors are looked at, and these are found in no more than 5."""
    found = others = 0
    for seed in range(100):
        generator = np.random.default_rng([seed, 6])
        length = generator.normal(0, 1, 300)
        people = np.clip(generator.normal(0.6, 0.2, 300), 0, 1)
        judge = np.clip(people + generator.normal(0, 0.2, 300) + 0.1 * (length > 0), 0, 1)
        factors = {name: generator.choice(list("abc"), 300) for name in ("system", "slice")}
        position = generator.integers(0, 5, 300)
        tests = bias_by(judge, people, length=length, position=position, **factors)
        found += tests.pop("length").is_biased
        others += any(test.is_biased for test in tests.values())
    assert found >= 80
    assert others <= 9


def test_units_of_one_item_are_no_news() -> None:
    """Ten copies of each unit, told as one cluster, are as telling as one: p does not shrink."""
    generator = np.random.default_rng(1)
    people = generator.random(60)
    length = generator.normal(0, 1, 60)
    judge = people + generator.normal(0, 0.2, 60) + 0.03 * length
    alone = bias_tests(judge.tolist(), dict(enumerate(people)), {"length": length.tolist()})[0]
    copies = [np.repeat(column, 10).tolist() for column in (judge, people, length)]
    many = bias_tests(
        copies[0],
        dict(enumerate(copies[1])),
        {"length": copies[2]},
        clusters=np.repeat(np.arange(60), 10).tolist(),
    )[0]
    assert many.p == pytest.approx(alone.p, abs=0.02)


def test_what_does_not_vary_or_is_not_known_is_left_out() -> None:
    people = dict.fromkeys(range(40), 0.5)
    judge: list[float | None] = [0.5] * 39 + [None]
    factors = {"same": ["a"] * 40, "rare": ["a"] * 38 + ["b"] * 2, "unknown": [None] * 40}
    assert bias_tests(judge, people, factors) == ()
    with pytest.raises(ValueError, match="40 units but 3 values of length"):
        bias_tests(judge, people, {"length": [1, 2, 3]})
