"""The results of judged claims as files: JSON, the judged rows, tables for papers, and the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from factmark.claim_support.results import ClaimResults
from factmark.claim_support.tables import claims_opening, claims_tables, row_columns
from factmark.files.flat_files import to_json_value
from factmark.files.text_files import write_text
from factmark.graphs.result_files import result_paths, write_judged
from factmark.report.file_columns import file_rows, json_values

_NAMES = {"over_labels": "balanced_accuracy_over_labels"}  # of fields of judges, in JSON


def claims_json(results: ClaimResults) -> dict[str, Any]:
    """Returns the results as JSON values: scores, judges beside people, what was spent, the claims
    (their evidence stands in the files of rows), the signature."""
    columns = [column for column in row_columns(results.rows) if column.name != "evidence"]
    return {
        "measure": "claims",
        "table": results.table,
        "judge": results.judge,
        "score": to_json_value(results.score.as_json()),
        "respond_ratio": results.respond_ratio(),
        "answered": {name: list(counts) for name, counts in results.answered.items()},
        "per_cluster": to_json_value(results.per_cluster),
        "by_system": {n: to_json_value(s.as_json()) for n, s in results.by_system.items()},
        "by_basis": {n: to_json_value(s.as_json()) for n, s in results.by_basis.items()},
        "by_cluster": {n: to_json_value(s.as_json()) for n, s in results.by_cluster.items()},
        "judges": [
            {_NAMES.get(name, name): part for name, part in to_json_value(judge).items()}
            for judge in results.judges
        ],
        "annotators": list(results.annotators),
        "left": results.left,
        "spent": results.spent.as_json(),
        "problems": list(results.problems),
        "rows": [json_values(columns, claim) for claim in results.rows],
        "signature": dict(results.signature),
    }


def write_claim_results(results: ClaimResults, folder: Path) -> list[Path]:
    """Writes claims.json, .csv and .parquet (every row with its verdict), the tables of scores as
    .md and .tex, and .html; returns the files."""
    from factmark.claim_support.page import (
        render_claims_html,  # with the templates, for those who write
    )

    paths = result_paths("claims", folder)
    report = claims_opening(results), claims_tables(results)
    write_judged(paths, claims_json(results), row_columns(results.rows), results.rows, report)
    write_text(paths["html"], render_claims_html(results))
    return list(paths.values())


def claim_rows(results: ClaimResults) -> list[dict[str, Any]]:
    """Returns every claim with its verdict and the table's own columns, flat."""
    return file_rows(row_columns(results.rows), results.rows)
