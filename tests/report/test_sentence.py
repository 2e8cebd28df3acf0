"""The sentence that reports begin with: its parts, and that it stands before all else."""

from __future__ import annotations

from factmark.model import Estimate
from factmark.report.layouts import interval_note, markdown_report
from factmark.report.sentence import (
    FirstSentence,
    aside,
    best_first,
    brackets,
    figure,
    figures,
    lacking,
)


def estimate(value: float | None, *, level: float = 0.95, method: str = "by hand") -> Estimate:
    known = value is not None
    return Estimate(
        value=value,
        low=value - 0.1 if known else None,
        high=value + 0.1 if known else None,
        level=level,
        method=method,
        n_items=4,
        n_units=4,
        n_missing=0,
    )


def test_systems_stand_in_a_row_with_their_intervals_and_the_scale_once() -> None:
    systems = [("under rag", estimate(0.5)), ("under mcp", estimate(0.75)), ("", estimate(None))]
    assert figures(best_first(systems), " of 1") == (
        "0.75 [0.65–0.85] of 1 under mcp, 0.50 [0.40–0.60] under rag and –"
    )


def test_of_many_systems_four_are_named() -> None:
    systems = [(f"for {name}", estimate(0.5)) for name in "abcdefg"]
    assert figures(systems).endswith(", 0.50 [0.40–0.60] for d and 3 more")


def test_what_differs_by_less_than_is_shown_stays_in_its_order() -> None:
    """Sums of floats differ in their last bit from machine to machine."""
    systems = [("first", estimate(0.7)), ("second", estimate(0.7 + 2e-16))]
    assert [name for name, _ in best_first(systems)] == ["first", "second"]


def test_brackets_are_explained_where_there_are_any() -> None:
    assert brackets(estimate(0.5)) == "in brackets the 95 % interval"
    assert brackets(estimate(0.5), estimate(0.6)) == "in brackets 95 % intervals"
    assert brackets(estimate(None)) == ""
    assert aside(brackets(estimate(None))) == ""
    assert figure(estimate(None)) == "–"


def test_what_is_missing_is_told_where_it_is_much() -> None:
    assert lacking(420, 461, "without a verdict") == "; 420 of 461 without a verdict"
    assert lacking(2, 150, "answers missing") == ""
    assert lacking(0, 0, "answers missing") == ""


def test_markdown_begins_with_the_sentence_and_no_name_in_it_is_markup() -> None:
    opening = FirstSentence(sentence="m_1 scores 0.50 <b>.", cautions=("It judges itself.",))
    assert markdown_report(opening, []) == "m\\_1 scores 0.50 &lt;b>.\n\nIt judges itself.\n"
    assert markdown_report(None, []) == ""


def test_cautions_are_not_told_twice() -> None:
    opening = FirstSentence(sentence="S.", cautions=("It judges itself.",))
    assert opening.other(["It judges itself.", "A row was left out."]) == ["A row was left out."]


def test_a_note_names_each_method_once_whatever_the_sizes() -> None:
    """Corrections of several systems differ in their sizes, which stand in the table."""
    sizes = ("mover, 8 labels by people of 9 units", "mover, 3 labels by people of 3 units")
    several = [estimate(0.5, method=method) for method in (*sizes, "judge-only, 9 verdicts")]
    assert interval_note(several) == ["In brackets: 95 % interval (MOVER; judge-only)."]
    alone = "In brackets: 95 % interval (MOVER, 8 labels by people of 9 units)."
    assert interval_note(several[:1]) == [alone]


def test_a_note_names_methods_in_words() -> None:
    alike = estimate(0.5, method="wilson (all clusters agree)")
    assert interval_note([alike]) == ["In brackets: 95 % interval (Wilson's, where all agree)."]
