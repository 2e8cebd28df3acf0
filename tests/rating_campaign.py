"""A small campaign made straight in a ledger: documents with three summaries, each rated by all."""

from __future__ import annotations

from factmark.campaign_model import Annotator, Assignment, Campaign, Shown
from factmark.ledger.campaigns import create_campaign
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Unit, content_hash

SYSTEMS = ("human", "alpha", "beta")
HOSTILE = "<script>alert(1)</script> {{x}} $text $evidence &amp; 😀\r\nsecond line"


def people(*names: str) -> tuple[Annotator, ...]:
    """Annotators of these names, coded A1, A2, ..."""
    return tuple(Annotator(code=f"A{n}", name=name) for n, name in enumerate(names, 1))


def rating_campaign(
    ledger: Ledger,
    *,
    annotators: tuple[Annotator, ...] = (),
    documents: int = 10,
    name: str = "pilot",
) -> Campaign:
    """A coarse campaign; every annotator rates the three summaries of every document."""
    annotators = annotators or people("Ada Lovelace", "Bob")
    items, units, shown = [], [], {}
    for number in range(documents):
        source = f"Source {number}. {HOSTILE}" * 3
        item = Item(id=f"d{number}", cluster=f"d{number}", data={"source": source})
        items.append(item)
        for system in SYSTEMS:
            text = f"Summary of source {number}: {HOSTILE} {content_hash(system, number)[:6]}"
            unit = Unit(
                id=content_hash(name, number, system), item=item.id, kind="summary", text=text,
                data={"system": system},
            )  # fmt: skip
            units.append(unit)
            shown[unit.id] = Shown(evidence=source, text=text)
    assignments = [
        Assignment(annotator=one.code, batch=1, position=position, unit=unit.id, document=unit.item)
        for one in annotators
        for position, unit in enumerate(units)
    ]
    made = Campaign(
        id="", name=name, form="coarse", annotators=annotators,
        guidelines="# Guidelines\n\nRate by the *source* & nothing else: 3 < 5.\n\n- one\n- two",
    )  # fmt: skip
    return create_campaign(
        ledger, made, items=items, units=units, shown=shown, assignments=assignments
    )
