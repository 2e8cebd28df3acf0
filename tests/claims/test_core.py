"""Balanced accuracy worked by hand, replies that list claims, what the rules take for stated."""

from __future__ import annotations

import pytest

from factmark.claims.core.beside_people import (
    Labelled,
    balanced_accuracy,
    label_counts,
    over_two_sides,
)
from factmark.claims.core.rules import judge_claim, triple_in
from factmark.claims.core.splitting import parse_claims, sentences_of, splitting_prompt
from factmark.graphs.ontologies.bundled import bundled_ontology

YES, NO, AGAINST = "SUPPORTED", "NOT_SUPPORTED", "CONTRADICTED"


def rows(*pairs: tuple[str, str | None]) -> list[Labelled]:
    return [(f"c{n}", people, judge) for n, (people, judge) in enumerate(pairs)]


def test_balanced_accuracy_is_the_mean_of_the_shares_that_are_right() -> None:
    """Right of the supported 2 of 3, of the others 1 of 2: (2/3 + 1/2) / 2 = 7/12."""
    given = rows((YES, YES), (YES, YES), (YES, NO), (NO, NO), (NO, YES))
    estimate = balanced_accuracy(given, level=0.95)
    assert estimate.value == pytest.approx(7 / 12)
    assert estimate.low is not None
    assert estimate.high is not None
    assert 0 <= estimate.low < 7 / 12 < estimate.high <= 1


def test_what_has_no_verdict_makes_the_bounds() -> None:
    """Of 4 supported 2 right and 1 missing, of 2 others 1 right: 2/4 and 3/4 beside 1/2."""
    given = rows((YES, YES), (YES, YES), (YES, NO), (YES, None), (NO, NO), (NO, YES))
    estimate = balanced_accuracy(given, level=0.95)
    assert (estimate.n_missing, estimate.n_units) == (1, 5)
    assert estimate.worst == pytest.approx((2 / 4 + 1 / 2) / 2)
    assert estimate.best == pytest.approx((3 / 4 + 1 / 2) / 2)
    few = balanced_accuracy(given, level=0.95, least=0.9)
    assert few.value is None
    assert "5 of 6" in few.method


@pytest.mark.parametrize("constant", [YES, NO])
def test_a_judge_that_always_says_the_same_has_a_half(constant: str) -> None:
    given = rows(*[(YES, constant)] * 9, (NO, constant))
    assert balanced_accuracy(given, level=0.95).value == 0.5


def test_labels_of_one_kind_make_no_balanced_accuracy() -> None:
    estimate = balanced_accuracy(rows((YES, YES), (YES, NO)), level=0.95)
    assert estimate.value is None
    assert "same label" in estimate.method


def test_a_perfect_judge_has_an_interval_that_is_no_point() -> None:
    estimate = balanced_accuracy(rows(*[(YES, YES), (NO, NO)] * 5), level=0.95)
    assert estimate.value == estimate.high == 1
    assert estimate.low is not None
    assert 0.5 < estimate.low < 1


def test_copies_within_a_cluster_do_not_narrow_the_interval() -> None:
    once = rows((YES, YES), (YES, NO), (NO, NO), (NO, YES), (YES, YES), (NO, NO))
    alone, copied = (balanced_accuracy(given, level=0.95) for given in (once, once * 20))
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))


def test_contradicted_and_not_supported_are_one_side_of_two() -> None:
    given = rows((AGAINST, NO), (NO, AGAINST), (YES, YES))
    assert balanced_accuracy(over_two_sides(given), level=0.95).value == 1
    assert balanced_accuracy(given, level=0.95).value == pytest.approx(1 / 3)
    assert label_counts(given)[AGAINST] == {YES: 0, AGAINST: 0, NO: 1, "": 0}


@pytest.mark.parametrize(
    ("reply", "claims"),
    [
        ('{"claims": []}', []),
        ('Sure!\n```json\n{"claims": ["A is B."]}\n```', ["A is B."]),
        ('<think>{"claims": ["no"]}</think>["A is B.", "C is  D."]', ["A is B.", "C is D."]),
        ("1. A is B.\n2) C is D.", ["A is B.", "C is D."]),
        ('{"claims": ["A is B.", 7]}', None),
        ("The sentence states that A is B.", None),
        ("", None),
    ],
)
def test_claims_of_a_reply(reply: str, claims: list[str] | None) -> None:
    assert parse_claims(reply) == claims


def test_sentences_are_cut_and_shown_within_their_response() -> None:
    response = "He was born in Ulm. He died in Princeton.\n\n- Physics was his field"
    parts = sentences_of(response)
    assert parts == ["He was born in Ulm.", "He died in Princeton.", "Physics was his field"]
    _, prompt = splitting_prompt(parts[0], response)
    assert response in prompt
    _, alone = splitting_prompt("He was born in Ulm.", "He was born in Ulm.")
    assert "RESPONSE" not in alone


@pytest.mark.parametrize(
    ("claim", "passage", "label"),
    [
        ("Metformin treats diabetes", "Here metformin treats diabetes well.", YES),
        ("Metformin treats diabetes", "Metformin does not treat diabetes.", AGAINST),
        ("Insulin was found in 1921.", "It is old. Insulin was found in 1921!", YES),
        (
            "Insulin was found in 1921.",
            "Was insulin found in 1921? Insulin was found in 1921?",
            None,
        ),
        ("Insulin was found in 1921.", "They say insulin was found in 1921.", None),
        ("Insulin was found in 1921.", "Insulin was found in 1921. It saves lives.", YES),
        ("Insulin was found in 1921.", "Insulin was found in 1921. That is a myth.", None),
        ("Insulin was found in 1921.", "Myth 3. Insulin was found in 1921.", None),
        ("Insulin was found in 1921.", 'He wrote: "It is old." "Insulin was found in 1921."', None),
        ("Insulin is old", "Insulin is new.", None),
        ("Is insulin old?", "Is insulin old?", None),
        ("Metformin treats diabetes", "", None),
    ],
)
def test_rules_judge_what_they_can_read_and_nothing_else(
    claim: str, passage: str, label: str | None
) -> None:
    assert judge_claim(None, claim, passage, bundled_ontology()).label == label


def test_a_claim_is_read_by_the_longest_wording() -> None:
    triple = triple_in("Asthma is caused by smoke")
    assert triple is not None
    assert (triple.head, triple.relation, triple.tail) == ("Asthma", "due_to", "smoke")
    assert triple_in("Vitamin D seems to be of some use") is None
