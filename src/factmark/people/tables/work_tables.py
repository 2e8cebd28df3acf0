"""Tables of a campaign at work: who is asked how much, what was written alike, how far people are.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from factmark.campaign_model import Annotator, Campaign
from factmark.people.core.assign import Load
from factmark.people.practice.scores import PracticeScore
from factmark.people.ratings.progress import ALL, AnnotatorProgress
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.layouts import DataTable
from factmark.text.shown_text import NO_VALUE, count, one_line

if TYPE_CHECKING:
    from factmark.people.changes.dealing import NewDeal

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


Person = tuple[Annotator, AnnotatorProgress]


def progress_table(
    campaign: Campaign, progress: Mapping[str, AnnotatorProgress], *, stall: float
) -> DataTable:
    """Returns how far each annotator is; who has been silent for `stall` hours is marked."""
    everybody = Annotator(code=ALL, name="")
    people = []
    for person in (*campaign.counted, everybody):
        people.append((person, progress[person.code]))

    def column(name: str, key: str, **more: Any) -> Column[Person]:
        of = attrgetter(key)
        return Column(name=name, value=lambda row: of(row[1]), **more)

    columns: list[Column[Person]] = [
        Column(
            name="annotator",
            value=lambda row: f"{row[0].code} {campaign.called(row[0])}".strip(),
            label=True,
        ),
        column("done", "done"),
        column("left", "left"),
        column("minutes a document", "minutes", show="{:,.1f}".format),
        column("last seen", "seen", show=_last_seen),
        Column(name="idle hours", value=lambda row: _idle_hours(row[1])),
    ]
    title = campaign.name
    if campaign.imported:  # nobody is asked, so columns of progress mean nothing
        title += " (imported)"
        columns = [c for c in columns if c.name not in ("left", "last seen", "idle hours")]
    elif campaign.closed:
        title += " (closed)"
    notes = ["Minutes: the median over documents that are done."]
    if any(part.stalls for part in progress.values()):
        notes.append(f"! no answer for more than {stall:g} hours, with work left.")
    return table_of(title, columns, people, overall=lambda row: row[0] is everybody, notes=notes)


def _last_seen(seen: str) -> str:
    """Returns a time as people read it, to the minute."""
    return seen[:16].replace("T", " ") or NO_VALUE


def _idle_hours(progress: AnnotatorProgress) -> str | None:
    """Returns the hours since the last answer, with `!` where they are too many; None where all is
    done."""
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
