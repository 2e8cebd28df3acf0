"""Texts written alike."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.text.alike import BROKEN_WORD, whole_word, write_alike
from folded_text import fold_text


@pytest.mark.parametrize(
    "text",
    [
        "a well-fed goat",
        "a well - fed goat",
        "a well\u2010fed goat",
        "a well\u2011 fed goat",
        "a well –fed goat",
        "a\u2009well-\nfed\u00a0goat",
        "a we\u00adll-fed g\u200boat",
        "A WELL−FED GOAT",
    ],
)
def test_one_word_in_many_writings(text: str) -> None:
    assert fold_text(text) == "a well-fed goat"


def test_quotes_ligatures_and_what_means_something() -> None:
    assert write_alike("the goat’s “ﬁrst” ﬂock") == 'the goat\'s "first" flock'
    assert write_alike("5 g, -3 °C, a -- b") == "5 g, -3 °C, a -- b"


@given(st.text())
def test_a_second_time_changes_nothing(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


def joined(text: str) -> str:
    return BROKEN_WORD.sub(whole_word(text), text)


def test_a_word_that_was_broken_at_the_end_of_a_line_is_whole() -> None:
    """Without the hyphen only where the text has the word: else it may be the word's own."""
    assert joined("Treat-\nment of goats. The treatment helped.") == (
        "Treatment of goats. The treatment helped."
    )
    assert joined("a well-\r\n  fed goat") == "a well-fed goat"
    for text in ("pre-\nand post-operative", "goats -\nsheep", "1-\n2", "no-\n\nNew"):
        assert re.sub(r"-\s+", "- ", joined(text)) == re.sub(r"-\s+", "- ", text)
