"""Finer ratings in comments: what is read as one, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.people.core.forms import COARSE, FINE
from factmark.people.ratings.entries import finer_rating


@pytest.mark.parametrize(
    ("label", "comment", "value"),
    [
        ("3", "3.5", 3.5),
        ("3", "3½", 3.5),
        ("0", "0.5", 0.5),
        ("3", "3.5/5", 3.5),
        ("3", "maybe a 3.5?", 3.5),
        ("3", "Hard to tell. I would give it 3.5, the rest is fine", 3.5),
        ("4", "The dose is wrong, I'd rate this one about 3.5 because of that", 3.5),
        ("3", "one small slip, otherwise right: 3.5/5", 3.5),
        ("3", "3.5, one number is wrong", 3.5),
    ],
)
def test_read(label: str, comment: str, value: float) -> None:
    assert finer_rating(COARSE, label, comment) == value
    assert finer_rating(FINE, label, comment) is None


@pytest.mark.parametrize(
    ("label", "comment"),
    [
        (None, "3.5"),
        ("3", "3"),  # says no more than the label
        ("3", "between 3 and 4"),  # where between is not told
        ("3", "between 3.5 and 4.5"),
        ("3", "p = 3.5"),
        ("3", "3.5 mg"),
        ("3", "3.5%"),
        ("3", "I'd say the dose is 3.5"),
        ("3", "the pain score was 3.5."),
        ("3", "3.5/10"),
        ("3", "1.3.5"),
        ("3", "3.5, not 4.2, is what the source says"),
        ("3", "5.5"),
        ("5", "3.5"),  # too far from the label
        ("3", "３.５"),
    ],
)
def test_not_read(label: str | None, comment: str) -> None:
    assert finer_rating(COARSE, label, comment) is None


@given(st.sampled_from([None, "0", "3", "5"]), st.text())
def test_whatever_is_written(label: str | None, comment: str) -> None:
    value = finer_rating(COARSE, label, comment)
    assert value is None or (label is not None and abs(value - int(label)) <= 1 and 0 <= value <= 5)
