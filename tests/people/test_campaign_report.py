"""The tables of a campaign and its page: every form, every format, hostile text."""

from __future__ import annotations

import re
from functools import partial

import pytest

from factmark.answers.campaign import score_marks
from factmark.campaign_model import Annotator, Marking, Rating
from factmark.people.core.assign import annotator_loads, assign
from factmark.people.core.forms import COARSE, FORMS, SUPPORT, Form
from factmark.people.ratings.entries import RatedUnit
from factmark.people.report import ratings_report
from factmark.people.results import CampaignResults
from factmark.people.study import rate_campaign
from factmark.people.tables.work_tables import blinding_table, loads_table, tells_notes
from factmark.report.latex import latex_table
from factmark.report.layouts import csv_table, markdown_table
from golden_text import check_page
from hostile import HOSTILE
from page import CONTROLS, Page
from sample_campaign import QUICK, campaign, campaign_html, entries, rated, rating, sample_campaign


def of_form(form: Form, *, answered: bool = True) -> CampaignResults:
    """Two annotators over four documents of two systems; of claims and triples of none."""
    systems = ("",) if form.name in ("support", "validity") else ("x", "y")
    text, truth = "One and two.", ("one", "two")
    subjects = [
        RatedUnit(
            id=f"d{d}-{s}-{part}",
            cluster=f"d{d}",
            system=s,
            part=f"d{d}-{s}" if form.name == "fine" else "",
            order=part,
            text=text,
            evidence="A source.",
            score_marks=partial(score_marks, text, truth),
        )
        for d in range(4)
        for s in systems
        for part in range(2)
    ]
    marks = [
        Marking(grounded=((0, 3),), covered=("one",), ungrounded=((8, 11),)),
        Marking(grounded=((0, 3), (8, 11)), covered=("one", "two")),
    ]

    def given(who: int, at: int) -> Rating:
        if form.values:
            return rating(form.labels[(at * who) % len(form.labels)])
        return rating(None, marking=marks[(at + who) % 2])

    tasks = entries(
        (f"A{who}", unit, [given(who, at)] * answered)
        for who in (1, 2)
        for at, unit in enumerate(subjects)
    )
    return rate_campaign(campaign(form.name), tasks, options=QUICK)


@pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))
def test_every_form_has_its_tables_and_its_page(form: Form) -> None:
    results = of_form(form)
    tables = ratings_report(results).tables
    assert ("agreement" in tables) == (form.name != "facts")
    assert ("leader-board" in tables) == (form.name not in ("support", "validity"))
    assert ("labels" in tables) == (form.name != "facts")
    for table in tables.values():
        assert markdown_table(table)
        assert latex_table(table)
    assert Page(campaign_html(results)).tags.count("article") == 4


def test_a_campaign_that_nobody_answered_says_so() -> None:
    assert list(ratings_report(of_form(COARSE, answered=False)).tables) == ["scores", "annotators"]
    html = campaign_html(rated({("A1", "d1", "s"): None, ("A1", "d1", "t"): None}))
    assert "Nothing is rated yet" in html
    assert "0 of 2" in html
    assert html.count("not rated</span>") == 2


def test_first_final_and_missing_worked_by_hand() -> None:
    tables = ratings_report(sample_campaign()).tables
    human = next(line for line in tables["first-final"].lines if line.labels == ("human",))
    # First 5, 5, 4 of A1 and 5, 5 of A2: (5 + 5 + 4) / 3; final has 4 for A1's second.
    assert [cell.value for cell in human.cells[:3]] == ["4.67", "4.50", "-0.17"]
    # model-b: d1 (2 + 1) / 2, d2 (0 + 3) / 2, d3 missing: (1.5 + 1.5 + 0) / 3 to (3 + 5) / 3.
    assert any("model-b 1.00 to 2.67" in note for note in tables["scores"].notes)
    line = next(line for line in tables["scores"].lines if line.labels == ("model-b",))
    assert [cell.value for cell in line.cells] == ["1.50", "30.00", "2", "2", "4", "1"]


def test_the_page_of_the_sample() -> None:
    check_page("page_campaign.txt", campaign_html(sample_campaign(), title="Golden"))
    html = campaign_html(sample_campaign(), cards=2)
    assert Page(html).tags.count("article") == 2
    assert "Of 3 documents the first 2 are shown" in html


def test_hostile_text_adds_no_element_and_no_attribute() -> None:
    hostile = "".join(HOSTILE.values())
    plain, html = (campaign_html(sample_campaign(text=t), title=t) for t in ("p", hostile))
    html.encode("utf-8")
    expected, page = Page(plain), Page(html)
    assert page.tags == expected.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in expected.attributes]
    assert not CONTROLS.search(html)
    table = ratings_report(sample_campaign(text="a | b\n| c | `x` <script>")).tables["comments"]
    lines = [line for line in markdown_table(table).split("\n") if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 7 for line in lines)
    assert "<script>" not in "\n".join(lines)


PEOPLE = (Annotator(code="A1", name="Ada\x1b[31m"), Annotator(code="A2", name="<b>Ben</b>"))


def test_loads() -> None:
    """Ten documents of three summaries, two of them twice: 36 rows, 18 and 18, 6 shared each."""
    documents = {f"d{n}": [f"d{n}{system}" for system in "abc"] for n in range(10)}
    made = assign(documents, ["A1", "A2"], overlap=0.2, batch=4)
    ada, ben = annotator_loads(COARSE, PEOPLE, made)
    assert (ada.documents, ada.rows, ada.shared, ada.batches) == (6, 18, 6, 2)
    assert ada.minutes == 6 * 25
    table = loads_table((ada, ben), title="one")
    text = markdown_table(table)
    assert "Ada\\[U+001B\\]" in text
    assert "<b>" not in text
    assert csv_table(table).splitlines()[2] == "A2,<b>Ben</b>,6,18,6,2,2.5"
    alone = assign({"c": ["u1", "u2"]}, ["A1"], overlap=0, together=False)
    (load,) = annotator_loads(SUPPORT, PEOPLE[:1], alone)
    assert (load.rows, load.minutes) == (2, 2.0)


def test_blinding_and_tells() -> None:
    changes = [{"rule": "special tokens", "count": 1200, "examples": [["<pad> a" * 30, "a\x07"]]}]
    nothing, changed = blinding_table({"source": [], "model": changes}).lines
    assert nothing.labels[:2] == ("source", "nothing changed")
    assert (changed.labels[:2], changed.cells[0].value) == (("model", "special tokens"), "1,200")
    assert "[U+0007]" in changed.labels[2]
    assert len(changed.labels[2]) < 100
    told = "m: the longest in 30 of 30 documents (by chance: 15.0)"
    assert tells_notes([told], 30) == [f"Still tells: {told}."]
    assert "Nothing in the form" in tells_notes([], 30)[0]
    assert "Too few documents" in tells_notes([], 9)[0]
