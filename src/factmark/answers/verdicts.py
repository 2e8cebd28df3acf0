"""Scored answers in the ledger: what is kept of them, and results added up from it anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from factmark.answers.core.evaluate import add_up, with_corrections
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
from factmark.answers.results import Results
from factmark.errors import LedgerError
from factmark.ledger.ledger import Ledger, open_existing, reporting_damage
from factmark.model import Judge

_COMMANDS = {
    "pair": "graph factscore",
    "triple": "graph validity",
    "graphrag": "graph graphrag",
    "claim": "claims judge",
}
"""Kind of the units of a ledger -> the command that judges them and makes their report."""


def keep_results(
    ledger: Ledger, results: Results, questions: Sequence[Question], judge: Judge
) -> None:
    """Writes the answers and what a judge said of them into the ledger, as one import."""
    asked = {q.query_id: question_item(results.benchmark, q) for q in questions}
    given = [answer_item(asked[row.answer.query_id], row.answer) for row in results.answers]
    lost = [answer_item(asked[row.answer.query_id], row.answer) for row in results.unscored]
    rows = []
    for item, row in zip(given, results.answers, strict=True):
        rows.append(list(units_and_verdicts(item, row.question, row.score, judge)))
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
    with reporting_damage(path), open_existing(path, read_only=True) as ledger:
        return _newest_results(ledger.path, ledger)


def _newest_results(path: Path, ledger: Ledger) -> Results:
    """The results of the newest run in an open ledger."""
    run = ledger.newest_import()
    if run is None:
        raise _no_run(path, ledger)
    asked = {}
    for i in run.items:
        if i.id.startswith("question:"):
            asked[i.id] = read_question(i)
    why: dict[str, Any] = run.data.get("unscored", {})
    text = cache(ledger.text)
    rows: list[Row] = []
    for item in run.items:
        if not item.id.startswith("answer:"):
            continue
        question = asked[item.cluster]
        answer = read_answer(item, text)
        if item.id in why:
            lost = NoScore(**why[item.id])
            rows.append(UnscoredAnswer(question=question, answer=answer, why=lost))
        else:  # what the judge said in this run, not in earlier ones
            units = set(run.data["units"][item.id])
            judged = []
            for row in ledger.verdicts(item.id, run.judge.id):
                if row[0].id in units:
                    judged.append(row)
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
    if people:
        return with_corrections(results, people, str(signature["people"]))
    return results


def _no_run(path: Path, ledger: Ledger) -> LedgerError:
    """The error for a ledger without a run of answers: it says which command to give instead."""
    kinds = ledger.kinds()
    commands = []
    for kind, name in _COMMANDS.items():
        if kind in kinds:
            commands.append(f"`factmark {name}`")
    if commands:
        return LedgerError(
            f"{path}: was written by {' and '.join(commands)}. Give the same command again with "
            "--out FOLDER: it makes the report, and asks nothing that is known."
        )
    begun = ledger.counts()["calls"]
    what = "holds no run"
    if begun:
        what = f"holds {begun} replies of a run that did not end"
    return LedgerError(f"{path}: {what}. Give the command of that run again, or `factmark score`.")
