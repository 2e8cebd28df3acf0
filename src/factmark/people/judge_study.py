"""A campaign's units for a judge, by what people are shown; its verdicts stay in the ledger.

People never see them. Units of the form's kind that nobody is asked about are judged too, so that
people's answers can correct the judge's verdicts on the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.ask.tasks import Job
from factmark.campaign_model import Campaign, ProtocolOf, Shown
from factmark.errors import InputError
from factmark.ledger.campaigns import (
    campaign_named,
    pairs_of_kind,
    shown_by_unit,
    tasks_of,
    units_shown,
)
from factmark.ledger.ledger import open_existing
from factmark.ledger.ratings import revisions_of
from factmark.model import Item, Judge, Unit
from factmark.people.core.forms import (
    COARSE,
    COARSE_SUMMARY,
    FINE,
    FINE_SUMMARY,
    SUPPORT,
    VALIDITY,
)
from factmark.people.core.scales import form_of
from factmark.people.ratings.entries import entries_of
from factmark.replies.rubric import Rubric

if TYPE_CHECKING:  # with numpy, which asking does without
    from factmark.people.ratings.judge_ratings import JudgeRatings

RUBRICS: Mapping[str, Rubric] = {COARSE.kind: COARSE_SUMMARY, FINE.kind: FINE_SUMMARY}
"""Kind of unit -> what a model is asked of it; claims and triples: see their protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Docket:
    """What a judge is to go through."""

    campaign: Campaign
    rubric: Rubric
    jobs: tuple[Job, ...]  # units with their items; those of one source stand together
    shown: Mapping[str, Shown]  # unit -> what it is judged by
    asked: int  # how many of the units people are asked about
    left_out: int  # units of which the ledger does not say what they are judged by


def docket_of(ledger: Path, name: str | None, protocol_of: ProtocolOf) -> Docket:
    """The units of a campaign's kind, but for those that only other campaigns ask about.

    InputError: there is no such campaign, or no rubric for its form.
    """
    with open_existing(ledger, read_only=True) as opened:
        campaign = campaign_named(opened, name)
        form = form_of(campaign)
        if form not in (COARSE, FINE, SUPPORT, VALIDITY):
            more = "" if form.values else " `factmark score --extractor` has a model find facts."
            raise InputError(
                f"{ledger}: the campaign {campaign.name!r} is of the form {form.name!r}, for which "
                f"no model can be asked. Forms with a judge are coarse, fine, support and "
                f"validity.{more}"
            )
        shown = shown_by_unit(opened, campaign)
        asked = len(shown)
        elsewhere = units_shown(opened) - shown.keys()
        pairs = [pair for pair in pairs_of_kind(opened, form.kind) if pair[1].id not in elsewhere]
        summaries = (
            {unit.id: unit.text for _, unit in pairs_of_kind(opened, COARSE.kind)}
            if form == FINE
            else {}
        )
    pairs.sort(key=lambda pair: (pair[0].cluster, pair[0].id, pair[1].id))
    jobs: list[Job] = []
    for item, unit in pairs:
        evidence = shown.get(unit.id) or _unshown(item, unit, summaries)
        if evidence is not None:
            jobs.append((item, unit))
            shown[unit.id] = evidence
    return Docket(
        campaign=campaign,
        rubric=RUBRICS.get(form.kind) or protocol_of(form.kind).RUBRICS[form.kind],
        jobs=tuple(jobs),
        shown=shown,
        asked=asked,
        left_out=len(pairs) - len(jobs),
    )


def ratings_of(docket: Docket, ledger: Path, judge: Judge, protocol_of: ProtocolOf) -> JudgeRatings:
    """What a judge has given the units of a docket so far, and how far people agree with it."""
    from factmark.people.ratings.agreement import judge_scores
    from factmark.people.ratings.judge_ratings import judge_ratings
    from factmark.people.results import judge_labels, rated_unit, rated_units
    from factmark.stats.comparison import Options

    campaign, form = docket.campaign, form_of(docket.campaign)
    units = [rated_unit(item, unit, docket.shown[unit.id]) for item, unit in docket.jobs]
    with open_existing(ledger, read_only=True) as opened:
        verdicts = opened.newest(judge.id, [unit.id for unit in units])
        labels = {unit: verdict.label for unit, verdict in verdicts.items()}
        beside = None
        if any(labels.values()):
            tasks = tasks_of(opened, campaign)
            shown = {task.assignment.unit: task.shown for task in tasks}
            rated = rated_units(opened, campaign, shown, protocol_of)
            entries = entries_of(tasks, revisions_of(opened, campaign), rated)
            given = judge_labels(ledger, opened, campaign, [judge.id])
            (beside,) = judge_scores(form, given, entries, Options())
    return judge_ratings(form, judge.name, units, labels, beside)


def _unshown(item: Item, unit: Unit, summaries: Mapping[str, str]) -> Shown | None:
    """What a unit that nobody is asked about would be shown with; None where that is not known."""
    evidence = unit.data.get("passage") if unit.kind == "pair" else item.data.get("source")
    if not isinstance(evidence, str) or unit.kind == "triple":
        return None
    if unit.kind != "clause":
        return Shown(evidence=evidence, text=unit.text)
    span, summary = unit.data.get("span"), summaries.get(str(unit.data.get("summary")))
    if summary is None or not isinstance(span, list) or len(span) != 2:
        return None
    return Shown(evidence=evidence, text=summary, marked=(span[0], span[1]))
