"""A ledger with a campaign of the form `facts`, for tests of marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from factmark.answers.core.records import GivenAnswer, Question
from factmark.answers.core.rows import answer_item, question_item
from factmark.campaign_model import (
    Annotator,
    Assignment,
    Campaign,
    Marking,
    PersonResponse,
    Rating,
    Shown,
    TakenRatings,
)
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import create_campaign, secret_of, task_key
from factmark.ledger.ledger import Ledger
from factmark.model import Unit, content_hash
from factmark.people.verdicts import take_ratings

Row = dict[str, Any]


def rows_of(*answers: tuple[str, Sequence[str]]) -> list[Row]:
    """Answers with their ground truth, each to a question of its own."""
    return [
        {
            "id": f"r{n}",
            "query_id": f"Q{n}",
            "category": "one",
            "question": f"Question {n}?",
            "ground_truth": list(truth),
            "condition": "rag",
            "model": "m",
            "answer": answer,
        }
        for n, (answer, truth) in enumerate(answers)
    ]


def units_of(rows: Iterable[Row]) -> list[tuple[Question, GivenAnswer, Unit]]:
    """Each row's question and answer, and the unit that people mark."""
    out = []
    for row in rows:
        question = Question(
            query_id=row["query_id"],
            category=row.get("category", "c"),
            text=row["question"],
            ground_truth=tuple(row["ground_truth"]),
        )
        answer = GivenAnswer(
            id=row["id"],
            query_id=row["query_id"],
            text=row["answer"],
            model=row.get("model", ""),
            condition=row["condition"],
        )
        item = answer_item(question_item("test", question), answer)
        name = content_hash(item.id, "answer", answer.text)
        out.append((question, answer, Unit(id=name, item=item.id, kind="answer", text=answer.text)))
    return out


def fact_campaign(ledger: Ledger, rows: Sequence[Row], *names: str, name: str = "c") -> Campaign:
    """A campaign in which each of the people is asked about every answer."""
    people = tuple(Annotator(code=f"A{n}", name=who) for n, who in enumerate(names, 1))
    units = units_of(rows)
    items = []
    for question, answer, _ in units:
        asked = question_item("test", question)
        items += [asked, answer_item(asked, answer)]
    return create_campaign(
        ledger,
        Campaign(id="", name=name, form="facts", annotators=people, guidelines=""),
        items=items,
        units=[unit for _, _, unit in units],
        shown={
            unit.id: Shown(
                evidence=question.text, text=unit.text, elements=question.ground_truth or ()
            )
            for question, _, unit in units
        },
        assignments=[
            Assignment(annotator=one.code, batch=1, position=at, unit=unit.id, document=unit.item)
            for one in people
            for at, (_, _, unit) in enumerate(units)
        ],
    )


def mark(
    ledger: Ledger, campaign: Campaign, code: str, unit: Unit, marking: Marking, turn: int = 0
) -> TakenRatings:
    """Takes one marking in, as the person's answer at a turn."""
    key = task_key(secret_of(ledger, campaign), code, unit.id)
    revision = Rating(
        id=f"{key}:{turn}",
        key=key,
        response=PersonResponse(marking=marking),
        seconds=1.0,
        at=f"2026-01-01T00:00:{turn:02}.000000+00:00",
        source="page",
    )
    return take_ratings(ledger, campaign, [revision], protocol_of)
