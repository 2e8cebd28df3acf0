"""How far people agree on the words that decided their ratings, in the campaigns of a ledger."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from factmark.analysis.options import AgreeOptions
from factmark.analysis.reading import no_marks
from factmark.analysis.results import PanelAgreement
from factmark.ledger.campaigns import campaigns_of
from factmark.ledger.ledger import Ledger
from factmark.people.core.scales import form_of
from factmark.people.ratings.entries import group_rows
from factmark.people.ratings.joined_campaigns import one_part
from factmark.people.ratings.marked_words import marked_words_agreement
from factmark.people.ratings.span_agreement import SpanAgreement
from factmark.people.reading import rated_part
from factmark.people.tables.agreement_tables import marked_words_table
from factmark.report.layouts import DataTable
from factmark.stats.comparison import Options


def marked_words_by_kind(
    ledger: Ledger, options: AgreeOptions, people: Collection[str] = ()
) -> dict[str, dict[str, SpanAgreement]]:
    """Returns kind of units -> `source` and `text` -> how far people agree on the words that they
    marked there; campaigns that ask the same are read as one.

    Args:
        people: names of those to compare; all where there are none.
    """
    rated = []
    for campaign in campaigns_of(ledger):
        form = form_of(campaign)
        asked = options.kind in ("", form.kind)
        if asked and form.values and not campaign.imported:  # files of ratings hold no marks
            rated.append(campaign)
    how = Options(level=options.level, resamples=options.resamples, seed=options.seed)
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


def marked_words_tables(agreements: Sequence[PanelAgreement]) -> dict[str, DataTable]:
    """Returns the table of marked words, a line for each side of each kind of units; nothing where
    nobody marked any."""
    several = len([panel for panel in agreements if panel.marked_words]) > 1
    sides = {}
    for panel in agreements:
        for side, agreement in panel.marked_words.items():
            name = side
            if several:
                name = f"{side} of {panel.kind} units"
            sides[name] = agreement
    if sides:
        return {"marked-words": marked_words_table(sides)}
    return {}
