"""Designs: the same whatever the order, nested, each unit with the chance it should have."""

from __future__ import annotations

from hashlib import blake2b
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.stats.sampling import allocate, simple_random, stratified, two_stage
from later import later

stats = later("scipy.stats")


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


def test_each_unit_has_the_same_chance() -> None:
    counts = np.zeros(20)
    for seed in range(2_000):
        for key in simple_random(map(str, range(20)), 5, seed=seed).keys:
            counts[int(key)] += 1
    assert stats.chisquare(counts).pvalue > 0.001


@given(UNITS, st.integers(0, 45))
def test_strata_are_nested_and_add_up(units: list[tuple[str, str]], n: int) -> None:
    small = stratified(lambda: units, n, seed=1)
    large = stratified(lambda: reversed(units), n + 2, seed=1)
    assert sum(len(sample.keys) for sample in small.values()) == min(n, len(units))
    for name, sample in small.items():
        assert large[name].keys[: len(sample.keys)] == sample.keys
        assert set(sample.keys) <= {key for key, stratum in units if stratum == name}
        assert sample.size == sum(stratum == name for _, stratum in units)


def test_allocation_by_hand() -> None:
    assert allocate({"a": 600, "b": 300, "c": 100}, 10) == {"a": 6, "b": 3, "c": 1}
    assert allocate({"a": 2, "b": 9, "none": 0}, 8) == {"a": 2, "b": 6, "none": 0}
    # fewer labels than strata: the largest get one
    assert allocate({"a": 1, "b": 9, "c": 5}, 2) == {"a": 0, "b": 1, "c": 1}


@given(UNITS, st.integers(0, 9), st.integers(1, 4))
def test_two_stage_is_nested_in_both_stages(
    units: list[tuple[str, str]], n: int, at_most: int
) -> None:
    draws = two_stage(lambda: units, n, at_most=at_most, seed=2)
    more = two_stage(lambda: reversed(units), n + 1, at_most=at_most + 1, seed=2)
    assert len(draws) == min(n, len(units))
    cluster_of = dict(units)
    for draw, larger in zip(draws, more, strict=False):
        assert larger.keys[: len(draw.keys)] == draw.keys
        (drawn,) = {cluster_of[key] for key in draw.keys}
        assert draw.size == sum(cluster == drawn for _, cluster in units)
        assert len(set(draw.keys)) == min(at_most, draw.size)


def test_a_negative_number_is_not_drawn() -> None:
    with pytest.raises(ValueError, match="cannot draw -1"):
        simple_random(["a"], -1)
