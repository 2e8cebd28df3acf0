"""Sentences of lower-cased biomedical text, clauses that are statements, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.people.core.clauses import clauses
from factmark.text.sentences import sentences


@pytest.mark.parametrize(
    "parts",
    [
        # coordinated statements and predicates
        ["the first tumour was removed,", "but the second one grew back."],
        ["he was started on warfarin", "and remained well."],
        ["mortality fell by a third;", "relapse was as common as before."],
        ["scans showed a mass in the liver,", "and biopsies confirmed a metastasis."],
        # subordinate ones
        ["ct showed a large embolus,", "which was treated with lysis."],
        ["the drug lowered blood pressure", "whereas placebo had no effect."],
        ["we stopped the infusion", "because the platelets were falling."],
        # lists, brackets, short parts and subjects of two nouns stay whole
        ["symptoms were fever, cough, and shortness of breath."],
        ["fever, cough, and pain were the first signs of it."],
        ["the score (pain was rated daily; nausea was not, and sleep was) fell."],
        ["age and sex were not associated with death."],
        ["he sat, but rose."],
        ["there was no evidence of harm in mice and rats."],
        ["patients with asthma and copd were excluded."],
        ["the ratio was 3; all died."],
    ],
)
def test_clauses(parts: list[str]) -> None:
    text = " ".join(parts)
    assert [clause.of(text) for clause in clauses(text)] == parts


PIECES = st.sampled_from(
    "the tumour was and , ; ( ) [ ] . ? ! e.g. vs. et al. .1 which while but had removed 3.5 3 . 5 "
    "a. b \n \n\n \u00a0 \u200b \u202e < & \ud800 \x00 … ... \" ' because it of cells -".split(" ")
)
texts = st.one_of(st.text(), st.lists(PIECES, max_size=30).map(" ".join))


@given(texts)
def test_everything_but_white_space_is_in_one_clause_in_order(text: str) -> None:
    for spans in (sentences(text), clauses(text)):
        end = 0
        for span in spans:
            assert text[end : span.start].strip() == ""
            piece = span.of(text)
            assert piece
            assert piece == piece.strip()
            end = span.end
        assert text[end:].strip() == ""


@given(texts)
def test_no_clause_reaches_over_the_end_of_a_sentence(text: str) -> None:
    starts = {sentence.start for sentence in sentences(text)}
    assert starts <= {clause.start for clause in clauses(text)}
