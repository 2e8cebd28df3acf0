"""Results of a judged graph as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from factmark.answers.results import csv_text, write_parquet
from factmark.files.json_values import plain
from factmark.files.text_files import write_text
from factmark.graphs.core.published import GRAPHS
from factmark.graphs.core.results import GraphResults

_COLUMNS = {
    "id": "VARCHAR", "head": "VARCHAR", "relation": "VARCHAR", "tail": "VARCHAR",
    "claim": "VARCHAR", "passage": "VARCHAR", "status": "VARCHAR", "label": "VARCHAR",
    "reason": "VARCHAR", "truth": "VARCHAR",
}  # fmt: skip


def graph_json(results: GraphResults) -> dict[str, Any]:
    """Results as JSON values: the scores, what was spent, the published figures, the signature."""
    return {
        "measure": results.measure,
        "graph": results.graph,
        "judge": results.judge,
        "scores": plain(results.scores),
        "whole": plain(results.whole),
        "correction": plain(results.correction),
        "annotators": list(results.annotators),
        "left": results.left,
        "agreement": results.agreement,
        "spent": results.spent.as_json(),
        "published": plain(GRAPHS),
        "problems": list(results.problems),
        "signature": dict(results.signature),
    }


def write_graph_results(results: GraphResults, folder: Path) -> list[Path]:
    """Writes MEASURE.json, .csv and .parquet (the judged rows), and .html."""
    from factmark.graphs.html import render_graph_html

    rows = [{name: getattr(row, name) for name in _COLUMNS} for row in results.rows]
    paths = {end: folder / f"{results.measure}.{end}" for end in ("json", "csv", "parquet", "html")}
    write_text(paths["json"], json.dumps(graph_json(results), ensure_ascii=False, indent=1) + "\n")
    write_text(paths["csv"], csv_text(rows, list(_COLUMNS)))
    write_parquet(paths["parquet"], rows, _COLUMNS)
    write_text(paths["html"], render_graph_html(results))
    return list(paths.values())
