"""Where an answer of a person becomes a revision and a verdict in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from factmark.campaign_model import (
    Campaign,
    PersonResponse,
    ProtocolOf,
    Rating,
    Shown,
    TakenRatings,
)
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import add_ratings
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.core.scales import form_of
from factmark.people.practice.known import PRACTICE


def take_ratings(
    ledger: Ledger, campaign: Campaign, revisions: Sequence[Rating], protocol_of: ProtocolOf
) -> TakenRatings:
    """Takes answers of people in, in one transaction; each becomes a verdict unless a later one is
    known.

    A label is one verdict; marks are several, by the protocol of the marked units; an answer to
    practice is none. See `ledger.ratings.add_ratings`.

    Returns:
        Which revisions were new, which known, and which are not the campaign's.
    """
    form = form_of(campaign)

    def verdicts(
        item: Item, unit: Unit, shown: Shown, response: PersonResponse, judge: Judge
    ) -> Iterable[tuple[Unit, Verdict]]:
        if unit.kind == PRACTICE:
            return []
        if response.marking is not None:
            earlier = ledger.verdicts(item.id, judge.id)
            rows: Iterable[tuple[Unit, Verdict]] = protocol_of(form.kind).marked_rows(
                item, unit.text, shown.elements, response.marking, judge, earlier
            )
            return rows
        label = response.label
        value = None
        if label is not None:
            value = form.values[label]
        verdict = Verdict(
            unit=unit.id,
            judge=judge.id,
            label=label,
            value=value,
            reason=response.comment,
        )
        return [(unit, verdict)]

    return add_ratings(ledger, campaign, revisions, form.values, verdicts)
