"""The generator: the same bytes always, two syntaxes with the same triples, any seed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, parse

from factmark.ehds.replica.facts import COHORTS
from factmark.ehds.replica.generate import nquads, trig
from factmark.ehds.replica.patients import assign_patients
from factmark.ehds.replica.plan import apportion, plan
from factmark.errors import InputError

SCALE = 0.0005
PRINT_HASH = f"""
import hashlib
from factmark.ehds.replica.generate import nquads
from factmark.ehds.replica.plan import plan
print(hashlib.sha256("".join(nquads(plan({SCALE}, 3))).encode()).hexdigest())
"""


def digest(scale: float, seed: int) -> str:
    return hashlib.sha256("".join(nquads(plan(scale, seed))).encode()).hexdigest()


def test_the_bytes_are_those_of_all_versions() -> None:
    """Recorded ground truths and identities of stores rest on them."""
    assert digest(SCALE, 0) == "fd184cdde5adf151f6e9364ce95096f943cf6834ef1ce0b26c8ed7075ae56c0f"
    assert digest(SCALE, 3) == "b3e87ed0d90f8ec84066e6f00544dfcb170826477a87f901aa974b636b844b73"


def test_hash_randomisation_changes_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINT_HASH],
        env={**os.environ, "PYTHONHASHSEED": "4711"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == digest(SCALE, 3)


def test_each_line_is_a_quad_told_once_in_both_syntaxes() -> None:
    small = plan(SCALE, 1)
    text = "".join(nquads(small))
    quads = set(parse(text, format=RdfFormat.N_QUADS))
    assert len(quads) == text.count("\n")
    written = "".join(trig(small))
    assert set(parse(written, format=RdfFormat.TRIG)) == quads
    assert "/graph/dementia> {}" in written


def test_blocks_are_as_many_as_planned() -> None:
    small = plan(SCALE)
    assert sum(1 for _ in nquads(small)) == small.blocks


@pytest.mark.parametrize("scale", [0, -1, 1.01, float("nan"), float("inf")])
def test_a_scale_out_of_range_is_refused(scale: float) -> None:
    with pytest.raises(InputError, match="scale"):
        plan(scale)


@settings(max_examples=10, deadline=None)
@given(st.integers())
def test_published_figures_of_patients_hold_for_every_seed(seed: int) -> None:
    members = assign_patients(seed)
    everybody = {p.id: p for patients in members.values() for p in patients}
    assert len(everybody) == 573
    assert {c: len(p) for c, p in members.items()} == {
        c.id: c.patients for c in COHORTS if c.patients
    }
    assert all(len({p.id for p in patients}) == len(patients) for patients in members.values())
    assert sum(p.no_ai_training for p in everybody.values()) == 168
    assert sum(p.no_ai_training for p in members["breast-cancer"]) == 2
    assert sum(p.gender == "female" for p in members["ptsd"]) == 1
    assert sum(p.gender == "female" for p in members["obesity"]) == 25
    assert min(p.birth_year for p in members["alzheimers"]) == 1916
    assert {p.race for p in members["chronic-pain"]} == {"White"}


@given(st.integers(0, 10**7), st.lists(st.integers(1, 10**5), min_size=1, max_size=40))
def test_apportioned_parts_add_up_and_are_close(total: int, weights: list[int]) -> None:
    parts = apportion(total, weights)
    assert sum(parts) == total
    exact = [total * weight / sum(weights) for weight in weights]
    assert all(abs(part - share) < 1.001 for part, share in zip(parts, exact, strict=True))
