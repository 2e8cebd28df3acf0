"""What normalising takes away, what it must never touch, and that a second time changes nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from factmark.text.blinding import Blinded, blind, changed

# Pieces that rules look at, so that random texts put them next to each other.
WORDLIKE = (
    "<s> </s> <n> <q> <pad> <unk> <br /> [SEP] [UNK] [ SEP] [ SEP <|endoftext|> <0x0A> < > [ ] ( ) "
    "{ } | SEP UNK s n pad `` '' ` ' \" “ ’ -lrb- -RRB- - -lsb- 's n't 't . , ; : ! ? % 5 10 234 3 "
    "&lt; &amp; &amp;amp; &amp &#38; &#x26; &#60; &#8203; &#59; & # amp; amp lt; ; lt Ġ Ċ ▁ ## "
    "a x patient did \u200b \u202e \ufeff \U000e0041 \u2047 … [SEP ''' \x00"
)
BLANK = (" ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u2028", "\x85", "\ud800", "\udc00")
PIECES = [*WORDLIKE.split(), *BLANK, "[ SEP ]", "[SEP ]"]
texts = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=14).map("".join))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        # as people's, BigBird-PEGASUS's and LongT5's summaries stand in the published file
        (
            " a man presented with fever \n . \n he had cough ( 2 days ) . ",
            "a man presented with fever. he had cough (2 days).",
        ),
        (
            "<s> a man presented with fever.<n> he had cough (2 days).</s>",
            "a man presented with fever. he had cough (2 days).",
        ),
        (
            "<pad> a man presented with fever. he had cough (2 days).</s>",
            "a man presented with fever. he had cough (2 days).",
        ),
        ("here<n>, we show it<n>. and", "here, we show it. and"),
        ("▁the▁patient▁died .", "the patient died."),
        ("theĠpatientĠdied.ĊĊHeĠwasĠ80.", "the patient died. He was 80."),
        ("-LRB- n = 5 -RRB-", "(n = 5)"),
        ("the `` gold '' standard", 'the "gold" standard'),
        ("the “gold” standard isn’t", 'the "gold" standard isn\'t'),
        ("the patient 's wife did n't and they 're", "the patient's wife didn't and they're"),
        ("in 85 % of 20%", "in 85% of 20%"),
        ("seen in [ 1 , 2 ] ; also { x } ?", "seen in [1, 2]; also {x}?"),
        ("p &lt; 0.05 &amp;amp; &beta; &#62; 0.3", "p < 0.05 & β > 0.3"),
        ("[CLS] text [SEP]", "text"),
        ("end.<|endoftext|>", "end."),
        ("5\u00a0mg\u2009/\u2009kg", "5 mg / kg"),
        ("mal\u200big\u00adnant \u202etumour\u202c", "malignant tumour"),
        ("<unk> and [UNK] and ⁇", "[?] and [?] and [?]"),
        ("a\x00b", "a b"),
        ("half \ud800 of a pair, \ud83d\ude00 whole", "half \ufffd of a pair, 😀 whole"),
    ],
)
def test_tells_are_taken_away(written: str, read: str) -> None:
    assert blind(written).text == read


@pytest.mark.parametrize(
    "text",
    [
        "p < 0.05 and p = .03 (95% ci 1.2 - 3.4)",
        "a ratio of 10 : 1, 3 . 5 mg and 1 , 234 cells",
        "if x <n and y> z, a<b>c",
        "the 3'' needle, 5′ utr, 2' o - methyl",
        "35s::ind and klu::gus at 37 ° c, ±2 sd, 10−3, µg/ml",
        "@xmath0 of @xcite, embol ##ism, naÃ¯ve, don\ufffdt",
        "the range .5 - .9 lay within it",
        "non - small cell lung cancer — an aside – and more",
        "METHODS: Thirty patients",
        "Ġorġ Ċ",
        "a <br /> b",
        "see [1] and (a), \"b\" 'c'; end",
    ],
)
def test_what_is_said_stays(text: str) -> None:
    assert blind(text) == Blinded(text=text)


@given(texts, st.booleans())
@example("''''", False)
@example("⁇Ġa", False)
@example("<br<s>\x00> <br<br>>", False)
@example("[<s>SEP] &amp ; <<s>n> &<s>amp;", False)
@settings(max_examples=150)  # `make fuzz` draws more
def test_a_second_time_changes_nothing(text: str, paragraphs: bool) -> None:
    once = blind(text, paragraphs=paragraphs).text
    assert blind(once, paragraphs=paragraphs) == Blinded(text=once)


WORDS = st.from_regex(r"[a-z]{2,9}|[0-9]{1,3}\.[0-9]{1,2}|[0-9]{1,4}|[A-Z]{2,4}", fullmatch=True)
BETWEEN = st.sampled_from(
    " | . |. | , | ( | ) | `` | '' | - | : |; | < | > | % |<n>|</s>| <pad> |\n|\u00a0| -lrb- "
    "| = |[SEP]|\u200b \u200b| & ".split("|")
)


@settings(max_examples=60)
@given(st.lists(st.tuples(WORDS, BETWEEN), max_size=12))
def test_words_and_numbers_stay_in_order(pairs: list[tuple[str, str]]) -> None:
    text = blind("".join(word + between for word, between in pairs)).text
    assert re.findall(r"[A-Za-z]+|\d+(?:\.\d+)?", text.replace("[?]", "")) == [
        part for word, _ in pairs for part in re.findall(r"[A-Za-z]+|\d+(?:\.\d+)?", word)
    ]


def test_a_source_keeps_its_paragraphs_and_loses_its_lines() -> None:
    text = "in most cases ,\nthe change is radial .\n \n next paragraph\r\n\r\n\r\n. end \n"
    assert blind(text, paragraphs=True).text == (
        "in most cases, the change is radial.\n\nnext paragraph\n\n. end"
    )


def test_changes_are_counted_with_examples() -> None:
    made = blind("<s>a &lt; b . c . d . e .</s>").changes
    counts = {change.rule: change.count for change in made}
    assert counts == {"entities": 1, "special tokens": 2, "ends": 2, "blanks before marks": 4}
    marks = made[-1]
    assert len(marks.examples) == 3
    assert marks.examples[0] == ("a < b . c . d . e ", "a < b. c . d . e ")
    both = changed([blind("a ."), blind("b . c ,")])
    assert [(change.rule, change.count) for change in both] == [("blanks before marks", 3)]


@pytest.mark.parametrize(
    "unit",
    [
        "<",
        "<s",
        "&amp;",
        "&amp",
        " ",
        "\n ",
        "[ ",
        " ]",
        "``",
        "''",
        " .",
        "-lrb-",
        "<|a",
        "Ġ",
        "a ;",
    ],
)
def test_much_of_one_thing_is_read(unit: str) -> None:
    # Ends at all only where the patterns take time in proportion to the text.
    text = unit * (100_000 // len(unit))
    once = blind(f"a{text}b").text
    assert blind(once).text == once
