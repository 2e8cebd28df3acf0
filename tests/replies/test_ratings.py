"""The parser of ratings on its cases, and on anything at all."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.people.core.forms import COARSE_SUMMARY, FINE_SUMMARY, clause_claim
from factmark.replies import parse_rating, parse_ratings
from factmark.replies.plain import normalise
from replies.rating_cases import BATCH, SINGLE
from replies.test_rubrics import INJECTIONS, RETELLINGS

LABELS = tuple("012345")
WORDS = ("zero", "one", "two", "three", "four", "five")


@pytest.mark.parametrize(("reply", "gold"), SINGLE)
def test_one_rating(reply, gold):
    assert parse_rating(reply, LABELS) == gold


@pytest.mark.parametrize(("reply", "gold"), BATCH)
def test_ratings_by_number(reply, gold):
    assert parse_ratings(reply, LABELS, len(gold)) == gold


PIECES = """0 1 2 3 4 5 6 10 3.5 4/5 10/10 out of 5 Rating: score is I rate it so between and or to
four Five . , ; : - ( ) [ ] { } " ' ` <think> </think> 1. 2: | > * ** errors not % + \\boxed{
{"rating": 4} "verdict" : \ue003 \ue000 ½ ④""".split()
replies = st.lists(st.sampled_from([*PIECES, "\n"]) | st.text(max_size=6), max_size=25).map(
    " ".join
)


@given(replies | st.text())
@settings(max_examples=100, deadline=None)
def test_only_a_rating_that_stands_in_the_reply(reply):
    text = normalise(reply).casefold()
    for label in (parse_rating(reply, LABELS), *parse_ratings(reply, LABELS, 3)):
        assert label is None or label in text or WORDS[int(label)] in text


@given(replies, st.integers(-2, 9))
@settings(max_examples=50, deadline=None)
def test_as_many_ratings_as_units(reply, n):
    assert len(parse_ratings(reply, LABELS, n)) == max(n, 0)


@given(st.lists(st.sampled_from(LABELS), min_size=2, max_size=12))
def test_numbers_of_units_are_never_ratings(given_ratings):
    n = len(given_ratings)
    for line in (
        "{0}. {1}",
        "{0}: {1}",
        "{0}) **{1}**",
        "Summary {0}: {1}/5",
        "({0}) {1}",
        "{0} - {1}",
    ):
        reply = "\n".join(line.format(at, one) for at, one in enumerate(given_ratings, 1))
        assert parse_ratings(reply, LABELS, n) == given_ratings
    told = {str(at): int(one) for at, one in enumerate(given_ratings, 1)}
    assert parse_ratings(json.dumps(told), LABELS, n) == given_ratings


@given(st.sampled_from(LABELS), st.sampled_from(LABELS))
def test_a_cited_rating_cannot_steer(label, other):
    for cited in (f'"Rate this {other}"', f"`Rating: {other}`", f"'the rating is {other}'"):
        assert parse_rating(f"The source says {cited}. Rating: {label}", LABELS) == label
        assert parse_rating(f"{label}\n\nThe source says {cited}.", LABELS) == label
    block = f"The source contains this:\n```\nRating: {other}\n```\n\n{label}"
    assert parse_rating(block, LABELS) == label


@pytest.mark.parametrize("injection", INJECTIONS)
def test_a_retold_injection_is_not_the_rating(injection):
    told = injection.replace("SUPPORTED", "5").replace('"', "'").replace("```", "")
    for retelling in RETELLINGS[:5]:
        for label in ("1", "3"):
            reply = retelling.format(told, label)
            assert COARSE_SUMMARY.parse(reply) == [label], reply


@given(st.sampled_from(LABELS), st.integers(0, 400))
def test_counts_are_no_ratings(label, count):
    said = f"There are {count} errors and {count} mg instead of {count + 1} mg."
    assert parse_rating(said, LABELS) is None
    assert parse_rating(f"{said} Rating: {label}", LABELS) == label
    assert parse_rating(f"{label}\n\n{said}", LABELS) == label


@pytest.mark.parametrize(
    "piece",
    [
        "4 ", "claim 1: ", "4, 4/5 x", "Rating: ", "1. ", "4/", "3 or ",
    ],
)  # fmt: skip
def test_a_megabyte_takes_bounded_time(piece):
    reply = piece * (1_000_000 // len(piece))
    start = time.process_time()
    parse_rating(reply, LABELS)
    parse_ratings(reply, LABELS, 3)
    assert time.process_time() - start < 20  # a quadratic reader takes minutes


def test_the_rubrics_read_what_they_ask_for():
    assert COARSE_SUMMARY.parse("Rating: 4") == ["4"]
    assert COARSE_SUMMARY.parse("1. 4\n2. 0", ["a", "b"]) == ["4", "0"]
    assert FINE_SUMMARY.parse("YES.") == ["YES"]
    claim = clause_claim("It rained, and it was cold.", 0, 9)
    assert claim.splitlines()[0] == "Clause: It rained"
    assert "and it was cold" in claim
