"""From a campaign's ratings to its results: systems, annotators, agreement, judges. Pure.

What counts is the newest answer to a task. The first one stands beside it and is never mixed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from factmark import __version__
from factmark.model import content_hash
from factmark.people.core.forms import Form, form_named
from factmark.people.core.records import Assignment, Campaign, Rating
from factmark.people.summaries.entries import MEASURES, Entry, Subject, entries_of
from factmark.people.summaries.judges import JudgeSaid, judge_scores
from factmark.people.summaries.raters import (
    MOST_PAIRS,
    annotator_scores,
    comments_of,
    people_agreement,
)
from factmark.people.summaries.results import CampaignResults, How, JudgeScore
from factmark.people.summaries.scores import (
    MOST_STRATA,
    boards,
    label_shares,
    strata_scores,
    system_scores,
)

_SETTINGS = ("blinding", "tells", "lengths")


def rate_campaign(
    campaign: Campaign,
    assignments: Sequence[Assignment],
    ratings: Sequence[Rating],
    subjects: Mapping[str, Subject],
    *,
    judges: Sequence[JudgeSaid] = (),
    refused: Mapping[str, int] | None = None,
    names: bool = False,
    how: How | None = None,
) -> CampaignResults:
    """The results of a campaign, also of one that nobody has answered yet.

    Args:
        assignments: all that people were asked, in their order.
        ratings: every revision, those of a task in the order in which they were made.
        subjects: unit -> what is known of it.
        names: whether annotators are called by their names; else by their codes.
    """
    how = how or How()
    form = form_named(campaign.form)
    measures = MEASURES[form.name]
    entries = entries_of(assignments, ratings, subjects)
    found = judge_scores(form, judges, entries, how)
    return CampaignResults(
        campaign=campaign.name,
        form=form.name,
        measures=measures,
        scores=tuple(
            one for measure in measures for one in system_scores(form, measure, entries, how)
        ),
        boards=boards(form, measures, entries, how),
        shares=label_shares(form, entries, how),
        strata=strata_scores(form, measures[0], entries, how),
        annotators=annotator_scores(
            form, measures[0], entries, [one.code for one in campaign.annotators], how
        ),
        agreement=people_agreement(form, entries, how),
        comments=comments_of(form, entries),
        judges=found,
        entries=entries,
        how=how,
        names={one.code: one.name if names else one.code for one in campaign.annotators},
        refused=dict(sorted((refused or {}).items())),
        settings={name: campaign.settings[name] for name in _SETTINGS if name in campaign.settings},
        problems=tuple(_problems(form, entries, found, judges)),
        signature=_signature(campaign, entries, how),
    )


def _problems(
    form: Form, entries: Sequence[Entry], scores: Iterable[JudgeScore], judges: Iterable[JudgeSaid]
) -> Iterator[str]:
    if not any(entry.revisions for entry in entries):
        yield "Nothing is rated yet: there are no values, and all that was asked for is missing."
    unknown = sum(bool(one.revisions) and one.first is None for one in entries)
    if unknown:
        yield (
            f"Of {unknown} tasks the first answer is not known: they had been changed before they "
            "were first seen. They are in no value by first ratings."
        )
    people = {entry.assignment.annotator for entry in entries}
    if len(people) * (len(people) - 1) // 2 > MOST_PAIRS:
        yield (
            f"Of all pairs of annotators the first {MOST_PAIRS} that share units are compared; "
            "`factmark agree --judge` compares any two."
        )
    for name in sorted({name for entry in entries for name in entry.subject.strata}):
        values = {entry.subject.strata.get(name) for entry in entries}
        if len(values) > MOST_STRATA:
            yield f"Of {len(values)} values of {name} the {MOST_STRATA} largest are shown."
    given = {judge.id: {label for label in judge.labels if label} for judge in judges}
    for judge in scores:
        if judge.overall is None and judge.agreement is None:
            strange = sorted(given[judge.id] - set(form.labels))
            why = (
                f"it gave other labels than people may ({strange[0][:40]!r})"
                if strange
                else "people labelled nothing that it judged"
            )
            yield f"The judge {judge.name} is not compared: {why}."


def _signature(campaign: Campaign, entries: Iterable[Entry], how: How) -> dict[str, object]:
    """How the results were made; the hash is of every revision and of what was asked."""
    data = content_hash(
        [
            (
                entry.assignment.annotator, entry.assignment.unit,
                [
                    (
                        one.at, one.response.label, one.value, one.first,
                        None
                        if (marks := one.response.marking) is None
                        else [
                            marks.grounded, marks.ungrounded, marks.covered, marks.verdict,
                            marks.absence,
                        ],
                    )
                    for one in entry.revisions
                ],
            )
            for entry in entries
        ]
    )  # fmt: skip
    return {
        "campaign": campaign.name,
        "campaign_id": campaign.id,
        "factmark": __version__,
        "level": how.level,
        "ratings": data,
        "resamples": how.resamples,
        "rubric": f"{campaign.form}@1",
        "seed": how.seed,
    }
