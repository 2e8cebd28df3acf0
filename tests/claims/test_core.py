"""Balanced accuracy worked by hand, replies that list claims, what the rules take for stated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.claim_support.core.anchoring import is_anchored
from factmark.claim_support.core.beside_people import (
    Labelled,
    balanced_accuracy,
    label_counts,
    over_two_sides,
)
from factmark.claim_support.core.rules import judge_claim, triple_in
from factmark.claim_support.core.splitting import (
    answers,
    parse_claims,
    sentences_of,
    splitting_prompt,
)
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


BRIDGE = (
    "The Lindau bridge opened in 1931 and is 212 metres long. It was rebuilt in 1978 after a fire."
)
REBUILT = "It was rebuilt in 1978 after a fire."


@pytest.mark.parametrize(
    ("claim", "sentence", "response"),
    [
        # names for pronouns, other forms of words, a verb of the splitter's own
        ("The Lindau bridge was rebuilt in 1978.", REBUILT, BRIDGE),
        ("The bridge in Lindau underwent rebuilding after a fire.", REBUILT, BRIDGE),
        ("There was a fire.", REBUILT, BRIDGE),
        ("Ada Brehm died in 1918.", "Ada Brehm (1860-1918) was a painter.", ""),
        ("She died in 1918.", "Ada Brehm (1860-1918) was a painter.", ""),
        ("The war went on from 1914 to 1918.", "The war (1914–18) went on.", ""),
        ("The dam holds 3000 cubic metres.", "The dam holds 3,000 cubic metres.", ""),
        ("The list has 2 dams.", "The list has a dam in Ulm and a dam in Bonn.", ""),
        # other languages, and a splitter that answers in English
        (
            "Die Brücke wurde 1978 erneuert.",
            "Sie wurde 1978 erneuert.",
            "Die Brücke ist von 1931. ",
        ),
        ("The bridge was renewed in 1978.", "Sie wurde 1978 erneuert.", "Die Brücke ist alt. "),
        ("林道桥于1978年重建。", "1978年火灾后重建。", "林道桥于1931年开通。"),
        (
            "린다우 다리가 재건되었다.",
            "1978년에 재건되었다.",
            "린다우 다리는 1931년에 개통되었다. ",
        ),
        ("Мост был перестроен.", "Он перестроен после пожара.", "Мост в Линдау открыт. "),
    ],
)
def test_an_honest_claim_is_anchored(claim: str, sentence: str, response: str) -> None:
    assert is_anchored(claim, sentence, response if sentence in response else response + sentence)


@pytest.mark.parametrize(
    "claim",
    [
        "The Lindau bridge is made of steel.",
        "The Lindau bridge crosses the Rhine.",
        "The Lindau bridge was rebuilt in 1987.",
        "The bridge collapsed.",
        "Water boils at 100 degrees.",
        "The Lindau bridge opened in 1931.",  # of the sentence before
        "Die Brücke besteht aus Stahl.",
    ],
)
def test_what_a_model_knows_besides_is_not_anchored(claim: str) -> None:
    assert not is_anchored(claim, REBUILT, BRIDGE)


@given(st.text(), st.text(max_size=40), st.text(max_size=40))
def test_a_sentence_is_anchored_in_itself(sentence: str, before: str, after: str) -> None:
    """Whatever its script, numbers or marks."""
    assert is_anchored(sentence, sentence, f"{before} {sentence} {after}")


@pytest.mark.parametrize(
    ("response", "states"),
    [
        (
            "I'm sorry, I don't have that information. Is there anything else I can help with?",
            False,
        ),
        ("Unfortunately, I do not have information on that. How can I help you further?", False),
        ("I cannot help with that.", False),
        ("How can I help you today?", False),
        ("The context does not mention it. Would you like me to look elsewhere?", False),
        ("I don't know the year. The mill stands in Ulm.", True),
        ("The mill opened in 1904. Let me know if you need more.", True),
        ("I'm sorry to say that the mill burnt down in 1950.", True),
        ("No data are given on its age, but it has two wheels.", True),
    ],
)
def test_a_response_answers_where_it_states_something(response: str, states: bool) -> None:
    assert answers(response) == states


def test_questions_and_courtesies_are_no_sentences_to_split() -> None:
    response = "Sure! The mill opened in 1904. Did it burn? It did. I hope this helps!"
    assert sentences_of(response) == ["The mill opened in 1904.", "It did."]
