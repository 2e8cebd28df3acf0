"""Options are split off a question's text in the forms that people write, and in no other."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graphrag.core.options import letter_of, places_named, split_options, without_labels

ASKED = "Where is insulin made?"
THREE = ("liver", "pancreas", "spleen")


@pytest.mark.parametrize(
    "text",
    [
        f"{ASKED}\nA. liver\nB. pancreas\nC. spleen",
        f"{ASKED}\n(a) liver\n(b) pancreas\n(c) spleen\n",
        f"{ASKED}\r\n- **A.** liver\r\n- **B.** pancreas\r\n- **C.** spleen",
        f"{ASKED} A. liver B. pancreas C. spleen",
        f"{ASKED} a) liver, b) pancreas, or c) spleen",
        f"{ASKED} (A) liver (B) pancreas (C) spleen",
        f"{ASKED}\nOptions:\n- liver\n- pancreas\n- spleen\nThe answer is",
        f"{ASKED}\nAnswer options: liver, pancreas, or spleen",
        f"{ASKED} Options: ['liver', 'pancreas', 'spleen']",
        f"{ASKED} Options: {{'A': 'liver', \"B\": 'pancreas', 'C': 'spleen'}}",
        f"{ASKED}\nOption A: liver\nOption B: pancreas\nOption C: spleen",
        f"{ASKED}\nA.liver\nB.pancreas\nC.spleen\nAnswer with the letter of one, no more.",
    ],
)
def test_options_in_the_text(text: str) -> None:
    found = split_options(text)
    assert found is not None
    assert found.text == ASKED
    assert found.options == THREE
    assert found.first_number is None


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (f"{ASKED}\n1. liver\n2. pancreas\n3. spleen", 1),
        (f"{ASKED}\n0) liver\n1) pancreas\n2) spleen", 0),
    ],
)
def test_numbered_options(text: str, first: int) -> None:
    found = split_options(text)
    assert found is not None
    assert (found.text, found.options, found.first_number) == (ASKED, THREE, first)


@pytest.mark.parametrize(
    "text",
    [
        ASKED,
        "Does hepatitis A. B. or C. lead to diabetes?",
        "Which is worse, type 1. or type 2. diabetes, or type 3. diabetes?",
        "Is it\n1.5 mg or\n2.5 mg?",
        "A. Smith asks: what is insulin?",
        "A. liver\nB. pancreas",  # no question is left
        f"{ASKED}\nA. liver",
        "Options:",
        "",
    ],
)
def test_texts_without_options(text: str) -> None:
    assert split_options(text) is None


def test_an_option_may_read_like_an_instruction() -> None:
    for text in (
        "What now?\nA. Stop it\nB. Give insulin",
        "What now?\nOptions:\nStop it\nGive insulin",
    ):
        found = split_options(text)
        assert found is not None
        assert found.options == ("Stop it", "Give insulin")


def test_lines_within_an_option_and_text_below_the_options() -> None:
    found = split_options("Read this.\nA. one\n   more\nB. two\n\nWhich is right?")
    assert found is not None
    assert found.options == ("one more", "two")
    assert found.text == "Read this.\nWhich is right?"


def test_the_longest_and_last_list_is_that_of_the_options() -> None:
    text = "Steps: 1. ask 2. look.\nWhich one is first?\nA. ask\nB. look\nC. neither"
    found = split_options(text)
    assert found is not None
    assert found.options == ("ask", "look", "neither")
    assert found.text.startswith("Steps: 1. ask 2. look.")


@given(st.text(alphabet="ABCab12.():;,|\n -Options", max_size=80))
def test_any_text_is_split_or_not_but_nothing_is_invented(text: str) -> None:
    found = split_options(text)
    if found is not None:
        assert len(found.options) >= 2
        assert found.text
        assert all(set(option) - {" "} <= set(text) for option in found.options)


@pytest.mark.parametrize("piece", ["A) ", "Options:", "** "])
def test_no_text_takes_long(piece: str) -> None:
    begun = time.process_time()
    split_options("What? A. x " + piece * 20_000 + "?")
    assert time.process_time() - begun < 5


_WORD = st.from_regex(r"[d-z]{3,8}( [d-z]{3,8})?", fullmatch=True)


@given(
    st.lists(_WORD, min_size=3, max_size=10, unique=True),
    st.sampled_from(["{}. ", "{}) ", "({}) ", "[{}] "]),
    st.sampled_from(["\n", " "]),
    st.booleans(),
)
def test_what_is_joined_is_split_again(
    options: list[str], form: str, between: str, small: bool
) -> None:
    labels = "abcdefghij" if small else "ABCDEFGHIJ"
    marked = [form.format(label) + option for label, option in zip(labels, options, strict=False)]
    found = split_options(f"What is it?{between}{between.join(marked)}")
    assert found is not None
    assert found.options == tuple(options)
    assert found.text == "What is it?"


@pytest.mark.parametrize("answer", ["c", "(c)", "C.", "**C**"])
def test_letters(answer: str) -> None:
    assert letter_of(answer) == "C"


@pytest.mark.parametrize("answer", ["", "CD", "C retina"])
def test_what_is_no_letter(answer: str) -> None:
    assert letter_of(answer) is None


def test_the_options_that_an_answer_can_mean() -> None:
    options = ("lens", "iris", "Retina")
    assert places_named("C. retina", options) == {2}
    assert places_named("retina", options) == {2}
    assert places_named("c", options) == {2}
    assert places_named("C. lens", options) == set()
    assert places_named("D", options) == set()
    assert places_named("cornea", options) == set()
    assert places_named("A", ("B", "A")) == {0, 1}
    assert places_named("X", ("one", "two"), ("X", "Y")) == {0}


def test_labels_are_taken_off_where_each_option_bears_its_own() -> None:
    assert without_labels(["A. lens", "B) iris"]) == ("lens", "iris")
    for kept in (["B. lens", "A. iris"], ["A. lens", "iris"], ["lens", "iris"], ["A. lens"]):
        assert without_labels(kept) == tuple(kept)
