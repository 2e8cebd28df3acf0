"""What rounding must not decide: intervals and ranks are the same however sums were rounded."""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.passages.lexical import best_hits, sort_hits
from factmark.stats.agreement import Ratings, estimate_agreement
from factmark.stats.coefficients import alpha
from factmark.stats.comparison import Options, difference
from factmark.stats.contest import leader_board
from factmark.stats.intervals import bootstrap_interval, ratio
from factmark.stats.paired import difference_interval, sign_flips
from factmark.stats.rounding import split_exactly, tiers

KERNELS = {"Prescott": "", "Nehalem": "", "Haswell": "avx2", "SkylakeX": "avx512f"}
"""OpenBLAS' name -> the instructions that it needs."""

floats = st.floats(-1e6, 1e6)


def cases() -> list[list[float]]:
    """The bounds of 130 intervals of tallies that are no whole numbers, with many ties."""
    draw = random.Random(7)
    bounds = []
    for case in range(120):
        rows = [
            (sum(draw.choice([0, 1, 1 / 3, 0.1, 0.7]) for _ in range(n)), float(n))
            for n in draw.choices([1, 2, 3, 7], k=draw.choice([5, 12, 30]))
        ]
        interval = bootstrap_interval(np.array(rows), ratio, resamples=400, seed=case)
        assert interval is not None
        bounds.append([interval.low, interval.high])
    for case in range(10):
        rated = [{who: draw.randrange(3) for who in ("a", "b", "c")} for _ in range(15)]
        ratings = Ratings(labels=(0, 1, 2), rows=rated, clusters=[str(n // 2) for n in range(15)])
        of = estimate_agreement(ratings, alpha("interval", (0, 1, 3)), resamples=400, seed=case)
        bounds.append([of.low or 0.0, of.high or 0.0])
    return bounds


def test_every_kernel_gives_the_same_digits() -> None:
    """OpenBLAS adds in another order on each family of processors."""
    if platform.machine() not in ("x86_64", "AMD64") or not Path("/proc/cpuinfo").exists():
        pytest.skip("the kernels are those of x86, and what the processor can do is read on Linux")
    able = Path("/proc/cpuinfo").read_text("ascii", "replace").split()
    script = "import json, test_rounding; print(json.dumps(test_rounding.cases()))"
    digits = {}
    for kernel, needs in KERNELS.items():
        if needs and needs not in able:
            continue
        environment = os.environ | {
            "OPENBLAS_CORETYPE": kernel,
            "PYTHONPATH": str(Path(__file__).parent),
            "NPY_DISABLE_CPU_FEATURES": "" if needs else "X86_V3,X86_V4",
        }
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, check=True
        )
        digits[kernel] = json.loads(done.stdout)
    first, *others = digits.values()
    assert all(other == first for other in others)


@given(st.lists(st.tuples(floats, st.floats(0, 1e-6)), min_size=1, max_size=30), st.randoms())
def test_sums_of_the_parts_are_exact(rows: list[tuple[float, float]], shuffled: object) -> None:
    tallies = np.array(rows)
    draw = random.Random(str(shuffled))
    drawn = draw.choices(range(len(rows)), k=len(rows))
    for part in split_exactly(tallies):
        exact = [sum(Fraction(part[row, column]) for row in drawn) for column in (0, 1)]
        assert [Fraction(total) for total in part[drawn].sum(axis=0)] == exact
    both = sum(split_exactly(tallies))
    assert np.allclose(both, tallies, rtol=1e-15, atol=1e-25 * np.abs(tallies).max() * len(rows))


def test_noise_in_the_last_bit_moves_no_interval() -> None:
    """Many resamples have the very value of the data; which lie below it is a matter of a bit."""
    noise = np.random.default_rng(3)
    for case in range(40):
        tallies = noise.choice([0, 1 / 3, 0.1, 0.7, 1], (9, 2)) + np.array([0, 1])
        by = 1 + noise.choice([-2e-16, 0, 2e-16], (9, 2))
        plain = bootstrap_interval(tallies, ratio, resamples=500, seed=case)
        noisy = bootstrap_interval(tallies * by, ratio, resamples=500, seed=case)
        assert plain is not None
        assert noisy is not None
        assert (noisy.low, noisy.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


@given(st.lists(st.integers(0, 9), max_size=20), st.randoms())
def test_equal_values_share_a_tier(steps: list[int], shuffled: object) -> None:
    draw = random.Random(str(shuffled))
    values = [step / 3 * (1 + draw.uniform(-1e-13, 1e-13)) for step in steps]
    assert tiers(values).tolist() == [sorted(set(steps)).index(step) for step in steps]


def test_hits_that_are_equally_good_are_ordered_by_number() -> None:
    """One text twice in an index of vectors: which is nearer is a matter of the 32nd bit."""
    hits = [(0.71234561, 9), (0.71234567, 3), (0.2, 1), (-0.5, 8), (-0.50000003, 7)]
    assert [number for _, number in sort_hits(hits)] == [3, 9, 1, 7, 8]
    assert [number for _, number in best_hits(lambda n: hits[:n], 1, 5)] == [3]


def test_systems_of_equal_value_share_a_rank() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.3 in floats; the systems are equally good."""
    units = {name: {"q": {"u": (value,)}} for name, value in (("b", 0.1 + 0.2), ("a", 0.3))}
    board = leader_board(units | {"c": {"q": {"u": (0.2,)}}}, Options(resamples=100, draws=100))
    assert [(place.name, place.rank) for place in board.places] == [("b", 1), ("a", 1), ("c", 3)]


def test_a_difference_of_one_but_for_rounding_is_yes_or_no() -> None:
    means = [1.0, 1 - 1e-16, -1.0, 1e-17]
    interval = difference_interval(np.array([(mean, 1.0) for mean in means]))
    assert interval.method == "Tango's score interval"
    a = {"q": {"u": (1 - 1e-16,), "v": (0.0,)}}
    assert difference(a, {"q": {"u": (0.0,), "v": (0.0,)}}).p_mcnemar is not None


def test_equal_differences_flip_together_wherever_they_lie() -> None:
    """Fifteen of each of four sizes have 16^4 outcomes, few enough to count them all.

    Rounded to a grid of 1e-9 of the largest these would be of eight sizes, and p a sample's.
    """
    sizes = [1.0, 0.1234567895, 0.2345678905, 0.3456789015]
    plain = [size for size in sizes for _ in range(15)]
    noisy = [size * (1 + part * 1e-15) for size in sizes for part in range(-7, 8)]
    assert sign_flips(noisy[:-4]).p == pytest.approx(sign_flips(plain[:-4]).p, rel=1e-9)
