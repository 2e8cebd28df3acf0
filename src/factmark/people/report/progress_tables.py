"""What only a campaign's owner sees: when it is made, and while people are at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from factmark.campaign_model import Annotator, Campaign
from factmark.people.core.assign import Load
from factmark.people.ratings.progress import AnnotatorProgress, overall
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import DataTable
from factmark.tables.shown_text import NO_VALUE, one_line

_CUT = 70  # characters of an example
_FEW = 10  # documents; with fewer hardly any habit can be told from chance
_ALL = Annotator(code="all", name="")

Change = tuple[str, Mapping[str, Any]]
"""Whose texts, and what one rule changed in them."""

Lengths = Mapping[str, Any]

Person = tuple[Annotator, AnnotatorProgress]


def loads_table(loads: Sequence[Load], *, title: str) -> DataTable:
    """Who is asked how much."""
    total = Load(
        annotator=_ALL,
        documents=0,
        rows=sum(load.rows for load in loads),
        batches=sum(load.batches for load in loads),
        shared=sum(load.shared for load in loads),
        minutes=sum(load.minutes for load in loads),
    )
    columns = (
        Column[Load](name="code", key="code", value=lambda o: o.annotator.code, label=True),
        Column[Load](name="annotator", value=lambda o: o.annotator.name, label=True, show=one_line),
        Column[Load](key="annotator", value=lambda o: o.annotator.name),
        Column[Load](
            name="documents", key="documents", value=lambda o: None if o is total else o.documents
        ),
        Column[Load](name="rows", key="rows", value=lambda o: o.rows),
        Column[Load](name="of them shared", key="shared", value=lambda o: o.shared),
        Column[Load](name="batches", key="batches", value=lambda o: o.batches),
        Column[Load](name="hours", key="hours", value=lambda o: o.minutes / 60, show=_tenths),
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


def blinding_table(blinding: Mapping[str, Sequence[Mapping[str, Any]]]) -> DataTable:
    """What was written otherwise so that it does not betray its author, with an example each."""
    rows: list[Change] = [
        (whose, change) for whose, changes in blinding.items() for change in changes or [{}]
    ]

    def example(row: Change) -> tuple[str, str]:
        before, after = (row[1].get("examples") or [("", "")])[0]
        return before, after

    columns = (
        Column[Change](name="whose", key="whose", value=lambda row: row[0], label=True),
        Column[Change](
            name="rule", key="rule", value=lambda row: row[1].get("rule", "nothing changed"),
            label=True,
        ),
        Column[Change](
            name="first example", value=lambda row: " → ".join(map(_cut, example(row))), label=True,
            show=lambda text: "" if text == " → " else text,
        ),
        Column[Change](name="places", key="places", value=lambda row: int(row[1].get("count", 0))),
        Column[Change](key="before", value=lambda row: example(row)[0]),
        Column[Change](key="after", value=lambda row: example(row)[1]),
    )  # fmt: skip
    return table_of(
        "Written alike, so that the form does not betray the author",
        columns,
        rows,
        group=lambda row: row[0],
        notes=("Annotators see the text as changed; the original stays in the ledger.",),
    )


def lengths_table(lengths: Sequence[Lengths], tells: Sequence[str]) -> DataTable:
    """Words and endings per system, and what still betrays it."""
    columns = [
        Column[Lengths](name="system", key="system", value=lambda row: row["system"], label=True)
    ]
    for key in ("texts", "median", "shortest", "longest"):
        columns.append(Column[Lengths](name=key, key=key, value=_getter(key), show=_plain))
    columns.append(
        Column[Lengths](
            name="cut off", key="unended", value=_getter("unended"), show="{:.0%}".format
        )
    )  # fmt: skip
    few = min((row["texts"] for row in lengths), default=0) < _FEW
    nothing = (
        "Too few documents to test whether the form still tells systems apart."
        if few
        else "Nothing in the form still tells systems apart, as far as is tested."
    )
    sentences = [f"Still tells: {one_line(tell)}." for tell in tells] or [nothing]
    notes = ("Cut off: texts that end without a sentence's mark.", *sentences)
    return table_of("Lengths in words", columns, lengths, notes=notes)


def progress_table(
    campaign: Campaign, progress: Mapping[str, AnnotatorProgress], *, stall: float
) -> DataTable:
    """One line per annotator, and one for all; who is silent for `stall` hours is marked."""
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
            show=_tenths,
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
        [*rows, (_ALL, overall(progress.values()))],
        overall=lambda row: row[0] is _ALL,
        notes=notes,
        records=rows,
    )


def _idle(progress: AnnotatorProgress) -> str | None:
    if progress.idle is None:
        return None
    return f"{progress.idle:.1f}{' !' if progress.stalls else ''}"


def _getter(key: str) -> Any:
    return lambda row: row[key]


def _tenths(value: float) -> str:
    return f"{value:,.1f}"


def _plain(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else _tenths(value)


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _CUT else f"{line[:_CUT]}…"
