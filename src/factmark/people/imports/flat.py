"""Flat tables of ratings: a row a rating, or a row a sheet with a column for each dimension.

So are the tables that Label Studio (CSV, JSON-MIN) and Mechanical Turk export, TofuEval's with a
row a sentence, and FRANK's with a row a summary.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from factmark.errors import InputError
from factmark.files.rows import Row
from factmark.model import content_hash
from factmark.people.imports.columns import Columns, columns_in_words, find_columns
from factmark.people.imports.rating_rows import (
    Note,
    RatingRow,
    label_text,
    moment,
    name_text,
    plain_text,
    seconds_of,
)

NOBODY = "annotator"  # who rated, where a table does not say


def flat_ratings(
    path: str, rows: Sequence[tuple[str, Row]], given: Columns, note: Note
) -> Iterator[RatingRow]:
    """The ratings of a table; rows without a label are left out, and that is told.

    InputError: a column is missing, or a cell of one that must have something is empty.
    """
    columns = find_columns(path, [row for _, row in rows], given)
    note(f"{path}: {columns_in_words(columns)}")
    several = len(columns["label"]) > 1 and "dimension" not in columns
    if not columns.get("annotator"):
        note(f"{path}: no column tells who rated; all ratings are taken for one person's")
    empty = 0
    for where, row in rows:
        for name in columns["label"]:
            label = label_text(_parsed(row.get(name)))
            if not label:
                empty += 1
                continue
            dimension = ""
            if several:
                dimension = name.removeprefix("Answer.")
            yield rating_in_row(where, row, columns, label, dimension)
    if empty:
        note(f"{path}: {empty} empty labels, left out")


def rating_in_row(
    where: str, row: Row, columns: Columns, label: str, dimension: str, annotator: str = ""
) -> RatingRow:
    """A rating with all that the columns of its row tell; who gave it too, where that is not said.

    InputError: a cell that must have a name is empty.
    """

    def cell(role: str) -> Any:
        names = columns.get(role)
        if names:
            return row.get(names[0])
        return None

    def name(role: str, empty: str = "") -> str:
        if not columns.get(role):
            return empty
        text = name_text(where, cell(role), role)
        if not text:
            raise InputError(f"{where}: the {role} ({columns[role][0]!r}) is empty.")
        return text

    source = plain_text(cell("source"))
    return RatingRow(
        where=where,
        document=name("document", f"document-{content_hash(source)[:12]}"),
        item=name_text(where, cell("topic"), "topic"),
        system=name("system"),
        annotator=annotator or name("annotator", NOBODY),
        label=label,
        dimension=dimension or name_text(where, cell("dimension"), "dimension"),
        summary=plain_text(cell("summary")),
        source=source,
        part=plain_text(cell("sentence")),
        place=name_text(where, cell("place"), "place"),
        comment=plain_text(cell("comment")),
        seconds=seconds_of(cell("seconds")),
        at=moment(cell("time")),
    )


def _parsed(cell: object) -> object:
    """What a cell holds; Label Studio writes some ratings as JSON into tables."""
    if isinstance(cell, str) and cell[:1] in ("[", "{"):
        try:
            parsed: object = json.loads(cell)
        except (ValueError, RecursionError):
            return cell
        return parsed
    return cell
