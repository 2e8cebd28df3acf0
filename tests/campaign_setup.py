"""A small campaign in a ledger, for tests of what is kept of it."""

from __future__ import annotations

from factmark.campaign_model import Annotator, Campaign, PersonResponse, Revision, Shown
from factmark.ledger.campaigns import create_campaign
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Unit, content_hash
from factmark.people.core.assign import assign

ADA = Annotator(code="A1", name="Ada", email="ada@example.org")
BEN = Annotator(code="A2", name="Ben")
SYSTEMS = ("s1", "s2", "s3")


def summary(document: str, system: str) -> Unit:
    text = f"Summary of {document} by somebody ({content_hash(system)[:4]})."
    return Unit(
        id=content_hash(document, system),
        item=document,
        kind="summary",
        text=text,
        data={"system": system},
    )


def make(ledger: Ledger, name: str = "one", *, documents: int = 2) -> Campaign:
    """Documents with three summaries each, every one of them for Ada and for Ben."""
    names = [f"d{number}" for number in range(documents)]
    units = {name: [summary(name, system) for system in SYSTEMS] for name in names}
    every = [unit for some in units.values() for unit in some]
    return create_campaign(
        ledger,
        Campaign(id="", name=name, form="coarse", annotators=(ADA, BEN), guidelines="# Read me"),
        items=[Item(id=name, cluster=name, data={"source": f"Source {name}."}) for name in names],
        units=every,
        shown={unit.id: Shown(evidence=f"Source {unit.item}.", text=unit.text) for unit in every},
        assignments=assign(
            {name: [unit.id for unit in some] for name, some in units.items()},
            ["A1", "A2"],
            overlap=1.0,
        ),
    )


def rated(key: str, label: str, second: int, *, name: str = "", comment: str = "") -> Revision:
    """A rating at so many seconds past noon."""
    return Revision(
        id=name or f"{key}-{second}",
        key=key,
        response=PersonResponse(label=label, comment=comment),
        seconds=float(second),
        at=f"2026-03-01T12:00:{second:02d}.000000+00:00",
        source="page",
    )
