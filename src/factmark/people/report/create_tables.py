"""The tables that a campaign's owner sees when it is made; no annotator sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from factmark.people.core.assign import Load
from factmark.tables.layouts import Cell, Column, DataTable, Line
from factmark.tables.shown_text import NO_VALUE, one_line

_CUT = 70  # characters of an example
_FEW = 10  # documents; with fewer hardly any habit can be told from chance


def loads_table(loads: Sequence[Load], *, title: str, documents: str = "documents") -> DataTable:
    """Who is asked how much."""
    names = (documents, "rows", "of them shared", "batches", "hours")
    rows = [(one.documents, one.rows, one.shared, one.batches, one.minutes / 60) for one in loads]
    lines = [
        Line(
            labels=(one.annotator.code, one_line(one.annotator.name)),
            cells=_cells(row),
            starts_group=True,
        )
        for one, row in zip(loads, rows, strict=True)
    ]
    total = (
        NO_VALUE, sum(one.rows for one in loads), sum(one.shared for one in loads),
        sum(one.batches for one in loads), sum(one.minutes for one in loads) / 60,
    )  # fmt: skip
    lines.append(Line(labels=("all", ""), cells=_cells(total), starts_group=True, overall=True))
    return DataTable(
        title=one_line(title),
        label_names=("code", "annotator"),
        columns=tuple(Column(name=name) for name in names),
        lines=tuple(lines),
        notes=(
            "Shared: somebody else is asked the same. Hours: by the workflow of the guidelines, a "
            "rough guess.",
        ),
        record_names=("code", "annotator", "documents", "rows", "shared", "batches", "hours"),
        records=tuple(
            (one.annotator.code, one.annotator.name, *row)
            for one, row in zip(loads, rows, strict=True)
        ),
    )


def blinding_table(blinding: Mapping[str, Sequence[Mapping[str, Any]]]) -> DataTable:
    """What was written otherwise so that it does not betray its author, with an example each."""
    lines: list[Line] = []
    records: list[tuple[str | int, ...]] = []
    for whose, changes in blinding.items():
        for place, change in enumerate(changes or [{}]):
            before, after = (change.get("examples") or [("", "")])[0]
            rule, count = str(change.get("rule", "nothing changed")), int(change.get("count", 0))
            example = f"{_cut(before)} → {_cut(after)}" if change else ""
            lines.append(
                Line(
                    labels=(one_line(whose), rule, example),
                    cells=(Cell(value=f"{count:,}"),),
                    starts_group=place == 0,
                )
            )
            records.append((whose, rule, count, before, after))
    return DataTable(
        title="Written alike, so that the form does not betray the author",
        label_names=("whose", "rule", "first example"),
        columns=(Column(name="places"),),
        lines=tuple(lines),
        notes=("Annotators see the text as changed; the original stays in the ledger.",),
        record_names=("whose", "rule", "places", "before", "after"),
        records=tuple(records),
    )


def lengths_table(lengths: Sequence[Mapping[str, Any]], tells: Sequence[str]) -> DataTable:
    """Words and endings per system, and what still betrays it."""
    keys = ("texts", "median", "shortest", "longest")
    lines = []
    for one in lengths:
        unended = NO_VALUE if one["unended"] is None else f"{one['unended']:.0%}"
        cells = (*(Cell(value=_plain(one[key])) for key in keys), Cell(value=unended))
        lines.append(Line(labels=(one_line(one["system"]),), cells=cells, starts_group=True))
    notes = [f"Still tells: {one_line(tell)}." for tell in tells]
    return DataTable(
        title="Lengths in words",
        label_names=("system",),
        columns=tuple(Column(name=name) for name in (*keys, "cut off")),
        lines=tuple(lines),
        notes=(
            "Cut off: texts that end without a sentence's mark.",
            *(notes or [_nothing(lengths)]),
        ),
        record_names=("system", *keys, "unended"),
        records=tuple(
            (one["system"], *(one[key] for key in (*keys, "unended"))) for one in lengths
        ),
    )


def _nothing(lengths: Sequence[Mapping[str, Any]]) -> str:
    if min((one["texts"] for one in lengths), default=0) < _FEW:
        return "Too few documents to test whether the form still tells systems apart."
    return "Nothing in the form still tells systems apart, as far as is tested."


def _cells(row: Sequence[float | str]) -> tuple[Cell, ...]:
    return tuple(Cell(value=_plain(value)) for value in row)


def _plain(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or NO_VALUE
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _CUT else f"{line[:_CUT]}…"
