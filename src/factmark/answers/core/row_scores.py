"""Rows of several columns, scored row by row: album A with the year of B is wrong.

C and H look at each cell alone. Here a row of G counts where the answer says its cells together:

    row completeness = |rows of G that are said together| / |rows of G|

The column with the most different values names the rows. Another cell belongs to the name that
stands before it in its sentence or line, or after it where the sentence begins with the cell; lists
of as many names as cells pair in their order; a sentence without a name goes on about the last one
(or names what the following share, where the answer begins with such a line). A cell is to be
said in whole, or by an alias.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from factmark.answers.core.averages import OVERALL, answer_groups
from factmark.answers.core.records import Question, Row, ScoredAnswer
from factmark.answers.core.writings import writings
from factmark.answers.results import RowSummary
from factmark.stats.comparison import Options
from factmark.text.words import normalise

_PIECE = re.compile(r"\n+|(?<=[.!?;])\s+")

Pair = tuple[str, int, str]
"""The name of a row, a column, and the cell that the answer says of it there"""


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A cell of G in a piece of an answer: its first word, its column, and what it is."""

    start: int
    column: int
    cell: str


def row_completeness(question: Question, answer: str) -> float | None:
    """The share of the rows of G that an answer says together; None where G has no rows."""
    if not question.rows:
        return None
    key = _naming_column(question.rows)
    pieces = [_cell_places(piece, question) for piece in _PIECE.split(answer)]
    pairs = set(_pairs([piece for piece in pieces if piece], key))
    whole = []
    for row in question.rows:
        whole.append(all((row[key], j, cell) in pairs for j, cell in enumerate(row) if j != key))
    return sum(whole) / len(whole)


def _naming_column(rows: Sequence[tuple[str, ...]]) -> int:
    """The column that names the rows: the one with the most different values."""
    counts = []
    for column in zip(*rows, strict=True):
        counts.append(len(set(column)))
    return counts.index(max(counts))


def _cell_places(piece: str, question: Question) -> list[CellPlace]:
    """The cells in a piece in their order; of two that overlap the longer one."""
    words, others = normalise(piece), writings(question)
    places: list[tuple[int, int, CellPlace]] = []  # end and start, for the longest first
    for column, cells in enumerate(zip(*question.rows, strict=True)):
        for cell in dict.fromkeys(cells):
            for name in (cell, *others.get(cell, ())):
                wanted = normalise(name)
                starts: range | tuple[()] = ()
                if wanted:
                    starts = range(len(words) - len(wanted) + 1)
                places += [
                    (len(wanted), start, CellPlace(start, column, cell))
                    for start in starts
                    if words[start : start + len(wanted)] == wanted
                ]
    kept: list[tuple[int, int, CellPlace]] = []
    for size, start, place in sorted(places, key=lambda entry: -entry[0]):
        clear = all(
            start + size <= s or s + n <= start or (s, n) == (start, size) for n, s, _ in kept
        )
        if clear:
            kept.append((size, start, place))
    return sorted((place for *_, place in kept), key=lambda place: place.start)


def _pairs(pieces: Sequence[Sequence[CellPlace]], key: int) -> Iterator[Pair]:
    """The (row's name, column, cell) that an answer says together, piece by piece."""
    shares = bool(pieces) and all(place.column != key for place in pieces[0])
    last: list[CellPlace] = []  # the names that were said last
    shared: list[CellPlace] = []  # the cells of the last line without a name
    for piece in pieces:
        names = []
        for place in piece:
            if place.column == key:
                names.append(place)
        cells = []
        for place in piece:
            if place.column != key:
                cells.append(place)
        if names:
            for column in dict.fromkeys(place.column for place in cells):
                yield from _neighbours(names, [place for place in cells if place.column == column])
            columns = {place.column for place in cells}
            yield from _each_with_each(
                names, [place for place in shared if place.column not in columns]
            )
            last = names
        elif shares:
            shared = cells
        else:
            yield from _each_with_each(last[-1:], cells)


def _neighbours(names: Sequence[CellPlace], cells: Sequence[CellPlace]) -> Iterator[Pair]:
    """The cells of one column in a piece, each with the name that it stands beside."""
    apart = names[-1].start < cells[0].start or cells[-1].start < names[0].start
    if len(names) == 1 or (apart and len({place.cell for place in cells}) == 1):
        yield from _each_with_each(names, cells)
    elif apart and len(names) == len(cells):
        for name, place in zip(names, cells, strict=True):
            yield from _each_with_each([name], [place])
    else:
        first = cells[0].start < names[0].start
        for place in cells:
            before = [name for name in names if name.start < place.start]
            after = [name for name in names if name.start > place.start]
            yield from _each_with_each(after[:1] if first else before[-1:], [place])


def _each_with_each(names: Iterable[CellPlace], cells: Sequence[CellPlace]) -> Iterator[Pair]:
    """Every cell said of every name."""
    for name in names:
        for place in cells:
            yield name.cell, place.column, place.cell


def summarise_rows(
    rows: Iterable[Row], questions: Sequence[Question], settings: Options
) -> tuple[RowSummary, ...]:
    """Row completeness per model and condition, over the questions whose ground truth has rows."""
    asked = []
    for question in questions:
        if question.rows:
            asked.append(question)
    if not asked:
        return ()

    def values(row: Row) -> list[float] | None:
        if not isinstance(row, ScoredAnswer):
            return None
        share = row_completeness(row.question, row.answer.text)
        if share is None:
            return []
        return [share]

    return tuple(
        RowSummary(
            model=group.model,
            condition=group.condition,
            row_completeness=group.share("rows", values, among=lambda q: bool(q.rows)),
            n_questions=len(asked),
        )
        for group in answer_groups(rows, questions, settings)
        if group.category == OVERALL
    )
