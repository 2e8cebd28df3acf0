"""Marks of people: what they come to by protocol 1, and as verdicts in a ledger and back."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.answers.campaign import marked_rows, score_marks
from factmark.answers.core.records import Question
from factmark.answers.core.rows import read_score, rule_judge, units_and_verdicts
from factmark.answers.core.scores import score_answer
from factmark.campaign_model import Marking
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge
from marked import fact_campaign, mark, rows_of, units_of

ANSWER = "There are 30 datasets: asthma, lupus and gout, and asthma again."


def span(text: str, nth: int = 0, within: str = ANSWER) -> tuple[int, int]:
    start = -1
    for _ in range(nth + 1):
        start = within.index(text, start + 1)
    return start, start + len(text)


@pytest.mark.parametrize(
    ("truth", "marking", "scores"),
    [
        # |F n G| / |G| and |F \ G| / |F|, by hand
        (("30", "asthma"), Marking(grounded=(span("30"),), covered=("30",)), (1 / 2, 0, 2 / 3)),
        (
            ("asthma", "lupus"),
            Marking(grounded=(span("asthma"),), covered=("asthma",), ungrounded=(span("gout"),)),
            (1 / 2, 1 / 2, 1 / 2),
        ),
        # M4: the second asthma says a covered element again, and is no further member of F
        (
            ("asthma",),
            Marking(
                grounded=(span("asthma"), span("asthma", 1)),
                covered=("asthma",),
                ungrounded=(span("gout"),),
            ),
            (1, 1 / 2, 2 / 3),
        ),
        # ticked, and marked nowhere: it is a member of F all the same
        (("asthma", "lupus"), Marking(covered=("asthma", "lupus")), (1, 0, 1)),
        (
            ("asthma", "lupus"),
            Marking(covered=("asthma", "lupus"), ungrounded=(span("gout"),)),
            (1, 1 / 3, 4 / 5),
        ),
        # E6: the same fact twice counts once, also when it is wrong
        (
            ("30",),
            Marking(
                grounded=(span("30"),),
                covered=("30",),
                ungrounded=(span("asthma"), span("asthma", 1)),
            ),
            (1, 1 / 2, 2 / 3),
        ),
        # marked as grounded and not ticked: the ticks decide
        (("asthma",), Marking(grounded=(span("asthma"),)), (0, 0, 0)),
        # empty G: C is whether absence is reported; every fact is a hallucination
        ((), Marking(absence=True), (1, 0, 1)),
        ((), Marking(absence=True, ungrounded=(span("30"),)), (1, 1, 0)),
        ((), Marking(ungrounded=(span("30"),)), (0, 1, 0)),
        ((), Marking(), (0, 0, 0)),
        ((), Marking(absence=True, grounded=(span("30"),)), (1, 0, 1)),
        (("asthma",), Marking(absence=True), (0, 0, 0)),  # absence counts for an empty G only
    ],
)
def test_scores_by_hand(
    truth: tuple[str, ...], marking: Marking, scores: tuple[float, float, float]
) -> None:
    made = score_marks(ANSWER, truth, marking)
    found = (made.completeness, made.hallucination_rate, made.combined_score)
    assert found == pytest.approx(scores)
    assert made.missing == tuple(element for element in truth if element not in marking.covered)


def test_a_span_stands_for_the_element_that_the_rules_see_in_it() -> None:
    marking = Marking(
        grounded=(span("asthma"), span("lupus"), span("gout")),
        covered=("Lupus", "joints", "asthma"),
    )
    made = score_marks(ANSWER, ("Lupus", "joints", "asthma"), marking)
    assert [(fact.text, fact.match) for fact in made.facts] == [
        ("asthma", "asthma"),
        ("lupus", "Lupus"),
        ("gout", "joints"),  # a synonym, which only a person sees
    ]


def test_facts_are_the_units_of_the_rules() -> None:
    truth = ("30", "asthma")
    item = Item(id="answer:x", cluster="question:x")
    question = Question(
        query_id="x", category="x", text="Which datasets are there?", ground_truth=truth
    )
    by_rule = {
        unit.id
        for unit, _ in units_and_verdicts(
            item, question, score_answer(question.text, truth, ANSWER), rule_judge()
        )
    }
    start, end = span("lupus")
    marking = Marking(  # white space around a mark is not part of the fact
        grounded=(span("30"), span("asthma")), ungrounded=((start - 1, end),), covered=truth
    )
    person = Judge.create("person", "Ann")
    mine = {unit.id: unit for unit, _ in marked_rows(item, ANSWER, truth, marking, person, ())}
    shared = {(unit.kind, unit.text) for unit in mine.values() if unit.id in by_rule}
    assert {("fact", "asthma"), ("fact", "lupus"), ("element", "30"), ("element", "asthma")} <= (
        shared
    )
    assert {("polarity", ""), ("absence", "")} <= shared


PIECES = [
    "30",
    " ",
    "asthma",
    "Asthma",
    "lupus, ",
    "type 2 diabetes",
    "diabetes",
    "é",
    "𝒳",
    "—",
    ". ",
]
TRUTHS = st.lists(st.sampled_from(["30", "asthma", "diabetes", "x", "", "lupus"]), unique=True)


@st.composite
def markings(draw: st.DrawFn, size: int, truth: list[str]) -> Marking:
    cuts = sorted(draw(st.sets(st.integers(0, size), max_size=12)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    kinds = draw(st.lists(st.booleans(), min_size=len(spans), max_size=len(spans)))
    return Marking(
        grounded=tuple(one for one, good in zip(spans, kinds, strict=True) if good),
        ungrounded=tuple(one for one, good in zip(spans, kinds, strict=True) if not good),
        covered=tuple(one for one in truth if draw(st.booleans())),
        verdict=draw(st.sampled_from(["yes", "no", None])),
        absence=draw(st.booleans()),
    )


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[str], list[Marking]]:
    answer = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=12)))
    truth = draw(TRUTHS)
    return answer, truth, draw(st.lists(markings(len(answer), truth), min_size=1, max_size=3))


@given(histories())
@settings(max_examples=25, deadline=None)
def test_verdicts_in_a_ledger_add_up_to_the_newest_marks(
    history: tuple[str, list[str], list[Marking]],
) -> None:
    answer, truth, said = history
    rows = rows_of((answer, truth))
    ((question, given_answer, unit),) = units_of(rows)
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "l.db") as ledger:
        ledger.connection.execute("PRAGMA synchronous = OFF")
        campaign = fact_campaign(ledger, rows, "Ann")
        for turn, marking in enumerate(said):
            mark(ledger, campaign, "A1", unit, marking, turn)
        person = Judge.create("person", "Ann")
        kept = ledger.verdicts(unit.item, person.id)
        score = read_score(question, given_answer, kept).score
    assert score == score_marks(answer, truth, said[-1])
    elements = {unit.text: verdict.label for unit, verdict in kept if unit.kind == "element"}
    assert elements == {
        element: "covered" if element in said[-1].covered else "missing" for element in truth
    }
