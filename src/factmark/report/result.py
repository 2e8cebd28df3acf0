"""A result: what a measure came to, declared once by its slice and shown in every form from here.

A slice's `report.py` makes it. `write` makes the files, `as_json` the envelope, `_repr_html_` what
a notebook shows, `cli.showing.show` the first screen: none of them knows a protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.files.flat_files import to_json_value
from factmark.files.text_files import write_text
from factmark.model import Estimate, Measure
from factmark.report.envelope import envelope
from factmark.report.file_columns import FileColumn, json_values, values_of
from factmark.report.files import (
    MAPPING,
    REPORT,
    RESULT_FILES,
    check_result_files,
    write_result_rows,
)
from factmark.report.latex import latex_table
from factmark.report.layouts import DataTable, markdown_report
from factmark.report.sentence import FirstSentence

if TYPE_CHECKING:
    import pandas
    import polars

    from factmark.report.page import Page


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result:
    """What a measure came to.

    Attributes:
        measure: what was measured, with its scale.
        subject: what it was measured of: the name of a graph, a table, a benchmark, a campaign.
        judge: whose verdicts count; empty where several judges stand side by side.
        averages: name -> overall estimate, the one to quote first; of several systems the names are
            "SCORE of SYSTEM".
        tables: name -> table, the one for the first screen first.
        rows: a record per judged thing, in the order of the input; can be gone through repeatedly.
        columns: how a record becomes a row of files, JSON and frames.
        page: what the HTML report shows beside sentence, tables and signature; made when wanted.
        sentence: the result in one sentence, with what bears on it.
        next_step: what to do next, a sentence with a command; empty where nothing is to be done.
        spent: work, such as "judging" or "answering" -> what it took, as JSON values; empty where
            nothing is asked.
        problems: what was wrong with the input, or is missing; one sentence each.
        signature: how the numbers were made.
        figures: the protocol's own figures as JSON values: what the tables do not hold.
        mapping: how the columns of the input were read, as `--mapping` reads it again; empty where
            nothing was mapped.
        published: names in the published code -> their values; they read as attributes.
        details: the protocol's own record, from which all of this was made.
    """

    measure: Measure
    subject: str
    judge: str = ""
    averages: Mapping[str, Estimate]
    tables: Mapping[str, DataTable]
    rows: Collection[Any] = ()
    columns: Sequence[FileColumn[Any]] = ()
    page: Callable[[], Page] | None = None
    sentence: FirstSentence
    next_step: str = ""
    spent: Mapping[str, Any] = field(default_factory=dict)
    problems: Sequence[str] = ()
    signature: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)
    mapping: str = ""
    published: Mapping[str, Any] = field(default_factory=dict)
    details: Any = None

    def write(self, folder: str | Path) -> Path:
        """Writes results.json, rows.csv, rows.parquet, tables.md, tables.tex and report.html.

        Returns:
            The folder.

        Raises:
            InputError: the folder holds files of these names that factmark did not write.
        """
        check_result_files(Path(folder))
        self.write_files(Path(folder))
        return Path(folder)

    def report(self, folder: str | Path) -> Path:
        """Writes the same files as `write`; returns the folder."""
        return self.write(folder)

    def write_files(self, folder: Path) -> list[Path]:
        """Writes the result in all forms into a folder that was checked; each file appears whole or
        not at all.

        Returns:
            The files: a result without columns has none of rows, one without a page no report.html.
        """
        tables = list(self.tables.values())
        write_result_rows(folder, self.as_head(), self.columns, self.rows)
        write_text(folder / "tables.md", markdown_report(self.sentence, tables))
        write_text(folder / "tables.tex", "\n".join(map(latex_table, tables)))
        if self.mapping:
            write_text(folder / MAPPING, self.mapping)
        if self.page is not None:
            write_text(folder / REPORT, self.as_html(self.page()))
        files = []
        for name in RESULT_FILES:
            if (folder / name).is_file():
                files.append(folder / name)
        return files

    def as_html(self, page: Page) -> str:
        """Returns the report as one HTML document."""
        from factmark.report.page import render_page  # with the templates, for those who write

        return render_page(
            page,
            subject=self.subject,
            sentence=self.sentence,
            tables=self.tables,
            problems=self.problems,
            signature=self.signature,
        )

    def as_json(self) -> dict[str, Any]:
        """Returns the envelope as results.json holds it: JSON values, the rows last."""
        return {**self.as_head(), "rows": list(self.json_rows())}

    def as_head(self) -> dict[str, Any]:
        """Returns the envelope without its rows; `docs/results.md` says what the keys hold."""
        measure = self.measure
        targets = {estimate.target for estimate in self.averages.values()}
        target = None
        if len(targets) == 1:
            target = targets.pop()
        return envelope(
            measure={
                "key": measure.key,
                "symbol": measure.symbol,
                "name": measure.name,
                "scale": list(measure.scale),
                "better": measure.better,
            },
            target=target,
            subject=self.subject,
            judge=self.judge,
            sentence=self.sentence.sentence,
            averages=to_json_value(self.averages),
            tables={name: table.rows() for name, table in self.tables.items()},
            spent=dict(self.spent),
            problems=list(dict.fromkeys((*self.sentence.cautions, *self.problems))),
            signature=to_json_value(self.signature),
            details=to_json_value(self.figures),
        )

    def json_rows(self) -> Iterator[dict[str, Any]]:
        """Returns each row as JSON values, without long texts, which the files of rows hold."""
        short = []
        for column in self.columns:
            if not column.long:
                short.append(column)
        return map(values_of(short), self.rows)

    def to_pandas(self, table: str = "") -> pandas.DataFrame:
        """Returns the rows, or a table by its name, with unrounded values. Needs pandas."""
        from pandas import DataFrame

        return DataFrame(self._records(table))

    def to_polars(self, table: str = "") -> polars.DataFrame:
        """Returns the rows, or a table by its name, with unrounded values. Needs polars."""
        from polars import DataFrame

        return DataFrame(self._records(table), infer_schema_length=None)

    def _records(self, name: str) -> list[dict[str, Any]]:
        """Returns the rows, or those of a table by its name; KeyError for no such table."""
        if not name:
            return [json_values(self.columns, row) for row in self.rows]
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are {', '.join(self.tables)}")
        return self.tables[name].rows()

    def __getattr__(self, name: str) -> Any:
        """Returns a value by its name in the published code, as `result.total_facts`."""
        if name.startswith("_") or name not in self.published:
            raise AttributeError(f"a result has no attribute {name!r}")
        return self.published[name]

    def __dir__(self) -> list[str]:
        """Returns the names of attributes and of published values."""
        return sorted({*object.__dir__(self), *self.published})

    def __repr__(self) -> str:
        return markdown_report(self.sentence, self._first_table())

    def _repr_html_(self) -> str:
        """Returns the sentence and the first table with all notes, as notebooks show them."""
        from factmark.report.page import table_html

        return "".join(table_html(table, self.sentence) for table in self._first_table())

    def _first_table(self) -> list[DataTable]:
        """Returns the first table, if there is one, with the problems among its notes."""
        table = next(iter(self.tables.values()), None)
        if table is None:
            return []
        notes = dict.fromkeys((*table.notes, *self.sentence.other(self.problems)))
        return [replace(table, notes=tuple(notes))]
