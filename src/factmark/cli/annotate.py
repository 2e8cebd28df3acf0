"""`factmark annotate`: people's work on the units of each protocol, put together."""

from __future__ import annotations

from functools import partial

from factmark.campaign_model import CampaignProtocol
from factmark.people.commands import annotate_app


def protocol_of(kind: str) -> CampaignProtocol:
    """Returns what campaigns ask of the slice with units of that kind, which is imported then."""
    if kind == "answer":
        return _of_answers()
    if kind == "graphrag":
        from factmark.graph_answers.campaign import units_asked

        return CampaignProtocol(units_asked=units_asked)
    from factmark.graphs import campaign

    return CampaignProtocol(units_asked=campaign.units_asked, rubrics=campaign.RUBRICS)


def _of_answers() -> CampaignProtocol:
    """Returns what campaigns ask of answers, in which people mark facts."""
    from factmark.answers import campaign
    from factmark.interop.reading import read_answers

    return CampaignProtocol(
        units_asked=partial(campaign.units_asked, read=read_answers),
        score_marks=campaign.score_marks,
        marked_rows=campaign.marked_rows,
    )


app = annotate_app(protocol_of)
