"""Comparisons as JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark.files.flat_files import csv_text
from factmark.files.json_values import plain
from factmark.files.text_files import write_text
from factmark.stats.comparison import Comparison
from factmark.stats.contest import OVERALL, Outcome, Score
from factmark.tables.comparisons import compare_records, compare_tables
from factmark.tables.latex import latex_table
from factmark.tables.layouts import Tabular, Value, markdown_table


def compare_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON values: every comparison by every score, the leader boards, how made."""
    pairs = [(row.score, row.stratum, row.comparison) for row in outcome.rows]
    for score in outcome.contest.scores:
        if score.key in outcome.boards:
            pairs += [(score, OVERALL, one) for one in outcome.boards[score.key].comparisons]
    return {
        "measure": outcome.contest.measure,
        "score": outcome.score.key,
        "systems": list(outcome.contest.systems),
        "comparisons": [_comparison(*pair) for pair in pairs],
        "leader_boards": {
            key: {
                "places": plain(board.places),
                "n_units": board.n_units,
                "n_left_out": board.n_left_out,
            }
            for key, board in outcome.boards.items()
        },
        "problems": list(outcome.contest.problems),
        "signature": {
            **outcome.contest.signature,
            "level": outcome.options.level,
            "resamples": outcome.options.resamples,
            "draws": outcome.options.draws,
            "seed": outcome.options.seed,
        },
    }


def _comparison(score: Score, stratum: str, made: Comparison) -> dict[str, Any]:
    return {"score": score.key, "stratum": stratum, **plain(made), "told_apart": made.told_apart}


def write_comparison(outcome: Outcome, folder: Path) -> list[Path]:
    """Writes compare.json, .csv (every comparison), .md and .tex (the tables)."""
    names, records = compare_records(outcome)
    return write_forms(
        folder / "compare", compare_json(outcome), compare_tables(outcome), names, records
    )


def write_forms(
    stem: Path,
    value: Mapping[str, Any],
    tables: Sequence[Tabular],
    names: Sequence[str],
    records: Iterable[Sequence[Value]],
) -> list[Path]:
    """Writes a result beside `stem` as .json (the value), .csv (the records), .md and .tex."""
    rows = [dict(zip(names, record, strict=True)) for record in records]
    texts = {
        "json": json.dumps(value, ensure_ascii=False, indent=1) + "\n",
        "csv": csv_text(rows, names),
        "md": "\n".join(markdown_table(table) for table in tables),
        "tex": "\n".join(latex_table(table) for table in tables),
    }
    paths = {end: stem.parent / f"{stem.name}.{end}" for end in texts}
    for end, path in paths.items():
        write_text(path, texts[end])
    return list(paths.values())
