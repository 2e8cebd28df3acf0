"""What people said of a campaign's units outside of it: on a sheet, in another campaign. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from factmark.campaign_model import (
    Annotator,
    Assignment,
    Campaign,
    Rating,
)
from factmark.people.core.scales import form_of
from factmark.people.ratings.entries import RatedTask, RatedUnit


def with_other_labels(
    campaign: Campaign,
    entries: Sequence[RatedTask],
    units: Mapping[str, RatedUnit],
    labels: Iterable[Rating],
) -> tuple[Campaign, tuple[RatedTask, ...]]:
    """Returns the campaign with all people who labelled its units, and their labels.

    A label that differs from an annotator's newest answer was given after it, and counts. Who has
    no task for a unit gets one, and who is no annotator a code of their own, P1, P2, ... Labels
    that are none of the form's are left out.
    """
    form = form_of(campaign)
    if not form.values:
        return campaign, tuple(entries)
    codes = {annotator.name: annotator.code for annotator in campaign.annotators}
    gone = set()
    for annotator in campaign.annotators:
        if annotator.withdrawn:
            gone.add(annotator.name)
    places = {
        (entry.assignment.annotator, entry.assignment.unit): place
        for place, entry in enumerate(entries)
    }
    out = list(entries)
    others = list[Annotator]()
    added = 0
    for given in labels:
        name = given.annotator
        label = given.response.label
        if label not in form.values or given.unit not in units or name in gone:
            continue
        if name not in codes:
            others.append(Annotator(code=f"P{len(others) + 1}", name=name))
            codes[name] = others[-1].code
        code = codes[name]
        unit = units[given.unit]
        answer = replace(given, annotator="", unit="")  # as its task says
        place = places.get((code, given.unit))
        if place is None:
            task = Assignment(
                annotator=code, batch=1, position=added, unit=given.unit, document=unit.cluster
            )
            out.append(RatedTask(assignment=task, unit=unit, revisions=(answer,)))
        else:
            final = out[place].final
            if final is not None and final.response.label == label:
                continue
            out[place] = replace(out[place], revisions=(*out[place].revisions, answer))
        added += 1
    annotators = (*campaign.annotators, *others)
    return replace(campaign, annotators=annotators), tuple(out)
