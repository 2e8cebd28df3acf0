"""Results of graphs used for answering as files: scores, answers, contexts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from factmark.ask.budget import Spend
from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.text_files import mend_texts, write_text
from factmark.graph_answers.core.records import GraphAnswer, GraphContext
from factmark.graph_answers.results import GraphRagResults
from factmark.graph_answers.tables import (
    ANSWER_COLUMNS,
    CONTEXT_COLUMNS,
    answer_row,
    answer_tables,
    context_rows,
    graphrag_opening,
    published_accuracy,
)
from factmark.graphs.published import published_figures
from factmark.report.latex import latex_table
from factmark.report.layouts import markdown_report


def graphrag_json(results: GraphRagResults) -> dict[str, Any]:
    """Returns the results as JSON values: scores, comparisons, what was spent, the published
    figures."""
    run, board = results.run, results.board
    values: dict[str, Any] = mend_texts(
        {
            "measure": "graphrag",
            "model": run.model,
            "judge": run.judge,
            "settings": to_json_value(run.settings),
            "systems": [{"name": name, "kind": kind} for name, kind in results.kinds.items()],
            "scores": to_json_value(results.scores),
            "comparisons": [
                to_json_value(pair) | {"told_apart": pair.told_apart}
                for pair in results.comparisons
            ],
            "leader_board": None if board is None else to_json_value(board),
            "corrections": to_json_value(results.corrections),
            "annotators": list(results.annotators),
            "spent": {
                "answering": (run.answering or Spend()).as_json(),
                "judging": (run.judged or Spend()).as_json(),
            },
            "published": published_figures("graphrag"),
            "problems": list(results.problems),
            "signature": to_json_value(results.signature),
        }
    )
    return values


def context_json(context: GraphContext) -> dict[str, Any]:
    """Returns what a graph says of a question as JSON values: entities named, triples found."""
    return {
        "linked": [asdict(entity) for entity in context.linked],
        "reached": context.reached,
        "facts": [
            {
                "score": fact.score,
                "hops": fact.hops,
                "claim": fact.text,
                **{
                    name: getattr(fact.triple, name)
                    for name in ("head", "relation", "tail", "id", "passage_id")
                },
            }
            for fact in context.facts
        ],
    }


def result_paths(folder: Path) -> dict[str, Path]:
    """Returns the files that `write_graphrag_results` writes, by their ends."""
    ends = ("json", "csv", "parquet", "html", "md", "tex")
    return {end: folder / f"graphrag.{end}" for end in ends}


def write_graphrag_results(results: GraphRagResults, folder: Path) -> list[Path]:
    """Writes graphrag.json (scores), .csv and .parquet (a row per answer), .html, .md and .tex;
    returns the files."""
    from factmark.graph_answers.page import render_graphrag_html

    rows = list(map(answer_row, results.run.answers))
    published = published_accuracy(results)
    tables = [*answer_tables(results), *([published] if published is not None else [])]
    paths = result_paths(folder)
    value = json_text(graphrag_json(results), indent=1, allow_nan=False)
    write_text(paths["json"], value + "\n")
    write_text(paths["csv"], csv_text(rows, list(ANSWER_COLUMNS)))
    write_parquet(
        paths["parquet"], rows, {name: kind for name, (kind, _) in ANSWER_COLUMNS.items()}
    )
    write_text(paths["html"], render_graphrag_html(results))
    write_text(paths["md"], markdown_report(graphrag_opening(results), tables))
    write_text(paths["tex"], "\n".join(map(latex_table, tables)))
    return list(paths.values())


CONTEXT_ENDS = (".csv", ".jsonl", ".ndjson", ".parquet")


def write_contexts(path: Path, answers: Iterable[GraphAnswer]) -> None:
    """Writes the contexts of answers, those of further samples once.

    A row for each question, system and rank, from 1; a question for which nothing was found has one
    row without a rank. Of the control `text` there are passages, with neither head nor score; the
    control `none` has nothing. What is unknown is null.

    Raises:
        FactmarkError: it cannot be written; what stood there stays.
    """
    rows = list(context_rows(answers))
    suffix = path.suffix.casefold()
    if suffix == ".csv":
        write_text(path, csv_text(rows, list(CONTEXT_COLUMNS)))
    elif suffix == ".parquet":
        write_parquet(path, rows, CONTEXT_COLUMNS)
    else:
        write_text(path, "".join(f"{json_text(mend_texts(row))}\n" for row in rows))
