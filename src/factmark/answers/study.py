"""A study of answers from end to end: answers and ground truth -> facts -> scores -> results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from factmark.answers.core.averages import METRICS
from factmark.answers.core.evaluate import AnswerJudge, evaluate, with_corrections
from factmark.answers.core.marked_agreement import fact_tally
from factmark.answers.core.records import Row, ScoredAnswer
from factmark.answers.judges import (
    judge_by_model,
    judge_without_model,
    named_model,
)
from factmark.answers.marks.annotations import Annotations, open_annotations
from factmark.answers.options import ScoreOptions
from factmark.answers.questions.ground_truths import Truth, ground_truths
from factmark.answers.reading import AnswerFile, read_answers
from factmark.answers.report import own_answers_cautions
from factmark.answers.results import Results
from factmark.answers.verdicts import keep_results
from factmark.cli.console import Bar, no_bar
from factmark.cli.options import named_columns
from factmark.errors import InputError
from factmark.ledger.ledger import Ledger
from factmark.model import Judge
from factmark.report.files import check_result_files
from factmark.stats.comparison import Options
from factmark.version import __version__


def score_answers(
    options: ScoreOptions,
    read: Callable[..., AnswerFile] = read_answers,
    *,
    bar: Bar = no_bar,
) -> tuple[Results, Truth] | None:
    """Scores a file of answers by a ground truth; returns the results and the ground truth, or None
    for a dry run, which prints the forecast.

    Args:
        read: the reader of answers (path, encoding=, model=, condition=, columns=).
        bar: shows how far scoring is.

    Raises:
        FactmarkError: options that do not go together, files that cannot be read as meant, a store
            or a model that cannot be asked.
    """
    answers = read(
        options.answers,
        encoding=options.encoding,
        model=options.model,
        condition=options.condition,
        **({"columns": named_columns(options.column)} if options.column else {}),
    )
    _check_outputs(options)
    spec = named_model(options)
    judge = judge_without_model(options) if spec is None else None
    people = open_annotations(options.people, options.annotator) if options.people else None
    truth = asyncio.run(ground_truths(options.reach))
    if spec is not None:
        judge = judge_by_model(options, spec, truth, answers.answers)
    if judge is None:
        return None
    with bar("scoring", len(answers.answers)) as step:
        results = score_study(
            truth,
            answers,
            judge,
            Options(level=options.level, resamples=options.resamples, seed=options.seed),
            ledger=options.kept_in,
            people=people,
            progress=step,
        )
    return results, truth


def _check_outputs(options: ScoreOptions) -> None:
    """Raises InputError where a result would be written over an input."""
    if options.dry_run:
        return
    named = {
        "the answers": options.answers,
        "--benchmark": Path(options.reach.benchmark),
        "--store": options.reach.store,
        "--annotations": options.annotations,
        "--people": options.people,
        "--prices": options.asking.prices,
    }
    check_result_files(options.out, named.items())


def score_study(
    truth: Truth,
    answers: AnswerFile,
    judge: AnswerJudge,
    settings: Options,
    *,
    ledger: Path | None,
    people: Annotations | None = None,
    provenance: Mapping[str, object] | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Results:
    """Scores answers, keeps all of it in the ledger, and returns the results.

    Args:
        ledger: the file to keep it in, or None for none.
        people: facts that people marked in some of the answers, to correct the scores by.
        provenance: how the answers came about, for the signature.
    """
    signature = {
        "factmark": __version__,
        "benchmark": truth.benchmark,
        "ground_truth_from": truth.source,
        "judge": judge.judge.name,
        "judge_id": judge.judge.id,
        **_judge_parameters(judge.judge),
        **judge.counts,
        **(provenance or {}),
    }
    own = own_answers_cautions(signature, dict.fromkeys(row.model for row in answers.answers))
    results = evaluate(
        truth.benchmark,
        truth.questions,
        answers.answers,
        scorer=judge.scorer,
        problems=(*own, *truth.problems, *answers.problems, *judge.problems),
        signature=signature,
        settings=settings,
        progress=progress,
    )
    if not results.answers and not results.unscored:
        why = "; ".join(results.problems) or "there are none"
        raise InputError(f"None of the {len(answers.answers)} answers could be scored: {why}.")
    if people is not None:
        results = corrected_by(results, people)
    if ledger is not None:
        with Ledger(ledger) as opened:
            keep_results(opened, results, truth.questions, judge.judge)
    return results


def _judge_parameters(judge: Judge) -> dict[str, object]:
    """A judge's parameters for the signature, a model's with `judge_` before their names."""
    mark = "judge_" if judge.kind == "model" else ""
    return {f"{mark}{name}": value for name, value in judge.parameters.items()}


def corrected_by(results: Results, people: Annotations) -> Results:
    """The results corrected by the facts that people marked in some of the answers.

    Raises:
        InputError: none of the marked answers is among those of the results.
    """
    scores = _scores_of_people(results, people)
    marked, used = len(people.marked) + len(people.rows), _n_distinct(results, scores)
    problems = results.problems
    if used < marked:
        lost = f"{people.path.name}: {marked - used} of {marked} marked answers are none of those"
        problems = (*problems, f"{lost} that are scored: not used")
    return with_corrections(replace(results, problems=problems), scores, people.name)


def _n_distinct(results: Results, scores: Mapping[str, object]) -> int:
    """How many answers people marked; equal answers to one question count once."""
    rows: tuple[Row, ...] = (*results.answers, *results.unscored)
    return len({(r.answer.query_id, r.answer.text) for r in rows if r.answer.id in scores})


def _scores_of_people(results: Results, people: Annotations) -> dict[str, dict[str, float]]:
    """Answer id -> metric -> value, and the facts counted, for the answers that people marked."""
    scores: dict[str, dict[str, float]] = {}
    rows: tuple[Row, ...] = (*results.answers, *results.unscored)
    for row in rows:
        if (marks := people.score(row.question, row.answer)) is not None:
            scores[row.answer.id] = {key: metric.of(marks) for key, metric in METRICS.items()}
            if isinstance(row, ScoredAnswer):
                scores[row.answer.id] |= fact_tally(row.score.facts, marks.facts)
    if not scores:
        raise InputError(f"{people.path}: none of its answers is among those that are scored.")
    return scores
