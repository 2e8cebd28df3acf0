"""Results of graphs used for answering as files."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from factmark.files.flat_files import csv_text, write_parquet
from factmark.files.json_values import plain
from factmark.files.text_files import sound, write_text
from factmark.graphrag.core.outcomes import Outcome
from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.core.scores import holds
from factmark.graphrag.report.tables import accuracy_table, answer_tables
from factmark.graphs.core.published import GRAPHRAG
from factmark.tables.latex import latex_table
from factmark.tables.layouts import markdown_table

_COLUMNS = {
    "question": "VARCHAR", "system": "VARCHAR", "sample": "BIGINT", "kind": "VARCHAR",
    "text": "VARCHAR", "options": "VARCHAR", "references": "VARCHAR", "strata": "VARCHAR",
    "status": "VARCHAR", "label": "VARCHAR", "value": "DOUBLE", "reason": "VARCHAR",
    "reply": "VARCHAR", "said": "VARCHAR", "abstained": "BOOLEAN", "held": "BOOLEAN",
    "in_graph": "BOOLEAN", "context": "VARCHAR", "carriers": "VARCHAR", "linked": "VARCHAR",
    "unit": "VARCHAR",
}  # fmt: skip
_TEXTS = ("options", "references", "strata", "context", "carriers", "linked")


def graphrag_json(results: GraphRagResults) -> dict[str, Any]:
    """Results as JSON values: scores, comparisons, what was spent, the published figures."""
    board = results.board
    found: dict[str, Any] = sound(
        {
            "measure": "graphrag",
            "model": results.model,
            "judge": results.judge,
            "settings": plain(results.settings),
            "systems": plain(results.systems),
            "scores": plain(results.scores),
            "comparisons": [
                plain(one) | {"told_apart": one.told_apart} for one in results.comparisons
            ],
            "leader_board": None if board is None else plain(board),
            "corrections": plain(results.corrections),
            "annotators": list(results.annotators),
            "spent": {
                "answering": results.answering.as_json(),
                "judging": results.judging.as_json(),
            },
            "published": plain(GRAPHRAG),
            "problems": list(results.problems),
            "signature": plain(results.signature),
        }
    )
    return found


def outcome_row(outcome: Outcome) -> dict[str, Any]:
    """An answer as one flat row; lists and mappings are JSON text.

    `context` holds the triples with their scores, or the passages; `carriers` places in it.
    """
    question, given = outcome.question, outcome.given
    facts = () if given.context is None else given.context.facts
    linked = () if given.context is None else given.context.linked
    row: dict[str, Any] = {
        "question": question.id,
        "system": outcome.system,
        "sample": outcome.sample,
        "kind": question.kind,
        "text": question.text,
        "options": question.options,
        "references": question.references,
        "strata": question.strata,
        "status": outcome.status,
        "label": outcome.label,
        "value": outcome.value,
        "reason": outcome.reason,
        "reply": outcome.reply,
        "said": outcome.said,
        "abstained": outcome.abstained,
        "held": holds(outcome),
        "in_graph": given.in_graph,
        "context": [
            *(
                {
                    "head": fact.triple.head,
                    "relation": fact.triple.relation,
                    "tail": fact.triple.tail,
                    "text": fact.text,
                    "score": fact.score if math.isfinite(fact.score) else None,
                    "hops": fact.hops,
                }
                for fact in facts
            ),
            *({"passage": name, "text": text} for name, text in given.passages),
        ],
        "carriers": given.carriers,
        "linked": linked,
        "unit": outcome.unit,
    }
    return row | {name: json.dumps(plain(row[name]), ensure_ascii=False) for name in _TEXTS}


def result_paths(folder: Path) -> dict[str, Path]:
    """The files that `write_graphrag_results` writes, by their ends."""
    ends = ("json", "csv", "parquet", "html", "md", "tex")
    return {end: folder / f"graphrag.{end}" for end in ends}


def write_graphrag_results(results: GraphRagResults, folder: Path) -> list[Path]:
    """Writes graphrag.json (scores), .csv and .parquet (a row per answer), .html, .md and .tex.

    Returns:
        The files.
    """
    from factmark.graphrag.report.html import render_graphrag_html

    rows = [outcome_row(one) for one in results.outcomes]
    tables = (*answer_tables(results), accuracy_table())
    paths = result_paths(folder)
    value = json.dumps(graphrag_json(results), ensure_ascii=False, indent=1, allow_nan=False)
    write_text(paths["json"], value + "\n")
    write_text(paths["csv"], csv_text(rows, list(_COLUMNS)))
    write_parquet(paths["parquet"], rows, _COLUMNS)
    write_text(paths["html"], render_graphrag_html(results))
    write_text(paths["md"], "\n".join(markdown_table(table) for table in tables))
    write_text(paths["tex"], "\n".join(latex_table(table) for table in tables))
    return list(paths.values())
