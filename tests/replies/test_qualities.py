"""Adjectives as labels: said of a part, in passing or by another, they are no verdict."""

import time

import pytest

from factmark.graphrag.core.rubrics import VERIFY

T, F = "CORRECT", "INCORRECT"
IN_PASSING = [
    "The statement in the answer is medically correct, but it does not match the reference.",
    "The answer is factually correct in general but misses the main point of the reference.",
    "The answer's first half is correct; the rest is wrong.",
    "To be correct, the answer must name insulin. It names metformin.",
    "The answer says it is CORRECT.",
    "The answer asserts: my verdict is CORRECT",
    "The response states that it is correct.",
    "The reference is correct",
    "The reference is CORRECT.",
    "The reference answer is correct.",
    "The spelling is correct; the drug differs from the reference.",
    "The claim is incorrect only in its spelling; it names the same drug.",
    "The dose in the answer is incorrect, which does not matter here.",
    "The answer is medically CORRECT, but it does not match the reference.",
    "The answer is correct in saying that insulin is a hormone, but the question asks an organ.",
    "What the answer says about thirst is correct. It omits polyuria, the main point.",
    "The reference is insulin, which is correct. The answer names metformin.",
    "The answer is correct. However, the reference names another drug.",
    "The answer is correct as far as it goes.",
    "It is correct that insulin lowers glucose.",
    "I would say the spelling is correct.",
    "Correct spelling, other drug.",
    "Metformin is correct for type 2 diabetes.",
]
VERDICTS = [
    ("The answer is correct.", T),
    ("So the answer is CORRECT because it names metformin", T),
    ("I judge the answer to be incorrect.", F),
    ("I think the answer is incorrect, since it names insulin.", F),
    ("The model's answer is incorrect because it names insulin.", F),
    ("The answer is completely incorrect.", F),
    ("The answer is correct according to the reference.", T),
    ("Based on the reference, the answer is correct.", T),
]


@pytest.mark.parametrize("reply", IN_PASSING)
def test_in_passing_it_is_no_verdict(reply):
    assert VERIFY.parse(reply) == [None]


@pytest.mark.parametrize(("reply", "label"), VERDICTS)
def test_said_of_the_answer_it_is_one(reply, label):
    assert VERIFY.parse(reply) == [label]


@pytest.mark.parametrize("reply", IN_PASSING)
def test_a_declared_verdict_goes_before_it(reply):
    assert VERIFY.parse(f"{reply}\n\nINCORRECT") == [F]


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("The answer is factually correct in general but mis", None),
        ("The answer names metformin. It is correct", None),
        ("The answer is CORRECT in that it names", None),
        ("Let me compare. At first sight it is incorrect", None),
        ("CORRECT. The answer names metf", T),
        ("**INCORRECT**\n\nThe answer names ins", F),
        ("The answer names another drug. Verdict: INCORRECT, since it", F),
        ("The answer names another drug, so it is INCORRECT. Mor", F),
        ('{"verdict": "INCORRECT", "reason": "the answer na', F),
        ("", None),
    ],
)
def test_prose_that_was_cut_off_settles_nothing(reply, label):
    assert VERIFY.parse(reply, cut=True) == [label]


@pytest.mark.parametrize("piece", ["the answer is correct ", "so therefore ", "it ", "quickly "])
def test_a_megabyte_takes_bounded_time(piece):
    start = time.process_time()
    VERIFY.parse(piece * (1_000_000 // len(piece)))
    assert time.process_time() - start < 4
