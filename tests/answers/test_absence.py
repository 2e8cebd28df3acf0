"""Empty ground truth: absence is reported in any domain, by the nouns of the question."""

from __future__ import annotations

import pytest

from factmark.answers.core.scores import score_answer

DRONES = "Which statutes mention drones?"
JURY = "Which films won the jury prize in 1931?"
HAIL = "Which stations reported hail?"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which variants of the gene are pathogenic?", "No variants are pathogenic."),
        (DRONES, "Not a single statute mentions drones."),
        (DRONES, "There aren't any statutes mentioning drones."),
        (DRONES, "I was unable to find any statutes that mention drones."),
        (DRONES, "The law library does not contain any statutes on drones."),
        (DRONES, "Such statutes do not exist."),
        (DRONES, "Zero statutes mention drones."),
        (JURY, "[]"),
        (JURY, '{"films": []}'),
        (JURY, "```json\n[]\n```"),
        (JURY, "0"),
        (JURY, "**None**"),
        (JURY, "The list is empty."),
        (JURY, "None of the films won it."),
        (JURY, "The query returned no results."),
        (HAIL, "Number of stations: 0"),
        ("Which datasets allow resale?", "None of the 30 datasets allows resale."),
        ("Are there any museums in Orvand?", "No."),
    ],
)
def test_absence_is_reported_and_no_fact(question: str, answer: str) -> None:
    score = score_answer(question, [], answer)
    assert (score.completeness, score.hallucination_rate) == (1, 0), score.facts


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (DRONES, "The Air Act. No other statutes do."),
        (DRONES, "The Air Act; there are no further statutes."),
        (DRONES, "I'm sorry, but I can't help with that request."),
        (DRONES, "I won't answer questions about legislation."),
        (HAIL, "Corran reported hail, but no damage."),
        (HAIL, "| Station | Hail |\n|---|---|\n| Corran | 4 |\n| Dunmore | 0 |"),
        (HAIL, "None of the coastal stations did, but Corran did."),
        (HAIL, "Corran does not report any rain."),
        ("Which recipes contain saffron?", "Paella, which contains no meat."),
        ("Which recipes contain saffron?", "Paella. It needs no oven."),
    ],
)
def test_what_reports_no_absence(question: str, answer: str) -> None:
    assert score_answer(question, [], answer).completeness == 0


def test_what_is_claimed_beside_absence_stays_a_fact() -> None:
    score = score_answer(HAIL, [], "No stations reported hail. Snow fell at Corran.")
    assert score.absence
    assert score.facts[-1].text == "Corran"


def test_any_other_is_none_where_nothing_was_named_before() -> None:
    question = "Which statutes does the Salt Act amend?"
    assert score_answer(question, [], "The Salt Act doesn't amend any other statutes.").absence
    named = "It amends the Mill Act. It doesn't amend any other statutes."
    assert not score_answer(question, [], named).absence
