"""Results in the ledger: what a judge said is kept, and added up anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from factmark.answers.core.averages import Row
from factmark.answers.core.evaluate import add_up, corrected
from factmark.answers.core.records import NoScore, Question, Results, UnscoredAnswer
from factmark.answers.core.rows import (
    answer_item,
    question_item,
    read_answer,
    read_question,
    read_score,
    texts_of,
    units_and_verdicts,
)
from factmark.errors import LedgerError
from factmark.ledger.ledger import Import, Ledger, damage_told
from factmark.model import Judge, Unit, Verdict

_OF_GRAPHS = {"support": "factscore", "validity": "validity", "graphrag": "graphrag"}
"""Kind of the units of a ledger -> the command of `factmark graph` that judges them."""


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
            item.id: [unit.id for unit, _ in told] for item, told in zip(given, rows, strict=True)
        },
        "unscored": {
            item.id: asdict(row.why) for item, row in zip(lost, results.unscored, strict=True)
        },
    }
    answers = (row.answer for some in (results.answers, results.unscored) for row in some)
    items = [*asked.values(), *given, *lost]
    ledger.record(judge, items, chain.from_iterable(rows), data, texts_of(answers))


def _check_graph(path: Path, ledger: Ledger) -> None:
    """Tells whose report it is where a ledger is of `factmark graph`.

    Raises:
        LedgerError: it is.
    """
    kinds = ledger.kinds()
    found = [command for kind, command in _OF_GRAPHS.items() if kind in kinds]
    if found:
        commands = " and ".join(f"`factmark graph {command}`" for command in found)
        raise LedgerError(
            f"{path}: was written by {commands}. Give the same command again with --out FOLDER: it "
            "makes the report, and asks nothing that is known."
        )


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
    with damage_told(path):
        return _newest_results(path)


def _newest_results(path: Path) -> Results:
    with Ledger(path, read_only=True) as ledger:
        run = ledger.newest_import()
        if run is None:
            _check_graph(path, ledger)
            begun = ledger.counts()["calls"]
            what = f"holds {begun} replies of a run that did not end" if begun else "holds no run"
            raise LedgerError(
                f"{path}: {what}. Give the command of that run again, or `factmark score`."
            )
        asked = {i.id: read_question(i) for i in run.items if i.id.startswith("question:")}
        given = [item for item in run.items if item.id.startswith("answer:")]
        why: dict[str, Any] = run.data.get("unscored", {})
        text = cache(ledger.text)
        rows: list[Row] = []
        for item in given:
            answer = read_answer(item, text)
            if item.id in why:
                lost = NoScore(**why[item.id])
                rows.append(UnscoredAnswer(question=asked[item.cluster], answer=answer, why=lost))
            else:
                rows.append(read_score(asked[item.cluster], answer, _said(ledger, run, item.id)))
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


def _said(ledger: Ledger, run: Import, item: str) -> list[tuple[Unit, Verdict]]:
    """What the judge said of an answer in this run, not in earlier ones."""
    units = set(run.data["units"][item])
    return [row for row in ledger.verdicts(item, run.judge.id) if row[0].id in units]
