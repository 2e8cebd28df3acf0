"""How far a campaign is: done, left, time per document, and who has stopped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from factmark.campaign_model import Annotator, Campaign, Rating
from factmark.people.ratings.entries import RatedTask, done_documents, in_groups, seconds_on
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import DataTable
from factmark.tables.shown_text import NO_VALUE

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


Person = tuple[Annotator, AnnotatorProgress]


def progress_table(
    campaign: Campaign, progress: Mapping[str, AnnotatorProgress], *, stall: float
) -> DataTable:
    """One line per annotator, and one for all; who is silent for `stall` hours is marked."""
    everybody = Annotator(code="all", name="")
    rows: list[Person] = [
        (annotator, progress[annotator.code]) for annotator in campaign.annotators
    ]
    columns = (
        Column[Person](
            name="annotator", value=lambda row: f"{row[0].code} {row[0].name}".strip(), label=True
        ),
        Column[Person](key="code", value=lambda row: row[0].code),
        Column[Person](key="name", value=lambda row: row[0].name),
        Column[Person](key="tasks", value=lambda row: row[1].tasks),
        Column[Person](name="done", key="done", value=lambda row: row[1].done),
        Column[Person](name="left", key="left", value=lambda row: row[1].left),
        Column[Person](key="documents", value=lambda row: row[1].documents),
        Column[Person](
            name="minutes a document", key="minutes", value=lambda row: row[1].minutes,
            show="{:,.1f}".format,
        ),
        Column[Person](name="comments", key="comments", value=lambda row: row[1].comments),
        Column[Person](name="changed", key="changed", value=lambda row: row[1].changed),
        Column[Person](
            name="last seen", key="seen", value=lambda row: row[1].seen,
            show=lambda seen: seen[:16].replace("T", " ") or NO_VALUE,
        ),
        Column[Person](name="idle hours", value=lambda row: _idle(row[1])),
        Column[Person](key="idle", value=lambda row: row[1].idle),
        Column[Person](key="stalls", value=lambda row: int(row[1].stalls)),
    )  # fmt: skip
    notes = [
        "Minutes: the median over documents that are done. Changed: units with another label than "
        "first."
    ]
    if any(part.stalls for part in progress.values()):
        notes.append(f"! no answer for more than {stall:g} hours, with work left.")
    return table_of(
        f"{campaign.name}{' (closed)' if campaign.closed else ''}",
        columns,
        [*rows, (everybody, overall(progress.values()))],
        overall=lambda row: row[0] is everybody,
        notes=notes,
        records=rows,
    )


def _idle(progress: AnnotatorProgress) -> str | None:
    if progress.idle is None:
        return None
    return f"{progress.idle:.1f}{' !' if progress.stalls else ''}"
