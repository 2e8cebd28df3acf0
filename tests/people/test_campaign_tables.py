"""The tables of a campaign, for every form, in every format."""

from __future__ import annotations

from functools import partial

import pytest

from factmark.answers.core.marks import score_marks
from factmark.campaign_model import Marking
from factmark.people.core.forms import FORMS, Form
from factmark.people.ratings.entries import RatedUnit
from factmark.people.ratings.results import CampaignResults, rate_campaign
from factmark.people.report.campaign_html import render_campaign_html
from factmark.people.report.rating_tables import campaign_tables
from factmark.tables.latex import latex_table
from factmark.tables.layouts import markdown_table
from page import Page
from sample_campaign import QUICK, asked, campaign, rating, sample_campaign


def of_form(form: Form, *, answered: bool = True) -> CampaignResults:
    """Two annotators over four documents of two systems; of claims and triples of none."""
    systems = ("",) if form.name in ("support", "validity") else ("x", "y")
    subjects = [
        RatedUnit(
            id=f"d{d}-{s}-{part}", cluster=f"d{d}", system=s,
            part=f"d{d}-{s}" if form.name == "fine" else "", order=part,
            strata={"relation": "treats" if d % 2 else "isa"}, text="One and two.",
            evidence="A source.", elements=("one", "two") if form.name == "facts" else (),
            score_marks=partial(score_marks, "One and two.", ("one", "two")),
        )
        for d in range(4) for s in systems for part in range(2)
    ]  # fmt: skip
    marks = [
        Marking(grounded=((0, 3),), covered=("one",), ungrounded=((8, 11),)),
        Marking(grounded=((0, 3), (8, 11)), covered=("one", "two")),
    ]
    ratings = [
        rating(
            f"A{who}", one, None if not form.values else form.labels[(at * who) % len(form.labels)],
            form=form.name, marking=None if form.values else marks[(at + who) % 2],
        )
        for who in (1, 2) for at, one in enumerate(subjects)
    ]  # fmt: skip
    return rate_campaign(
        campaign(form.name),
        asked((f"A{who}", one) for who in (1, 2) for one in subjects),
        ratings if answered else [],
        {one.id: one for one in subjects},
        options=QUICK,
    )


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
@pytest.mark.parametrize("answered", [True, False])
def test_every_form_has_its_tables_and_its_page(form: Form, answered: bool) -> None:
    results = of_form(form, answered=answered)
    tables = campaign_tables(results)
    if answered:
        assert "agreement" in tables
        assert ("leader-board" in tables) == (form.name not in ("support", "validity"))
        assert ("labels" in tables) == (form.name != "facts")
    else:
        assert list(tables) == ["systems", "annotators"], "what is missing, and nothing empty"
    for table in tables.values():
        assert all(len(line.cells) == len(table.columns) for line in table.lines)
        assert all(len(line.labels) == len(table.label_names) for line in table.lines)
        assert all(len(record) == len(table.record_names) for record in table.records)
        assert markdown_table(table)
        assert latex_table(table)
    page = Page(render_campaign_html(results))
    assert page.tags.count("article") == 4


def test_first_and_final_stand_side_by_side() -> None:
    table = campaign_tables(sample_campaign())["first-final"]
    human = next(line for line in table.lines if line.labels == ("human",))
    # First 5, 5, 4 of A1 and 5, 5 of A2: (5 + 5 + 4) / 3; final has 4 for A1's second.
    assert [cell.value for cell in human.cells[:3]] == ["4.67", "4.50", "-0.17"]


def test_what_is_missing_is_told_with_its_bounds() -> None:
    # model-b: d1 (2 + 1) / 2, d2 (0 + 3) / 2, d3 missing: (1.5 + 1.5 + 0) / 3 to (3 + 5) / 3.
    table = campaign_tables(sample_campaign())["systems"]
    assert any("model-b 1.00 to 2.67" in note for note in table.notes)
    line = next(line for line in table.lines if line.labels == ("model-b",))
    assert [cell.value for cell in line.cells] == ["1.50", "30.00", "2", "2", "4", "1"]


def test_the_matrix_of_annotators_is_symmetric() -> None:
    subjects = [RatedUnit(id=f"u{at}", cluster=f"d{at}", system="s") for at in range(5)]
    people = ("A1", "A2", "A3")
    made = rate_campaign(
        campaign(people=3),
        asked((a, one) for a in people for one in subjects),
        [
            rating(a, one, str((at + (a == "A3")) % 6))
            for a in people
            for at, one in enumerate(subjects)
        ],
        {one.id: one for one in subjects},
        options=QUICK,
    )
    table = campaign_tables(made)["matrix"]
    cells = [[cell.text for cell in line.cells] for line in table.lines]
    assert [list(row) for row in zip(*cells, strict=True)] == cells
    assert cells[0][0] == ""
    assert cells[0][1] == "1.00 100%, n 5"  # A1 and A2 say the same
    assert cells[0][2].endswith("0%, n 5")  # A3 never does
