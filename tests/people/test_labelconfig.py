"""What Label Studio is given: config, titles, data of tasks."""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.campaign_model import Annotator, Assignment, CampaignTask, Shown
from factmark.people.core.forms import COARSE, FACTS, FINE, FORMS
from factmark.people.labelstudio.interface import (
    label_config,
    project_titles,
    same_task,
    task_data,
)

TEXTS = st.text(st.characters(codec=None), max_size=60)  # lone surrogates and NUL too


def task(key: str = "k", document: str = "d", **shown: object) -> CampaignTask:
    return CampaignTask(
        key=key,
        assignment=Assignment(annotator="A1", batch=1, position=0, unit="u", document=document),
        shown=Shown(**{"evidence": "The source.", "text": "The text.", **shown}),  # type: ignore
    )


@pytest.mark.parametrize("form", FORMS.values(), ids=str)
def test_config_offers_the_labels_with_their_keys(form) -> None:
    root = ElementTree.fromstring(label_config(form))
    names = {one.get("name") for one in root.iter() if one.get("name")}
    data = {value[1:] for one in root.iter() if (value := one.get("value", "")).startswith("$")}
    assert data <= set(task_data(form, [task()])[0])
    assert {"evidence", "text", "comment"} <= names
    bar = next(one for one in root.iter("View") if one.get("className") == "fm-bar")
    if form.values:
        choices = next(one for one in bar.iter("Choices") if one.get("name") == "label")
        assert choices.get("required") == "true"
        assert choices.get("choice") == "single-radio"
        assert {one.get("hotkey"): one.get("value") for one in choices} == dict(form.keys)
    else:
        assert [one.get("value") for one in bar.iter("Label")] == ["GROUNDED", "NOT_GROUNDED"]
    comment = next(bar.iter("TextArea"))
    assert (comment.get("maxSubmissions"), comment.get("required")) == ("1", None)


def test_equal_titles_get_codes() -> None:
    people = [Annotator(code=f"A{n}", name=name) for n, name in enumerate("Ada Ben Ada".split(), 1)]
    assert project_titles(COARSE, people) == {
        "A1": "Ada (A1) — Summarization Evaluation",
        "A2": "Ben — Summarization Evaluation",
        "A3": "Ada (A3) — Summarization Evaluation",
    }


def test_place_counts_documents_and_units() -> None:
    tasks = [task("a", "d1"), task("b", "d1"), task("c", "d2")]
    assert [one["place"] for one in task_data(COARSE, tasks)] == [
        "Document 1 of 2 · summary 1 of 2",
        "Document 1 of 2 · summary 2 of 2",
        "Document 2 of 2 · summary 1 of 1",
    ]
    first, other = task_data(COARSE, [task("a", "d1"), task("a", "d2")])
    assert first != other
    assert same_task(first, other)
    assert not same_task(first, {**other, "text": "x"})


@given(TEXTS, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=4))
def test_html_has_no_tags_but_marks(text: str, spans: list[tuple[int, int]]) -> None:
    likely = tuple((a, b) for a, b in spans if a < b <= len(text))
    (data,) = task_data(FINE, [task(evidence=text, likely=likely)])
    html = str(data["evidence"])
    inner = html.removeprefix('<div style="white-space: pre-wrap">').removesuffix("</div>")
    parts = re.split(r"</?mark>", inner)
    assert not any("<" in part or ">" in part for part in parts)
    clean = re.sub("[\0\ud800-\udfff]", "�", text)
    assert "".join(unescape(p) for p in parts) == clean
    marked = {place for a, b in likely for place in range(a, b)}
    assert sum(len(unescape(part)) for part in parts[1::2]) == len(marked)


def test_clause_is_marked_in_its_summary() -> None:
    shown = task(text="One <i>. Two.", marked=(9, 13), evidence="A. B.", likely=((0, 2), (3, 5)))
    (data,) = task_data(FINE, [shown])
    assert data["text"] == (
        '<div style="white-space: pre-wrap">One &lt;i&gt;. <mark>Two.</mark></div>'
    )
    assert str(data["evidence"]).count("<mark>") == 2


def test_elements_cannot_pull_in_other_data() -> None:
    (data,) = task_data(FACTS, [task(elements=("Paris", "costs $text"))])
    assert data["elements"] == [
        {"value": "Paris", "alias": "e0"},
        {"value": "costs $\u2060text", "alias": "e1"},
    ]
