"""Results of graphs used for answering as files: scores, answers, contexts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from factmark.ask.budget import Spend
from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.text_files import mend_texts, write_text
from factmark.graphrag.core.records import GraphAnswer
from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.tables import answer_tables, graphrag_opening
from factmark.graphs.published import accuracy_table, published
from factmark.tables.latex import latex_table
from factmark.tables.layouts import markdown_report


def graphrag_json(results: GraphRagResults) -> dict[str, Any]:
    """Results as JSON values: scores, comparisons, what was spent, the published figures."""
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
            "published": published("graphrag"),
            "problems": list(results.problems),
            "signature": to_json_value(results.signature),
        }
    )
    return values


FACT_COLUMNS = {
    "rank": "BIGINT",
    "head": "VARCHAR",
    "relation": "VARCHAR",
    "tail": "VARCHAR",
    "claim": "VARCHAR",
    "score": "DOUBLE",
    "hops": "BIGINT",
    "carries": "BOOLEAN",
    "passage_id": "VARCHAR",
    "passage": "VARCHAR",
    "triple_id": "VARCHAR",
}
"""Column -> type, of a triple or passage that was retrieved."""


def _facts(answer: GraphAnswer) -> list[dict[str, Any]]:
    """The triples with their scores, or the passages: `FACT_COLUMNS`, without those of nothing."""
    given = answer.given
    retrieved: list[dict[str, Any]] = [
        {
            "head": fact.triple.head,
            "relation": fact.triple.relation,
            "tail": fact.triple.tail,
            "claim": fact.text,
            "score": fact.score if math.isfinite(fact.score) else None,
            "hops": fact.hops,
            "passage_id": fact.triple.passage_id or None,
            "triple_id": fact.triple.id or None,
        }
        for fact in (given.context.facts if given.context else ())
    ] or [{"passage_id": name, "passage": text} for name, text in given.passages]
    return [
        {"rank": place + 1, "carries": place in given.carriers}
        | {name: value for name, value in fact.items() if value is not None}
        for place, fact in enumerate(retrieved)
    ]


def _json(value: object) -> str:
    return json_text(to_json_value(value))


_ANSWERS: Mapping[str, tuple[str, Callable[[GraphAnswer], Any]]] = {
    "question": ("VARCHAR", lambda answer: answer.question.id),
    "system": ("VARCHAR", lambda answer: answer.system),
    "sample": ("BIGINT", lambda answer: answer.sample),
    "kind": ("VARCHAR", lambda answer: answer.question.kind),
    "text": ("VARCHAR", lambda answer: answer.question.text),
    "options": ("VARCHAR", lambda answer: _json(answer.question.options)),
    "references": ("VARCHAR", lambda answer: _json(answer.question.references)),
    "strata": ("VARCHAR", lambda answer: _json(answer.question.strata)),
    "status": ("VARCHAR", lambda answer: answer.status),
    "label": ("VARCHAR", lambda answer: answer.label),
    "value": ("DOUBLE", lambda answer: answer.value),
    "reason": ("VARCHAR", lambda answer: answer.reason),
    "reply": ("VARCHAR", lambda answer: answer.reply),
    "said": ("VARCHAR", lambda answer: answer.said),
    "abstained": ("BOOLEAN", lambda answer: answer.abstained),
    "held": ("BOOLEAN", lambda answer: answer.held),
    "held_by": ("VARCHAR", lambda answer: answer.held_by or None),
    "in_graph": ("BOOLEAN", lambda answer: answer.given.in_graph),
    "context": ("VARCHAR", lambda answer: _json(_facts(answer))),
    "carriers": ("VARCHAR", lambda answer: _json(answer.given.carriers)),
    "linked": ("VARCHAR", lambda answer: _json(answer.given.linked)),
    "unit": ("VARCHAR", lambda answer: answer.unit),
}
"""Column -> type, value; what is several is JSON text, `carriers` are places in `context`."""


def answer_row(answer: GraphAnswer) -> dict[str, Any]:
    """An answer as one flat row."""
    return {name: value(answer) for name, (_, value) in _ANSWERS.items()}


def result_paths(folder: Path) -> dict[str, Path]:
    """The files that `write_graphrag_results` writes, by their ends."""
    ends = ("json", "csv", "parquet", "html", "md", "tex")
    return {end: folder / f"graphrag.{end}" for end in ends}


def write_graphrag_results(results: GraphRagResults, folder: Path) -> list[Path]:
    """Writes graphrag.json (scores), .csv and .parquet (a row per answer), .html, .md and .tex;
    gives the files."""
    from factmark.graphrag.page import render_graphrag_html

    rows = list(map(answer_row, results.run.answers))
    tables = (*answer_tables(results), accuracy_table())
    paths = result_paths(folder)
    value = json_text(graphrag_json(results), indent=1, allow_nan=False)
    write_text(paths["json"], value + "\n")
    write_text(paths["csv"], csv_text(rows, list(_ANSWERS)))
    write_parquet(paths["parquet"], rows, {name: kind for name, (kind, _) in _ANSWERS.items()})
    write_text(paths["html"], render_graphrag_html(results))
    write_text(paths["md"], markdown_report(graphrag_opening(results), tables))
    write_text(paths["tex"], "\n".join(map(latex_table, tables)))
    return list(paths.values())


CONTEXT_COLUMNS = {
    "question_id": "VARCHAR",
    "question": "VARCHAR",
    "kind": "VARCHAR",
    "system": "VARCHAR",
    **FACT_COLUMNS,
    "held": "BOOLEAN",
    "held_by": "VARCHAR",
    "in_graph": "BOOLEAN",
}
"""Column -> type, of a table of contexts."""

CONTEXT_ENDS = (".csv", ".jsonl", ".ndjson", ".parquet")


def write_contexts(path: Path, answers: Iterable[GraphAnswer]) -> None:
    """Writes the contexts of answers; further samples of the same answer have the same context.

    A row for each question, system and rank, from 1; a question for which nothing was found has one
    row without a rank. Of the control `text` there are passages, with neither head nor score; the
    control `none` has nothing. What is unknown is null.

    Raises:
        FactmarkError: it cannot be written; what stood there stays.
    """
    once: dict[tuple[str, str], GraphAnswer] = {}
    for answer in answers:
        once.setdefault((answer.question.id, answer.system), answer)
    rows = [
        dict.fromkeys(CONTEXT_COLUMNS)
        | {
            "question_id": answer.question.id,
            "question": answer.question.text,
            "kind": answer.question.kind,
            "system": answer.system,
            "held": answer.held,
            "held_by": answer.held_by or None,
            "in_graph": answer.given.in_graph,
        }
        | fact
        for answer in once.values()
        for fact in _facts(answer) or [{}]
    ]
    suffix = path.suffix.casefold()
    if suffix == ".csv":
        write_text(path, csv_text(rows, list(CONTEXT_COLUMNS)))
    elif suffix == ".parquet":
        write_parquet(path, rows, CONTEXT_COLUMNS)
    else:
        write_text(path, "".join(f"{json_text(mend_texts(row))}\n" for row in rows))
