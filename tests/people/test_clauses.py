"""Sentences of lower-cased biomedical text, clauses that are statements, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.people.core.clauses import clauses
from factmark.text.sentences import sentences


@pytest.mark.parametrize(
    "parts",
    [
        ["cultures grew e. coli and s. aureus.", "the patient died."],
        ["levels fell (p < 0.05 vs. placebo).", "no harm was seen."],
        ["5 mg was given i.v. daily for 3.5 days.", "all survived!"],
        ["smith et al. reported two cases.", "we add one."],
        ["see fig. 2 and ref. 3 for doses, e.g. 5 mg.", "doses were low."],
        ["Dr. J. Smith saw her.", "She had lost vitamin C.", "It was low."],
        ["it rose to 38 mg/l.", "antibodies were absent.", "he took 5 g.", "aspirin was given."],
        ["he had hepatitis b.", "treatment was begun."],
        ["it is often missed.1", "the course varies.2,3", "we saw it (20%).4", "it ended"],
        ["he had fever .", "he had cough ( n = 3 ) .", "he left ."],
        ["a ratio of 3 . 5 was seen ?", "yes ."],
        ["group no. 5 was given none.", "was it worse?", "no."],
        ["the end came...", "and went.", '"it stopped."', "so it did"],
    ],
)
def test_sentences(parts: list[str]) -> None:
    text = " ".join(parts)
    assert [sentence.of(text) for sentence in sentences(text)] == parts


def test_a_line_break_ends_no_sentence_and_a_blank_line_does() -> None:
    text = "in most cases ,\nit heals\n\nmethods\n \nend"
    assert [sentence.of(text) for sentence in sentences(text)] == [
        "in most cases ,\nit heals",
        "methods",
        "end",
    ]


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
@settings(max_examples=500)
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


@pytest.mark.parametrize(
    "unit",
    [".", ". ", "a. ", "<", "(", "and was ", "; ", "\n", " ", "a.1 ", '..."', ", but it was "],
)
def test_much_of_one_thing_is_read(unit: str) -> None:
    # Ends at all only where the patterns take time in proportion to the text.
    text = "he was ill " + unit * (300_000 // len(unit)) + "x"
    found = clauses(text)
    assert found[0].start == 0
    assert found[-1].end == len(text)
