"""Marks: one for each fact, nothing else, and the text as it was."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.answers.core.records import Fact
from factmark.graphs.core.evidence import EvidenceMark
from factmark.tables.highlights import highlight, highlight_evidence
from factmark.tables.shown_text import visible

TAG = re.compile(r"<[^>]*>")
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


def fact(text: str, start: int, end: int, match: str | None = None, rule: str = "") -> Fact:
    return Fact(text=text[start:end], start=start, end=end, match=match, rule=rule)


@st.composite
def text_with_facts(draw: st.DrawFn, *, apart: bool) -> tuple[str, list[Fact]]:
    text = draw(ANY_TEXT)
    places = st.integers(min_value=0, max_value=len(text))
    edges = draw(st.lists(places, max_size=12, unique=apart))
    if apart:
        edges.sort()
    pairs = [(min(pair), max(pair)) for pair in zip(edges[::2], edges[1::2], strict=False)]
    elements = st.none() | ANY_TEXT
    return text, [
        fact(text, start, end, draw(elements), "M2") for start, end in pairs if start < end
    ]


def text_of(marked: str) -> str:
    return html.unescape(TAG.sub("", marked))


@given(text_with_facts(apart=True))
def test_text_comes_back_and_each_fact_has_its_mark(case: tuple[str, list[Fact]]) -> None:
    text, facts = case
    marked = highlight(text, facts)
    assert text_of(marked) == visible(text)
    assert marked.count("<mark ") == marked.count("</mark>") == len(facts)
    assert marked.count('class="hit"') == sum(one.match is not None for one in facts)
    marked.encode()


@given(text_with_facts(apart=False))
def test_overlapping_facts_never_break_the_text(case: tuple[str, list[Fact]]) -> None:
    text, facts = case
    marked = highlight(text, facts)
    assert text_of(marked) == visible(text)
    covered = {place for one in facts for place in range(one.start, one.end)}
    assert bool(covered) == ("<mark " in marked)
    assert marked.count("<mark ") == marked.count("</mark>")


def test_a_mark_tells_the_element_and_the_rule() -> None:
    text = "30 datasets on oncology"
    marked = highlight(text, [fact(text, 0, 2, "30", "M2"), fact(text, 15, 23)])
    assert marked == (
        '<mark class="hit" title="matches “30”, rule M2">30</mark> datasets on '
        '<mark class="miss" title="not in the ground truth">oncology</mark>'
    )


def test_the_shortest_fact_decides_the_colour_where_facts_overlap() -> None:
    text = "abcdef"
    marked = highlight(text, [fact(text, 0, 6, "long"), fact(text, 2, 4)])
    assert re.findall(r'class="(\w+)"[^>]*>(\w+)', marked) == [
        ("hit", "ab"),
        ("miss", "cd"),
        ("hit", "ef"),
    ]
    assert "matches “long”; not in the ground truth" in marked


def test_everything_is_escaped() -> None:
    text = '<b>"&'
    marked = highlight(text, [fact(text, 0, 5, '"><script>')])
    assert marked == (
        '<mark class="hit" title="matches “&#34;&gt;&lt;script&gt;”">&lt;b&gt;&#34;&amp;</mark>'
    )


def test_a_line_break_across_an_edge_stays_one() -> None:
    assert text_of(highlight("a\r\nb", [Fact(text="a\r", start=0, end=2)])) == "a\nb"


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (0, 4), (2, 1), (1, 1), (9, 10)])
def test_a_fact_outside_the_text_is_a_bug(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not inside"):
        highlight("abc", [Fact(text="abc", start=start, end=end)])


@given(text_with_facts(apart=False), st.sampled_from(["head", "tail", "cue", "negation"]))
def test_evidence_never_breaks_the_passage(case: tuple[str, list[Fact]], role: str) -> None:
    text, facts = case
    marked = highlight_evidence(
        text,
        [EvidenceMark(role=role, start=one.start, end=one.end) for one in facts],  # type: ignore[arg-type]
    )
    assert text_of(marked) == visible(text)
    assert marked.count("<mark ") == marked.count("</mark>")


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (0, 9), (3, 1)])
def test_a_mark_of_evidence_outside_the_passage_is_an_error(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="the mark of the cue at"):
        highlight_evidence("passage", [EvidenceMark(role="cue", start=start, end=end)])
