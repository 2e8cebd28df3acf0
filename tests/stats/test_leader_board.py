"""Ranks, letters and Holm over all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.stats.comparison import Options, Units
from factmark.stats.contest import LeaderBoard, leader_board, letters

QUICK = Options(resamples=200, draws=1_000)
NAMES = "abcdefg"
PAIRS = list(combinations(NAMES, 2))


def board_of(shares: dict[str, float], n: int, seed: int) -> LeaderBoard:
    generator = np.random.default_rng(seed)
    hard = generator.random(n)
    systems: dict[str, Units] = {
        name: {
            f"q{at}": {f"q{at}": (float(share > 0.7 * h + 0.3 * generator.random()),)}
            for at, h in enumerate(hard)
        }
        for name, share in shares.items()
    }
    return leader_board(systems, QUICK)


def test_letters_by_hand() -> None:
    # Best to worst 1 to 4; only far ones are told apart: 1-3, 1-4, 2-4.
    made = letters("1234", [("1", "3"), ("1", "4"), ("2", "4")])
    assert made == {"1": ("a",), "2": ("a", "b"), "3": ("b", "c"), "4": ("c",)}
    assert letters("12", []) == {"1": ("a",), "2": ("a",)}
    assert letters("12", [("1", "2")]) == {"1": ("a",), "2": ("b",)}


@given(st.sets(st.sampled_from(PAIRS)), st.randoms(use_true_random=False))
def test_letters_are_shared_if_and_only_if_not_told_apart(
    apart: set[tuple[str, str]], shuffler: object
) -> None:
    listed = sorted(apart)
    made = letters(NAMES, listed)
    for a, b in PAIRS:
        assert bool(set(made[a]) & set(made[b])) == ((a, b) not in apart)
    assert all(made[name] for name in NAMES)
    shuffler.shuffle(listed)  # type: ignore[attr-defined]  # a random.Random
    assert letters(NAMES, listed) == made
    assert letters(NAMES, [(b, a) for a, b in listed]) == made


def test_board_by_hand() -> None:
    """Right everywhere, right but once, wrong everywhere: 12 to 0 is told apart, 1 to 0 not."""
    systems: dict[str, Units] = {
        "low": {f"q{at}": {f"q{at}": (0.0,)} for at in range(12)},
        "top": {f"q{at}": {f"q{at}": (1.0,)} for at in range(12)},
        "near": {f"q{at}": {f"q{at}": (float(at > 0),)} for at in range(12)},
    }
    board = leader_board(systems, QUICK)
    assert [(p.name, p.rank, p.rank_low, p.rank_high, p.letters) for p in board.places] == [
        ("top", 1, 1, 2, ("a",)),
        ("near", 2, 1, 2, ("a",)),
        ("low", 3, 3, 3, ("b",)),
    ]
    found = {(row.a, row.b): row.p_adjusted for row in board.comparisons}
    assert found == {
        ("top", "near"): pytest.approx(1.0),
        ("top", "low"): pytest.approx(3 * 2 / 2**12),
        ("near", "low"): pytest.approx(2 * 2 / 2**11),
    }


def test_values_are_over_what_all_have_and_pairs_over_what_two_have() -> None:
    full: Units = {f"q{at}": {f"q{at}": (at / 10,)} for at in range(10)}
    part: Units = {f"q{at}": {f"q{at}": (1.0,)} for at in range(4)}
    board = leader_board({"full": full, "also": full, "part": part}, QUICK)
    assert (board.n_units, board.n_left_out) == (4, 6)
    by_name = {place.name: place.value for place in board.places}
    assert by_name["full"].value == pytest.approx(0.15)
    assert by_name["part"].n_missing == 6
    (pair,) = [row for row in board.comparisons if {row.a, row.b} == {"full", "also"}]
    assert pair.n_both == 10
    assert pair.ties == 10


def test_one_system_is_no_board() -> None:
    with pytest.raises(ValueError, match="two systems"):
        leader_board({"a": {}})


@settings(max_examples=15)
@given(st.integers(0, 1_000))
def test_ranks_hold_and_groups_agree_with_pairs(seed: int) -> None:
    board = board_of({name: 0.3 + 0.15 * at for at, name in enumerate("pqrs")}, 15, seed)
    marks = {place.name: set(place.letters) for place in board.places}
    for place in board.places:
        assert 1 <= place.rank_low <= place.rank <= place.rank_high <= 4
    for row in board.comparisons:
        assert row.p_adjusted is not None
        assert row.p_permutation is not None
        assert row.p_permutation <= row.p_adjusted <= 1
        assert row.told_apart == (not marks[row.a] & marks[row.b])
