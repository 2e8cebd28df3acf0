"""What the desk shows of a source, and where it points to."""

from __future__ import annotations

from factmark.campaign_model import Shown
from factmark.people.core.material import Document, material_of_clauses, material_of_summaries
from factmark.people.desk.shown_sources import ShownSources

SOURCE = (
    "Aims\nForty adults with gout took colchicine for five days, and all of them were followed up "
    "for a year, by letter and by telephone. The hens were fed on oats.\n"
    "Results\nPain at rest fell by half after two days, and after four in the other group, which "
    "took a placebo. Nobody fell ill."
)
SUMMARY = "Colchicine was given to forty adults. Pain fell by half. Zebras sang."


def document() -> Document:
    return Document(
        id="d", source=SOURCE, summaries={"a": SUMMARY}, sections=("Aims", "Methods", "Results")
    )


def test_sentences_are_numbered_without_headings_and_point_to_likely_ones() -> None:
    (shown,) = material_of_summaries([document()]).shown.values()
    source = ShownSources().source(shown)
    text = shown.evidence
    numbered = {number: text[start:end] for start, end, number in source["sentences"] if number}
    assert [text[start:end] for start, end, kind in source["blocks"] if kind == "heading"] == [
        "Aims",
        "Results",
    ]
    assert list(numbered) == [1, 2, 3, 4]
    assert numbered[2] == "The hens were fed on oats."
    assert source["sections"] == ["Methods"]  # the others stand in the text
    first, second, third = ShownSources().sentences(shown)
    assert SUMMARY[first[0] : first[1]] == "Colchicine was given to forty adults."
    likely = [text[slice(*source["sentences"][place][:2])] for place in first[2]]
    assert any(one.startswith("Forty adults") for one in likely)
    assert source["sentences"][second[2][0]][2] == 3
    assert third[2] == []


def test_of_a_clause_the_likely_sentences_are_those_of_the_campaign() -> None:
    material = material_of_clauses([document()], share=1.0, seed=0)
    page_sources = ShownSources()
    for shown in material.shown.values():
        assert shown.sections == ("Aims", "Methods", "Results")
        ((start, end, places),) = page_sources.sentences(shown)
        assert (start, end) == shown.clause
        found = [tuple(page_sources.source(shown)["sentences"][place][:2]) for place in places]
        assert found == [tuple(span) for span in shown.likely]


def test_a_source_is_known_by_its_text_alone() -> None:
    """So that marks and the place of reading stay where a list is dealt again."""
    page_sources = ShownSources()
    one, other = (Shown(evidence=SOURCE, text=text) for text in ("x y z.", "Pain."))
    assert page_sources.source(one)["id"] == page_sources.source(other)["id"]
    assert (
        page_sources.source(Shown(evidence="Another.", text="x"))["id"]
        != page_sources.source(one)["id"]
    )
