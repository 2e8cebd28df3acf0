"""The report on graphs that are used for answering, as text: structure, escaping, bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envelope import html_of
from factmark.graph_answers.cards import FACTS, LONGEST, OPEN, card_size, question_cards
from factmark.graph_answers.core.records import (
    CORRECT,
    NONE,
    Given,
    GraphAnswer,
    GraphContext,
    GraphQuestion,
    Linked,
    RetrievedTriple,
)
from factmark.graph_answers.report import graphrag_page, graphrag_report
from factmark.graph_answers.results import GraphRagResults
from factmark.graphs.core.claims import Triple
from factmark.text.shown_text import visible
from golden_text import check_page
from hostile import HOSTILE
from page import CONTROLS, Page
from sample_graphrag import (
    SYSTEMS,
    answer,
    context,
    hostile_graphrag,
    sample_answers,
    sample_graphrag,
    summarised,
)


def page_html(results: GraphRagResults, title: str = "") -> str:
    return html_of(graphrag_report(results), title)


def test_golden() -> None:
    check_page("page_graphrag.txt", page_html(sample_graphrag(3, people=True), "Golden"))


def test_nothing_is_loaded_and_nothing_is_twice() -> None:
    page = Page(page_html(sample_graphrag(people=True)))
    links = {"src", "href", "action", "data", "poster", "srcset", "xlink:href"}
    loaded = [value or "" for name, value in page.attributes if name in links]
    assert all(value.startswith(("#", "data:")) for value in loaded)
    assert "style" not in {name for name, _ in page.attributes}
    identifiers = [value for name, value in page.attributes if name == "id"]
    assert len(identifiers) == len(set(identifiers))
    assert page.tags.count("article") == 40


def test_of_many_answers_whole_questions_are_shown_and_it_says_so() -> None:
    results = sample_graphrag()
    html = graphrag_report(results).as_html(graphrag_page(results, answers=10))
    assert Page(html).tags.count("article") == 2  # of four answers each
    assert "Of 40 questions the first 2 are shown" in html
    assert len(question_cards(sample_graphrag().run.answers, 1)[0]) == 1
    assert "nothing was answered" in page_html(summarised([], ("g", NONE)))


def test_long_contexts_are_folded_and_bounded_last_of_all_what_carries_the_answer() -> None:
    base = answer(1, "diabetes")
    given = replace(base.given, held=True, carriers=(0, 20, 90), context=context(1, facts=95))
    made = summarised([replace(base, given=given, reply="x" * (LONGEST + 7))], ("diabetes",))
    ((card,), total) = question_cards(made.run.answers, 10)
    (shown,) = card["answers"]
    assert (total, len(shown["first"]), len(shown["rest"])) == (1, OPEN, FACTS - OPEN)
    assert (shown["more"], shown["folded_carriers"]) == (95 - FACTS, 2)
    assert [fact["place"] for fact in shown["rest"] if fact["triple"]] == [21, 91]
    assert shown["reply"].endswith("… (7 characters more)")
    assert "35 more facts, 2 carry the answer" in page_html(made)


def swollen(place: int, letter: str = "x") -> GraphAnswer:
    """An answer with a megabyte in every field that can hold one, all facts carriers."""
    big = letter * 1_000_000
    triple = Triple(head=big, relation=big, tail=big)
    fact = RetrievedTriple(number=0, triple=triple, text=big, score=1.0, hops=1)
    linked = Linked(start=0, end=len(big), name=big, how="name")
    asked = GraphQuestion(
        id=f"q{place}",
        text=big,
        kind="text",
        references=(big,) * 30,
        strata={"topic": big, big: big},
    )
    given = Given(
        context=GraphContext(facts=(fact,) * 80, linked=(linked,)),
        held=True,
        carriers=tuple(range(80)),
    )
    return GraphAnswer(
        question=asked, system="g", given=given, reply=big, said=big, label=CORRECT, reason=big
    )


@pytest.mark.parametrize("letter", ["x", "&", "\u4e2d"])
def test_the_page_is_bounded_whatever_it_is_made_of(letter: str) -> None:
    html = page_html(summarised([swollen(0, letter)]))
    assert letter != "x" or len(html) < 500_000
    assert "30 facts are not shown." in html
    assert "10 more are not shown" in html
    made = summarised([swollen(place, letter) for place in range(6)])
    (card,), _ = question_cards(made.run.answers, 1)
    assert card_size(card) < len(html.encode()) < 3 * card_size(card) + 150_000
    shown, total = question_cards(made.run.answers, 100, room=3 * card_size(card))
    assert (len(shown), total) == (3, 6)


def test_what_a_card_says_of_its_answers() -> None:
    base = answer(1, "diabetes")
    nobody = replace(base.question, references=(), answerable=False)
    html = page_html(summarised([replace(base, question=nobody)], ("diabetes",)))
    assert "No answer is right: to say that it is not known is." in html
    assert "Reference:" not in html
    empty = replace(base, given=Given(context=GraphContext(facts=())))
    left = replace(
        base, given=Given(), reply="", abstained=False, label=None, status="left", sample=1
    )
    ((card,), _) = question_cards([empty, left], 10)
    assert [each["empty"] for each in card["answers"]] == [True, False]
    twice = summarised([base, replace(base, sample=1)], ("diabetes",))
    first, second = question_cards(twice.run.answers, 100)[0][0]["answers"]
    assert [(each["sample"], each["same"]) for each in (first, second)] == [(1, False), (2, True)]
    assert first["first"]
    assert not second["first"]


def test_entities_are_marked_in_the_question() -> None:
    entity = Linked(start=4, end=11, name="in<sulin", how="alias")
    # An entity of an option, or one that lies outside, marks nothing in the question.
    base = answer(1, "diabetes")
    assert base.given.context is not None
    outside = (replace(entity, how="option"), replace(entity, end=999))
    given = replace(base.given, context=replace(base.given.context, linked=outside))
    html = page_html(summarised([replace(base, given=given)], ("diabetes",)))
    assert html.count('<mark class="linked"') == 1  # in the key
    assert "in&lt;sulin" in html


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_adds_no_element_and_no_attribute(text: str) -> None:
    html = page_html(hostile_graphrag(text), text)
    plain = page_html(hostile_graphrag("p" * len(text)), "plain")
    html.encode("utf-8")
    expected, page = Page(plain), Page(html)
    assert page.tags == expected.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in expected.attributes]
    assert not CONTROLS.search(html)
    assert ("data-system", f"={visible(text)}") in page.attributes


def test_filters_are_by_known_strata_alone() -> None:
    html = page_html(sample_graphrag())
    for name in ("system", "verdict", "context", "kind", "topic", "level", "hops"):
        assert f'<select name="{name}">' in html
    strange = {"onclick": "x()", "id": "y"}
    answers = [
        replace(each, question=replace(each.question, strata=strange)) for each in sample_answers(4)
    ]
    made = page_html(summarised(answers, SYSTEMS))
    names = {name for name, _ in Page(made).attributes}
    assert not {"data-onclick", "data-id", "onclick"} & names
    assert "<bdi>onclick</bdi>: <bdi>x()</bdi>" in made
