"""The results of judged claims as files: JSON, the judged rows, and the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from factmark.claims.core.beside_people import JudgeBesidePeople
from factmark.claims.results import ClaimResults
from factmark.claims.tables import claim_file
from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.text_files import write_text


def claims_json(results: ClaimResults) -> dict[str, Any]:
    """Returns the results as JSON values: scores, judges beside people, what was spent, the
    signature."""
    return {
        "measure": "claims",
        "table": results.table,
        "judge": results.judge,
        "score": to_json_value(results.score.as_json()),
        "per_cluster": to_json_value(results.per_cluster),
        "by_cluster": {n: to_json_value(s.as_json()) for n, s in results.by_cluster.items()},
        "judges": [_judge_json(judge) for judge in results.judges],
        "annotators": list(results.annotators),
        "left": results.left,
        "spent": results.spent.as_json(),
        "problems": list(results.problems),
        "signature": dict(results.signature),
    }


def _judge_json(judge: JudgeBesidePeople) -> dict[str, Any]:
    """Returns a judge beside people as JSON values."""
    return {
        "judge": judge.name,
        "foreign": judge.foreign,
        "score": to_json_value(judge.score),
        "balanced_accuracy": to_json_value(judge.balanced),
        "balanced_accuracy_over_labels": to_json_value(judge.over_labels),
        "labels": {people: dict(counts) for people, counts in judge.counts.items()},
        "correction": to_json_value(judge.correction),
    }


def result_paths(folder: Path) -> dict[str, Path]:
    """Returns the files that `write_claim_results` writes, by their ends."""
    return {end: folder / f"claims.{end}" for end in ("json", "csv", "parquet", "html")}


def write_claim_results(results: ClaimResults, folder: Path) -> list[Path]:
    """Writes claims.json, .csv and .parquet (the table with its verdicts), and .html; returns the
    files."""
    from factmark.claims.page import render_claims_html  # with the templates, for those who write

    rows, types = claim_file(results.rows)
    paths = result_paths(folder)
    write_text(paths["json"], json_text(claims_json(results), indent=1) + "\n")
    write_text(paths["csv"], csv_text(rows, list(types)))
    write_parquet(paths["parquet"], rows, types)
    write_text(paths["html"], render_claims_html(results))
    return list(paths.values())
