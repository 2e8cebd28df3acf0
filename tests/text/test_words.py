"""M1: normalised words."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from factmark.text.words import normalise, stem


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("CommercialPurpose", "commercial purposes"),
        ("ResearchAndDevelopment", "Research and development"),
        ("re-identifying", "re-identify"),
        ("reidentify".replace("reid", "re-id"), "Re-Identify"),
        ("1,916", "1916"),
        ("twenty", "20"),
        ("twenty-five", "25"),
        ("one hundred and sixty-eight", "168"),
        ("zero", "0"),
        ("31 December 2023", "2023-12-31"),
        ("December 31, 2023", "2023-12-31"),
        ("31/12/2023", "2023-12-31"),
        ("12/31/2023", "2023-12-31"),
        ("31st of December 2023", "2023-12-31"),
        ("Alzheimer's Disease", "alzheimers disease"),
        ("ＦＨＩＲ R4", "fhir r4"),
        ("reproducing", "reproduce"),
        ("granted", "grants"),
        ("permitted", "permits"),
        ("studies", "study"),
        ("60 to 70 %", "60 to 70 percent"),
        ("4–8 weeks", "4 to 8 weeks"),
        ("lisinopril 10mg", "Lisinopril 10 MG"),
    ],
)
def test_equal_after_normalising(left: str, right: str) -> None:
    assert normalise(left) == normalise(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("reproduction", "reproduce"),  # a derivation (M1)
        ("distribution", "distribute"),
        ("re-identification", "re-identify"),
        ("male", "female"),
        ("1", "10"),
        ("2", "2%"),
        ("20", "20 mg"),
        ("ischaemic", "ischemic"),  # a spelling variant (M1)
        ("US", "use"),
        ("status", "stat"),
    ],
)
def test_different_after_normalising(left: str, right: str) -> None:
    assert normalise(left) != normalise(right)


def test_impossible_dates_stay_numbers() -> None:
    assert normalise("45/45/2023") == ("45", "45", "2023")


@given(st.text())
def test_never_fails_and_holds_words_only(text: str) -> None:
    assert all(word and not word.isspace() for word in normalise(text))


@given(st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_plural_has_the_stem_of_its_singular(word: str) -> None:
    if not word.endswith(("s", "y", "i", "u", "x", "z", "h", "e")) and len(word) > 3:
        assert stem(word + "s") in (stem(word), word)


@given(st.from_regex(r"([A-Za-z]?[a-z]{0,9} ?){0,4}", fullmatch=True))
@example("Twenty Five Mice")
@example("may five")
def test_words_and_blanks_alone_take_no_other_way(text: str) -> None:
    """A full stop, which is dropped, sends a text the long way."""
    assert normalise(text) == normalise(f"{text} .")
