"""What a summary's writing alike changes beyond `blind`, what it leaves, and that it is stable."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.people.core.summary_blinding import blind_summary

LONG = "the patients of this hospital were seen by their doctors each week"  # in lower case


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (f"{LONG} in bengalURu.", f"{LONG} in bengaluru."),
        (f"{LONG} for a walking - - test, an x - ray.", f"{LONG} for a walking-test, an x-ray."),
        (f"{LONG}, a state -of - the - art cure.", f"{LONG}, a state-of-the-art cure."),
        (f"{LONG} and the girl s wife.", f"{LONG} and the girl's wife."),
        (f"{LONG}... and the.... the,,,,, the, .. the.", f"{LONG}. and the. the, the. the."),
        ("risk fell.results:it was low.thus it", "risk fell. results: it was low. thus it."),
        ("The rates fell by 5%", "The rates fell by 5%."),
        ("The rates fell (by 5 %),", "The rates fell (by 5%)."),
        (
            f"{LONG} (p= .05, n = 3,x<4, > 5) of pet / ct.",
            f"{LONG} (p = .05, n = 3,x < 4, >5) of pet/ct.",
        ),
        (
            f'{LONG} of the " outbreak " at 25 year old.',
            f'{LONG} of the "outbreak" at 25-year-old.',
        ),
        (
            f"{LONG}, non small cells., a 5-day old pre and post test.",
            f"{LONG}, non-small cells, a 5-day-old pre and post test.",
        ),
        ("We saw most of it ..,, in Rome.", "We saw most of it. in Rome."),
    ],
)
def test_form_is_written_alike(written: str, read: str) -> None:
    assert blind_summary(written).text == read


@pytest.mark.parametrize(
    "text",
    [
        "Our X - a grey thing - was there in the Hague, e.g., and the U.S., etc.",
        f"{LONG} - a drug - was given, and hypo- and hypertension, 1.2 - 3.4.",
        f"{LONG} at 120 mmHg, 5 mM and 37 °C, 2 kDa, and gave 10 µM of it.",
        f"{LONG} [?] of it, see www.results.com or helsedata.no, and p = .03.",
        f"{LONG}, see http://a.org/x?p=3 and approx., a -> b, 'it' and \"so\".",
        "The <b> tag, x=3 and pet / ct of a 52-year old man, non small cells.",
        "The man was treated with aspirin. He felt - as all did - well in the end.",
        "He came... and left... the house in The Hague.",
        'She said "it is over."',
    ],
)
def test_what_is_said_stays(text: str) -> None:
    assert blind_summary(text).text == text


PIECES = st.sampled_from(
    "a b - -- . .. ... , ,. ; : ( ) [?] results conclusion: .the the s it's X URu \n %".split(" ")
    + "= < >= ~ / \" ' non 5 year old".split()
)
texts = st.one_of(
    st.text(),
    st.lists(PIECES, max_size=20).map(" ".join),
    st.lists(PIECES, max_size=20).map(lambda pieces: LONG + "".join(pieces)),
)


@given(texts)
def test_a_second_time_changes_nothing_and_words_stay_in_order(text: str) -> None:
    once = blind_summary(text)
    again = blind_summary(once.text)
    assert (again.text, again.changes) == (once.text, ())
    plain = text.isascii() and "<" not in text and "&" not in text and "[" not in text
    if plain and text.isprintable():
        assert re.findall(r"[a-z0-9]+", once.text.lower()) == re.findall(r"[a-z0-9]+", text.lower())


@pytest.mark.parametrize("piece", ["a", "a / ", "' ", "a < ", "www.", "5 year "])
def test_time_grows_as_the_text_does(piece: str) -> None:
    before = time.process_time()
    blind_summary(piece * (60_000 // len(piece)))
    assert time.process_time() - before < 5  # where each place looked through all, a minute
