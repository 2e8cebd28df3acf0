"""A study of answers from end to end, and its results made again from the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from factmark import __version__
from factmark.answers.annotations import Annotations
from factmark.answers.core.averages import METRICS, Settings, correct_summaries, summarise
from factmark.answers.core.evaluate import Scorer, evaluate, score_by_rule
from factmark.answers.core.records import NoScore, Question, Results, UnscoredAnswer
from factmark.answers.core.rows import (
    answer_item,
    question_item,
    read_answer,
    read_question,
    read_score,
    rule_judge,
    texts_of,
    units_and_verdicts,
)
from factmark.answers.core.run_measures import with_runs
from factmark.answers.reading import AnswerFile
from factmark.errors import InputError, LedgerError
from factmark.ledger.ledger import Import, Ledger
from factmark.model import Judge, Unit, Verdict, content_hash

_OF_GRAPHS = {"support": "factscore", "validity": "validity", "graphrag": "graphrag"}
"""Kind of the units of a ledger -> the command of `factmark graph` that judges them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """Who finds the facts: a judge and its scorer. The rules, where nothing else is said.

    Attributes:
        problems: what is to be told of how the facts were found.
        counts: of what was found, for the signature.
    """

    judge: Judge
    scorer: Scorer
    problems: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def by_rule(cls) -> Extraction:
        """The rules of this version."""
        return cls(judge=rule_judge(), scorer=score_by_rule)


def score_study(
    *,
    benchmark: str,
    questions: tuple[Question, ...],
    answers: AnswerFile,
    problems: tuple[str, ...],
    truth_from: str,
    extraction: Extraction,
    settings: Settings,
    ledger: Path | None,
    people: Annotations | None = None,
    made: Mapping[str, object] | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Results:
    """Scores answers, keeps all of it in the ledger, and returns the results.

    Args:
        problems: what was told of the benchmark.
        made: how the answers came about, for the signature.
        people: facts that people marked in some of the answers, to correct the scores by.
        truth_from: where the ground truth comes from, for the signature.
        ledger: the file to keep it in, or None for none.
    """
    results = evaluate(
        benchmark,
        questions,
        answers.answers,
        scorer=extraction.scorer,
        problems=(*problems, *answers.problems, *extraction.problems),
        signature={
            "factmark": __version__,
            "benchmark": benchmark,
            "ground_truth_from": truth_from,
            "judge": extraction.judge.name,
            "judge_id": extraction.judge.id,
            **_parameters(extraction.judge),
            **extraction.counts,
            **(made or {}),
        },
        settings=settings,
        progress=progress,
    )
    if not results.answers and not results.unscored:
        told = "; ".join(results.problems) or "there are none"
        raise InputError(f"None of the {len(answers.answers)} answers could be scored: {told}.")
    results = with_runs(results, questions, settings)
    if people is not None:
        results = _corrected(results, _scores_of_people(results, people), people.name)
    if ledger is not None:
        with Ledger(ledger) as opened:
            _keep(opened, results, questions, extraction.judge)
    return results


def _scores_of_people(results: Results, people: Annotations) -> dict[str, dict[str, float]]:
    """Answer id -> metric -> value, for the answers that people marked.

    Raises:
        InputError: if they marked none of these answers.
    """
    found = {}
    for row in results.answers:
        score = people.score(row.question, row.answer)
        if score is not None:
            found[row.answer.id] = {key: metric.of(score) for key, metric in METRICS.items()}
    if not found:
        raise InputError(f"{people.path}: none of its answers is among those that are scored.")
    return found


def _corrected(results: Results, people: Mapping[str, Mapping[str, float]], name: str) -> Results:
    level = float(str(results.signature["level"]))
    made = correct_summaries(
        results.answers, people, level=level, rubric=str(results.signature["judge"])
    )
    return replace(
        results,
        corrections=made,
        people=people,
        signature={**results.signature, "people": name, "people_scores": content_hash(people)},
    )


def _parameters(judge: Judge) -> dict[str, object]:
    """A judge's parameters in the signature; a model's seed is not that of the bootstrap."""
    mark = "judge_" if judge.kind == "model" else ""
    return {f"{mark}{name}": value for name, value in judge.parameters.items()}


def _keep(ledger: Ledger, results: Results, questions: tuple[Question, ...], judge: Judge) -> None:
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
    kinds = {kind for (kind,) in ledger.connection.execute("SELECT DISTINCT kind FROM units")}
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
        text = cache(partial(_text, ledger))
        scored = tuple(
            read_score(asked[item.cluster], read_answer(item, text), _said(ledger, run, item.id))
            for item in given
            if item.id not in why
        )
        unscored = tuple(
            UnscoredAnswer(
                question=asked[item.cluster],
                answer=read_answer(item, text),
                why=NoScore(**why[item.id]),
            )
            for item in given
            if item.id in why
        )
    signature: dict[str, Any] = dict(run.data["signature"])
    settings = Settings(**{name: signature[name] for name in ("level", "resamples", "seed")})
    results = Results(
        benchmark=run.data["benchmark"],
        answers=scored,
        summaries=summarise(
            (*scored, *unscored),
            [question for question in asked.values() if question.ground_truth is not None],
            settings,
            rubric=str(signature.get("judge", "")),
        ),
        problems=tuple(run.data["problems"]),
        signature=signature,
        unscored=unscored,
    )
    results = with_runs(results, list(asked.values()), settings)
    people: dict[str, dict[str, float]] = run.data.get("people", {})
    return _corrected(results, people, str(signature["people"])) if people else results


def _text(ledger: Ledger, key: str) -> str:
    """A text that answers name by its hash: read when it is first asked for."""
    row = ledger.connection.execute("SELECT text FROM evidence WHERE id = ?", (key,)).fetchone()
    if row is None:
        raise LedgerError(f"{ledger.path}: is damaged: the text {key} is not in it.")
    return str(row[0])


def _said(ledger: Ledger, run: Import, item: str) -> list[tuple[Unit, Verdict]]:
    """What the judge said of an answer in this run, not in earlier ones."""
    units = set(run.data["units"][item])
    return [row for row in ledger.verdicts(item, run.judge.id) if row[0].id in units]
