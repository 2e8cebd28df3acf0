"""Words of names and questions, and which stretch of a question is the longest name."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graph_answers.core.question_words import (
    Match,
    initials,
    is_acronym,
    longest_first,
    name_keys,
    other_names,
    says_something,
    words_of,
)


@pytest.mark.parametrize(
    ("name", "other", "same"),
    [
        ("type 2 diabetes", "Type-2 Diabetes", True),
        ("SGLT2 inhibitor", "SGLT-2 inhibitors", True),
        ("β-cells", "beta cell", True),
        ("Sjögren's syndrome", "Sjogren syndrome", True),
        ("oesophageal ulcer", "esophageal ulcers", True),
        ("the islets of Langerhans", "islet of Langerhans", True),
        ("UTIs", "UTI", True),
        ("hasFindingSite", "has finding site", True),
        ("café au lait", "CAFE AU LAIT", True),  # decomposed or not, in capitals or not
        ("type 1 diabetes", "type 2 diabetes", False),
        ("vitamin A", "vitamin", False),
        ("hepatitis A", "hepatitis B", False),
        ("insulin", "insulin resistance", False),
    ],
)
def test_names_are_one_or_two(name: str, other: str, same: bool) -> None:
    assert (name_keys(name) == name_keys(other)) == same


@given(st.text(max_size=80))
def test_words_stand_where_they_say(text: str) -> None:
    words = words_of(text)
    assert all(text[word.start : word.end] == word.text for word in words)
    assert all(a.end <= b.start for a, b in pairwise(words))
    assert [word.key for word in words][:16] == name_keys(text)


def test_a_name_tells_other_names() -> None:
    assert list(other_names("diabetic ketoacidosis (DKA)")) == ["diabetic ketoacidosis", "DKA"]
    assert list(other_names("insulin (human)")) == ["insulin"]
    assert list(other_names("fatigue, pain, and other complaints")) == []
    assert initials(name_keys("type 10 diabetes mellitus")) == "t10dm"
    assert initials(["two", "words"]) is None
    assert all(map(is_acronym, ("DKA", "T2DM", "HbA1C", "SGLT2")))
    assert not any(map(is_acronym, ("Diabetes", "A", "What", "dka")))


def match(first: int, last: int, node: int = 0, weight: float = 1.0) -> Match:
    return Match(first=first, last=last, nodes=(node,), how="name", weight=weight)


def test_the_longest_name_wins_and_of_one_name_what_is_not_guessed() -> None:
    words = words_of("severe diabetic foot ulcer infection")
    kept = longest_first([match(1, 2), match(1, 4), match(3, 5), match(2, 3), match(4, 5)], words)
    assert [(m.first, m.last) for m in kept] == [(1, 4), (4, 5)]
    kept = longest_first([match(0, 1, 1), match(0, 1, 2), match(0, 1, 3, 0.7)], words_of("MI rate"))
    assert [m.nodes for m in kept] == [(1,), (2,)]


@given(
    st.lists(
        st.tuples(st.integers(0, 7), st.integers(1, 4), st.sampled_from([0.7, 1.0])), max_size=12
    )
)
def test_kept_matches_never_cross(spans: list[tuple[int, int, float]]) -> None:
    words = words_of("one two three four five six seven eight nine ten eleven twelve")
    matches = [match(a, a + n, i, weight) for i, (a, n, weight) in enumerate(spans)]
    kept = longest_first(matches, words)
    assert bool(kept) == bool(matches)
    for a in kept:
        for b in kept:
            apart = a.last <= b.first or b.last <= a.first
            assert apart or (a.first, a.last) == (b.first, b.last)


def test_function_words_name_nothing_unless_in_capitals() -> None:
    words = words_of("which WHO guideline is it in 2")
    alone = [says_something(words, n, n + 1) for n in range(len(words))]
    assert alone == [False, True, True, False, False, False, False]
