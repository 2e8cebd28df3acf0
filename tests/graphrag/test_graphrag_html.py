"""The report on graphs that are used for answering, as text: structure, escaping, bounds."""

import dataclasses

import pytest

from factmark.graphrag.cards import FACTS, LONGEST, OPEN, card_size, questions_shown
from factmark.graphrag.core.outcomes import (
    CORRECT,
    NONE,
    TEXT,
    Context,
    Fact,
    Given,
    Linked,
    Outcome,
)
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.core.results import summarise
from factmark.graphrag.page import render_graphrag_html
from factmark.graphs.core.claims import Triple
from factmark.tables.shown_text import visible
from golden_text import check_page
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


def test_golden() -> None:
    check_page(
        "page_graphrag.txt", render_graphrag_html(sample_graphrag(3, people=True), title="Golden")
    )


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


def test_long_contexts_are_folded_and_bounded_last_of_all_what_carries_the_answer() -> None:
    given = dataclasses.replace(
        answer(1, "diabetes").given, held=True, carriers=(0, 20, 90), context=context(1, facts=95)
    )
    outcome = dataclasses.replace(answer(1, "diabetes"), given=given, reply="x" * (LONGEST + 7))
    made = summarise([outcome], systems=("diabetes",), model="m", judge="j")
    ((card,), total) = questions_shown(made, 10)
    (shown,) = card.answers
    assert (total, len(shown.first), len(shown.rest)) == (1, OPEN, FACTS - OPEN)
    assert shown.more == 95 - FACTS
    assert shown.folded_carriers == 2
    assert [one.place for one in shown.rest if one.triple] == [21, 91]
    assert shown.reply.endswith("… (7 characters more)")
    html = render_graphrag_html(made)
    assert "35 more facts, 2 carry the answer" in html
    assert "45 facts are not shown." in html


def swollen(place: int, letter: str = "x") -> Outcome:
    """An answer with a megabyte in every field that can hold one, all facts carriers."""
    big = letter * 1_000_000
    triple = Triple(head=big, relation=big, tail=big)
    fact = Fact(number=0, triple=triple, text=big, score=1.0, hops=1)
    linked = Linked(start=0, end=len(big), name=big, how="name")
    asked = GraphQuestion(
        id=f"q{place}", text=big, kind="text", references=(big,) * 30,
        strata={"topic": big, big: big},
    )  # fmt: skip
    given = Given(
        context=Context(facts=(fact,) * 80, linked=(linked,)), held=True, carriers=tuple(range(80))
    )
    return Outcome(question=asked, system="g", given=given, reply=big, said=big, label=CORRECT,
                   reason=big)  # fmt: skip


def test_no_field_makes_the_page_large() -> None:
    html = render_graphrag_html(summarise([swollen(0)], systems=("g",), model="m", judge="j"))
    assert len(html) < 500_000
    assert "30 facts are not shown." in html
    assert "10 more are not shown" in html
    assert "characters more)" in html
    control = Outcome(
        question=swollen(0).question, system=TEXT, reply="so", label=CORRECT,
        given=Given(passages=(("p", "y" * 10_000),) * 40, held=True, carriers=(39,)),
    )  # fmt: skip
    made = summarise([control], systems=(TEXT,), model="m", judge="j")
    (shown,) = questions_shown(made, 10)[0][0].answers
    assert (len(shown.passages), shown.more_passages, shown.passages[-1].carries) == (20, 20, True)
    assert "20 passages are not shown." in render_graphrag_html(made)


@pytest.mark.parametrize("letter", ["&", "\u4e2d"])
def test_the_page_is_bounded_whatever_it_is_made_of(letter: str) -> None:
    outcomes = [swollen(place, letter) for place in range(6)]
    made = summarise(outcomes, systems=("g",), model="m", judge="j")
    one = len(render_graphrag_html(summarise(outcomes[:1], systems=("g",), model="m", judge="j"))
              .encode())  # fmt: skip
    (card,), _ = questions_shown(made, 1)
    assert card_size(card) < one < 3 * card_size(card) + 150_000
    shown, total = questions_shown(made, 100, room=3 * card_size(card))
    assert (len(shown), total) == (3, 6)


def test_a_question_without_a_reference_says_that_none_is_right() -> None:
    base = answer(1, "diabetes")
    nobody = dataclasses.replace(base.question, references=(), answerable=False)
    made = summarise([dataclasses.replace(base, question=nobody)], systems=("diabetes",),
                     model="m", judge="j")  # fmt: skip
    html = render_graphrag_html(made)
    assert "No answer is right: to say that it is not known is." in html
    assert "Reference:" not in html
    assert "No answer is right" not in render_graphrag_html(sample_graphrag(3))


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
