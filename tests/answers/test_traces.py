"""How answers came about, in the report: bounded, escaped, each shared text once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factmark.answers.core.records import Results, Trace
from factmark.answers.html import MOST_NAMES, MOST_SHOWN, excerpt, render_html, shown_traces
from factmark.tables.shown_text import visible
from golden_text import check_page
from hostile import HOSTILE, hostile_results
from page import CONTROLS, Page
from sample_results import sample_results
from traced import CATALOGUE, chunk, hostile_traces, question, traced, traced_results, use


def small() -> Results:
    """One question of the sample, for the golden copy."""
    results = traced_results()
    answers = tuple(row for row in results.answers if row.question.query_id == "P3")
    summaries = tuple(s for s in results.summaries if s.category == "overall")
    return replace(results, answers=answers, summaries=summaries)


def test_golden() -> None:
    check_page("page_runs.txt", render_html(small(), title="Golden"))


def test_a_text_is_bounded_and_tells_how_much_more_there_is() -> None:
    long = "x" * (MOST_SHOWN + 1)
    assert (excerpt(long).more, len(excerpt(long).text)) == (1, MOST_SHOWN)
    assert excerpt("abc", size=9_003).more == 9_000  # of a result that was cut before
    assert excerpt("abc").more == 0
    asked = question("A")
    trace = Trace(tools=(use(result=long), use("find", result="y" * 5_000)))
    html = render_html(Results(benchmark="b", answers=(traced(asked, "30", trace),), summaries=()))
    assert "1 more character<" in html
    assert "3,000 more characters<" in html
    assert long not in html


def test_what_several_answers_were_given_stands_once() -> None:
    results = traced_results(models=("one", "two"))
    shown, passages = shown_traces(results.answers)
    assert [passage.title for passage in passages] == ["Catalogue"]
    assert passages[0].excerpt.text == CATALOGUE[:MOST_SHOWN]
    given = [one for one in shown if one is not None and one.where]
    assert passages[0].answers == len(given) == 54
    html = render_html(results)
    assert html.count(CATALOGUE[:MOST_SHOWN]) == 1
    assert html.count('href="#passage-1"') == 54
    assert html.count('id="passage-1"') == 1


def test_texts_that_begin_alike_and_differ_in_length_are_two() -> None:
    asked = question("A")
    texts = ("z" * 3_000, "z" * 4_000)
    rows = [
        traced(asked, "30", Trace(sample=n, chunks=(chunk(text),)))
        for n, text in enumerate(texts * 2)
    ]
    _, passages = shown_traces(rows)
    assert [passage.excerpt.more for passage in passages] == [1_000, 2_000]


def test_elements_are_marked_as_retrieved_or_not() -> None:
    asked = question("A", ("lupus", "gout", "asthma"))
    trace = Trace(chunks=(chunk("lupus and gout"),))
    html = render_html(
        Results(benchmark="b", answers=(traced(asked, "lupus", trace),), summaries=())
    )
    assert '<li class="unsaid"><bdi>gout</bdi>' in html
    assert html.count("in the chunks, but not said") == 1
    # The filter by words reads the elements, not what is told of them.
    assert 'data-text="h3, .meta, .answer, .missing bdi"' in html
    assert "<li><bdi>asthma</bdi></li>" in html
    assert '<bdi>lupus</bdi> <span class="from">retrieved</span>' in html
    assert '<bdi>asthma</bdi> <span class="from">not retrieved</span>' in html
    assert "data-unsaid" in html


def test_a_tool_that_is_called_often_is_named_once_and_names_are_bounded() -> None:
    asked = question("A")
    rows = [
        traced(asked, "30", Trace(tools=(use("list_it"),) * 20 + (use("y" * 5_000),))),
        traced(asked, "31", Trace(sample=1, tools=tuple(use(f"t{n}") for n in range(50)))),
        traced(asked, "32", Trace(chunks=(chunk("z" * 300, "T" * 5_000),)), model="M" * 5_000),
        traced(asked, "33", Trace(chunks=(chunk("z" * 300, "T" * 5_000),))),
    ]
    html = render_html(Results(benchmark="b", answers=tuple(rows), summaries=()))
    side = html.partition("<dt>Tools</dt>")[2].partition("</dd>")[0]
    assert side.count("list_<wbr>it") == 1
    assert "list_<wbr>it</bdi> × 20" in side
    other = html.split("<dt>Tools</dt>")[2].partition("</dd>")[0]
    assert "and 38 more" in other
    assert other.count('class="tool"') == MOST_NAMES + 1
    assert "y" * 201 not in html
    assert "T" * 201 not in html
    assert f"<bdi>{'M' * 200}…</bdi>" in html


def test_passages_lead_back_and_the_navigation_leads_to_them() -> None:
    html = render_html(traced_results())
    assert '<a href="#passages">Passages</a>' in html
    assert '<a href="#runs">How the answers came about</a>' in html
    back = html.partition('<details class="passage">')[2]
    place = back.partition('<a href="#answer-')[2].partition('"')[0]
    assert f'<article id="answer-{place}"' in html
    none = render_html(sample_results())
    assert '"#passages"' not in none
    assert '"#runs"' not in none


@pytest.mark.parametrize("name", ["keys", "items", "__class__", "get"])
def test_an_element_named_like_a_part_of_the_program_is_just_a_word(name: str) -> None:
    asked = question("A", (name, "other"))
    trace = Trace(chunks=(chunk("nothing"),))
    html = render_html(Results(benchmark="b", answers=(traced(asked, "30", trace),), summaries=()))
    assert "but not said" not in html


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_adds_no_element_and_no_attribute(text: str) -> None:
    plain = "p" * len(text)
    html, expected = (
        render_html(hostile_traces(hostile_results(some), some), title=some)
        for some in (text, plain)
    )
    html.encode("utf-8")
    found, wanted = Page(html), Page(expected)
    assert found.tags == wanted.tags
    assert [name for name, _ in found.attributes] == [name for name, _ in wanted.attributes]
    assert not CONTROLS.search(html)
    assert visible("a\x00") not in expected


def test_a_study_of_many_answers_makes_a_file_of_reasonable_size() -> None:
    results = traced_results(models=tuple("abcd"), copies=4)  # 640 answers, 432 with a catalogue
    assert len(results.answers) == 640
    assert len(render_html(results).encode()) < 4_000_000
