"""Results as files (results.json; answers, averages and runs as CSV and Parquet; tables), and in
the ledger, from which they are added up anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from factmark.answers.core.averages import METRICS
from factmark.answers.core.evaluate import add_up, corrected
from factmark.answers.core.grounding import held_for
from factmark.answers.core.instrument import not_read, style_biases, style_of, to_review, unseen
from factmark.answers.core.opening import answers_opening
from factmark.answers.core.records import (
    NoScore,
    PairedDifference,
    Question,
    Results,
    Row,
    RunSummary,
    ScoredAnswer,
    UnscoredAnswer,
)
from factmark.answers.core.row_scores import row_completeness
from factmark.answers.core.rows import (
    answer_item,
    question_item,
    read_answer,
    read_question,
    read_score,
    texts_of,
    units_and_verdicts,
)
from factmark.answers.core.run_measures import abstained
from factmark.answers.tables import main_tables, run_tables
from factmark.errors import LedgerError
from factmark.files.flat_files import csv_text, json_text, to_json_value, write_parquet
from factmark.files.text_files import without_surrogates, write_text
from factmark.ledger.ledger import Ledger, reporting_damage
from factmark.model import Estimate, Judge
from factmark.tables.latex import latex_table
from factmark.tables.layouts import DataTable, markdown_report

_SYSTEM = ("model", "condition", "category")
_TYPES = {
    **dict.fromkeys(("absence", "abstained"), "BOOLEAN"),
    **dict.fromkeys(
        (
            *("sample", "rounds", "input_tokens", "output_tokens", "n_items", "n_units"),
            *("n_missing", "wins", "ties", "losses", "n_both", "only_a", "only_b", "neither"),
        ),
        "BIGINT",
    ),
    **dict.fromkeys(
        (
            *(
                *METRICS,
                "row_completeness",
                "latency_seconds",
                "cost",
                "value",
                "low",
                "high",
                "level",
                "worst",
            ),
            *("best", "design_effect", "n_effective", "difference", "value_a", "value_b"),
            *("p_permutation", "p_adjusted"),
        ),
        "DOUBLE",
    ),
}
ANSWER_COLUMNS = (
    *("id", "query_id", "category", "condition", "model", "answer", "facts", "missing"),
    *("verdict", "absence", *METRICS, "latency_seconds", "tools_called"),
    *("style", "not_read", "review", "error"),
)
ROW_COLUMNS = ("row_completeness",)
"""Where a ground truth has rows of several columns."""
TRACE_COLUMNS = (
    *("chunks_retrieved", "sample", "rounds", "ended", "tool_calls", "chunks", "input_tokens"),
    *("output_tokens", "cost", "retrieved", "abstained"),
)
_ESTIMATE = (
    *("value", "low", "high", "level", "method", "n_items", "n_units", "n_missing"),
    *("worst", "best"),
)
AVERAGE_COLUMNS = (*_SYSTEM, "metric", *_ESTIMATE, "design_effect", "n_effective", "signature")
RUN_COLUMNS = (*_SYSTEM, "measure", *_ESTIMATE, "signature")
DIFFERENCE_COLUMNS = (
    *("between", "of", "score", "a", "b", "difference", "low", "high", "level", "method"),
    *("value_a", "value_b", "p_permutation", "p_adjusted", "wins", "ties", "losses", "n_both"),
    *("only_a", "only_b", "neither", "worst", "best", "signature"),
)
_OF_GRAPHS = {"support": "factscore", "validity": "validity", "graphrag": "graphrag"}
"""Kind of the units of a ledger -> the command of `factmark graph` that judges them."""

Flat = dict[str, Any]
"""Column -> cell"""


def results_json(results: Results) -> dict[str, Any]:
    """Results as JSON values: `answers`, then `averages`, then `signature`.

    Answers without a score come last, as `unscored`, where there are any.
    """
    parts = {
        "benchmark": results.benchmark,
        "answers": [_answer(row, results) for row in results.answers],
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
        "unscored": [
            _named(row) | {"status": row.why.status, "reason": row.why.reason} | _trace(row)
            for row in results.unscored
        ],
    }
    optional = (
        *("corrected", "agreement", "by_rows", "instrument", "runs", "differences", "unscored"),
    )
    return {name: part for name, part in parts.items() if part or name not in optional}


def _named(row: Row) -> Flat:
    return {
        "id": row.answer.id,
        "query_id": row.answer.query_id,
        "category": row.question.category,
        "condition": row.answer.condition,
        "model": row.answer.model,
        "answer": row.answer.text,
    }


def _instrument(results: Results) -> Flat:
    """How far the rules are off, by style and for each system; empty where others found facts."""
    if not results.styles:
        return {}
    measured = unseen()["domain"]
    return {
        "rules": measured["rules"],
        "error": measured["error"],
        "styles": style_biases(),
        "systems": to_json_value(results.styles),
    }


def _answer(row: ScoredAnswer, results: Results) -> Flat:
    score = row.score
    rows = row_completeness(row.question, row.answer.text)
    return _named(row) | {
        "facts": [asdict(fact) for fact in score.facts],
        "missing": list(score.missing),
        "verdict": score.verdict,
        "absence": score.absence,
        **{key: metric.of(score) for key, metric in METRICS.items()},
        "latency_seconds": row.answer.latency_seconds,
        "tools_called": to_json_value(row.answer.tools_called),
        **({} if rows is None else {"row_completeness": rows}),
        "style": style_of(row.answer.text),
        "not_read": list(not_read(row, str(results.signature.get("judge", "")))),
        "review": to_review(row) or None,
        **_trace(row),
    }


def _trace(row: Row) -> Flat:
    """What is told of how an answer came about; nothing where it has no trace.

    Of chunks the ids, titles and scores, not the texts: the ledger has those.
    """
    answer, trace = row.answer, row.answer.trace
    chunks = None if trace is None else trace.chunks
    ids = answer.chunks_retrieved
    if ids is None and chunks is not None:
        ids = tuple(chunk.id for chunk in chunks)
    out: Flat = {} if ids is None else {"chunks_retrieved": list(ids)}
    if trace is None:
        return out
    held = held_for(row.question, trace)
    return out | {
        "sample": trace.sample,
        "rounds": trace.rounds,
        "ended": trace.ended,
        "tool_calls": to_json_value(trace.tools),
        "chunks": None
        if chunks is None
        else [{"id": c.id, "title": c.title, "score": c.score} for c in chunks],
        "input_tokens": trace.input_tokens,
        "output_tokens": trace.output_tokens,
        "cost": trace.cost,
        "retrieved": None if held is None else [element for element in held if held[element]],
        "abstained": abstained(row),
    }


def answer_rows(results: Results) -> list[Flat]:
    """One flat row per answer; lists (facts, missing elements, tools) as JSON text.

    Those without a score come last, with their `error`. There are more columns where answers have
    a trace, or a ground truth has rows.
    """
    traced = any(row.answer.trace is not None for row in results.answers)
    columns = ANSWER_COLUMNS
    columns += (ROW_COLUMNS if results.by_rows else ()) + (TRACE_COLUMNS if traced else ())
    rows = [_answer(row, results) for row in results.answers]
    rows += [
        _named(row)
        | {"not_read": list(not_read(row, "")), "error": row.why.reason or row.why.status}
        for row in results.unscored
    ]
    return [{name: _cell(values.get(name)) for name in columns} for values in rows]


def _cell(value: Any) -> Any:
    return json_text(value) if isinstance(value, list) else value


def average_rows(results: Results) -> list[Flat]:
    """One flat row per model, condition, category and metric."""
    return [
        _system(row) | {"metric": key, **to_json_value(metric.estimate(row))}
        for row in results.summaries
        for key, metric in METRICS.items()
    ]


def _system(row: Any) -> Flat:
    return {name: getattr(row, name) for name in _SYSTEM}


def run_rows(results: Results) -> list[Flat]:
    """One flat row per model, condition, category and measure, for example `tools.accuracy`.

    Counts and totals have a value alone.
    """
    blank = dict.fromkeys(RUN_COLUMNS)
    rows = []
    for run in results.runs:
        for name, value in _measures(run):
            cells = to_json_value(value) if isinstance(value, Estimate) else {"value": value}
            known = {key: cell for key, cell in cells.items() if key in RUN_COLUMNS}
            rows.append(blank | _system(run) | {"measure": name} | known)
    return rows


def _measures(run: RunSummary) -> Iterator[tuple[str, Estimate | float]]:
    """All that is measured of a run by name; what is not known is left out."""
    yield "abstained", run.abstained
    for part in ("tools", "retrieval", "endings", "latency", "usage", "variation"):
        yield from _flattened(part, getattr(run, part))
    yield "n_questions", run.n_questions
    yield "n_answers", run.n_answers


def _flattened(name: str, value: Any) -> Iterator[tuple[str, Estimate | float]]:
    if isinstance(value, Estimate):
        yield name, value
    elif isinstance(value, bool | int | float):
        yield name, float(value)
    elif isinstance(value, tuple):
        yield from _flattened(name, dict(zip(("least", "most"), value, strict=True)))
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flattened(f"{name}.{key}", inner)


def difference_rows(results: Results) -> list[Flat]:
    """One flat row per pair and score."""
    return [_difference(row) for row in results.differences]


def _difference(row: PairedDifference) -> Flat:
    pair = row.comparison
    cells = {name: getattr(pair, name) for name in DIFFERENCE_COLUMNS if hasattr(pair, name)}
    cells |= {k: v for k, v in to_json_value(pair.difference).items() if k in DIFFERENCE_COLUMNS}
    return cells | {
        "between": row.between,
        "of": row.of,
        "score": row.score,
        "difference": pair.difference.value,
        "value_a": pair.value_a.value,
        "value_b": pair.value_b.value,
    }


def write_results(results: Results, folder: Path) -> list[Path]:
    """Writes all forms of the results into a folder; each file appears whole or not at all.

    Returns:
        The files: results.json, answers and averages as .csv and .parquet, table.md, table.tex;
        where there are runs, also runs and differences as .csv and .parquet, runs.md, runs.tex.
    """
    whole = json_text(results_json(results), indent=1) + "\n"
    texts = {"results.json": without_surrogates(whole)}
    answers = answer_rows(results)
    flat: dict[str, tuple[Sequence[Flat], Sequence[str]]] = {
        "answers": (answers, tuple(answers[0]) if answers else ANSWER_COLUMNS),
        "averages": (average_rows(results), AVERAGE_COLUMNS),
    }
    tables: dict[str, tuple[DataTable, ...]] = {"table": main_tables(results)}
    if results.runs:
        flat["runs"] = run_rows(results), RUN_COLUMNS
        flat["differences"] = difference_rows(results), DIFFERENCE_COLUMNS
        tables["runs"] = run_tables(results)
    for name, (rows, columns) in flat.items():
        texts[f"{name}.csv"] = csv_text(rows, columns)
    for name, some in tables.items():
        texts[f"{name}.md"] = markdown_report(answers_opening(results), some)
        texts[f"{name}.tex"] = "\n".join(map(latex_table, some))
    for name, text in texts.items():
        write_text(folder / name, text)
    for name, (rows, columns) in flat.items():
        types = {column: _TYPES.get(column, "VARCHAR") for column in columns}
        write_parquet(folder / f"{name}.parquet", rows, types)
    return [folder / name for name in (*texts, *(f"{name}.parquet" for name in flat))]


def keep_results(
    ledger: Ledger, results: Results, questions: Sequence[Question], judge: Judge
) -> None:
    """Writes what a judge said of answers as one import, from which the results come again."""
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
    return corrected(results, people, str(signature["people"])) if people else results


def _no_run(path: Path, ledger: Ledger) -> LedgerError:
    """What to do with a ledger that holds no run; whose report it is where it is of a graph."""
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
