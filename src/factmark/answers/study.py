"""A study of answers from end to end: answers and ground truth -> facts -> scores -> results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from factmark.answers.answer_units import AnswerFinding, answer_jobs
from factmark.answers.core.averages import METRICS
from factmark.answers.core.evaluate import (
    JudgedAnswers,
    answer_as_scored,
    evaluate,
    sort_out,
    with_corrections,
)
from factmark.answers.core.marked_agreement import fact_tally
from factmark.answers.core.opening import own_answers_cautions
from factmark.answers.core.records import (
    AnswerScore,
    GivenAnswer,
    NoScore,
    Question,
    Row,
    ScoredAnswer,
)
from factmark.answers.judges import AnswerJudge, answers_recipe, open_answer_judge
from factmark.answers.marks.annotations import Annotations, open_annotations
from factmark.answers.options import ScoreOptions
from factmark.answers.questions.ground_truths import Truth, ground_truths
from factmark.answers.reading import AnswerFile, read_answers
from factmark.answers.result_files import keep_results, write_results
from factmark.answers.results import Results
from factmark.ask.judges.recipe import Recipe
from factmark.ask.runner import JudgingProgress, run
from factmark.cli.asking import tell_forecast, tell_spend
from factmark.cli.console import judging_line, say
from factmark.cli.judge_recipes import client_of
from factmark.cli.options import named_columns
from factmark.errors import InputError
from factmark.files.overwriting import ANSWERS, check_files
from factmark.files.temporary import temporary_folder
from factmark.files.text_files import write_text
from factmark.ledger.ledger import Ledger
from factmark.model import Judge
from factmark.stats.comparison import Options
from factmark.text.shown_text import visible
from factmark.version import __version__


def score_answers(
    options: ScoreOptions, read: Callable[..., AnswerFile] = read_answers
) -> tuple[Results, Truth] | None:
    """Scores a file of answers by a ground truth, and writes the report.

    Of a dry run the forecast is told, and nothing else comes of it.

    Args:
        read: the reader of answers (path, encoding=, model=, condition=, columns=).

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
    recipe = answers_recipe(options)
    judge = open_answer_judge(recipe)  # a missing key, function or mark shows before G is derived
    people = open_annotations(options.people, options.annotator) if options.people else None
    truth = asyncio.run(ground_truths(options.reach))
    if options.dry_run:
        _tell_forecast(recipe, truth, answers, options)
        return None
    judged = asyncio.run(judge_answers(judge, truth, answers.answers, options.kept_in))
    results = score_study(
        truth,
        answers,
        judged,
        Options(level=options.level, resamples=options.resamples, seed=options.seed),
        ledger=options.kept_in,
        people=people,
    )
    if options.out is not None:
        write_report(results, options.out)
        say(f"wrote {options.out / 'report.html'} and the results beside it")
    return results, truth


def _tell_forecast(
    recipe: Recipe, truth: Truth, answers: AnswerFile, options: ScoreOptions
) -> None:
    """Prints what a model would be asked about answers, and what that costs."""
    from factmark.answers.model_facts import forecast_facts, texts

    client = client_of(recipe)
    asked = texts(truth.questions, answers.answers)
    forecast = forecast_facts(asked, client.spec, client.price, options.kept_in)
    tell_forecast(forecast, client.spec, json=options.json)


async def judge_answers(
    judge: AnswerJudge, truth: Truth, answers: Sequence[GivenAnswer], ledger: Path | None
) -> JudgedAnswers:
    """Has a judge go through answers, with progress on stderr, and returns what it gave them.

    Args:
        ledger: where a model's replies are looked up and kept; None to keep them for this run only.

    Raises:
        EndpointError: no call to a model can work, or every one failed; what came in is kept.
        InputError: a function failed, or an answer has no marks.
        LedgerError: the ledger cannot be read or written.
    """
    by_id = {question.query_id: question for question in truth.questions}
    kept, _ = sort_out(answers, by_id)
    jobs = answer_jobs(truth.benchmark, by_id, kept)
    asks = judge.recipe.by == "model"
    if asks and ledger is None:
        say("note: neither --out nor --ledger: the replies are not kept, and cost again next time")
    with temporary_folder() as folder, judging_line(len(jobs)) as progress:
        book = ledger if asks and ledger is not None else folder / "ledger.db"
        done = await run(jobs.values(), judge.named, book, keep=False, progress=progress)
    findings = {key: judge.findings[unit.id] for key, (_, unit) in jobs.items()}
    counts: dict[str, int] = {}
    problems = done.spend.notes
    if asks:
        counts, dropped = _told_of_model(done, findings, kept)
        problems += dropped

    def scorer(question: Question, answer: GivenAnswer) -> AnswerScore | NoScore:
        return findings[question.query_id, answer.text].score

    return JudgedAnswers(judge=done.judge, scorer=scorer, problems=problems, counts=counts)


def _told_of_model(
    done: JudgingProgress,
    findings: Mapping[tuple[str, str], AnswerFinding],
    answers: Sequence[GivenAnswer],
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Prints what asking a model took; returns its counts for the signature, and notes on them.

    Args:
        findings: id of the question and text -> what the model found in the answer.
        answers: all that are scored, or lost.

    Raises:
        EndpointError: not one reply came.
    """
    from factmark.answers.model_facts import check_replied, quote_counts

    name, spend = done.judge.name, done.spend
    tell_spend(name, spend)
    if spend.stopped:
        say(f"{visible(name)}: {visible(spend.stopped)}")
    check_replied(spend, [finding for (_, text), finding in findings.items() if text.strip()])
    scored = map(answer_as_scored, (answer for answer in answers if answer.lost is None))
    return quote_counts(name, [findings[answer.query_id, answer.text] for answer in scored])


def _check_outputs(options: ScoreOptions) -> None:
    """Raises InputError where a result would be written over an input."""
    if options.out is None or options.dry_run:
        return
    named = {
        "the answers": options.answers,
        "--benchmark": Path(options.reach.benchmark),
        "--store": options.reach.store,
        "--annotations": options.annotations,
        "--people": options.people,
        "--prices": options.asking.prices,
    }
    check_files(options.out, ANSWERS, [(option, path) for option, path in named.items() if path])


def score_study(
    truth: Truth,
    answers: AnswerFile,
    judged: JudgedAnswers,
    settings: Options,
    *,
    ledger: Path | None,
    people: Annotations | None = None,
    provenance: Mapping[str, object] | None = None,
) -> Results:
    """Adds up answers as they were judged, keeps all of it in the ledger, and returns the results.

    Args:
        ledger: the file to keep it in, or None for none.
        people: facts that people marked in some of the answers, to correct the scores by.
        provenance: how the answers came about, for the signature.
    """
    signature = {
        "factmark": __version__,
        "benchmark": truth.benchmark,
        "ground_truth_from": truth.source,
        "judge": judged.judge.name,
        "judge_id": judged.judge.id,
        **_judge_parameters(judged.judge),
        **judged.counts,
        **(provenance or {}),
    }
    own = own_answers_cautions(signature, dict.fromkeys(row.model for row in answers.answers))
    results = evaluate(
        truth.benchmark,
        truth.questions,
        answers.answers,
        scorer=judged.scorer,
        problems=(*own, *truth.problems, *answers.problems, *judged.problems),
        signature=signature,
        settings=settings,
    )
    if not results.answers and not results.unscored:
        why = "; ".join(results.problems) or "there are none"
        raise InputError(f"None of the {len(answers.answers)} answers could be scored: {why}.")
    if people is not None:
        results = corrected_by(results, people)
    if ledger is not None:
        with Ledger(ledger) as opened:
            keep_results(opened, results, truth.questions, judged.judge)
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


def write_report(results: Results, out: Path) -> None:
    """Writes the report and the results in all formats into a folder."""
    from factmark.answers.page import render_html

    write_results(results, out)
    write_text(out / "report.html", render_html(results))
