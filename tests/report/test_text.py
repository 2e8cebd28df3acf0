"""What cannot be seen is spelled out; numbers have two decimals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.model import Estimate
from factmark.text.shown_text import interval, number, one_line, visible

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, ünïcode, 日本, 👩‍⚕️", "plain, ünïcode, 日本, 👩‍⚕️"),
        ("a\x00b\x1b[31m", "a[U+0000]b[U+001B][31m"),
        ("\u202eabc\u202c", "[U+202E]abc[U+202C]"),
        ("\ud800", "[U+D800]"),
        ("\x85\u2028", "[U+0085][U+2028]"),
        ("a\r\nb\rc\nd\te", "a\nb\nc\nd\te"),
        ("x\U000e0041y", "x[U+E0041]y"),
    ],
)
def test_every_unsafe_character_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(ANY_TEXT)
def test_visible_text_can_be_written_and_stays_as_it_is(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert visible(shown) == shown
    assert "\n" not in one_line(text)


def test_numbers_and_intervals_have_two_decimals_or_are_absent() -> None:
    assert list(map(number, (None, math.nan, math.inf, 0, 2 / 3))) == [
        "–",
        "–",
        "–",
        "0.00",
        "0.67",
    ]

    def made(value: float | None, low: float | None, high: float | None) -> Estimate:
        return Estimate(
            value=value, low=low, high=high, level=0.95, method="", n_items=1, n_units=1
        )

    assert interval(made(0.5, 0.25, 0.754)) == "[0.25–0.75]"
    for absent in (made(0.5, None, 0.75), made(None, 0.25, 0.75), made(0.5, math.nan, 0.75)):
        assert interval(absent) == ""
