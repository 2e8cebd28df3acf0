"""Results as files (results.json; answers, averages and runs as CSV and Parquet; tables), and in
the ledger, from which they are added up anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from factmark.answers.core.evaluate import add_up, with_corrections
from factmark.answers.core.instrument import style_biases, unseen
from factmark.answers.core.opening import answers_opening
from factmark.answers.core.records import (
    NoScore,
    Question,
    Row,
    UnscoredAnswer,
)
from factmark.answers.core.rows import (
    answer_item,
    question_item,
    read_answer,
    read_question,
    read_score,
    texts_of,
    units_and_verdicts,
)
from factmark.answers.instrument_tables import error_by_rule, for_papers
from factmark.answers.results import Results
from factmark.answers.run_tables import (
    DIFFERENCE_COLUMNS,
    RUN_COLUMNS,
    difference_rows,
    run_rows,
    run_tables,
)
from factmark.answers.tables import (
    AVERAGE_COLUMNS,
    answer_columns,
    answer_rows,
    answers_json,
    average_rows,
    main_tables,
    unscored_json,
)
from factmark.errors import LedgerError
from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.text_files import without_surrogates, write_text
from factmark.ledger.ledger import Ledger, reporting_damage
from factmark.model import Judge
from factmark.report.file_columns import parquet_types
from factmark.report.latex import latex_table
from factmark.report.layouts import DataTable, markdown_report

_OF_GRAPHS = {"support": "factscore", "validity": "validity", "graphrag": "graphrag"}
"""Kind of the units of a ledger -> the command of `factmark graph` that judges them."""


def results_json(results: Results) -> dict[str, Any]:
    """Results as JSON values: `answers`, then `averages`, then `signature`.

    Answers without a score come last, as `unscored`, where there are any.
    """
    parts = {
        "benchmark": results.benchmark,
        "answers": answers_json(results),
        "averages": [to_json_value(row) for row in results.summaries],
        "corrected": to_json_value(results.corrections),
        "agreement": to_json_value(results.agreement),
        "by_rows": to_json_value(results.by_rows),
        "instrument": _instrument(results),
        "runs": to_json_value(results.runs),
        "differences": [
            {
                **{"between": row.between, "of": row.of, "score": row.score},
                **to_json_value(row.comparison),
                "told_apart": row.comparison.told_apart,
            }
            for row in results.differences
        ],
        "problems": list(results.problems),
        "signature": dict(results.signature),
        "unscored": unscored_json(results),
    }
    optional = (
        *("corrected", "agreement", "by_rows", "instrument", "runs", "differences", "unscored"),
    )
    return {name: part for name, part in parts.items() if part or name not in optional}


def _instrument(results: Results) -> dict[str, Any]:
    """The rules' error by style and system, as JSON; empty where others found the facts."""
    if not results.styles:
        return {}
    measured = unseen()["domain"]
    return {
        "rules": measured["rules"],
        "error": error_by_rule(results),
        "truths": measured["truths"],
        "styles": style_biases(),
        "systems": to_json_value(results.styles),
    }


def write_results(results: Results, folder: Path) -> list[Path]:
    """Writes all forms of the results into a folder; each file appears whole or not at all.

    Returns:
        The files: results.json, answers and averages as .csv and .parquet, table.md, table.tex;
        where there are runs, also runs and differences as .csv and .parquet, runs.md, runs.tex.
    """
    whole = json_text(results_json(results), indent=1) + "\n"
    texts = {"results.json": without_surrogates(whole)}
    files: dict[str, tuple[list[dict[str, Any]], dict[str, str]]] = {
        "answers": (answer_rows(results), parquet_types(answer_columns(results))),
        "averages": (average_rows(results), parquet_types(AVERAGE_COLUMNS)),
    }
    tables: dict[str, tuple[DataTable, ...]] = {"table": main_tables(results)}
    if results.runs:
        files["runs"] = run_rows(results), parquet_types(RUN_COLUMNS)
        files["differences"] = difference_rows(results), parquet_types(DIFFERENCE_COLUMNS)
        tables["runs"] = run_tables(results)
    for name, (rows, types) in files.items():
        texts[f"{name}.csv"] = csv_text(rows, list(types))
    for name, some in tables.items():
        texts[f"{name}.md"] = markdown_report(answers_opening(results), some)
        texts[f"{name}.tex"] = "\n".join(map(latex_table, for_papers(some)))
    for name, text in texts.items():
        write_text(folder / name, text)
    for name, (rows, types) in files.items():
        write_parquet(folder / f"{name}.parquet", rows, types)
    return [folder / name for name in (*texts, *(f"{name}.parquet" for name in files))]


def keep_results(
    ledger: Ledger, results: Results, questions: Sequence[Question], judge: Judge
) -> None:
    """Writes the answers and what a judge said of them into the ledger, as one import."""
    asked = {q.query_id: question_item(results.benchmark, q) for q in questions}
    given = [answer_item(asked[row.answer.query_id], row.answer) for row in results.answers]
    lost = [answer_item(asked[row.answer.query_id], row.answer) for row in results.unscored]
    rows = [
        list(units_and_verdicts(item, row.question, row.score, judge))
        for item, row in zip(given, results.answers, strict=True)
    ]
    data = {
        "benchmark": results.benchmark,
        "problems": results.problems,
        "signature": results.signature,
        "people": results.people,
        # What this run said: the judge may have said more of these answers before.
        "units": {
            item.id: [unit.id for unit, _ in judged]
            for item, judged in zip(given, rows, strict=True)
        },
        "unscored": {
            item.id: asdict(row.why) for item, row in zip(lost, results.unscored, strict=True)
        },
    }
    everything: tuple[Row, ...] = (*results.answers, *results.unscored)
    texts = texts_of(row.answer for row in everything)
    items = [*asked.values(), *given, *lost]
    ledger.record(judge, items, chain.from_iterable(rows), data, texts)


def results_from_ledger(path: Path) -> Results:
    """The results of the newest run that a ledger holds, added up anew from its verdicts.

    Raises:
        LedgerError: if there is no such ledger, or it holds no run.
    """
    if path.is_dir():
        path /= "ledger.db"
    if not path.is_file():
        raise LedgerError(
            f"{path}: there is no such ledger. `factmark run` and `factmark score` make one."
        )
    with reporting_damage(path), Ledger(path, read_only=True) as ledger:
        return _newest_results(path, ledger)


def _newest_results(path: Path, ledger: Ledger) -> Results:
    """The results of the newest run in an open ledger."""
    run = ledger.newest_import()
    if run is None:
        raise _no_run(path, ledger)
    asked = {i.id: read_question(i) for i in run.items if i.id.startswith("question:")}
    why: dict[str, Any] = run.data.get("unscored", {})
    text = cache(ledger.text)
    rows: list[Row] = []
    for item in run.items:
        if not item.id.startswith("answer:"):
            continue
        question, answer = asked[item.cluster], read_answer(item, text)
        if item.id in why:
            lost = NoScore(**why[item.id])
            rows.append(UnscoredAnswer(question=question, answer=answer, why=lost))
        else:  # what the judge said in this run, not in earlier ones
            units = set(run.data["units"][item.id])
            judged = [row for row in ledger.verdicts(item.id, run.judge.id) if row[0].id in units]
            rows.append(read_score(question, answer, judged))
    signature: dict[str, Any] = dict(run.data["signature"])
    results = add_up(
        run.data["benchmark"],
        list(asked.values()),
        rows,
        problems=run.data["problems"],
        signature=signature,
    )
    people: dict[str, dict[str, float]] = run.data.get("people", {})
    return with_corrections(results, people, str(signature["people"])) if people else results


def _no_run(path: Path, ledger: Ledger) -> LedgerError:
    """The error for a ledger without a run of answers: it says which command to give instead."""
    kinds = ledger.kinds()
    commands = [f"`factmark graph {name}`" for kind, name in _OF_GRAPHS.items() if kind in kinds]
    if commands:
        return LedgerError(
            f"{path}: was written by {' and '.join(commands)}. Give the same command again with "
            "--out FOLDER: it makes the report, and asks nothing that is known."
        )
    begun = ledger.counts()["calls"]
    what = f"holds {begun} replies of a run that did not end" if begun else "holds no run"
    return LedgerError(f"{path}: {what}. Give the command of that run again, or `factmark score`.")
