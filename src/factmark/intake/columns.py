"""What the columns of a table are like: the facts that a reading of it is proposed and tested by.

Pure: a sample of rows goes in. A column may be a path with points (`kg.triplet.0`) where cells
hold lists and objects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from statistics import median
from typing import Any

from factmark.files.nested import cell_at, paths_of
from factmark.files.rows import Row

SAMPLE = 2_000  # rows that are looked at
_COUNTED = 4  # rows: fewer ratings may rise by one as it happens
_LONG = 6  # words: a name is shorter, a text longer
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
_NOT_A_LETTER = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_NOT_WORKED_OUT = frozenset("#N/A #NA #VALUE! #REF! #DIV/0! #NAME? #NUM! #NULL!".split())


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """Returns a column's name as names are compared: words in small letters with `_` between.

    >>> folded("Retrieved Contexts"), folded("actualOutput"), folded("Answer.score")
    ('retrieved_contexts', 'actual_output', 'answer_score')
    """
    spaced = _CAMEL.sub("_", name)
    return _NOT_A_LETTER.sub("_", spaced).strip("_").casefold()


def words_of(path: str) -> list[str]:
    """Returns the words of a column's name and of the path to it, as names are compared.

    >>> words_of("metricsData.Answer Relevancy.score")
    ['metrics', 'data', 'answer', 'relevancy', 'score']
    """
    return folded(path).split("_")


def singular(name: str) -> str:
    """Returns a folded name without the plural's ending of its last word.

    >>> singular("worker_ids"), singular("summaries"), singular("class")
    ('worker_id', 'summary', 'class')
    """
    if name.endswith("ies"):
        return name.removesuffix("ies") + "y"
    return name if name.endswith("ss") else name.removesuffix("s")


@dataclass(frozen=True)  # no slots: a cached property needs a dictionary
class TableColumn:
    """A column of a sample, by what its cells are.

    Attributes:
        path: its name, or the path to it.
        cells: those of the sample, in order; None where a row has nothing.
    """

    path: str
    cells: tuple[Any, ...]

    @cached_property
    def name(self) -> str:
        """The last part of its path, as names are compared."""
        return folded(self.path if "." not in self.path else self.path.rpartition(".")[2])

    @cached_property
    def filled(self) -> tuple[Any, ...]:
        """The cells that hold something."""
        return tuple(cell for cell in self.cells if not is_empty(cell))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The filled cells as texts without blanks around them."""
        return tuple(str(cell).strip() for cell in self.filled)

    @cached_property
    def n_distinct(self) -> int:
        """How many different filled cells it has."""
        return len(set(self.texts))

    @cached_property
    def words(self) -> float:
        """The median number of words in a filled cell; 0 where none is."""
        return float(median(len(text.split()) for text in self.texts)) if self.texts else 0.0

    @cached_property
    def kind(self) -> str:
        """`empty`, `list`, `object`, `flag`, `number`, `text` (more than a name has) or `name`."""
        if not self.filled:
            return "empty"
        for kind, types in (("list", list | tuple), ("object", Mapping), ("flag", bool)):
            if all(isinstance(cell, types) for cell in self.filled):
                return kind
        if all(_NUMBER.fullmatch(text) for text in self.texts):
            return "number"
        return "text" if self.words > _LONG else "name"

    @property
    def is_unique(self) -> bool:
        """Whether no two filled cells are equal."""
        return self.n_distinct == len(self.filled)

    @cached_property
    def counts_rows(self) -> bool:
        """Whether it numbers the rows, as an index does: each number is one more than the last."""
        if self.kind != "number" or len(self.texts) < _COUNTED:
            return False
        numbers = [float(text.replace(",", ".")) for text in self.texts]
        return all(later - number == 1 for number, later in pairwise(numbers))


@dataclass(frozen=True)
class TableSample:
    """The first rows of a table, with their columns.

    Attributes:
        source: the file's name, for messages.
        rows: place and row.
        is_whole: whether the table has no further rows.
        lost: why rows before the last of these cannot be used, in brackets; empty where all can.
    """

    source: str
    rows: tuple[tuple[str, Row], ...]
    is_whole: bool
    lost: str = ""

    @cached_property
    def heads(self) -> frozenset[str]:
        """The names of the columns themselves, without the paths within their cells."""
        return frozenset(str(name) for _, row in self.rows for name in row)

    @cached_property
    def columns(self) -> Mapping[str, TableColumn]:
        """Path -> column, in the order of the file; paths within lists and objects come after the
        column that holds them."""
        paths: dict[str, None] = {}
        for _, row in self.rows:
            paths |= dict.fromkeys(str(name) for name in row)
        for _, row in self.rows[:50]:
            paths |= dict.fromkeys(paths_of(row))
        return {path: self._column(path) for path in paths}

    def _column(self, path: str) -> TableColumn:
        """Returns the column at a path; of a list on the way the first object counts."""
        return TableColumn(path, tuple(_first_at(row, path) for _, row in self.rows))

    def named(self, names: Sequence[str]) -> list[TableColumn]:
        """Returns the columns of these names (see `folded`), in the order of the names."""
        return [column for name in names for column in self.columns.values() if column.name == name]


def _first_at(row: Row, path: str) -> Any:
    """Returns the cell at a path; of a list of objects on the way, the first one's."""
    cell = cell_at(row, path)
    if cell is not None or path in row:
        return cell
    value: Any = row
    for step in path.split("."):
        if isinstance(value, list | tuple) and value and not step.isdecimal():
            value = value[0]
        value = cell_at(value, step) if isinstance(value, Mapping) else None
    return value


def is_empty(cell: object) -> bool:
    """Whether a cell holds nothing: None, NaN, a text of blanks, or what a spreadsheet shows where
    it could not work a cell out."""
    if isinstance(cell, str):
        return not cell.strip() or (cell.startswith("#") and cell.strip() in _NOT_WORKED_OUT)
    return cell is None or cell != cell
