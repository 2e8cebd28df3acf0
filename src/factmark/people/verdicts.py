"""Where an answer of a person becomes a revision and a verdict in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from factmark.campaign_model import Campaign, PersonResponse, Revision, Shown, Taken
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import add_ratings
from factmark.model import Item, Judge, Unit, Verdict
from factmark.people.core.forms import Form, form_named


def take_ratings(ledger: Ledger, campaign: Campaign, revisions: Sequence[Revision]) -> Taken:
    """Takes revisions in, in one transaction; each becomes a verdict unless a later one is known.

    See `ledger.campaigns.add_ratings`.
    """
    form = form_named(campaign.form)
    return add_ratings(ledger, campaign, revisions, form.values, partial(_verdicts, ledger, form))


def _verdicts(
    ledger: Ledger, form: Form, item: Item, unit: Unit, shown: Shown, response: PersonResponse,
    judge: Judge,
) -> Iterable[tuple[Unit, Verdict]]:  # fmt: skip
    """The verdicts that an answer stands for: one by its label, several by its marks."""
    if response.marking is None:
        label = response.label
        value = None if label is None else form.values[label]
        verdict = Verdict(
            unit=unit.id, judge=judge.id, label=label, value=value, reason=response.comment
        )
        return [(unit, verdict)]
    # Here, since it needs all that compares texts, and most campaigns ask for labels.
    from factmark.people.core.marks import marked_rows

    earlier = ledger.verdicts(item.id, judge.id)
    return marked_rows(item, unit.text, shown.elements, response.marking, judge, earlier)
