"""How far a campaign is: done, left, time per document, and who has stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from factmark.campaign_model import Annotator, Campaign
from factmark.people.ratings.entries import RatedTask, done_documents
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import DataTable
from factmark.tables.shown_text import NO_VALUE


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorProgress:
    """How far one annotator is, or all.

    Attributes:
        tasks, done, left: units on the list, those with an answer, and the others.
        idle: hours since the last answer, or since the campaign began; None where nothing is left.
    """

    tasks: int
    done: int
    left: int
    documents: int  # all of whose units have an answer
    minutes: float | None  # the median over those documents; None where no time is known
    seen: str  # when the last answer was given, as ISO 8601; empty before the first
    idle: float | None
    stalls: bool  # whether that is longer than was said to be fine


ALL = "all"


def progress_of(
    campaign: Campaign, entries: Sequence[RatedTask], *, now: str, stall: float
) -> dict[str, AnnotatorProgress]:
    """Code of an annotator, or `all` -> how far they are.

    `now` is ISO 8601; `stall` the hours without an answer, with work left, from which on somebody
    stalls.
    """
    codes = [annotator.code for annotator in campaign.annotators]
    lists = {code: [e for e in entries if e.assignment.annotator == code] for code in codes}
    lists[ALL] = list(entries)
    return {code: _progress(some, campaign.created, now, stall) for code, some in lists.items()}


def _progress(
    entries: Sequence[RatedTask], started: str, now: str, stall: float
) -> AnnotatorProgress:
    seen = max((last.at for entry in entries for last in entry.revisions), default="")
    passed = datetime.fromisoformat(now) - datetime.fromisoformat(seen or started)
    idle = max(0.0, passed.total_seconds() / 3600)
    documents, minutes = done_documents(entries)
    done = sum(bool(entry.revisions) for entry in entries)
    left = len(entries) - done
    return AnnotatorProgress(
        tasks=len(entries),
        done=done,
        left=left,
        documents=documents,
        minutes=minutes,
        seen=seen,
        idle=idle if left else None,
        stalls=bool(left) and idle > stall,
    )


Person = tuple[Annotator, AnnotatorProgress]


def progress_table(
    campaign: Campaign, progress: Mapping[str, AnnotatorProgress], *, stall: float
) -> DataTable:
    """One line per annotator, and one for all; who is silent for `stall` hours is marked."""
    everybody = Annotator(code=ALL, name="")
    rows: list[Person] = [
        (annotator, progress[annotator.code]) for annotator in (*campaign.annotators, everybody)
    ]
    columns = (
        Column[Person](
            name="annotator", value=lambda row: f"{row[0].code} {row[0].name}".strip(), label=True
        ),
        Column[Person](name="done", value=lambda row: row[1].done),
        Column[Person](name="left", value=lambda row: row[1].left),
        Column[Person](
            name="minutes a document", value=lambda row: row[1].minutes, show="{:,.1f}".format
        ),
        Column[Person](
            name="last seen",
            value=lambda row: row[1].seen,
            show=lambda seen: seen[:16].replace("T", " ") or NO_VALUE,
        ),
        Column[Person](name="idle hours", value=lambda row: _idle(row[1])),
    )
    notes = ["Minutes: the median over documents that are done."]
    if any(part.stalls for part in progress.values()):
        notes.append(f"! no answer for more than {stall:g} hours, with work left.")
    return table_of(
        f"{campaign.name}{' (closed)' if campaign.closed else ''}",
        columns,
        rows,
        overall=lambda row: row[0] is everybody,
        notes=notes,
    )


def _idle(progress: AnnotatorProgress) -> str | None:
    if progress.idle is None:
        return None
    return f"{progress.idle:.1f}{' !' if progress.stalls else ''}"
