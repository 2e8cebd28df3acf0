"""How far a campaign is: done, left, time per document, and who has stopped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from factmark.campaign_model import Annotator, Assignment, Rating

LONGEST_PAUSE = 900.0
"""Seconds between two saves from which on it counts as a break, and as so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorProgress:
    """How far one annotator is, or all.

    Attributes:
        tasks, done: units on the list, and those with an answer.
        documents: all of whose units have an answer.
        minutes: the median over those documents; None where no time is known.
        comments: units whose newest answer has one.
        changed: units that got another label, or other marks, than first.
        seen: when the last answer was given, as ISO 8601; empty before the first.
        idle: hours since then, or since the campaign began; None where nothing is left to do.
        stalls: whether that is longer than was said to be fine.
    """

    tasks: int
    done: int
    documents: int
    minutes: float | None
    comments: int
    changed: int
    seen: str
    idle: float | None
    stalls: bool

    @property
    def left(self) -> int:
        """Units without an answer."""
        return self.tasks - self.done


def progress_of(
    annotators: Sequence[Annotator],
    assignments: Iterable[Assignment],
    ratings: Iterable[Rating],
    *,
    started: str,
    now: str,
    stall: float,
) -> dict[str, AnnotatorProgress]:
    """Code of an annotator -> how far they are.

    Args:
        started, now: when the campaign began and the time of asking, as ISO 8601.
        stall: hours without an answer, with work left, from which on somebody stalls.
    """
    lists: dict[str, list[Assignment]] = {one.code: [] for one in annotators}
    answers: dict[str, list[Rating]] = {one.code: [] for one in annotators}
    for assignment in assignments:
        lists[assignment.annotator].append(assignment)
    for rating in ratings:
        answers[rating.annotator].append(rating)
    return {
        one.code: _progress(lists[one.code], answers[one.code], started, now, stall)
        for one in annotators
    }


def overall(parts: Iterable[AnnotatorProgress]) -> AnnotatorProgress:
    """All annotators together; minutes are the median of theirs."""
    several = list(parts)
    minutes = [one.minutes for one in several if one.minutes is not None]
    idle = [one.idle for one in several if one.idle is not None]
    return AnnotatorProgress(
        tasks=sum(one.tasks for one in several),
        done=sum(one.done for one in several),
        documents=sum(one.documents for one in several),
        minutes=median(minutes) if minutes else None,
        comments=sum(one.comments for one in several),
        changed=sum(one.changed for one in several),
        seen=max((one.seen for one in several), default=""),
        idle=min(idle) if idle else None,
        stalls=any(one.stalls for one in several),
    )


def _progress(
    assignments: Sequence[Assignment],
    ratings: Sequence[Rating],
    started: str,
    now: str,
    stall: float,
) -> AnnotatorProgress:
    by_unit: dict[str, list[Rating]] = {}
    for rating in sorted(ratings, key=lambda one: (one.at, one.number)):
        by_unit.setdefault(rating.unit, []).append(rating)
    documents: dict[str, list[str]] = {}
    for one in assignments:
        documents.setdefault(one.document, []).append(one.unit)
    complete = {
        document: units for document, units in documents.items() if all(u in by_unit for u in units)
    }
    told = {
        unit: max(seconds)
        for unit, several in by_unit.items()
        if (seconds := [one.seconds for one in several if one.seconds is not None])
    }
    times = _times(complete, told, _gaps(ratings))
    seen = max((one.at for one in ratings), default="")
    done = len(by_unit)
    idle = None if done >= len(assignments) else _hours(seen or started, now)
    return AnnotatorProgress(
        tasks=len(assignments),
        done=done,
        documents=len(complete),
        minutes=median(times) / 60 if times else None,
        comments=sum(bool(several[-1].response.comment) for several in by_unit.values()),
        changed=sum(
            any(_said(one) != _said(several[0]) for one in several) for several in by_unit.values()
        ),
        seen=seen,
        idle=idle,
        stalls=idle is not None and idle > stall,
    )


def _said(rating: Rating) -> tuple[object, object]:
    return rating.response.label, rating.response.marking


def _times(
    documents: Mapping[str, Sequence[str]],
    told: Mapping[str, float],
    gaps: Mapping[str, float],
) -> list[float]:
    """Seconds on each document: what clients told of its units, else the gaps between saves."""
    out = []
    for document, units in documents.items():
        if all(unit in told for unit in units):
            out.append(sum(told[unit] for unit in units))
        elif document in gaps:
            out.append(gaps[document])
    return out


def _gaps(ratings: Iterable[Rating]) -> dict[str, float]:
    """Document -> seconds from the save before to each save on it, breaks cut short.

    What came before the very first save is not known; its document has only what came after.
    """
    out: dict[str, float] = {}
    before: Rating | None = None
    for one in sorted(ratings, key=lambda rating: (rating.at, rating.number)):
        if before is not None:
            gap = min(_hours(before.at, one.at) * 3600, LONGEST_PAUSE)
            out[one.document] = out.get(one.document, 0.0) + gap
        before = one
    return out


def _hours(start: str, end: str) -> float:
    passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return max(0.0, passed.total_seconds() / 3600)
