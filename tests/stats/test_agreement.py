"""Agreement: by hand, against two other packages and published values, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest

from factmark.stats import Ratings, measure_agreement
from later import later
from rated import (
    GIVEN,
    IRRCAC,
    KRIPPENDORFF,
    bounds,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    kendall_tau_b,
    krippendorff_alpha,
    named,
    percent_agreement,
    ratings_of,
    value,
)

stats = later("scipy.stats")


# By hand


def test_two_by_two_by_hand() -> None:
    # 20 5 / 10 15: agreed 0.7; margins 25/50, 30/50, so chance is (25 30 + 25 20)/2500 = 0.5.
    table = named("two by two")
    assert value(percent_agreement(table)) == 0.7
    assert value(cohen_kappa(table)) == pytest.approx(0.4)
    # Both raters' shares are 0.55, 0.45: Fleiss' chance 0.505, Gwet's 2 (0.55) (0.45) = 0.495.
    assert value(fleiss_kappa(table)) == pytest.approx(0.195 / 0.495)
    assert value(gwet_ac(table)) == pytest.approx(0.205 / 0.505)
    # Disagreement 0.3 over 2 (55) (45) / (100 99) = 0.5.
    assert value(krippendorff_alpha(table)) == pytest.approx(0.4)
    # Of a two by two table tau-b is phi.
    assert value(kendall_tau_b(table)) == pytest.approx(250 / np.sqrt(25 * 25 * 30 * 20))


def test_kappa_and_alpha_fall_and_ac1_does_not_where_one_label_prevails() -> None:
    # Gwet 2008's paradox: 118 5 / 2 0. Agreed 0.944, and kappa and alpha are below nothing.
    told = measure_agreement(named("one prevails"))
    assert value(told.exact) == 118 / 125
    assert told.cohen is not None
    assert value(told.cohen) == pytest.approx(-0.0234, abs=5e-5)
    assert value(told.alpha) == pytest.approx(-0.0247, abs=5e-5)
    assert value(told.ac1) == pytest.approx(0.9408, abs=5e-5)
    assert told.shares == {0: 243 / 250, 1: 7 / 250}
    # Two units of 125 could have agreed on the rare label and did not: alpha tells next to nothing.
    low, high = bounds(told.alpha)
    assert low < 0
    assert high > 0.3


def test_coefficients_are_those_of_the_published_examples() -> None:
    # Krippendorff 2011, section D; Fleiss 1971, p. 380.
    table = named("krippendorff 2011")
    assert round(value(krippendorff_alpha(table)), 3) == 0.743
    assert round(value(krippendorff_alpha(table, "ordinal")), 3) == 0.815
    assert round(value(krippendorff_alpha(table, "interval")), 3) == 0.849
    assert round(value(fleiss_kappa(named("fleiss 1971"))), 3) == 0.430


# Other packages


@pytest.mark.parametrize("name", GIVEN)
def test_alpha_is_that_of_the_krippendorff_package(name: str) -> None:
    for metric, theirs in KRIPPENDORFF[name].items():
        ours = krippendorff_alpha(named(name), metric, resamples=10)
        assert value(ours) == pytest.approx(theirs, abs=1e-11)


@pytest.mark.parametrize("name", GIVEN)
def test_coefficients_are_those_of_the_irrcac_package(name: str) -> None:
    table, theirs = named(name), IRRCAC[name]
    assert value(percent_agreement(table)) == pytest.approx(theirs["exact agreement"], abs=1e-11)
    assert value(fleiss_kappa(table)) == pytest.approx(theirs["fleiss identity"], abs=1e-11)
    for weights in ("identity", "linear", "quadratic", "ordinal"):
        ours = value(gwet_ac(table, weights, resamples=10))
        assert ours == pytest.approx(theirs[f"gwet {weights}"], abs=1e-11)
        if len(table.raters) == 2:
            ours = value(cohen_kappa(table, weights, resamples=10))
            assert ours == pytest.approx(theirs[f"cohen {weights}"], abs=1e-11)
    for metric, weights in {"nominal": "identity", "interval": "quadratic"}.items():
        ours = value(krippendorff_alpha(table, metric, resamples=10))  # type: ignore[arg-type]
        assert ours == pytest.approx(theirs[f"krippendorff {weights}"], abs=1e-11)


@pytest.mark.parametrize("name", [n for n in GIVEN if len(GIVEN[n]["raters"]) == 2])
def test_tau_b_is_that_of_scipy(name: str) -> None:
    theirs = stats.kendalltau(*GIVEN[name]["raters"], variant="b").statistic
    assert value(kendall_tau_b(named(name), resamples=10)) == pytest.approx(theirs, abs=1e-11)


# What is counted, and what is not there


def test_units_with_one_rating_are_missing_yet_tell_of_the_shares() -> None:
    table = ratings_of([[0, 0, 1, 1, None], [0, 1, 1, None, None]], [0, 1])
    estimate = percent_agreement(table)
    assert (estimate.n_units, estimate.n_missing) == (3, 2)
    assert (estimate.worst, estimate.best) == (pytest.approx(2 / 5), pytest.approx(4 / 5))
    # Gwet's shares are of four units: (1 + 1/2 + 0 + 0)/4 = 3/8; chance 2 (3/8)(5/8) = 15/32.
    gwet = gwet_ac(table)
    assert value(gwet) == pytest.approx((2 / 3 - 15 / 32) / (1 - 15 / 32))
    assert (gwet.n_items, gwet.n_units, gwet.n_missing) == (4, 3, 2)
    # Krippendorff leaves them out: 1 - (2/6)(5)/( 2 (3)(3)/6 ).
    alpha = krippendorff_alpha(table)
    assert value(alpha) == pytest.approx(1 - (2 / 6) / (2 * 3 * 3 / (6 * 5)))
    assert (alpha.n_items, alpha.n_units, alpha.n_missing) == (3, 3, 2)


def test_undefined_is_no_value_and_says_why() -> None:
    same = ratings_of([["yes"] * 4] * 2, ["yes", "no"])
    for measure in (krippendorff_alpha, fleiss_kappa, cohen_kappa, kendall_tau_b):
        estimate = measure(same)
        assert (estimate.value, estimate.low, estimate.high) == (None, None, None)
        assert estimate.method.startswith("none (undefined: ")
        assert estimate.n_units == 4
    assert value(gwet_ac(same)) == 1
    assert bounds(gwet_ac(same))[0] < 0.5
    constant = ratings_of([[0, 0, 0], [0, 1, 1]], [0, 1])
    assert "a rater gave one label" in kendall_tau_b(constant).method


@pytest.mark.parametrize("columns", [[], [[]], [[0, 1]], [[0, None], [None, 1]]])
def test_without_two_ratings_of_a_unit_there_is_no_value(columns: list[list[object]]) -> None:
    told = measure_agreement(ratings_of(columns, [0, 1]))
    assert told.alpha.value is None
    assert told.alpha.method == "none (no unit has two ratings)"
    assert told.n_units == 0
    assert told.n_left_out == (len(columns[0]) if columns else 0)


# The record


def test_weighted_coefficients_are_given_on_ordered_scales_only() -> None:
    two = named("two raters, 0 to 5")
    nominal = measure_agreement(two, resamples=50)
    assert (nominal.ac2, nominal.within_one, nominal.tau_b, nominal.cohen_linear) == (None,) * 4
    ordinal = measure_agreement(two, scale="ordinal", resamples=50)
    assert ordinal.alpha == krippendorff_alpha(two, "ordinal", resamples=50)
    assert ordinal.ac1 == nominal.ac1
    assert ordinal.ac2 == gwet_ac(two, "ordinal", resamples=50)
    assert ordinal.within_one == percent_agreement(two, 1, resamples=50)
    assert ordinal.tau_b == kendall_tau_b(two, resamples=50)
    interval = measure_agreement(two, scale="interval", resamples=50)
    assert interval.ac2 == gwet_ac(two, "quadratic", resamples=50)
    assert interval.cohen_quadratic == cohen_kappa(two, "quadratic", resamples=50)
    many = measure_agreement(named("krippendorff 2011"), scale="interval", resamples=50)
    assert (many.cohen, many.cohen_linear, many.cohen_quadratic, many.tau_b) == (None,) * 4
    assert (many.n_units, many.n_left_out) == (11, 1)


def test_two_labels_need_no_weights_and_a_single_rating_is_all_of_the_shares() -> None:
    """Of two labels there is one distance, so weighted coefficients would say the same again."""
    table = ratings_of([["a", "b", "b"], ["a", "a", "b"]], ["a", "b"])
    two = measure_agreement(table, scale="ordinal", resamples=50)
    assert (two.ac2, two.within_one, two.cohen_linear) == (None,) * 3
    assert two.tau_b is not None
    assert measure_agreement(ratings_of([["b"]], ["a", "b"])).shares == {"a": 0.0, "b": 1.0}


def test_the_confusion_counts_pairs_of_labels() -> None:
    two = measure_agreement(named("three by three"), resamples=50)
    assert two.confusion == ((2, 1, 0), (0, 2, 1), (0, 0, 2))
    # Krippendorff 2011, section D: the matrix of observed coincidences.
    many = measure_agreement(named("krippendorff 2011"), resamples=50)
    assert np.array(many.confusion) == pytest.approx(
        np.array(
            [
                [7, 4 / 3, 1 / 3, 1 / 3, 0],
                [4 / 3, 10, 4 / 3, 1 / 3, 0],
                [1 / 3, 4 / 3, 8, 1 / 3, 0],
                [1 / 3, 1 / 3, 1 / 3, 4, 0],
                [0, 0, 0, 0, 3],
            ]
        )
    )


def test_a_judge_is_compared_with_each_person_and_people_not_with_each_other() -> None:
    rows = [
        {"judge": "yes", "ann": "yes", "bob": "no"},
        {"judge": "no", "ann": "no"},
        {"judge": "yes"},
        {"ann": "yes", "bob": "yes"},
        {},
    ]
    ratings = Ratings(labels=("yes", "no"), rows=rows, clusters=list("aabbc"))
    crossed = ratings.crossed(["judge"], ["ann", "bob"])
    assert crossed.clusters == ["a", "a", "a", "b", "b", "c"]
    told = measure_agreement(crossed)
    assert value(told.exact) == pytest.approx(2 / 3)  # yes-yes, yes-no, no-no
    assert (told.n_units, told.n_left_out, told.exact.n_items) == (3, 3, 1)
    assert told.raters == ("ones", "others")
    with pytest.raises(ValueError, match=r"Ratings\.crossed"):
        cohen_kappa(ratings)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"labels": (1,)}, "two or more"),
        ({"labels": (1, 1)}, "two or more"),
        ({"clusters": []}, "one each"),
        ({"values": (1.0,)}, "one each"),
        ({"values": (1.0, float("nan"))}, "finite"),
        ({"rows": [{"a": 3}]}, "not offered"),
    ],
)
def test_ratings_that_do_not_fit_together_are_refused(
    changed: dict[str, object], says: str
) -> None:
    fitting: dict[str, object] = {"labels": (1, 2), "rows": [{"a": 1}], "clusters": ["x"]}
    with pytest.raises(ValueError, match=says):
        Ratings(**(fitting | changed))  # type: ignore[arg-type]


def test_level_and_seed_reach_each_coefficient() -> None:
    table = named("two by two")
    wide, narrow = (measure_agreement(table, level=level) for level in (0.99, 0.8))
    for name in ("alpha", "ac1", "exact", "fleiss"):
        outer, inner = bounds(getattr(wide, name)), bounds(getattr(narrow, name))
        assert outer[0] < inner[0] <= inner[1] < outer[1], name
    first, second = (measure_agreement(table, seed=seed) for seed in (1, 2))
    assert (first.alpha.seed, second.alpha.seed) == (1, 2)
    assert bounds(first.alpha) != bounds(second.alpha)


def test_units_that_say_the_same_in_a_cluster_count_as_one() -> None:
    """Sixty clusters of four like units tell no more than sixty units, and the interval says so:
    also where it is widened by what few more units could make of it."""
    rows = [{"a": n % 2, "b": (n + (n > 58)) % 2} for n in range(60)]
    alone = Ratings(labels=(0, 1), rows=rows, clusters=[str(n) for n in range(60)])
    alike = Ratings(
        labels=(0, 1),
        rows=[row for row in rows for _ in range(4)],
        clusters=[str(n) for n in range(60) for _ in range(4)],
    )
    few, many = measure_agreement(alone).alpha, measure_agreement(alike).alpha
    assert (few.n_units, many.n_units, many.n_items) == (60, 240, 60)
    assert many.design_effect == pytest.approx(4, rel=0.2)
    assert "widened" in many.method
    assert bounds(many) == pytest.approx(bounds(few), abs=0.005)


def test_where_all_agree_the_interval_ends_as_wilsons_does() -> None:
    """z² more units that all differ would make n / (n + z²) of n: Wilson's lower bound of n / n."""
    rows = [{"a": n % 2, "b": n % 2} for n in range(20)]
    ratings = Ratings(labels=(0, 1), rows=rows, clusters=[str(n) for n in range(20)])
    low, high = bounds(measure_agreement(ratings).exact)
    assert high == 1
    assert low == pytest.approx(20 / (20 + 1.959963984540054**2), abs=1e-9)
