"""What a measure came to in Python: averages, tables, rows; and rows given as frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.model import Estimate

if TYPE_CHECKING:
    import pandas
    import polars

    from factmark.report.layouts import DataTable
    from factmark.report.sentence import FirstSentence


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
    opening: FirstSentence | None = None

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
