"""How far people agree on the words that decided their ratings, in the campaigns of a ledger."""

from __future__ import annotations

from collections.abc import Collection

from factmark.ledger.campaigns import campaigns_of
from factmark.ledger.ledger import Ledger
from factmark.people.core.scales import form_of
from factmark.people.ratings.entries import group_rows
from factmark.people.ratings.joined_campaigns import one_part
from factmark.people.ratings.marked_words import marked_words_agreement
from factmark.people.ratings.span_agreement import SpanAgreement
from factmark.people.reading import no_marks, rated_part
from factmark.stats.comparison import Options


def marked_words_by_kind(
    ledger: Ledger, how: Options, kind: str = "", people: Collection[str] = ()
) -> dict[str, dict[str, SpanAgreement]]:
    """Returns kind of units -> `source` and `text` -> how far people agree on the words that they
    marked there; campaigns that ask the same are read as one.

    Args:
        kind: of units; each where empty.
        people: names of those to compare; all where there are none.
    """
    rated = []
    for campaign in campaigns_of(ledger):
        form = form_of(campaign)
        asked = kind in ("", form.kind)
        if asked and form.values and not campaign.imported:  # files of ratings hold no marks
            rated.append(campaign)
    kinds = {}
    for several in group_rows(rated, lambda campaign: campaign.form).values():
        part = one_part([rated_part(ledger, campaign, no_marks) for campaign in several])
        names = {person.code: person.name for person in part.campaign.annotators}
        entries = []
        for entry in part.entries:
            if not people or names.get(entry.assignment.annotator) in people:
                entries.append(entry)
        kinds[form_of(several[0]).kind] = marked_words_agreement(entries, how)
    return kinds
