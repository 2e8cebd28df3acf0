"""Tables of a campaign at work: who is asked how much, what was written alike, how far people are.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from factmark.campaign_model import Annotator
from factmark.people.core.assign import Load
from factmark.people.practice.scores import PracticeScore
from factmark.people.ratings.progress import ALL
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.layouts import DataTable
from factmark.text.shown_text import NO_VALUE, count, one_line

if TYPE_CHECKING:
    from factmark.people.changes.dealing import NewDeal
    from factmark.people.status import CampaignStatus, StatusLine

_CUT = 70  # characters of an example
_FEW = 10  # documents; with fewer hardly any habit can be told from chance


def loads_table(loads: Sequence[Load], *, title: str) -> DataTable:
    """Returns who is asked how much, and how long that takes."""
    total = Load(
        annotator=Annotator(code="all", name=""),
        documents=0,
        rows=sum(load.rows for load in loads),
        batches=sum(load.batches for load in loads),
        shared=sum(load.shared for load in loads),
        minutes=sum(load.minutes for load in loads),
    )
    columns: tuple[Column[Load], ...] = (
        attribute_column("annotator.code", label=True),
        attribute_column("annotator.name", "annotator", label=True),
        Column(
            name="documents",
            key="documents",
            value=lambda load: None if load is total else load.documents,
        ),
        attribute_column("rows"),
        attribute_column("shared", "of them shared"),
        attribute_column("batches"),
        Column(
            name="hours", key="hours", value=lambda load: load.minutes / 60, show="{:,.1f}".format
        ),
    )
    return table_of(
        title,
        columns,
        [*loads, total],
        overall=lambda load: load is total,
        notes=(
            "Shared: somebody else is asked the same. Hours: by the workflow of the guidelines, a "
            "rough guess.",
        ),
        records=loads,
    )


Change = tuple[str, Mapping[str, Any]]
"""Whose texts, and what one rule changed in them."""


def blinding_table(
    blinding: Mapping[str, Sequence[Mapping[str, Any]]], notes: Sequence[str] = ()
) -> DataTable:
    """Returns what was changed in texts so that they do not betray their author."""
    rows: list[Change] = []
    for whose, changes in blinding.items():
        for change in changes or [{}]:
            rows.append((whose, change))

    def example(row: Change) -> tuple[str, str]:
        before, after = (row[1].get("examples") or [("", "")])[0]
        return before, after

    def shown_example(row: Change) -> str:
        before, after = map(_shorten, example(row))
        if before or after:
            return f"{before} → {after}"
        return ""

    columns: tuple[Column[Change], ...] = (
        Column(name="whose", key="whose", value=lambda row: row[0], label=True),
        Column(
            name="rule",
            key="rule",
            value=lambda row: row[1].get("rule", "nothing changed"),
            label=True,
        ),
        Column(name="first example", value=shown_example, label=True, show=str),
        Column(name="places", key="places", value=lambda row: int(row[1].get("count", 0))),
        Column(key="before", value=lambda row: example(row)[0]),
        Column(key="after", value=lambda row: example(row)[1]),
    )
    return table_of(
        "Written alike, so that the form does not betray the author",
        columns,
        rows,
        group=lambda row: row[0],
        notes=("Annotators see the text as changed; the original stays in the ledger.", *notes),
    )


def tells_notes(tells: Sequence[str], documents: int) -> list[str]:
    """Returns a sentence for each thing that still betrays a system, or one that says that nothing
    does."""
    if tells:
        return [f"Still tells: {one_line(tell)}." for tell in tells]
    if documents < _FEW:
        return ["Too few documents to test whether the form still tells systems apart."]
    return ["Nothing in the form still tells systems apart, as far as is tested."]


def _shorten(text: str) -> str:
    """Returns a text on one line, cut off where it is long."""
    line = one_line(text)
    if len(line) <= _CUT:
        return line
    return f"{line[:_CUT]}…"


def progress_table(status: CampaignStatus, *, stall: float, whole: bool = False) -> DataTable:
    """Returns how far each annotator is; who has been silent for `stall` hours is marked.

    Args:
        whole: whether people see all columns, as on the owner's page.
    """
    campaign = status.campaign
    asked = not campaign.imported  # else nobody is, and columns of progress mean nothing
    columns: tuple[Column[StatusLine], ...] = (
        Column(name="annotator", value=attrgetter("name"), label=True),
        attribute_column("code", ""),
        attribute_column("state", ""),
        Column(name="state", value=_state_in_words, shown=whole),
        Column(name="at document", value=_at_document, shown=whole),
        attribute_column("progress.tasks", ""),
        attribute_column("progress.done", "done"),
        attribute_column("progress.left", "left", shown=asked),
        attribute_column("progress.documents", ""),
        attribute_column("progress.listed", ""),
        attribute_column("progress.place", ""),
        attribute_column("progress.minutes", "minutes a document", show="{:,.1f}".format),
        attribute_column("progress.spent", "hours spent", shown=whole, show=_in_hours),
        attribute_column("progress.seen", "last seen (UTC)", shown=asked, show=_last_seen),
        Column(name="idle hours", value=_idle_hours, shown=asked),
        attribute_column("progress.idle", ""),
        attribute_column("progress.stalls", ""),
        Column(name="practice", value=attrgetter("practice"), shown=whole, optional=True),
        attribute_column("completion", "code at the end", shown=whole, optional=True),
    )
    title = campaign.name
    if campaign.imported:
        title += " (imported)"
    elif campaign.closed:
        title += " (closed)"
    notes = ["Minutes: the median over documents that are done."]
    if any(line.progress.stalls for line in status.lines):
        notes.append(f"! no answer for more than {stall:g} hours, with work left.")
    return table_of(
        title, columns, status.lines, overall=lambda line: line.code == ALL, notes=notes
    )


def _state_in_words(line: StatusLine) -> str | None:
    """Returns the state of a person; `done` of who is active and has nothing left."""
    if line.state == "active" and line.progress.place is None:
        return "done"
    return line.state


def _at_document(line: StatusLine) -> str | None:
    """Returns at which document of their list a person is; None where all is done, and of all."""
    if line.code == ALL or line.progress.place is None:
        return None
    return f"{line.progress.place} of {line.progress.listed}"


def _in_hours(minutes: float) -> str:
    """Returns minutes as hours."""
    return f"{minutes / 60:,.1f}"


def _last_seen(seen: str) -> str:
    """Returns a time as people read it, to the minute."""
    return seen[:16].replace("T", " ") or NO_VALUE


def _idle_hours(line: StatusLine) -> str | None:
    """Returns the hours since the last answer, with `!` where they are too many; None where all is
    done."""
    progress = line.progress
    if progress.idle is None:
        return None
    hours = f"{progress.idle:.1f}"
    if progress.stalls:
        return f"{hours} !"
    return hours


def redeal_table(new: NewDeal) -> DataTable:
    """Returns what everybody has left to do, before and after it was dealt again."""
    deal = new.deal
    columns: tuple[Column[Annotator], ...] = (
        attribute_column("code", label=True),
        attribute_column("name", "annotator", label=True),
        Column(name="left before", key="before", value=lambda who: deal.before.get(who.code, 0)),
        Column(name="left now", key="after", value=lambda who: deal.after.get(who.code, 0)),
    )
    people = []
    for person in new.campaign.annotators:
        if person.code in deal.after or deal.before.get(person.code):
            people.append(person)
    return table_of(
        f"{new.campaign.name}: {count(deal.moved, new.nouns[:-1], new.nouns)} on other lists",
        columns,
        people,
        notes=(f"Left: {new.nouns} that are not done.",),
    )


def practice_table(scores: Sequence[PracticeScore], called: Callable[[str], str]) -> DataTable:
    """Returns how annotators did where the right answer is known; `called` gives the name of a
    code."""

    def column(name: str, key: str, *, label: bool = False) -> Column[PracticeScore]:
        return Column(name=name, key=key, value=attrgetter(key), label=label)

    columns: tuple[Column[PracticeScore], ...] = (
        Column(name="annotator", key="annotator", value=lambda row: called(row.code), label=True),
        column("part", "role", label=True),
        column("asked", "n_asked"),
        column("answered", "n_answered"),
        column("right", "n_right"),
        column("one off at most", "n_near"),
        column("off", "off"),
    )
    return table_of(
        "Where the right answer is known",
        columns,
        scores,
        notes=(
            "In no other number. Check: questions on the guidelines; training: right answers are "
            "shown after the first answer, which counts here; gold: among the work, nothing is "
            "shown. Off: the mean of what they gave less the right answer.",
        ),
    )
