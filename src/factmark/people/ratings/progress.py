"""How far a campaign is: done, left, time per document, and who has stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from factmark.campaign_model import Campaign
from factmark.people.ratings.entries import RatedTask, count_done_documents, group_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorProgress:
    """How far one annotator is, or all.

    Attributes:
        tasks: units on the list.
        done, left: those with an answer, and the others.
        idle: hours since the last answer, or since the campaign began; None where nothing is left.
    """

    tasks: int
    done: int
    left: int
    documents: int  # all of whose units have an answer
    listed: int  # documents on the list
    place: int | None  # of the first of them with work left, from 1; None where all is done
    spent: float | None  # minutes on all of it; None where no time is known
    minutes: float | None  # the median over those documents; None where no time is known
    seen: str  # when the last answer was given, as ISO 8601; empty before the first
    idle: float | None
    stalls: bool  # whether that is longer than was said to be fine


ALL = "all"


def progress_of(
    campaign: Campaign, entries: Sequence[RatedTask], *, now: str, stall: float
) -> dict[str, AnnotatorProgress]:
    """Returns code of an annotator, or `all` -> how far they are.

    Args:
        now: as ISO 8601.
        stall: after how many hours without an answer, with work left, somebody stalls.
    """
    codes = [annotator.code for annotator in campaign.counted]
    lists = {}
    for code in codes:
        lists[code] = [e for e in entries if e.assignment.annotator == code]
    lists[ALL] = list(entries)
    return {
        code: _annotator_progress(some, campaign.created, now, stall)
        for code, some in lists.items()
    }


def _annotator_progress(
    entries: Sequence[RatedTask], started: str, now: str, stall: float
) -> AnnotatorProgress:
    """Returns how far one annotator is, or all, by their tasks."""
    seen = max((last.at for entry in entries for last in entry.revisions), default="")
    passed = datetime.fromisoformat(now) - datetime.fromisoformat(seen or started)
    idle = max(0.0, passed.total_seconds() / 3600)
    documents, minutes = count_done_documents(entries)
    done = sum(bool(entry.revisions) for entry in entries)
    left = len(entries) - done
    lists = group_rows(entries, lambda e: (e.assignment.annotator, e.assignment.document))
    place = None
    for number, rows in enumerate(lists.values(), 1):
        if place is None and not all(entry.revisions for entry in rows):
            place = number
    times = [entry.seconds for entry in entries if entry.seconds is not None]
    spent = None
    if times:
        spent = sum(times) / 60
    return AnnotatorProgress(
        tasks=len(entries),
        done=done,
        left=left,
        documents=documents,
        listed=len(lists),
        place=place,
        spent=spent,
        minutes=minutes,
        seen=seen,
        idle=idle if left else None,
        stalls=bool(left) and idle > stall,
    )
