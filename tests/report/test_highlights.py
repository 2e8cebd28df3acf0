"""Marks: one for each stretch, nothing else, and the text as it was."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graphs.core.claims import EvidenceMark
from factmark.report.highlights import (
    Stretch,
    deciding_sentence,
    highlight,
    highlight_evidence,
    highlight_part,
)
from factmark.text.shown_text import visible

TAG = re.compile(r"<[^>]*>")
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@st.composite
def text_with_stretches(draw: st.DrawFn, *, apart: bool) -> tuple[str, list[Stretch]]:
    text = draw(ANY_TEXT)
    places = st.integers(min_value=0, max_value=len(text))
    edges = draw(st.lists(places, max_size=12, unique=apart))
    if apart:
        edges.sort()
    pairs = [(min(pair), max(pair)) for pair in zip(edges[::2], edges[1::2], strict=False)]
    kinds = st.sampled_from(["hit", "miss"])
    return text, [(start, end, draw(kinds), draw(ANY_TEXT)) for start, end in pairs if start < end]


def text_of(marked: str) -> str:
    return html.unescape(TAG.sub("", marked))


@given(text_with_stretches(apart=True))
def test_text_comes_back_and_each_stretch_has_its_mark(case: tuple[str, list[Stretch]]) -> None:
    text, stretches = case
    marked = highlight(text, stretches)
    assert text_of(marked) == visible(text)
    assert marked.count("<mark ") == marked.count("</mark>") == len(stretches)
    assert marked.count('class="hit"') == sum(kind == "hit" for _, _, kind, _ in stretches)
    marked.encode()


@given(text_with_stretches(apart=False), st.sampled_from(["head", "tail", "cue", "negation"]))
def test_overlapping_stretches_never_break_the_text(
    case: tuple[str, list[Stretch]], role: str
) -> None:
    text, stretches = case
    marks = [EvidenceMark(role=role, start=start, end=end) for start, end, *_ in stretches]  # type: ignore[arg-type]
    for marked in (highlight(text, stretches), highlight_evidence(text, marks)):
        assert text_of(marked) == visible(text)
        assert bool(stretches) == ("<mark " in marked)
        assert marked.count("<mark ") == marked.count("</mark>")


def test_the_shortest_decides_the_class_and_the_title_tells_all() -> None:
    marked = highlight("abcdef", [(0, 6, "hit", "long"), (2, 4, "miss", "a short one")])
    assert re.findall(r'class="(\w+)"[^>]*>(\w+)', marked) == [
        ("hit", "ab"),
        ("miss", "cd"),
        ("hit", "ef"),
    ]
    assert "a short one; long" in marked


def test_everything_is_escaped() -> None:
    marked = highlight('<b>"&', [(0, 5, "hit", '"><script>')])
    assert marked == (
        '<mark class="hit" title="&#34;&gt;&lt;script&gt;">&lt;b&gt;&#34;&amp;</mark>'
    )


def test_a_line_break_across_an_edge_stays_one() -> None:
    assert text_of(highlight("a\r\nb", [(0, 2, "hit", "a")])) == "a\nb"


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (0, 4), (2, 1), (1, 1), (9, 10)])
def test_a_stretch_outside_the_text_is_a_bug(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not inside"):
        highlight("abc", [(start, end, "hit", "x")])
    with pytest.raises(ValueError, match="'cue' at"):
        highlight_evidence("abc", [EvidenceMark(role="cue", start=start, end=end)])


def test_the_sentence_with_most_roles_decides() -> None:
    passage = (
        "Metformin is old. It is cheap. Metformin treats diabetes in adults. Diabetes is common."
    )
    marks = []
    for role, word in (("head", "Metformin"), ("cue", "treats"), ("tail", "[Dd]iabetes")):
        for place in re.finditer(word, passage):
            marks.append(EvidenceMark(role=role, start=place.start(), end=place.end()))
    part = deciding_sentence(passage, marks)
    assert part is not None
    assert part.of(passage) == "Metformin treats diabetes in adults."
    shown = highlight_part(passage, marks, part)
    assert TAG.sub("", shown) == "Metformin treats diabetes in adults."
    assert re.findall(r"<mark[^>]*>(.*?)</mark>", shown) == ["Metformin", "treats", "diabetes"]
    assert deciding_sentence(passage, []) is None
