"""Likely source sentences: what they must be by definition, and how often they are the right ones.

The source and the clauses are written for this test, in the tone of PubMed. Each clause says in
other words what one sentence says; some sentences speak of nearly the same.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factmark.people.core.linking import index_source, likely_by_vectors, likely_by_words

TRIAL = [
    "heart failure is a growing burden for hospitals all over europe.",
    "iron deficiency is found in about half of these patients, with or without anaemia.",
    "oral iron is poorly absorbed when the gut wall is swollen.",
    "we therefore asked whether iron given by vein shortens the stay in hospital.",
    "between march 2014 and june 2016 we enrolled 412 adults at nine centres.",
    "those with an active infection, cancer or dialysis were not eligible.",
    "participants were assigned at random to ferric carboxymaltose or to saline.",
    "neither the nurses nor the assessors knew which infusion had been given.",
    "the primary outcome was the number of days alive and out of hospital at 90 days.",
    "quality of life was scored with the kansas city questionnaire at baseline and at week 12.",
    "the mean age was 71 years, and 38% were women.",
    "haemoglobin rose by 1.2 g/dl in the iron arm and by 0.1 g/dl in the control arm.",
    "patients on iron spent 81 days out of hospital, those on saline 76 (p = 0.03).",
    "readmission for heart failure was needed in 14% and 22%, respectively.",
    "mortality did not differ between the arms.",
    "the questionnaire's score improved by 9 points more with iron.",
    "three patients had hypophosphataemia, which resolved without treatment.",
    "one anaphylactic reaction occurred, in the control arm.",
    "a limit of our trial is its short follow - up.",
    "larger studies should ask whether repeated doses are worth their price.",
]
CASES = [
    (1, "one in two people with heart failure lack iron"),
    (2, "absorption of iron tablets is poor because the bowel is swollen"),
    (4, "a total of 412 patients were recruited"),
    (5, "people who had cancer or were on dialysis were excluded"),
    (6, "patients were randomised to ferric carboxymaltose or placebo"),
    (7, "assessors and nurses were blinded"),
    (8, "the main endpoint was days alive outside hospital by day 90"),
    (10, "38 percent of the participants were female, aged 71 years on average"),
    (11, "hemoglobin increased by 1.2 g/dl with intravenous iron"),
    (12, "iron led to five more days out of hospital (81 versus 76)"),
    (13, "fewer patients were readmitted with heart failure"),
    (14, "there was no difference in death"),
    (16, "low phosphate was seen in three patients and resolved by itself"),
]


def test_the_right_sentence_is_among_three() -> None:
    index = index_source(" ".join(TRIAL))
    assert [span.of(index.text) for span in index.sentences] == TRIAL
    found, first = set(), 0
    for right, clause in CASES:
        if index.sentences[right] in likely_sentences(clause, index, 3):
            found.add(clause)
        first += likely_sentences(clause, index, 1) == (index.sentences[right],)
    missed = [clause for _, clause in CASES if clause not in found]
    # Words alone cannot see that `one in two` is `about half` and `lack` is `deficiency`, nor that
    # `no difference in death` is `mortality did not differ`. All others share two words or a
    # number with their sentence, and must be found.
    assert missed == [
        "one in two people with heart failure lack iron",
        "there was no difference in death",
    ]
    assert first >= 10


def test_only_sentences_that_share_a_content_word_in_the_order_of_the_source() -> None:
    source = index_source("The dog ran. It was in the house. A dog and a cat slept. The cat ran.")
    found = likely_sentences("the cat and the dog", source)
    assert [span.of(source.text) for span in found] == [
        "The dog ran.",
        "A dog and a cat slept.",
        "The cat ran.",
    ]
    assert likely_sentences("it was in the", source) == ()
    assert likely_sentences("cat, dog", source, 1) == (source.sentences[2],)
    assert likely_sentences("", source) == likely_sentences("cat", source, 0) == ()


@given(st.text(), st.text(), st.integers(0, 4))
def test_any_text_gives_sentences_of_the_source_in_order(clause: str, text: str, most: int) -> None:
    source = index_source(text)
    found = likely_sentences(clause, source, most)
    assert len(found) <= most
    assert list(found) == sorted(found)
    assert set(found) <= set(source.sentences)
