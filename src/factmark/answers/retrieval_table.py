"""How often retrieved passages hold the ground truth, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.answers.core.averages import OVERALL
from factmark.answers.core.retrieval_quality import Quality
from factmark.tables.layouts import (
    Cell,
    DataTable,
    Head,
    Line,
    estimate_cell,
    interval_note,
    part_names,
    parts,
)
from factmark.tables.shown_text import count, one_line


def retrieval_table(rows: Sequence[Quality], *, searched: str) -> DataTable:
    """Categories × k: held whole, share of elements, and the same by chance.

    Args:
        searched: the identity of the index.
    """
    lines, before = [], None
    for row in rows:
        lines.append(
            Line(
                labels=(one_line(row.category), str(row.k)),
                cells=(
                    estimate_cell(row.whole, bounds=True),
                    estimate_cell(row.elements, bounds=True),
                    Cell(value=estimate_cell(row.by_chance).value),
                    Cell(value=str(row.n_questions - row.n_empty - row.n_unknown)),
                    Cell(value=str(row.n_larger)),
                ),
                starts_group=row.category != before,
                overall=row.category == OVERALL,
            )
        )
        before = row.category
    return DataTable(
        title="How often the k best passages hold the ground truth",
        label_names=("category", "k"),
        columns=(
            Head(name="held whole", better="higher"),
            Head(name="elements held", better="higher"),
            Head(name="by chance"),
            Head(name="questions"),
            Head(name="more elements than k"),
        ),
        lines=tuple(lines),
        notes=(*_notes(rows), f"Searched: {one_line(searched)}."),
        record_names=(
            "category", "k", *part_names("whole"), *part_names("elements"), "by_chance",
            "n_questions", "n_empty", "n_larger", "n_unknown",
        ),
        records=tuple(
            (
                row.category, row.k, *parts(row.whole), *parts(row.elements), row.by_chance.value,
                row.n_questions, row.n_empty, row.n_larger, row.n_unknown,
            )
            for row in rows
        ),
    )  # fmt: skip


def _notes(rows: Sequence[Quality]) -> list[str]:
    notes = [
        "Held whole: share of questions of which all elements of G stand in the passages. Elements "
        "held: mean share of a question's elements; where G has more elements than k, this tells "
        "more. By chance: the same share in the passages of another question.",
    ]
    overall = [row for row in rows if row.category == OVERALL]
    if overall and overall[0].n_empty:
        empty = count(overall[0].n_empty, "question has", "questions have")
        notes.append(f"{empty} an empty ground truth: nothing can be held, they are left out.")
    if overall and overall[0].n_unknown:
        unknown = count(overall[0].n_unknown, "question has", "questions have")
        notes.append(f"{unknown} no known ground truth: missing.")
    return notes + interval_note(e for row in rows for e in (row.whole, row.elements))
