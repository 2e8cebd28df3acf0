"""The generator: the same bytes twice, two syntaxes with the same triples, any seed."""

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
from factmark.ehds.replica.generate import blocks, nquads, trig
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


def test_same_scale_and_seed_give_the_same_bytes() -> None:
    assert digest(SCALE, 3) == digest(SCALE, 3)
    assert digest(SCALE, 3) != digest(SCALE, 4)
    assert digest(SCALE, 3) != digest(0.006, 3)


@pytest.mark.parametrize("hash_seed", ["1", "4711"])
def test_hash_randomisation_changes_nothing(hash_seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-c", PRINT_HASH],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == digest(SCALE, 3)


def test_trig_and_nquads_hold_the_same_quads() -> None:
    small = plan(SCALE, 1)
    quads = set(parse("".join(nquads(small)), format=RdfFormat.N_QUADS))
    assert set(parse("".join(trig(small)), format=RdfFormat.TRIG)) == quads


def test_nothing_is_said_twice_and_each_line_is_a_quad() -> None:
    text = "".join(nquads(plan(SCALE, 1)))
    quads = list(parse(text, format=RdfFormat.N_QUADS))
    assert len(quads) == len(set(quads)) == text.count("\n")


def test_blocks_are_as_many_as_planned() -> None:
    small = plan(SCALE)
    assert sum(1 for _ in blocks(small)) == small.blocks


def test_trig_names_the_empty_graph() -> None:
    assert "/graph/dementia> {}" in "".join(trig(plan(SCALE)))


@pytest.mark.parametrize("scale", [0, -1, 1.01, float("nan"), float("inf")])
def test_a_scale_out_of_range_is_refused(scale: float) -> None:
    with pytest.raises(InputError, match="scale"):
        plan(scale)


@settings(max_examples=25, deadline=None)
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
