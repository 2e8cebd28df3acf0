"""What Label Studio is given (config, titles, data of tasks), and its results as answers."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.campaign_model import Annotator, Assignment, CampaignTask, Marking, Shown
from factmark.people.core.forms import COARSE, FACTS, FINE, FORMS, check_response
from factmark.people.labelstudio.interface import (
    label_config,
    project_title,
    read_result,
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


def test_long_titles_are_cut_and_bear_the_code() -> None:
    names = ("Ada", "B" * 24, "B" * 25)
    people = [Annotator(code=f"A{n}", name=name) for n, name in enumerate(names, 1)]
    assert [project_title(COARSE.title, one) for one in people] == [
        "Ada — Summarization Evaluation",
        f"{'B' * 17}… (A2) — Summarization Evaluation",  # 50 characters
        f"{'B' * 17}… (A3) — Summarization Evaluation",
    ]


def test_place_counts_documents_and_units() -> None:
    tasks = [task("a", "d1"), task("b", "d1"), task("c", "d2")]
    assert [one["place"] for one in task_data(COARSE, tasks)] == [
        "Document 1 of 2 · summary 1 of 2",
        "Document 1 of 2 · summary 2 of 2",
        "Document 2 of 2 · summary 1 of 1",
    ]
    later = [replace(one, assignment=replace(one.assignment, batch=4)) for one in tasks[2:]]
    assert [one["place"] for one in task_data(COARSE, [*tasks[:2], *later])][1:] == [
        "Batch 1 of 2 · Document 1 of 2 · summary 2 of 2",
        "Batch 2 of 2 · Document 2 of 2 · summary 1 of 1",
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


def test_elements_cannot_pull_in_other_data() -> None:
    (data,) = task_data(FACTS, [task(elements=("Paris", "costs $text"))])
    assert data["elements"] == [
        {"value": "Paris", "alias": "e0"},
        {"value": "costs $\u2060text", "alias": "e1"},
    ]


SHOWN = Shown(
    evidence="Q", text="A 😀 and 😀\nline two Paris 𝒳\r\nRome", elements=("Paris", "Rome")
)


def region(name: str, kind: str, **value: Any) -> dict[str, Any]:
    return {"from_name": name, "to_name": "text", "type": kind, "value": value}


def mark(word: str, label: str = "GROUNDED", **other: Any) -> dict[str, Any]:
    start = SHOWN.text.index(word)
    value = {"start": start, "end": start + len(word), "text": word, "labels": [label]}
    return region("marks", "labels", **{**value, **other})


VERDICT = region("verdict", "choices", choices=["none"])


RATED = region("label", "choices", choices=["4"])
NOTED = region("comment", "textarea", text=["why"])


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ([region("label", "choices", choices=["7"])], "'7', not one of 0, 1, 2, 3, 4, 5"),
        ([], "result is empty"),
        ([NOTED], "no label"),
        (["4"], "no object"),
        ([region("stars", "choices", choices=["4"])], "unknown control 'stars'"),
        ([{"value": {"choices": ["4"]}}], "unknown control None"),
        ([{**RATED, "to_name": "evidence"}], "about 'evidence'"),
        ([{**RATED, "type": "rating"}], "of the type 'rating'"),
        ([RATED, RATED], "several ratings"),
        ([region("label", "choices", choices=["4", "5"])], "chooses 2 things"),
        ([RATED, region("comment", "textarea", text=["one", "two"])], "several comments"),
        ([region("label", "choices", choices=[4])], "no texts"),
        ([RATED, region("comment", "textarea", text=[5])], "no texts"),
    ],
)
def test_what_the_server_lets_through_is_no_rating(result: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        check_response(COARSE, SHOWN, read_result(COARSE, SHOWN, result))


def test_marks_are_counted_in_characters() -> None:
    # As the editor of 1.23.2 sends them: the emoji before them count once, \r\n twice.
    result = [
        mark("Paris"),
        mark("Rome", "NOT_GROUNDED"),
        VERDICT,
        region("elements", "choices", choices=["e0"]),
        region("absence", "choices", choices=["present"]),
        region("comment", "textarea", text=["odd"]),
    ]
    found = check_response(FACTS, SHOWN, read_result(FACTS, SHOWN, result))
    assert found.comment == "odd"
    assert found.marking == Marking(
        grounded=((19, 24),),
        ungrounded=((28, 32),),
        covered=("Paris",),
        verdict=None,
        absence=False,
    )
    assert SHOWN.text[19:24] == "Paris"


def test_marks_counted_in_utf16_are_found_out() -> None:
    start = len(SHOWN.text[: SHOWN.text.index("Paris")].encode("utf-16-le")) // 2
    assert start == 21
    with pytest.raises(ValueError, match="not on what it says it is on"):
        read_result(FACTS, SHOWN, [mark("Paris", start=start, end=start + 5), VERDICT])


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ([mark("Paris")], "what the answer's verdict is"),
        ([VERDICT, mark("Paris", start=-1)], "no part of the text"),
        ([VERDICT, mark("Paris", start=19.0)], "no part of the text"),
        ([VERDICT, mark("Paris", start=True, end=5)], "no part of the text"),
        ([VERDICT, mark("Paris", text=None)], "not on what it says"),
        ([VERDICT, mark("Paris", "MAYBE")], "neither grounded nor not"),
        ([VERDICT, mark("Paris", labels=["GROUNDED", "NOT_GROUNDED"])], "neither grounded nor"),
        ([VERDICT, region("elements", "choices", choices=["e2"])], "no element"),
        ([VERDICT, VERDICT], "several verdicts"),
        ([region("verdict", "choices", choices=["maybe"])], "no verdict"),
        ([VERDICT, region("label", "choices", choices=["4"])], "unknown control 'label'"),
    ],
)
def test_odd_marks_are_no_answer(result: list[Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_result(FACTS, SHOWN, result)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
REGIONS = st.lists(
    st.fixed_dictionaries(
        {
            "from_name": st.sampled_from(["label", "comment", "marks", "verdict", "elements", 3]),
            "to_name": st.sampled_from(["text", "evidence"]),
            "type": st.sampled_from(["choices", "textarea", "labels"]),
            "value": JSON
            | st.fixed_dictionaries({"choices": JSON, "text": JSON, "labels": JSON, "start": JSON}),
        }
    ),
    max_size=4,
)


@settings(max_examples=25)
@given(JSON | REGIONS)
def test_whatever_comes_is_an_answer_or_a_sentence(result: object) -> None:
    for form in (COARSE, FACTS):
        try:
            found = check_response(form, SHOWN, read_result(form, SHOWN, result))
        except ValueError as error:
            said = str(error)
        else:
            said = ""
            assert found.label in COARSE.labels or found.marking is not None
        assert len(said) < 300
        assert said.isprintable()
