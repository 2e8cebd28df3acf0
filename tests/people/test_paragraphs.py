"""Paragraphs and headings of a source, however its file writes them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from factmark.people.core.paragraphs import blocks, set_apart
from factmark.text.sentences import sentences

GOUT = "Forty adults with gout took colchicine or a placebo for five days, as told by lot. "
PROSE = GOUT * 3


def kinds(text: str, names: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """The kind of each block, and how it begins."""
    text = set_apart(text, names)
    return [(block.kind, text[block.start : block.end][:10]) for block in blocks(text, names)]


def test_a_line_for_each_heading_and_paragraph() -> None:
    text = f"Introduction\n{PROSE}\n2.1 Study design\n{PROSE}\nSecond: {PROSE}\n"
    assert kinds(text) == [
        ("heading", "Introducti"),
        ("paragraph", "Forty adul"),
        ("heading", "2.1 Study "),
        ("paragraph", "Forty adul"),
        ("paragraph", "Second: Fo"),
    ]


def test_lines_that_break_anywhere_are_one_paragraph() -> None:
    words = PROSE.split()
    lines = "\n".join(" ".join(words[at : at + 9]) for at in range(0, len(words), 9))
    assert kinds(lines) == [("paragraph", "Forty adul")]


def test_blank_lines_and_marks_of_markdown() -> None:
    assert kinds(f"## aims\n\n{GOUT}\n\nWe saw:\n\n{GOUT}\n\nAn end without a mark") == [
        ("heading", "## aims"),
        ("paragraph", "Forty adul"),
        ("paragraph", "We saw:"),
        ("paragraph", "Forty adul"),
        ("paragraph", "An end wit"),
    ]


def test_a_line_that_is_the_name_of_a_section_is_a_heading() -> None:
    """The published sources are in lower case, where no line looks like a heading."""
    text = f"1. introduction\n{GOUT}\nresults and discussion :\n{GOUT}"
    assert [kind for kind, _ in kinds(text)] == ["paragraph"]
    named = kinds(text, ("Introduction", "Results and Discussion"))
    assert [kind for kind, _ in named] == ["heading", "paragraph", "heading", "paragraph"]


def test_a_wall_is_cut_after_sentences() -> None:
    text = GOUT.strip() + " " + GOUT * 30
    pieces = blocks(text)
    assert [piece.kind for piece in pieces] == ["paragraph"] + ["rest"] * (len(pieces) - 1)
    assert len(pieces) > 3
    ends = {sentence.end for sentence in sentences(text)}
    assert all(piece.end in ends and piece.end - piece.start <= 1200 for piece in pieces)


@given(st.text(alphabet="aA1.\n \t#:é\u2028", max_size=200))
def test_everything_but_white_space_is_in_one_block(text: str) -> None:
    apart = set_apart(text)
    assert apart.split() == text.replace("\r", "\n").split()
    covered = [at for start, end, _ in blocks(apart) for at in range(start, end)]
    assert len(covered) == len(set(covered))
    assert {at for at, sign in enumerate(apart) if not sign.isspace()} <= set(covered)
