"""How often retrieved passages hold the ground truth, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.answers.core.averages import OVERALL
from factmark.runs.retrieval_quality import Quality
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import Cell, DataTable, estimate_cell
from factmark.tables.shown_text import count, one_line

_COLUMNS: tuple[Column[Quality], ...] = (
    Column(name="category", value=lambda row: row.category, label=True),
    Column(name="k", value=lambda row: str(row.k), label=True),
    Column(
        name="held whole",
        value=lambda row: row.whole,
        better="higher",
        bounds=True,
        meaning="Held whole: share of questions of which all elements of G stand in the passages.",
    ),
    Column(
        name="elements held",
        value=lambda row: row.elements,
        better="higher",
        bounds=True,
        meaning="Elements held: mean share of a question's elements; where G has more elements "
        "than k, this tells more.",
    ),
    Column(
        name="by chance",
        value=lambda row: Cell(value=estimate_cell(row.by_chance).value),
        meaning="By chance: the same share in the passages of another question.",
    ),
    Column(name="questions", value=lambda row: row.n_questions - row.n_empty - row.n_unknown),
    Column(name="more elements than k", value=lambda row: row.n_larger),
)


def retrieval_table(rows: Sequence[Quality], *, searched: str) -> DataTable:
    """Categories × k: held whole, share of elements, and the same by chance.

    Args:
        searched: the identity of the index.
    """
    overall = next((row for row in rows if row.category == OVERALL), None)
    notes = []
    if overall and overall.n_empty:
        empty = count(overall.n_empty, "question has", "questions have")
        notes.append(f"{empty} an empty ground truth: nothing can be held, they are left out.")
    if overall and overall.n_unknown:
        unknown = count(overall.n_unknown, "question has", "questions have")
        notes.append(f"{unknown} no known ground truth: missing.")
    return table_of(
        "How often the k best passages hold the ground truth",
        _COLUMNS,
        rows,
        group=lambda row: row.category,
        overall=lambda row: row.category == OVERALL,
        notes=(*notes, f"Searched: {one_line(searched)}."),
    )
