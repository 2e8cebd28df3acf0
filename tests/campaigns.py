"""Campaigns made straight in a ledger: documents with units, each asked of everybody, in order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from factmark.campaign_model import (
    Annotator,
    Assignment,
    Campaign,
    PersonResponse,
    Rating,
    Shown,
)
from factmark.ledger.campaigns import create_campaign, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import revisions_of
from factmark.model import Item, Unit
from factmark.people.core.forms import form_named

HOSTILE = "<script>alert(1)</script> {{x}} $text $evidence &amp; 😀\r\nsecond line"
GUIDELINES = "# Rating summaries\n\nRead **all** of this.\n\n## The scale\n\n- 0: wrong\n- 5: right"
ADA, BEN = (
    Annotator(code="A1", name="Ada", email="ada@example.org"),
    Annotator(code="A2", name="Ben"),
)
Documents = Sequence[tuple[str, Sequence[Shown]]]


def people(*names: str) -> tuple[Annotator, ...]:
    """Annotators of these names, coded A1, A2, ..."""
    return tuple(Annotator(code=f"A{n}", name=name) for n, name in enumerate(names, 1))


def summaries(count: int, *, source: str = "", text: str = "") -> Documents:
    """Documents with three summaries each."""
    return [
        (
            f"d{number}",
            [
                Shown(
                    evidence=source or f"Source {number}. Forty adults took part.",
                    text=text or f"Summary {letter} of document {number}.",
                )
                for letter in "xyz"
            ],
        )
        for number in range(count)
    ]


def unit_of(document: str, place: int, text: str = "text", form: str = "coarse") -> Unit:
    """The unit at a place of a document; its system goes by the place."""
    return Unit(
        id=f"{document}-{place}",
        item=document,
        kind=form_named(form).kind,
        text=text,
        data={"system": f"s{place}"},
    )


def campaign_in(
    ledger: Ledger,
    documents: Documents,
    *,
    form: str = "coarse",
    name: str = "one",
    annotators: Sequence[Annotator] = (ADA, BEN),
    batch: int = 10,
) -> Campaign:
    """A campaign in which everybody is asked about all of the documents, in their order."""
    units = [
        (unit_of(document, place, what.text, form), what)
        for document, several in documents
        for place, what in enumerate(several)
    ]
    return create_campaign(
        ledger,
        Campaign(id="", name=name, form=form, annotators=tuple(annotators), guidelines=GUIDELINES),
        items=[
            Item(id=document, cluster=document, data={"source": several[0].evidence})
            for document, several in documents
        ],
        units=[unit for unit, _ in units],
        shown={unit.id: what for unit, what in units},
        assignments=[
            Assignment(
                annotator=one.code,
                batch=1 + position // (3 * batch),
                position=position,
                unit=unit.id,
                document=unit.item,
            )
            for one in annotators
            for position, (unit, _) in enumerate(units)
        ],
    )


def rating_campaign(
    ledger: Ledger,
    *,
    annotators: Sequence[Annotator] = (),
    documents: int = 10,
    name: str = "pilot",
) -> Campaign:
    """A campaign of hostile texts."""
    texts = [
        (
            f"{name}-{number}",
            [
                Shown(evidence=f"Source {number}. {HOSTILE}" * 3, text=f"{place} of it: {HOSTILE}")
                for place in range(3)
            ],
        )
        for number in range(documents)
    ]
    who = annotators or people("Ada Lovelace", "Bob")
    return campaign_in(ledger, texts, name=name, annotators=who)


def rated(key: str, label: str, second: int, *, name: str = "", comment: str = "") -> Rating:
    """A rating at so many seconds past noon."""
    return Rating(
        id=name or f"{key}-{second}",
        key=key,
        response=PersonResponse(label=label, comment=comment),
        seconds=float(second),
        at=f"2026-03-01T12:00:{second:02d}.000000+00:00",
        source="page",
    )


def revised(ledger: Ledger, campaign: Campaign) -> list[tuple[Assignment, Rating]]:
    """Every revision with what it is about, in the order of tasks, then of times."""
    revisions = revisions_of(ledger, campaign)
    return [
        (task.assignment, revision)
        for task in tasks_of(ledger, campaign)
        for revision in revisions.get(task.key, ())
    ]


def results_of(text: str) -> dict[str, Any]:
    """What `annotate results --json` printed of one dimension: its figures, tables, problems."""
    value = json.loads(text)
    (dimension,) = value["details"]["dimensions"]
    return {**dimension, "tables": value["tables"], "problems": value["problems"]}
