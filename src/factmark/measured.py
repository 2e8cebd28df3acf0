"""What a measure came to in Python: averages, tables, rows; and rows given as frames."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from factmark.errors import FactmarkError
from factmark.model import Estimate

if TYPE_CHECKING:
    import pandas
    import polars

    from factmark.report.layouts import DataTable
    from factmark.report.opening import Opening

Answer = TypeVar("Answer")


class Frame(Protocol):
    """A DataFrame of pandas or polars."""

    columns: Any


Rows = str | Path | Iterable[Mapping[str, Any]] | Frame
"""A file, rows as mappings, or a DataFrame."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Measured:
    """What a measure came to.

    Attributes:
        averages: name of a score -> its overall estimate, with interval and what is missing; of
            several systems the names are "SCORE of SYSTEM".
        tables: name -> table, the most important one first.
        rows: one mapping per judged thing, flat.
        problems: what was wrong with the input, or is missing; one sentence each.
        details: the protocol's own results.
        opening: the result in one sentence, with what bears on it; None for a plan.
    """

    averages: Mapping[str, Estimate]
    tables: Mapping[str, DataTable]
    rows: tuple[Mapping[str, Any], ...]
    problems: tuple[str, ...]
    details: Any
    write: Callable[[Path], object]
    opening: Opening | None = None

    def report(self, folder: str | Path) -> Path:
        """Writes the HTML report with all files beside it, as the command's --out does.

        Returns:
            The folder.

        Raises:
            InputError: it holds files that factmark did not write.
        """
        self.write(Path(folder))
        return Path(folder)

    def to_pandas(self, table: str = "") -> pandas.DataFrame:
        """The rows, or a table by its name with unrounded values. Needs pandas."""
        from pandas import DataFrame

        return DataFrame(self._records(table))

    def to_polars(self, table: str = "") -> polars.DataFrame:
        """The rows, or a table by its name with unrounded values. Needs polars."""
        from polars import DataFrame

        return DataFrame(self._records(table), infer_schema_length=None)

    def _records(self, name: str) -> list[dict[str, Any]]:
        """Returns the rows, or those of a table by its name; KeyError for no such table."""
        if not name:
            return [dict(row) for row in self.rows]
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are {', '.join(self.tables)}")
        table = self.tables[name]
        return table.rows()

    def __repr__(self) -> str:
        from factmark.report.layouts import markdown_report

        return markdown_report(self.opening, [self._shown_table()])

    def _repr_html_(self) -> str:
        """Returns the first table with its opening and all notes, as notebooks show it."""
        from factmark.report.page import table_html

        return table_html(self._shown_table(), self.opening)

    def _shown_table(self) -> DataTable:
        """Returns the first table; the problems that are told nowhere else are notes of it."""
        table = next(iter(self.tables.values()))
        others = self.opening.other(self.problems) if self.opening else self.problems
        return replace(table, notes=tuple(dict.fromkeys((*table.notes, *others))))


@contextmanager
def as_file(given: Rows | None, name: str = "rows") -> Iterator[Any]:
    """Yields the path of a file; rows are written into one for as long as it is read, which errors
    call by its name.

    Its folder's name holds a hash of the rows: in a ledger rows of different frames stand side by
    side, and the same frame again takes the place of itself.

    Raises:
        TypeError: neither a path, nor rows, nor a frame.
    """
    if given is None or isinstance(given, str | Path):
        yield None if given is None else Path(given)
        return
    from factmark.files.temporary import temporary_folder

    with temporary_folder() as folder:
        path, digest = folder / f"{name}.jsonl", sha256()
        with path.open("w", encoding="utf-8") as out:
            for row in _rows_as_mappings(given):
                line = json.dumps(row, default=str) + "\n"
                digest.update(line.encode())
                out.write(line)
        named = folder / f"frame-{digest.hexdigest()[:12]}"  # a ledger keeps the folder's name too
        named.mkdir()
        path = path.rename(named / path.name)
        try:
            yield path
        except FactmarkError as error:
            error.args = tuple(str(part).replace(str(path), path.name) for part in error.args)
            raise


@contextmanager
def as_files(given: Rows | Sequence[str | Path] | None) -> Iterator[list[Path] | None]:
    """Yields the paths of several files, or of the one that `as_file` yields."""
    paths = given if isinstance(given, list | tuple) else ()
    if paths and all(isinstance(path, str | Path) for path in paths):
        yield [Path(str(path)) for path in paths]
        return
    with as_file(cast("Rows | None", given)) as path:
        yield path and [path]


def _rows_as_mappings(given: Any) -> Iterable[Mapping[str, Any]]:
    """Returns the rows of a frame as mappings, None for what is missing; other rows as they are."""
    rows: Iterable[Mapping[str, Any]] = given
    if hasattr(given, "to_dicts"):  # polars
        rows = given.to_dicts()
    elif hasattr(given, "to_dict"):  # pandas, where NaN is what is missing
        # Whole numbers with a gap are floats in pandas; as ids they would end in `.0`.
        whole = given.loc[:, given.isna().any()].convert_dtypes()
        full = given.astype(object)
        for name in whole:
            full[name] = whole[name].astype(object)
        rows = full.where(given.notna(), None).to_dict("records")
    return rows


def outside_loop(function: Callable[[], Answer]) -> Answer:
    """Calls the function in a thread of its own, and returns what it does: a notebook has an event
    loop running already.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function).result()
