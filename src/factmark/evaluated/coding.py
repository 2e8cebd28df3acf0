"""A column as numbers: each different cell once, and for each unit which of them it has. Pure."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.words import cell_text

Codes = NDArray[np.int32]
NOTHING = -1
"""The code of an empty cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedColumn:
    """A column as numbers.

    Attributes:
        name: the column's.
        cells: the different cells, in the order in which they come.
        codes: for each unit the place of its cell among them, or `NOTHING`.
    """

    name: str
    cells: tuple[Any, ...]
    codes: Codes

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many units have each cell."""
        filled = self.codes[self.codes >= 0]
        return np.bincount(filled, minlength=len(self.cells)).astype(np.int64)

    def at(self, place: int) -> Any:
        """Returns a unit's cell; None for nothing."""
        code = int(self.codes[place])
        if code == NOTHING:
            return None
        return self.cells[code]


class Coder:
    """Codes a column's cells as they come, so that none is held twice.

    Args:
        says: a cell's text -> what it stands for; empty for nothing.
    """

    def __init__(self, name: str, says: Mapping[str, str] | None = None) -> None:
        self._name = name
        self._says = says or {}
        self._places: dict[Any, int] = {"": NOTHING, None: NOTHING}
        self._cells: list[Any] = []
        self._codes = array("i")

    def add(self, cells: Sequence[Any]) -> None:
        """Adds cells: texts, numbers, truth values, or None for nothing."""
        places = self._places
        try:
            codes = list(map(places.__getitem__, cells))
        except KeyError:
            for cell in dict.fromkeys(cells):
                if cell not in places:
                    self._add_cell(cell)
            codes = list(map(places.__getitem__, cells))
        self._codes.extend(codes)

    def _add_cell(self, cell: Any) -> None:
        """Gives a cell that was not there yet its place; blanks and NaN are nothing."""
        meant = cell
        if self._says:
            meant = self._says.get(cell_text(cell), cell)
        if meant != meant or (isinstance(meant, str) and not meant.strip()):
            self._places[cell] = NOTHING
            return
        if meant not in self._places:
            self._places[meant] = len(self._cells)
            self._cells.append(meant)
        self._places[cell] = self._places[meant]

    def column(self) -> CodedColumn:
        """Returns the column of all cells that were added."""
        codes = np.array(self._codes, dtype=np.int32)
        return CodedColumn(name=self._name, cells=tuple(self._cells), codes=codes)


def coded(name: str, cells: Iterable[Any]) -> CodedColumn:
    """Returns a column of cells as numbers.

    >>> column = coded("judge", ["yes", "", "no", "yes"])
    >>> column.cells, column.codes.tolist()
    (('yes', 'no'), [0, -1, 1, 0])
    """
    coder = Coder(name)
    coder.add(list(cells))
    return coder.column()
