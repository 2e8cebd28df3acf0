"""A study of answers from end to end: answers and ground truth -> facts -> scores -> results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from factmark.answers.report import own_answers_cautions
from factmark.answers.results import Results
from factmark.answers.verdicts import keep_results
from factmark.ask.judges.recipe import Recipe
from factmark.ask.runner import (
    JudgingLine,
    JudgingProgress,
    no_judging_line,
    run,
    run_at_hand,
)
from factmark.ask.tasks import Job
from factmark.cli.asking import JudgedPart, check_whole, spend_in_words, tell_forecast
from factmark.cli.judge_recipes import client_of
from factmark.cli.options import named_columns
from factmark.errors import InputError
from factmark.files.shards import Shard
from factmark.files.temporary import temporary_folder
from factmark.ledger.ledger import Ledger
from factmark.model import Judge
from factmark.report.files import check_result_files
from factmark.stats.comparison import Options
from factmark.text.shown_text import visible
from factmark.version import __version__


def say_nothing(_text: str) -> None:
    """Says nothing, as a library does."""


def score_answers(
    options: ScoreOptions,
    read: Callable[..., AnswerFile] = read_answers,
    *,
    judging: JudgingLine = no_judging_line,
    say: Callable[[str], None] = say_nothing,
) -> tuple[Results, Truth] | None:
    """Scores a file of answers by a ground truth; returns the results and the ground truth, or None
    for a dry run, which prints the forecast.

    Args:
        read: the reader of answers (path, encoding=, model=, condition=, columns=).
        judging: shows progress while answers are judged.
        say: called with what the user should know at once.

    Raises:
        FactmarkError: options that do not go together, files that cannot be read as meant, a store
            or a model that cannot be asked.
    """
    check_whole(options.shard)
    answers = _read(options, read)
    _check_outputs(options)
    recipe = answers_recipe(options)
    judge = open_answer_judge(recipe)  # a missing key, function or mark shows before G is derived
    people = None
    if options.people:
        people = open_annotations(options.people, options.annotator)
    truth = asyncio.run(ground_truths(options.reach))
    answers = _with_ids(answers, truth.questions)
    if options.dry_run:
        _tell_forecast(recipe, truth, answers, options)
        return None
    with _in_parts(options, recipe, judge, len(answers.answers), judging) as asked:
        judging_answers = judge_answers(
            asked, truth, answers.answers, options.kept_in, judging=judging, say=say
        )
        judged = asyncio.run(judging_answers)
    results = score_study(
        truth,
        answers,
        judged,
        Options(
            level=options.level,
            target=options.target,
            resamples=options.resamples,
            seed=options.seed,
        ),
        ledger=options.kept_in,
        people=people,
    )
    return results, truth


@contextmanager
def _in_parts(
    options: ScoreOptions, recipe: Recipe, judge: AnswerJudge, size: int, judging: JudgingLine
) -> Iterator[AnswerJudge]:
    """Has the workers of `--engine`, if one is named, ask a model about answers; yields the judge
    for what is left to ask. See `begin_parts`."""
    if not options.engine:
        yield judge
        return
    from factmark.engine.parts import begin_parts

    if judge.named.at_hand is not None:
        raise InputError("--engine: is for a model; rules and functions judge all answers at once.")
    files = (options.answers, Path(options.reach.benchmark), options.reach.store)
    identity = judge.named.identity
    with judging(size) as progress:
        parts = begin_parts(options, score_part, recipe, identity, options.kept_in, files=files)
        with parts as wait:
            yield open_answer_judge(recipe, wait(progress))


def _read(options: ScoreOptions, read: Callable[..., AnswerFile]) -> AnswerFile:
    """Returns the answers that are scored."""
    return read(
        options.answers,
        encoding=options.encoding,
        model=options.model,
        condition=options.condition,
        **({"columns": named_columns(options.column)} if options.column else {}),
    )


def _with_ids(answers: AnswerFile, questions: Sequence[Question]) -> AnswerFile:
    """Returns answers that name their question by its text with its id; a text that two questions
    have names none."""
    known = {question.query_id for question in questions}
    by_text: dict[str, list[str]] = {}
    for question in questions:
        by_text.setdefault(_one_spelling(question.text), []).append(question.query_id)
    named = []
    for answer in answers.answers:
        ids = [] if answer.query_id in known else by_text.get(_one_spelling(answer.query_id), [])
        named.append(replace(answer, query_id=ids[0]) if len(ids) == 1 else answer)
    return replace(answers, answers=tuple(named))


def _one_spelling(question: str) -> str:
    """Returns a question as its text is compared: without regard to case and blanks."""
    return " ".join(question.split()).casefold()


def score_part(
    options: ScoreOptions,
    read: Callable[..., AnswerFile] = read_answers,
    *,
    judging: JudgingLine = no_judging_line,
    judge_id: str = "",
) -> JudgedPart:
    """Has a model find the facts in the part of the answers that `--shard` names, and keeps its
    replies; arguments and errors as of `score_answers`.

    Args:
        judge_id: who is to judge, where another process says so.
    """
    part = Shard.parse(options.shard, engine=options.engine)
    answers = _read(options, read)
    recipe = replace(answers_recipe(options), judge=judge_id)
    judge = open_answer_judge(recipe, options.asking.budget)
    ledger = options.kept_in
    if ledger is None or judge.named.at_hand is not None:
        raise InputError(
            "--shard: is for answers that a model judges, whose replies a ledger keeps: name the "
            "model by --judge and the ledger by --ledger. Rules and functions judge all at once."
        )
    truth = asyncio.run(ground_truths(options.reach))
    answers = _with_ids(answers, truth.questions)
    by_id = {question.query_id: question for question in truth.questions}
    kept, _ = sort_out(answers.answers, by_id)
    jobs = answer_jobs(truth.benchmark, by_id, kept).values()
    here = []
    for job in jobs:
        if part.holds(job[1].id):
            here.append(job)
    with judging(len(here)) as progress:
        done = asyncio.run(_ask_through_ledger(judge, here, ledger, progress))
    return JudgedPart.of_progress(part, ledger, done, (*truth.problems, *answers.problems))


def _tell_forecast(
    recipe: Recipe, truth: Truth, answers: AnswerFile, options: ScoreOptions
) -> None:
    """Prints what a model would be asked about answers, and what that costs."""
    from factmark.answers.model_facts import forecast_facts, texts

    client = client_of(recipe)
    asked = texts(truth.questions, answers.answers)
    forecast = forecast_facts(asked, client.spec, client.price, options.kept_in)
    at_once = options.asking.concurrency
    tell_forecast(forecast, client.spec, json=options.json, at_once=at_once)


async def judge_answers(
    judge: AnswerJudge,
    truth: Truth,
    answers: Sequence[GivenAnswer],
    ledger: Path | None,
    *,
    judging: JudgingLine = no_judging_line,
    say: Callable[[str], None] = say_nothing,
) -> JudgedAnswers:
    """Has a judge go through answers, and returns what it gave them.

    Args:
        ledger: where a model's replies are looked up and kept; None to keep them for this run only.
        judging: shows progress.
        say: called with what the user should know at once.

    Raises:
        EndpointError: no call to a model can work, or every one failed; what came in is kept.
        InputError: a function failed, or an answer has no marks.
        LedgerError: the ledger cannot be read or written.
    """
    by_id = {question.query_id: question for question in truth.questions}
    kept, _ = sort_out(answers, by_id)
    jobs = answer_jobs(truth.benchmark, by_id, kept)
    asks = judge.named.at_hand is None
    if asks and ledger is None:
        say("note: neither --out nor --ledger: the replies are not kept, and cost again next time")
    with judging(len(jobs)) as progress:
        if judge.named.at_hand is not None:
            done = await run_at_hand(jobs.values(), judge.named.at_hand, progress)
        else:
            done = await _ask_through_ledger(judge, jobs.values(), ledger, progress)
    findings = {key: judge.findings[unit.id] for key, (_, unit) in jobs.items()}
    counts: dict[str, int] = {}
    problems = done.spend.notes
    if asks:
        for line in _spending(done):
            say(line)
        counts, dropped = _counts_of_model(done, findings, kept)
        problems += dropped

    def scorer(question: Question, answer: GivenAnswer) -> AnswerScore | NoScore:
        return findings[question.query_id, answer.text].score

    return JudgedAnswers(judge=done.judge, scorer=scorer, problems=problems, counts=counts)


async def _ask_through_ledger(
    judge: AnswerJudge,
    jobs: Iterable[Job],
    ledger: Path | None,
    progress: Callable[[JudgingProgress], None] | None,
) -> JudgingProgress:
    """Has a model go through answers; replies are in the ledger, and facts are kept later."""
    with temporary_folder() as folder:
        book = ledger or folder / "ledger.db"
        return await run(jobs, judge.named, book, keep=False, progress=progress)


def _spending(done: JudgingProgress) -> Iterator[str]:
    """Yields what asking a model took, and why it was stopped."""
    name = done.judge.name
    yield spend_in_words(name, done.spend)
    if done.spend.stopped:
        yield f"{visible(name)}: {visible(done.spend.stopped)}"


def _counts_of_model(
    done: JudgingProgress,
    findings: Mapping[tuple[str, str], AnswerFinding],
    answers: Sequence[GivenAnswer],
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Returns the counts of a model for the signature, and notes on them.

    Args:
        findings: id of the question and text -> what the model found in the answer.
        answers: all that are scored, or lost.

    Raises:
        EndpointError: not one reply came.
    """
    from factmark.answers.model_facts import check_replied, quote_counts

    name = done.judge.name
    spend = done.spend
    check_replied(spend, [finding for (_, text), finding in findings.items() if text.strip()])
    scored = map(answer_as_scored, (answer for answer in answers if answer.lost is None))
    return quote_counts(name, [findings[answer.query_id, answer.text] for answer in scored])


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
    mark = ""
    if judge.kind == "model":
        mark = "judge_"
    return {f"{mark}{name}": value for name, value in judge.parameters.items()}


def corrected_by(results: Results, people: Annotations) -> Results:
    """The results corrected by the facts that people marked in some of the answers.

    Raises:
        InputError: none of the marked answers is among those of the results.
    """
    scores = _scores_of_people(results, people)
    marked = len(people.marked) + len(people.rows)
    used = _n_distinct(results, scores)
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
        marks = people.score(row.question, row.answer)
        if marks is not None:
            scores[row.answer.id] = {key: metric.of(marks) for key, metric in METRICS.items()}
            if isinstance(row, ScoredAnswer):
                scores[row.answer.id] |= fact_tally(row.score.facts, marks.facts)
    if not scores:
        raise InputError(f"{people.path}: none of its answers is among those that are scored.")
    return scores
