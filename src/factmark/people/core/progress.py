"""How far a campaign is: done, left, time per document, and who has stopped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from factmark.campaign_model import Annotator, Assignment, Rating

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
    assignments: Iterable[Assignment],
    ratings: Iterable[Rating],
    *,
    started: str,
    now: str,
    stall: float,
) -> dict[str, AnnotatorProgress]:
    """Code of an annotator -> how far they are.

    `started` and `now` are ISO 8601; `stall` is the hours without an answer, with work left, from
    which on somebody stalls.
    """
    documents: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(
        lambda: defaultdict(list)
    )
    answers: defaultdict[str, list[Rating]] = defaultdict(list)
    for assignment in assignments:
        documents[assignment.annotator][assignment.document].append(assignment.unit)
    for rating in sorted(ratings, key=lambda rating: (rating.at, rating.number)):
        answers[rating.annotator].append(rating)
    progress = {}
    for code in (annotator.code for annotator in annotators):
        seen = answers[code][-1].at if answers[code] else ""
        idle = _hours(seen or started, now)
        progress[code] = _progress(documents[code], answers[code], seen, idle, stall)
    return progress


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
    documents: Mapping[str, Sequence[str]],
    ratings: Sequence[Rating],
    seen: str,
    idle: float,
    stall: float,
) -> AnnotatorProgress:
    by_unit: defaultdict[str, list[Rating]] = defaultdict(list)
    for rating in ratings:
        by_unit[rating.unit].append(rating)
    complete = {name: units for name, units in documents.items() if by_unit.keys() >= set(units)}
    times = list(_times(complete, by_unit, _gaps(ratings)))
    tasks = sum(map(len, documents.values()))
    is_left = len(by_unit) < tasks
    return AnnotatorProgress(
        tasks=tasks,
        done=len(by_unit),
        documents=len(complete),
        minutes=median(times) / 60 if times else None,
        comments=sum(bool(several[-1].response.comment) for several in by_unit.values()),
        changed=sum(
            len({(rating.response.label, rating.response.marking) for rating in several}) > 1
            for several in by_unit.values()
        ),
        seen=seen,
        idle=idle if is_left else None,
        stalls=is_left and idle > stall,
    )


def _times(
    documents: Mapping[str, Sequence[str]],
    ratings: Mapping[str, Sequence[Rating]],
    gaps: Mapping[str, float],
) -> Iterator[float]:
    """Seconds on each document: what clients told of its units, else the gaps between saves."""
    for document, units in documents.items():
        seconds = [
            [rating.seconds for rating in ratings[unit] if rating.seconds is not None]
            for unit in units
        ]
        if all(seconds):
            yield sum(map(max, seconds))
        elif document in gaps:
            yield gaps[document]


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
