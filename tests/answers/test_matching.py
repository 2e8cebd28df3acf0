"""M2, M3, M4."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.answers.core.matching import Targets, common_words, contains, match_facts
from factmark.answers.core.records import Fact
from factmark.text.words import normalise


def facts(*texts: str) -> list[Fact]:
    return [Fact(text=text, start=0, end=len(text)) for text in texts]


def matched(texts: list[str], truth: list[str]) -> list[tuple[str, str | None]]:
    return [(fact.text, fact.match) for fact in match_facts(facts(*texts), truth)]


@pytest.mark.parametrize(
    ("fact", "element"),
    [
        ("lisinopril", "lisinopril 10 MG Oral Tablet"),
        ("CC BY 4.0", "4.0"),
        ("blood pressure", "Blood pressure panel with all children optional"),
        ("commercial purposes", "CommercialPurpose"),
        ("2003", "2003-01-01"),
        ("Commercial use", "use"),
    ],
)
def test_one_is_part_of_the_other(fact: str, element: str) -> None:
    assert matched([fact], [element]) == [(fact, element)]


@pytest.mark.parametrize(
    ("fact", "element"),
    [
        ("male", "female"),
        ("1", "10"),
        ("reuse", "use"),
        ("sodium fluoride gel", "sodium fluoride 0.0272 MG/MG Oral Gel"),  # not contiguous
        ("prohibited", "CommercialPurpose"),  # the published row of example 3
        ("HL7 FHIR Release 4", "FHIR R4"),
        ("simvastatin 20mg", "20"),
    ],
)
def test_no_word_boundary_no_match(fact: str, element: str) -> None:
    assert matched([fact], [element]) == [(fact, None)]


TITLES = ["Synthetic Asthma Cohort", "Synthetic COPD Cohort", "Synthetic Stroke Cohort"]


def test_words_of_most_elements_carry_no_match() -> None:
    assert common_words([normalise(title) for title in TITLES]) == {"synthetic", "cohort"}
    assert matched(["cohort", "synthetic", "Stroke"], TITLES) == [
        ("cohort", None),
        ("synthetic", None),
        ("Stroke", "Synthetic Stroke Cohort"),
    ]


def test_two_elements_have_no_common_words() -> None:
    assert matched(["cohort"], TITLES[:2]) == [("cohort", "Synthetic Asthma Cohort")]


def test_one_fact_covers_one_element_and_repeats_drop() -> None:
    # "Asthma" can only take the first title; the full title is the same fact again (M4).
    assert matched(["Synthetic Asthma Cohort", "Asthma", "lupus"], TITLES) == [
        ("Synthetic Asthma Cohort", "Synthetic Asthma Cohort"),
        ("lupus", None),
    ]


def test_matching_is_maximum() -> None:
    # Greedy in order would give "cancer" the only element that "breast cancer" fits.
    assert matched(["cancer", "breast cancer"], ["breast cancer", "lung cancer"]) == [
        ("cancer", "lung cancer"),
        ("breast cancer", "breast cancer"),
    ]


def test_empty_sequences_match_nothing() -> None:
    assert not contains((), ())
    assert not contains(("a",), ())
    assert matched(["..."], ["—"]) == [("...", None)]


words = st.lists(st.sampled_from(["a1", "b2", "c3"]), min_size=1, max_size=3).map(" ".join)


@given(st.lists(words, max_size=4, unique=True), st.lists(words, max_size=4, unique=True))
def test_size_is_that_of_the_best_assignment(texts: list[str], truth: list[str]) -> None:
    targets = Targets.of(truth)
    options = [set(targets.matches(normalise(text))) for text in texts]
    best = brute_force(options, frozenset())
    covered = [fact.match for fact in match_facts(facts(*texts), truth) if fact.match is not None]
    assert len(covered) == len(set(covered)) == best


def brute_force(options: list[set[int]], taken: frozenset[int]) -> int:
    if not options:
        return 0
    rest = options[1:]
    return max(
        [brute_force(rest, taken)]
        + [1 + brute_force(rest, taken | {place}) for place in options[0] - taken]
    )


def test_a_number_is_told_with_its_scale_and_its_unit() -> None:
    assert matched(["2.5 million"], ["2500000"]) == [("2.5 million", "2500000")]
    assert matched(["2.5"], ["2500000"]) == [("2.5", None)]
    assert matched(["5.0 km"], ["5 km"]) == [("5.0 km", "5 km")]
    assert matched(["5.0 m"], ["5 km"]) == [("5.0 m", None)]
    assert matched(["the road"], ["5 km"]) == [("the road", None)]


def test_of_a_date_its_year_is_a_part_and_its_day_is_none() -> None:
    assert matched(["2003-04"], ["2003-04-17"]) == [("2003-04", "2003-04-17")]
    assert matched(["04-17"], ["2003-04-17"]) == [("04-17", None)]
