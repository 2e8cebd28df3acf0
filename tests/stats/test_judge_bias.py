"""What a judge's error goes by: by hand, by least squares, and how often a bias is found."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from factmark.stats.judge_line.bias import BiasTest, bias_tests
from factmark.stats.judge_line.verdict_bias import verdict_bias

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


def test_verdicts_by_two_levels_are_mantel_and_haenszels_by_hand() -> None:
    """Of 20 units that people call false the judge says yes to 6 of 10 long ones and to 1 of 10
    short ones: of 7 yes 3.5 were to be expected, with the variance 10 * 10 * 7 * 13 / (20² * 19) =
    1.197. Of those that people call true it says yes to all but a long one: 0.5 too few, with the
    variance 10 * 10 * 19 * 1 / (20² * 19) = 0.25. If noes become yes, the weights are 1 over the
    shares of yes, 7.5 and 19.5 of 21: 2.8 and 1.077, and z is 6.4615 / 3.1105 = 2.077; if yeses
    become no, 1.556 and 14, -3.111 / 7.205; alike, 2 / 1.203."""
    long = np.array([1.0] * 10 + [0.0] * 10)
    false = np.array([1.0] * 6 + [0.0] * 4 + [1.0] + [0.0] * 9)
    true = np.array([0.0] + [1.0] * 19)
    test = verdict_bias(
        np.concatenate([false, true]),
        np.repeat([0.0, 1.0], 20),
        np.concatenate([long, long])[:, None],
        np.arange(40),
    )
    assert test is not None
    z = 6.4615 / 3.1105
    alone = 2 * scipy.stats.t.sf(z, 38)
    assert alone < test.p < 3 * alone
    assert test.among == 0.0


def test_p_of_verdicts_is_that_of_permuting_them() -> None:
    """Permuting the verdicts among units of which people say the same gives about the same p."""
    generator = np.random.default_rng(3)
    people = (generator.random(200) < 0.7).astype(float)
    ranks = (np.arange(200) + 0.5) / 200
    wrong = generator.random(200) < np.where(people > 0, 0.1, 0.1 + 0.8 * ranks)
    judge = np.where(wrong, 1 - people, people)
    places = [np.flatnonzero(people == value) for value in (0.0, 1.0)]
    shares = np.array([(judge[inside].sum() + 0.5) / (len(inside) + 1) for inside in places])

    def largest(verdicts: Floats) -> float:
        sums, variances = [], []
        for inside in places:
            away, errors = ranks[inside] - ranks[inside].mean(), verdicts[inside].copy()
            errors -= errors.mean()
            sums.append(away @ errors)
            variances.append((away @ away) * (errors @ errors) / (len(inside) - 1))
        weights = (1 / shares, 1 / (1 - shares), np.ones(2))
        return max(abs(w @ sums) / np.sqrt(w**2 @ variances) for w in weights)

    test = verdict_bias(judge, people, ranks[:, None], np.arange(200))
    assert test is not None
    as_large = 0
    for _ in range(4_000):
        shuffled = judge.copy()
        for inside in places:
            shuffled[inside] = generator.permutation(judge[inside])
        as_large += largest(shuffled) >= largest(judge)
    assert test.p == pytest.approx(as_large / 4_000, abs=0.015)
    assert 0.001 < test.p < 0.2


def test_a_bias_of_what_people_call_false_is_found() -> None:
    """The judge says yes to 0.1 more of the longer half, all of it units that people call false:
    found in over half of the studies although it is one of four factors; where there is no bias one
    of the four is found in no more than 5 of 100 (here with what chance allows)."""
    found = alarms = 0
    for seed in range(200):
        generator = np.random.default_rng([seed, 11])
        length = generator.normal(0, 1, 300)
        people = (generator.random(300) < 0.73).astype(float)
        judge = np.where(generator.random(300) < 0.9, people, 1 - people)
        longer = (length > 0) & (judge == 0) & (people == 0)
        biased = np.where(longer & (generator.random(300) < 0.41), 1.0, judge)
        factors: dict[str, object] = {"length": length, "position": generator.integers(0, 5, 300)}
        for name in ("system", "slice"):
            factors[name] = generator.choice(list("abc"), 300)
        found += bias_by(biased, people, **factors)["length"].is_biased
        alarms += any(test.is_biased for test in bias_by(judge, people, **factors).values())
    assert found >= 110
    assert alarms <= 18


def test_what_nobody_labelled_shows_a_bias_that_labels_alone_do_not() -> None:
    """The judge says yes to 0.1 more of the longer half of 2,000 units, of which 150 are labelled:
    all verdicts find it in far more studies than the labelled ones alone. Where there is no bias
    they find one in no more than 5 of 100 (here with what chance allows), also where people say yes
    to long ones more often."""
    with_all = alone = alarms = 0
    for seed in range(150):
        generator = np.random.default_rng([seed, 12])
        length = generator.normal(0, 1, 2_000)
        people = (generator.normal(0, 1, 2_000) < 0.6 + 0.5 * length).astype(float)
        judge = np.where(generator.random(2_000) < 0.9, people, 1 - people)
        flipped = (length > 0) & (judge == 0) & (generator.random(2_000) < 0.3)
        biased = np.where(flipped, 1.0, judge).tolist()
        labels = dict(enumerate(people[:150].tolist()))
        factor = {"length": length.tolist()}
        with_all += bias_tests(biased, labels, factor)[0].is_biased
        alone += bias_tests(biased, labels, factor, is_drawn=False)[0].is_biased
        alarms += bias_tests(judge.tolist(), labels, factor)[0].is_biased
    assert with_all >= alone + 22  # of 150
    assert alarms <= 14  # of 7.5, by chance not above in 99 of 100


def test_labels_of_long_ones_alone_are_no_random_part() -> None:
    """People labelled nothing but long units: what the others say of length counts for nothing."""
    generator = np.random.default_rng(5)
    length = np.sort(generator.normal(0, 1, 1_000))[::-1]
    people = (generator.random(1_000) < 0.7).astype(float)
    judge = np.where(generator.random(1_000) < 0.9, people, 1 - people).tolist()
    labels = dict(enumerate(people[:200].tolist()))
    factor = {"length": length.tolist()}
    by_all = bias_tests(judge, labels, factor)[0].p
    assert by_all == pytest.approx(bias_tests(judge, labels, factor, is_drawn=False)[0].p, rel=0.05)
