"""How far a campaign is: done, left, time per document, and who has stopped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from factmark.campaign_model import Annotator, Rating
from factmark.people.ratings.entries import RatedTask, done_documents, in_groups, seconds_on

LONGEST_PAUSE = 900.0
"""Seconds between two saves from which on it counts as a break, and as so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorProgress:
    """How far one annotator is, or all.

    Attributes:
        tasks, done: units on the list, and those with an answer.
        idle: hours since then, or since the campaign began; None where nothing is left to do.
    """

    tasks: int
    done: int
    documents: int  # all of whose units have an answer
    minutes: float | None  # the median over those documents; None where no time is known
    comments: int  # units whose newest answer has one
    changed: int  # units that got another label, or other marks, than first
    seen: str  # when the last answer was given, as ISO 8601; empty before the first
    idle: float | None
    stalls: bool  # whether that is longer than was said to be fine

    @property
    def left(self) -> int:
        """Units without an answer."""
        return self.tasks - self.done


def progress_of(
    annotators: Iterable[Annotator],
    entries: Iterable[RatedTask],
    *,
    started: str,
    now: str,
    stall: float,
) -> dict[str, AnnotatorProgress]:
    """Code of an annotator -> how far they are.

    `started` and `now` are ISO 8601; `stall` is the hours without an answer, with work left, from
    which on somebody stalls.
    """
    tasks = in_groups(entries, lambda entry: entry.assignment.annotator)
    return {
        annotator.code: _progress(tasks.get(annotator.code, ()), started, now, stall)
        for annotator in annotators
    }


def overall(parts: Iterable[AnnotatorProgress]) -> AnnotatorProgress:
    """All annotators together; minutes are the median of theirs."""
    several = list(parts)
    minutes = [part.minutes for part in several if part.minutes is not None]
    return AnnotatorProgress(
        tasks=sum(part.tasks for part in several),
        done=sum(part.done for part in several),
        documents=sum(part.documents for part in several),
        minutes=median(minutes) if minutes else None,
        comments=sum(part.comments for part in several),
        changed=sum(part.changed for part in several),
        seen=max((part.seen for part in several), default=""),
        idle=min((part.idle for part in several if part.idle is not None), default=None),
        stalls=any(part.stalls for part in several),
    )


def _progress(
    entries: Sequence[RatedTask], started: str, now: str, stall: float
) -> AnnotatorProgress:
    ratings = [rating for entry in entries for rating in entry.revisions]
    ratings.sort(key=lambda rating: (rating.at, rating.number))
    seen = ratings[-1].at if ratings else ""
    idle = _hours(seen or started, now)
    complete, gaps = done_documents(entries), _gaps(ratings)
    # What clients told of a document's units, else the gaps between saves.
    times = [
        gaps.get(name) if (spent := seconds_on(some)) is None else spent
        for name, some in complete.items()
    ]
    known = [seconds for seconds in times if seconds is not None]
    done = sum(bool(entry.revisions) for entry in entries)
    is_left = done < len(entries)
    return AnnotatorProgress(
        tasks=len(entries),
        done=done,
        documents=len(complete),
        minutes=median(known) / 60 if known else None,
        comments=sum(bool(entry.comment) for entry in entries),
        changed=sum(entry.recalibrated for entry in entries),
        seen=seen,
        idle=idle if is_left else None,
        stalls=is_left and idle > stall,
    )


def _gaps(ratings: Iterable[Rating]) -> dict[str, float]:
    """Document -> seconds from the save before to each save on it, breaks cut short.

    What came before the very first save is not known; its document has only what came after.
    """
    gaps: defaultdict[str, float] = defaultdict(float)
    for before, after in pairwise(ratings):
        gaps[after.document] += min(_hours(before.at, after.at) * 3600, LONGEST_PAUSE)
    return gaps


def _hours(start: str, end: str) -> float:
    passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return max(0.0, passed.total_seconds() / 3600)
