"""The results of a judged graph as files: JSON, the judged rows, tables for papers, the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.overwriting import check_files
from factmark.files.text_files import write_text
from factmark.graphs.published import published_figures
from factmark.graphs.results import GraphResults
from factmark.graphs.tables import graph_opening, graph_tables, row_columns
from factmark.report.file_columns import FileColumn, Row, file_rows, json_values, parquet_types
from factmark.report.latex import latex_table
from factmark.report.layouts import DataTable, markdown_report
from factmark.report.opening import Opening


def graph_json(results: GraphResults) -> dict[str, Any]:
    """Returns the results as JSON values: the scores, what was spent, the published figures, the
    rows, the signature."""
    return {
        "measure": results.measure,
        "graph": results.graph,
        "judge": results.judge,
        "scores": to_json_value(results.scores.as_json()),
        "by_basis": {n: to_json_value(s.as_json()) for n, s in results.by_basis.items()},
        "whole": to_json_value(results.whole),
        "correction": to_json_value(results.correction),
        "annotators": list(results.annotators),
        "left": results.left,
        "agreement": results.agreement,
        "spent": results.spent.as_json(),
        "published": published_figures("graphs"),
        "problems": list(results.problems),
        "rows": rows_without_passages(results),
        "signature": dict(results.signature),
    }


def rows_without_passages(results: GraphResults) -> list[dict[str, Any]]:
    """Returns every row by its id, place and passage id, with its verdict and its other columns;
    the passages themselves stand in the files of rows."""
    columns = [column for column in row_columns(results) if column.name != "passage"]
    return [json_values(columns, row) for row in results.rows]


def result_paths(measure: str, folder: Path) -> dict[str, Path]:
    """Returns the files that `write_graph_results` writes, by their ends."""
    ends = ("json", "csv", "parquet", "html", "md", "tex")
    return {end: folder / f"{measure}.{end}" for end in ends}


def check_results(
    measure: str, folder: Path | None, inputs: Iterable[tuple[str, Path | None]]
) -> None:
    """Raises, before anything is judged, if a result would overwrite an input or a file that
    factmark did not write; see `check_files`."""
    if folder is not None:
        check_files(folder, [path.name for path in result_paths(measure, folder).values()], inputs)


def write_graph_results(results: GraphResults, folder: Path) -> list[Path]:
    """Writes MEASURE.json, .csv and .parquet (every row of the file), the tables of scores as .md
    and .tex, and .html; returns the files."""
    from factmark.graphs.page import render_graph_html  # with the templates, for those who write

    paths = result_paths(results.measure, folder)
    report = graph_opening(results), graph_tables(results)
    write_judged(paths, graph_json(results), row_columns(results), results.rows, report)
    write_text(paths["html"], render_graph_html(results))
    return list(paths.values())


def write_judged(
    paths: Mapping[str, Path],
    value: Mapping[str, Any],
    columns: Sequence[FileColumn[Row]],
    rows: Iterable[Row],
    report: tuple[Opening, Sequence[DataTable]],
) -> None:
    """Writes results as JSON, their rows as CSV and Parquet, and the report's first sentence and
    tables as Markdown and LaTeX."""
    flat = file_rows(columns, rows)
    write_text(paths["json"], json_text(value, indent=1) + "\n")
    write_text(paths["csv"], csv_text(flat, [column.name for column in columns]))
    write_parquet(paths["parquet"], flat, parquet_types(columns))
    opening, tables = report
    write_text(paths["md"], markdown_report(opening, tables))
    write_text(paths["tex"], "\n".join(map(latex_table, tables)))
