"""Designs: the same whatever the order, nested, each unit with the chance it should have."""

from __future__ import annotations

import math
from hashlib import blake2b
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from factmark.stats import (
    allocate,
    assumed_spread,
    draw_by_size,
    pilot_spread,
    simple_random,
    simple_random_rows,
    stratified,
    triples_per_draw,
    two_stage,
    whole_clusters,
)
from factmark.stats.sampling import _mixed, row_priorities

KEYS = st.lists(st.text(max_size=6), unique=True, max_size=40)
UNITS = st.lists(
    st.tuples(st.text(max_size=6), st.sampled_from("abcdé")), unique_by=lambda u: u[0], max_size=40
)


@given(KEYS, st.integers(0, 45), st.integers(0, 2**70), st.randoms(use_true_random=False))
def test_order_does_not_matter_and_a_larger_sample_keeps_the_smaller(
    keys: list[str], n: int, seed: int, random: Random
) -> None:
    first = simple_random(keys, n, seed=seed)
    random.shuffle(keys)
    assert simple_random(keys + keys[:3], n, seed=seed).keys == first.keys
    assert len(first.keys) == len(set(first.keys)) == min(n, len(keys))
    assert simple_random(keys, n + 3, seed=seed).keys[: len(first.keys)] == first.keys
    assert first.size == len(keys)


def test_the_sample_of_a_seed_stays_the_same_in_every_version() -> None:
    # Whoever resumes next year needs the same: priorities are BLAKE2b of "unit:SEED:KEY".
    keys = [f"t{number}" for number in range(100)]
    by_hash = sorted(
        keys, key=lambda key: blake2b(f"unit:7:{key}".encode(), digest_size=8).digest()
    )
    assert simple_random(keys, 4, seed=7).keys == tuple(by_hash[:4]) == ("t63", "t62", "t24", "t20")


def test_row_priorities_are_those_of_splitmix64() -> None:
    # The first three numbers of the published generator from state 0.
    states = np.array([0, 0x9E3779B97F4A7C15, 2 * 0x9E3779B97F4A7C15 % 2**64], dtype=np.uint64)
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert _mixed(states).tolist() == published
    first, second = _mixed(np.array([14, 15], dtype=np.uint64))
    rows = np.arange(50, dtype=np.uint64)
    by_hand = _mixed(_mixed(rows * np.uint64(0x9E3779B97F4A7C15) + first) ^ second)
    assert row_priorities(rows, seed=7).tolist() == by_hand.tolist()


def test_each_unit_has_the_same_chance() -> None:
    counts = np.zeros(20)
    for seed in range(2_000):
        for key in simple_random(map(str, range(20)), 5, seed=seed).keys:
            counts[int(key)] += 1
    assert stats.chisquare(counts).pvalue > 0.001
    rows = np.concatenate([simple_random_rows(20, 5, seed=seed) for seed in range(2_000)])
    assert stats.chisquare(np.bincount(rows, minlength=20)).pvalue > 0.001


def test_rows_across_blocks_are_the_smallest_priorities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("factmark.stats.sampling._BLOCK", 64)
    words = row_priorities(np.arange(1_000, dtype=np.uint64), seed=3)
    assert simple_random_rows(1_000, 30, seed=3).tolist() == np.argsort(words)[:30].tolist()
    assert simple_random_rows(5, 30, seed=3).tolist() == np.argsort(words[:5]).tolist()
    assert len(simple_random_rows(0, 3)) == len(simple_random_rows(5, 0)) == 0


@given(UNITS, st.integers(0, 45), st.sampled_from(["proportional", "equal", "neyman"]))
def test_strata_are_nested_and_add_up(units: list[tuple[str, str]], n: int, kind: str) -> None:
    small = stratified(lambda: units, n, seed=1, kind=kind)  # type: ignore[arg-type]
    large = stratified(lambda: reversed(units), n + 2, seed=1, kind=kind)  # type: ignore[arg-type]
    assert sum(len(sample.keys) for sample in small.values()) == min(n, len(units))
    for name, sample in small.items():
        assert large[name].keys[: len(sample.keys)] == sample.keys
        assert set(sample.keys) <= {key for key, stratum in units if stratum == name}
        assert sample.size == sum(stratum == name for _, stratum in units)


def test_allocation_by_hand() -> None:
    assert allocate({"a": 600, "b": 300, "c": 100}, 10) == {"a": 6, "b": 3, "c": 1}
    assert allocate({"a": 600, "b": 300, "c": 1}, 9, kind="equal") == {"a": 4, "b": 4, "c": 1}
    # N S is 100 * 0.5 and 100 * 0.1 (accuracies 0.5 and 0.99): five to one.
    spreads = {"a": assumed_spread(0.5), "b": assumed_spread((1 + math.sqrt(0.96)) / 2)}
    assert allocate({"a": 100, "b": 100}, 12, kind="neyman", spreads=spreads) == {"a": 10, "b": 2}
    assert pilot_spread(10, 10) == pytest.approx(math.sqrt(11 / 12 / 12))
    # fewer labels than strata: the largest get one
    assert allocate({"a": 1, "b": 9, "c": 5}, 2) == {"a": 0, "b": 1, "c": 1}


@pytest.mark.parametrize("n", [3, 7, 11, 14])
def test_neyman_is_the_best_of_all_whole_numbers(n: int) -> None:
    sizes = {"a": 50, "b": 30, "c": 4}
    spreads = {"a": 0.2, "b": 0.5, "c": 0.4}

    def variance(shares: tuple[int, ...]) -> float:
        return sum(
            (sizes[one] * spreads[one]) ** 2 / k for one, k in zip(sizes, shares, strict=True)
        )

    every = (
        shares
        for shares in product(range(1, n + 1), repeat=3)
        if sum(shares) == n and shares[2] <= 4
    )
    found = allocate(sizes, n, kind="neyman", spreads=spreads)
    assert variance(tuple(found.values())) == pytest.approx(min(map(variance, every)))


@given(
    st.dictionaries(st.text(max_size=3), st.integers(0, 30), max_size=6),
    st.integers(0, 100),
    st.sampled_from(["proportional", "equal", "neyman"]),
    st.integers(0, 3),
)
def test_allocation_fits_and_grows(sizes: dict[str, int], n: int, kind: str, least: int) -> None:
    spreads = dict.fromkeys(list(sizes)[:2], 0.0)
    small = allocate(sizes, n, kind=kind, spreads=spreads, least=least)  # type: ignore[arg-type]
    large = allocate(sizes, n + 1, kind=kind, spreads=spreads, least=least)  # type: ignore[arg-type]
    assert sum(small.values()) == min(n, sum(sizes.values()))
    assert all(0 <= small[one] <= min(sizes[one], large[one]) for one in sizes)


@given(UNITS, st.integers(0, 6))
def test_whole_clusters_are_whole(units: list[tuple[str, str]], n: int) -> None:
    draws = whole_clusters(units, n, seed=5)
    assert len(draws) == min(n, len({cluster for _, cluster in units}))
    for draw in draws:
        assert list(draw.keys) == [key for key, cluster in units if cluster == draw.cluster]
        assert draw.size == len(draw.keys)
    again = whole_clusters(list(reversed(units)), n + 1, seed=5)
    assert [draw.cluster for draw in again][: len(draws)] == [draw.cluster for draw in draws]


@given(UNITS, st.integers(0, 9), st.integers(1, 4))
def test_two_stage_is_nested_in_both_stages(
    units: list[tuple[str, str]], n: int, at_most: int
) -> None:
    draws = two_stage(lambda: units, n, at_most=at_most, seed=2)
    more = two_stage(lambda: reversed(units), n + 1, at_most=at_most + 1, seed=2)
    assert len(draws) == min(n, len(units))
    for draw, larger in zip(draws, more, strict=False):
        assert draw.cluster == larger.cluster
        assert larger.keys[: len(draw.keys)] == draw.keys
        assert draw.size == sum(cluster == draw.cluster for _, cluster in units)
        assert len(set(draw.keys)) == min(at_most, draw.size)


def test_clusters_are_drawn_by_size() -> None:
    units = [(f"{name}{place}", name) for name, size in zip("abcd", (1, 2, 7, 30), strict=True)
             for place in range(size)]  # fmt: skip
    seen = [two_stage(lambda: units, 1, seed=seed)[0].cluster for seed in range(1_500)]
    expected = np.array([1, 2, 7, 30]) / 40 * 1_500
    assert stats.chisquare([seen.count(name) for name in "abcd"], expected).pvalue > 0.001
    drawn = draw_by_size([1, 2, 0, 7, 30], 1_500, seed=3)
    counts = np.bincount(drawn, minlength=5)
    assert counts[2] == 0
    assert stats.chisquare(counts[[0, 1, 3, 4]], expected).pvalue > 0.001
    assert draw_by_size([1, 2, 0, 7, 30], 100, seed=3) == drawn[:100]


def test_a_cluster_drawn_twice_has_its_units_drawn_anew() -> None:
    draws = two_stage(lambda: [(f"u{place}", "one") for place in range(100)], 3, seed=0)
    assert len({draw.keys for draw in draws}) == 3


def test_units_per_draw_by_hand() -> None:
    # Clusters that are all alike within: a second label tells nothing.
    assert triples_per_draw([([1.0, 1.0], 50), ([0.0, 0.0], 50)]) == 1
    # Clusters that do not differ: V(m) = S²/m and (c1 + c2 m)/m falls with m: as many as can be.
    same = [([1.0, 0.0], 10**9)] * 4
    assert triples_per_draw(same, most=12) == 12
    # In between m is sqrt(c1 W / (c2 B)): means 0.25 and 0.75, four labels, W = 1/4,
    # B = 1/8 - 1/16 = 1/16, sqrt(45 / 25 * 4) = 2.68.
    pilot = [([0.0, 0.0, 0.0, 1.0], 10**9), ([1.0, 1.0, 1.0, 0.0], 10**9)]
    assert triples_per_draw(pilot) == 3


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="cannot draw -1"):
        simple_random(["a"], -1)
    with pytest.raises(ValueError, match="needs a cluster"):
        draw_by_size([0, 0], 1)
    with pytest.raises(ValueError, match="spread of stratum 'a'"):
        allocate({"a": 3}, 2, kind="neyman", spreads={"a": math.nan})
    with pytest.raises(ValueError, match="two draws or more"):
        triples_per_draw([([1.0], 1)])
