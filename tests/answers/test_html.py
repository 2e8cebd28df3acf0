"""The report as text: structure, escaping, policy, and a golden copy."""

import base64
import dataclasses
import hashlib
import re

import pytest

from factmark.answers.core.records import Results
from factmark.answers.html import render_html
from factmark.tables.shown_text import visible
from golden_text import check_page
from hostile import HOSTILE, hostile_results
from page import CONTROLS, Page
from sample_results import sample_results


def small() -> Results:
    """Two questions of the sample, for the golden copy."""
    results = sample_results()
    answers = tuple(item for item in results.answers if item.question.query_id in ("D2", "P4"))
    summaries = tuple(s for s in results.summaries if s.category in ("discovery", "overall"))
    return dataclasses.replace(results, answers=answers, summaries=summaries)


def test_golden() -> None:
    check_page("page_report.txt", render_html(small(), title="Golden"))


def test_same_results_same_text() -> None:
    assert render_html(sample_results()) == render_html(sample_results())


def test_nothing_is_loaded_from_elsewhere() -> None:
    page = Page(render_html(sample_results()))
    for name, value in page.attributes:
        if name in ("src", "href", "action", "data", "poster", "srcset", "xlink:href"):
            assert value is not None
            assert value.startswith(("#", "data:"))
    assert "style" not in {name for name, _ in page.attributes}
    assert not {"iframe", "object", "embed", "img", "base"} & set(page.tags)


def test_the_policy_allows_just_the_inlined_style_and_script() -> None:
    html = render_html(sample_results())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert policy[1].startswith("default-src &#39;none&#39;;")
    for tag in ("style", "script"):
        inline = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL)
        assert len(inline) == 1
        digest = base64.b64encode(hashlib.sha256(inline[0].encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy[1].replace("&#43;", "+")


def test_every_answer_with_its_marks_query_and_ground_truth() -> None:
    results = sample_results()
    page = Page(render_html(results))
    facts = [fact for item in results.answers for fact in item.score.facts]
    assert page.tags.count("article") == len(results.answers)
    assert page.tags.count("mark") == len(facts)
    assert page.tags.count("pre") == len(results.answers)
    assert page.tags.count("h1") == 1
    identifiers = [value for name, value in page.attributes if name == "id"]
    assert len(identifiers) == len(set(identifiers))


def test_legend_problems_limits_and_signature_are_there() -> None:
    html = render_html(sample_results(), title="My study")
    for text in (
        "<title>My study · North Sea health data space</title>",
        "H = |F \\ G| / |F|",
        "Lower is better.",
        ">Notes</h2>",
        "question D99 is not in the benchmark",
        "Polarity is not judged",
        "answers_sha256",
        "{&#34;resamples&#34;: 2000",
        "The answer is empty.",
    ):
        assert text in html


def test_what_of_an_answer_was_not_read_is_listed() -> None:
    results = sample_results()
    answer = dataclasses.replace(
        results.answers[0].answer, text="```sparql\nSELECT ?x\nWHERE {}\n```\n"
    )
    item = dataclasses.replace(
        results.answers[0],
        answer=answer,
        score=dataclasses.replace(results.answers[0].score, facts=()),
    )
    with_query = render_html(dataclasses.replace(results, answers=(item,)))
    assert "a SPARQL query of 2 lines" in with_query
    assert "a SPARQL query of" not in render_html(results)


def test_more_missing_elements_than_fit_are_one_click_away() -> None:
    assert "<summary>and 2 more</summary>" in render_html(sample_results())


def test_empty_ground_truth_tells_whether_absence_is_reported() -> None:
    html = render_html(sample_results())
    assert "<dt>Reports absence</dt><dd>yes</dd>" in html
    assert "Ground truth is empty" in html


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_adds_no_element_and_no_attribute(text: str) -> None:
    plain, html = (render_html(hostile_results(t), title=t) for t in ("plain", text))
    html.encode("utf-8")
    expected, page = Page(plain), Page(html)
    assert page.tags == expected.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in expected.attributes]
    assert ("title", f"matches “{visible(text)}”, rule {visible(text)}") in page.attributes
    assert not CONTROLS.search(html)


def test_no_answers_at_all() -> None:
    html = render_html(Results(benchmark="b", answers=(), summaries=()))
    assert "no answers were scored" in html
    assert "0 answers" in html


def test_a_question_without_query_and_ground_truth() -> None:
    results = small()
    item = results.answers[0]
    question = dataclasses.replace(item.question, sparql=None, ground_truth=None)
    answers = (dataclasses.replace(item, question=question),)
    html = render_html(dataclasses.replace(results, answers=answers))
    assert "No SPARQL query given" in html
    assert "Ground truth not derived" in html


def test_two_thousand_answers_make_a_file_of_reasonable_size() -> None:
    results = sample_results(copies=50)
    assert len(results.answers) == 2000
    assert len(render_html(results).encode()) < 8_000_000
