"""Long elements in long sentences: found where they are spelled, and read in bounded work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.answers.core.extraction.sentences import text_of
from factmark.answers.core.extraction.spelling import Speller
from factmark.answers.core.extraction.tokens import tokenise
from factmark.text.words import normalise

WORDS = (
    "oak elm 7 30 % – mg $ 1,000 March May 2021 2nd of 12/05/2021 forty two hundred and one , . ( "
    ") re-use camelCase 2.5"
)
texts = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=60).map(" ".join)


def read_of(text: str, element: str) -> int:
    """Returns how many tokens are read to look for an element at each place of a text."""
    words = normalise(element)
    speller = Speller(tokenise(text, 0), text)
    before = speller.left
    for place in range(len(speller.tokens)):
        speller.end_of(words, place)
    return before - speller.left


@given(texts, st.integers(0, 59), st.integers(0, 59), st.booleans())
def test_an_element_is_spelled_where_each_end_tried_in_turn_finds_it(
    text: str, first: int, more: int, changed: bool
) -> None:
    """Dates and numbers in words change with what follows them, so that ends are not skipped."""
    tokens = tokenise(text, 0)
    first = min(first, len(tokens) - 1)
    words = normalise(text_of(text, tokens[first : first + more + 1]))
    if not (words and tokens[first].words):
        return
    words = (*words, "fir") if changed else words
    runs = ((end, text_of(text, tokens[first:end])) for end in range(first + 1, len(tokens) + 1))
    ends = [end for end, run in runs if tokens[end - 1].words and normalise(run) == words]
    near = [end for end in ends[:1] if end <= first + len(words) + 6]
    assert Speller(tokens, text).end_of(words, first) == (near[0] if near else 0)


@pytest.mark.parametrize("words", ["oak elm ", "7 ", "oak, elm; ", "forty two ", "the mill and "])
def test_four_times_the_text_takes_four_times_the_work(words: str) -> None:
    """An element of few different words differs late from a text of the same words."""
    small, large = (read_of(words * size, words * (size // 2) + "fir") for size in (1_600, 6_400))
    assert 0 < large < 5 * small


def test_an_element_is_found_behind_places_where_it_nearly_stands() -> None:
    text = "oak elm " * 40 + "fir"
    speller = Speller(tokenise(text, 0), text)
    words = normalise("oak elm " * 25 + "fir")
    ends = [speller.end_of(words, place) for place in range(len(speller.tokens))]
    assert [place for place, end in enumerate(ends) if end] == [30]
