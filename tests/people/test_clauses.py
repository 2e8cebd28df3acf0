"""Sentences of lower-cased biomedical text, clauses that are statements, nothing lost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.people.core.clauses import clauses
from factmark.people.core.statements import is_part_name, is_scrap
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
        ["the dose was halved", "and the second scan was normal."],
        ["she had felt well for weeks", "and the tablets given by her doctor failed to help."],
        ["most of them had slept well,", "but pain, nausea and fever were common."],
        ["pain fell in both arms", "even though half of them had no drug."],
        ["the graft took well (day 9)", "and no leak was seen."],
        ["no clot was found,", "nor was there any bleeding."],
        ["the effect seems stronger in men", "and few studies have followed it for long."],
        ["the rate was 16%,", "and in three cases we switched to open surgery."],
        ["he books a room,", "and after a while, his car brings him there."],
        ["she asks to buy ten of them,", "and Harvey agrees, for a great price."],
        ["she leaves the dark place", "and boards the ship alone."],
        ["he went to the first house", "but showed the letter to all of them."],
        ["the test was cheap,", "but in three cases it was wrong."],
        ["most was old;", "however, work on it goes on."],
        ["Once the sheet fails Lt. Chandler looks for tubes."],
        ["The men who got the books go.", "Their old world vanishes."],
        ["pins were measured after death.", "MAIN OUTCOME MEASURE(S): length of the pin."],
        ["it is told by local and global measures,", "and clearly appears in small ones."],
        ["9 reported pain,", "and 6 of these reported nausea to their doctor."],
        ["Rice is the voice of it,", "and so the events that he sees are the plot."],
        ["74% of men conformed to it,", "and 85% of women conformed to another."],
        ["the rates were worked out,", "and two blinded readers rated the pictures."],
        ["Tony is a guest there,", "but Retief kicks him out."],
        ["he receives a treatment", "only because he switched the room."],
        # a verb that belongs to another part of the sentence begins none
        ["the aim was to assess and discuss it with all of them."],
        ["they are taught to be loyal, and to believe that they are owed it."],
        ["plans are made to keep the past and the values it holds."],
        ["we saw that kinase a, which binds to b, is needed."],
        ["nausea, a dry cough, and swelling of the legs have been described."],
        ["it was seen in men with low weight and increased pressure."],
        ["the tool serves for staging and review of cancer", "and is cheap."],
        ["it differed between those on iron and those on saline."],
        ["we treated children who have asthma and are well."],
        ["she did badly because of a late and severe graft failure."],
        ["the rates for those who did and did not smoke were equal."],
        ["the patients fell into two groups: those on iron and those on saline."],
        ["men who underwent repair and were followed for a month were included."],
        ["some were either naive to it or were treated with it."],
        ["the talks showed that, although it was accepted, it did not suit all."],
        ["age was a factor of survival,", "while only sex and treatment retain it for good."],
        ["most were men; with a mean age of 43."],
        # where it is not sure that two statements stand there, it is one
        ["the girl asks for help, it turns out she is a spy."],
        ["by the time he gets the letter, he is ill."],
        ["the drug will be used in all of them, if tests can be made."],
        ["we saw little respect for the man and the way he does his work."],
        ["if such tools are there, the hardware and the ways of use can be shared."],
        ["the tool that finds and keeps the ends is needed."],
        ["kinase a, which binds to and opens b, is needed."],
        ["it showed variable use of genes and generally increased variation in them."],
        ["it was needed in mice, but not for the growth of men that were ill."],
        ["habitat type, but not distance was the cause of it."],
        ["the loss was due not to sites but to the sum of sites located on it."],
        ["we report a spot first seen as a scar, but later proved as a tumour."],
        ["when he calls because he cannot see, they show him a light."],
        ["typical ones are a, which rests on rates, and b, which rests on sums."],
        ["each of them has a task; a director, a sales manager, and a clerk."],
        ["it fell into two parts; cells that will not die, and cells that will."],
        ["we asked which of them are associated or correlated with (1) age or (2) sex."],
        ["the reasons given were because red stood for a fire."],
        ["it rose by 21 microm per S.D. of use (95% CI: 8-35).", "it helped the U.S. Army."],
        ["it turns out that both of the ships, while not like the tale, are ghost ships."],
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
    "methods. results .the x.conclusion: was 3.0 [?] "
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
def test_only_headings_and_scraps_are_joined_with_their_neighbours(text: str) -> None:
    starts = {clause.start for clause in clauses(text)}
    for before, sentence in pairwise(sentences(text)):
        pieces = [before.of(text), sentence.of(text)]
        assert sentence.start in starts or any(
            is_part_name(piece) or is_scrap(piece) for piece in pieces
        )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "methods. we asked 40 nurses. results. most said yes.",
            ["methods. we asked 40 nurses.", "results. most said yes."],
        ),
        ("we asked 40 nurses. conclusion.", ["we asked 40 nurses. conclusion."]),
        (
            "p was set at [?] 0.05. the drug worked. the. the pc. was the. he died.",
            ["p was set at [?] 0.05.", "the drug worked. the. the pc. was the.", "he died."],
        ),
        (
            "the salt was in the bath.objectives: we asked why.resultsmost was old.",
            ["the salt was in the bath.", "objectives: we asked why.", "resultsmost was old."],
        ),
    ],
)
def test_headings_stay_with_their_sentence_and_scraps_with_the_one_before(
    text: str, parts: list[str]
) -> None:
    assert [clause.of(text) for clause in clauses(text)] == parts


KINDS = (
    "The mill ran for years, but the owner sold it because the river, which had been low for long, "
    "dried up; however, he kept the house (built in 1904) and his sons, who were old, moved away.",
    "METHODS: 40 men were given the drug, and 38 of these reported nausea, whereas 2 did not. "
    "RESULTS. Pain fell by 3 points (95% CI, 1 to 5), and in three cases we stopped early.",
    "- first it was old,\n- but then also new;\n- and so the work goes on, although, rarely, not",
    "Das Haus ist alt, aber schön. 这座桥很旧，但是 it stands, but",
    "so that, which, but, and, or, nor; while, whereas; because",
)
LINKING = (
    "and or nor but , ; : ( ) which that who where while whereas although because since so when "
    "then also not only however between either of in to the a his we it these those there was is "
    "had found reported increased results uses agrees 40 gently mice drug"
)


def cut_at_each_word(words: list[str]) -> Iterator[str]:
    """Yields a text without its end and without its beginning, at each of its words."""
    for at in range(len(words) + 1):
        yield " ".join(words[:at])
        yield " ".join(words[at:])


def assert_nothing_is_lost(text: str) -> None:
    """All of a text but white space is in its clauses, once and in order."""
    parts = [span.of(text) for span in clauses(text)]
    assert "".join("".join(parts).split()) == "".join(text.split())


@pytest.mark.parametrize("text", KINDS)
def test_a_text_may_be_cut_at_any_word(text: str) -> None:
    """As a limit of tokens cuts a summary: the last word is any word that begins a clause."""
    for part in cut_at_each_word(text.split()):
        assert_nothing_is_lost(part)


@given(st.lists(st.sampled_from(LINKING.split()), max_size=14))
def test_words_in_any_order_may_be_cut_at_any_word(words: list[str]) -> None:
    for part in cut_at_each_word(words):
        assert_nothing_is_lost(part)
