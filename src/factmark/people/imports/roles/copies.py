"""Files that are copies of one sheet, which people filled in. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.intake.columns import TableColumn, TableSample

FILE = "FILE"
"""The column with the name of the file, where several are read as one table."""

ROWS = "ROW"
"""A row is a person, of a form that asks for no name; or a document."""

_FEW_VALUES = 11  # words of a scale
_ROWS = 10  # of a sheet, at least


def shared_by_files(sample: TableSample) -> frozenset[str]:
    """Returns the columns with the same cell at each place of all files, where files are equally
    long and something tells most of their rows apart: what was rated is the same in each."""
    column = sample.columns.get(FILE)
    if column is None:
        return frozenset()
    places: dict[str, list[int]] = {}
    for place, name in enumerate(column.cells):
        places.setdefault(name, []).append(place)
    if len(places) < 2 or len(set(map(len, places.values()))) > 1:
        return frozenset()
    shared = set()
    is_told = False
    for path, held in sample.columns.items():
        cells = [[str(held.cells[place]) for place in of_file] for of_file in places.values()]
        if all(of_file == cells[0] for of_file in cells[1:]):
            shared.add(path)
            is_told = is_told or 2 * len(set(cells[0])) > len(cells[0]) > _ROWS
    return frozenset(shared) if is_told else frozenset()


def are_of_people(files: TableColumn, people: Sequence[TableColumn]) -> bool:
    """Whether a column names files of which each is of one person, by one that may say who
    rated."""
    if files.path != FILE:
        return False
    for column in people:
        pairs = set(zip(files.cells, column.cells, strict=True))
        if len(pairs) == files.n_distinct == column.n_distinct > 1:
            return True
    return False


def are_copies(sample: TableSample) -> bool:
    """Whether files are copies of one sheet, in which people wrote nothing but numbers or words of
    few kinds: all texts and names are the same."""
    shared = shared_by_files(sample)
    if not shared:
        return False
    return all(
        column.path in shared or column.path == FILE or column.n_distinct <= _FEW_VALUES
        for column in sample.columns.values()
        if column.kind in ("name", "text")
    )
