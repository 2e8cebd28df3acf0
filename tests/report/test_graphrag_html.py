"""The report on graphs that are used for answering, as text: structure, escaping, bounds.

Update the golden copy after a wanted change, and read the difference:

    FACTMARK_UPDATE_GOLDEN=1 pytest tests/report/test_graphrag_html.py
"""

import dataclasses
import os
from pathlib import Path

import pytest

from factmark import __version__
from factmark.graphs.contexts import Context, Linked
from factmark.graphs.graphrag_results import summarise
from factmark.graphs.outcomes import NONE, Given
from factmark.report import render_graphrag_html, visible
from factmark.report.graphrag_cards import FACTS, LONGEST, OPEN, questions_shown
from factmark.report.highlights import highlight_linked
from hostile import HOSTILE
from page import CONTROLS, Page
from sample_graphrag import (
    SYSTEMS,
    answer,
    context,
    hostile_graphrag,
    sample_graphrag,
    sample_outcomes,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "graphrag.html"


def test_golden() -> None:
    made = render_graphrag_html(sample_graphrag(3, people=True), title="Golden")
    made = made.replace(f"factmark {__version__}", "factmark X")
    made = made.replace(__version__, "X")
    if os.environ.get("FACTMARK_UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(made, encoding="utf-8")
    assert made == GOLDEN.read_text(encoding="utf-8")


def test_nothing_is_loaded_and_nothing_is_twice() -> None:
    page = Page(render_graphrag_html(sample_graphrag(people=True)))
    for name, value in page.attributes:
        if name in ("src", "href", "action", "data", "poster", "srcset", "xlink:href"):
            assert value is not None
            assert value.startswith(("#", "data:"))
    assert "style" not in {name for name, _ in page.attributes}
    identifiers = [value for name, value in page.attributes if name == "id"]
    assert len(identifiers) == len(set(identifiers))
    assert page.tags.count("article") == 40
    assert page.tags.count("h1") == 1


def test_what_a_reader_must_know_is_there() -> None:
    html = render_graphrag_html(sample_graphrag(people=True), title="My graphs")
    for text in (
        "<title>My graphs · diabetes, seed graph</title>",
        "<li><bdi>line 7: no reference</bdi></li>",
        "answered by <bdi>openai:answerer</bdi>, judged by <bdi>openai:judge</bdi>",
        "<bdi>top k</bdi> <bdi>10</bdi>",
        "<b>carries the answer</b>",
        "says it does not know",
        "Nothing was found for this question.",
        "No answer came.",
        "9 more facts",
        "corrected by",
        "<dd>60,123 in, 4,100 out</dd>",
        "not known, for want of a price",
        '<span class="unseen">: ',
    ):
        assert text in html, text
    assert "Not complete" not in html


def test_the_same_results_give_the_same_page() -> None:
    assert render_graphrag_html(sample_graphrag(6)) == render_graphrag_html(sample_graphrag(6))


def test_without_any_outcome_the_page_says_so() -> None:
    html = render_graphrag_html(summarise([], systems=("g", NONE), model="m", judge="j"))
    assert "nothing was answered" in html
    assert "no answers" in html


def test_of_many_answers_whole_questions_are_shown_and_it_says_so() -> None:
    html = render_graphrag_html(sample_graphrag(), answers=10)
    assert Page(html).tags.count("article") == 2  # of four answers each
    assert "Of 40 questions the first 2 are shown" in html
    assert "40<span" in html  # the chart is over all
    assert len(questions_shown(sample_graphrag(), 1)[0]) == 1


def test_long_contexts_are_folded_and_bounded_but_never_what_carries_the_answer() -> None:
    given = dataclasses.replace(
        answer(1, "diabetes").given, held=True, carriers=(0, 20, 90), context=context(1, facts=95)
    )
    outcome = dataclasses.replace(answer(1, "diabetes"), given=given, reply="x" * (LONGEST + 7))
    made = summarise([outcome], systems=("diabetes",), model="m", judge="j")
    ((card,), total) = questions_shown(made, 10)
    (shown,) = card.answers
    assert (total, len(shown.first), len(shown.rest)) == (1, OPEN, FACTS - OPEN + 1)
    assert shown.more == 95 - FACTS - 1
    assert shown.folded_carriers == 2
    assert [one.place for one in shown.rest if one.triple] == [21, 91]
    assert shown.reply.endswith("… (7 characters more)")
    html = render_graphrag_html(made)
    assert "36 more facts, 2 carry the answer" in html
    assert "44 facts are not shown." in html


def test_nothing_found_is_said_only_where_something_was_looked_for() -> None:
    found = answer(1, "diabetes")
    empty = dataclasses.replace(found, given=Given(context=Context(facts=())))
    left = dataclasses.replace(
        found, given=Given(), reply="", abstained=False, label=None, status="left", sample=1
    )
    made = summarise([empty, left], systems=("diabetes",), model="m", judge="j")
    ((card,), _) = questions_shown(made, 10)
    assert [one.empty for one in card.answers] == [True, False]


def test_samples_of_an_answer_share_their_context() -> None:
    made = sample_graphrag(4, samples=2)
    card = questions_shown(made, 100)[0][1]
    one, two = card.answers[:2]
    assert (one.sample, two.sample, one.same) == (1, 2, False)
    if one.outcome.given == two.outcome.given:
        assert two.same
        assert not two.first
    html = render_graphrag_html(made)
    assert '<span class="size">answer 2</span>' in html


def test_entities_are_marked_in_the_question() -> None:
    entity = Linked(start=4, end=11, name="in<sulin", how="alias")
    other = Linked(start=4, end=11, name="insulins", how="fuzzy")
    assert highlight_linked("Has insulin?", (entity, other)) == (
        'Has <mark class="linked" title="in&lt;sulin (alias); insulins (fuzzy)">insulin</mark>?'
    )
    with pytest.raises(ValueError, match="'in<sulin' at 4-11 is not inside a question of 3"):
        highlight_linked("Has", (entity,))
    # An entity of an option, or one that lies outside, marks nothing in the question.
    base = answer(1, "diabetes")
    assert base.given.context is not None
    strange = dataclasses.replace(
        base.given.context,
        linked=(dataclasses.replace(entity, how="option"), dataclasses.replace(entity, end=999)),
    )
    given = dataclasses.replace(base.given, context=strange)
    made = summarise([dataclasses.replace(base, given=given)], systems=("diabetes",), model="m",
                     judge="j")  # fmt: skip
    html = render_graphrag_html(made)
    assert html.count('<mark class="linked"') == 1  # in the key
    assert "in&lt;sulin" in html


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_adds_no_element_and_no_attribute(text: str) -> None:
    html = render_graphrag_html(hostile_graphrag(text), title=text)
    plain = render_graphrag_html(hostile_graphrag("p" * len(text)), title="plain")
    html.encode("utf-8")
    expected, page = Page(plain), Page(html)
    assert page.tags == expected.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in expected.attributes]
    assert not CONTROLS.search(html)
    assert ("data-system", f"={visible(text)}") in page.attributes


def test_filters_are_by_known_strata_alone() -> None:
    html = render_graphrag_html(sample_graphrag())
    for name in ("system", "verdict", "context", "kind", "topic", "level", "hops"):
        assert f'<select name="{name}">' in html
    outcomes = [
        dataclasses.replace(
            one, question=dataclasses.replace(one.question, strata={"onclick": "x()", "id": "y"})
        )
        for one in sample_outcomes(4)
    ]
    made = render_graphrag_html(summarise(outcomes, systems=SYSTEMS, model="m", judge="j"))
    names = {name for name, _ in Page(made).attributes}
    assert not {"data-onclick", "data-id", "onclick"} & names
    assert "<bdi>onclick</bdi>: <bdi>x()</bdi>" in made
