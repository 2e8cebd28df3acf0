"""What `factmark run` does: a study's questions -> models' answers -> scores -> a report."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factmark.answers.core.evaluate import JudgedAnswers
from factmark.answers.core.records import GivenAnswer, Question
from factmark.answers.judges import JUDGED, AnswerJudge, open_answer_judge
from factmark.answers.questions.ground_truths import Truth
from factmark.answers.reading import AnswerFile
from factmark.answers.report import answers_report
from factmark.answers.results import Results
from factmark.answers.study import judge_answers, say_nothing, score_study
from factmark.ask.budget import Budget, Spend
from factmark.ask.model_spec import names_model
from factmark.ask.prices import Prices
from factmark.ask.runner import JudgingLine, no_judging_line
from factmark.cli.asking import Asking, JudgedPart, check_whole, spend_in_words
from factmark.cli.console import (
    Bar,
    StageLine,
    judging_line_if,
    no_bar,
    no_stage_line,
    stage_line,
)
from factmark.cli.console import progress as progress_bar
from factmark.cli.judge_recipes import recipe_of
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.errors import EndpointError, InputError
from factmark.files.shards import Shard
from factmark.report.files import check_result_files
from factmark.report.layouts import DataTable
from factmark.report.result import Result
from factmark.runs.conditions import Condition
from factmark.runs.forecast import forecast_judge, forecast_run
from factmark.runs.options import RunOptions
from factmark.runs.reading import opened
from factmark.runs.report import forecast_table
from factmark.runs.running import Ran, Subject, run_models
from factmark.runs.study_file import JudgeEntry, ModelEntry, Study
from factmark.stats.comparison import Options
from factmark.text.shown_text import count


@python_function(RunOptions)
def run(
    study: str | Path = "ehds",
    *,
    out: str | Path | None = None,
    progress: bool = False,
    **options: Any,
) -> Result:
    """Asks models the questions of a benchmark and scores the answers: `factmark run`.

    Replies, verdicts and the report are kept in the study's folder; the same call goes on there.

    Args:
        study: `ehds`, a study file, or a file with questions.
        out: the folder; NAME-run if None.
        progress: whether bars on stderr show how far it is.
        options: the command's, as `model="ollama:MODEL"`, `condition="baseline,rag"`, `max_calls`.

    Returns:
        As `score`.

    Raises:
        FactmarkError: as `score`.
    """
    asked = options_of(RunOptions, {"study": str(study), "out": out, **options})
    check_whole(asked.shard)
    given = asked.read_study()
    bar: Bar
    if progress:
        bar = progress_bar
    else:
        bar = no_bar
    judging = judging_line_if(progress)
    stage: StageLine
    if progress:
        stage = stage_line
    else:
        stage = no_stage_line
    done = asyncio.run(run_study(given, bar=bar, judging=judging, stage=stage))
    result = answers_report(done.results)
    result.write(given.folder)
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """What a run came to.

    Attributes:
        silent: the names of judges that judged nothing.
        complete: whether nothing is left to do.
    """

    results: Results
    silent: tuple[str, ...]
    complete: bool


async def run_study(
    study: Study,
    *,
    bar: Bar = no_bar,
    judging: JudgingLine = no_judging_line,
    stage: StageLine = no_stage_line,
    say: Callable[[str], None] = say_nothing,
) -> RunOutcome:
    """Asks the models and scores their answers.

    Args:
        bar: shows how far asking is.
        judging: shows progress while answers are judged.
        stage: shows how far the index of passages is.
        say: called with what the user should know at once.
    """
    out = study.folder
    if out.exists() and not out.is_dir():  # one look, before anything runs
        raise InputError(f"--out {out}: is a file. Name a folder.")
    ledger = study.kept_in
    budget = Budget(max_calls=study.budget.max_calls, max_cost=study.budget.max_cost)
    subjects = _models_under_test(study, budget)
    # The first is the last to judge: reports show the newest.
    judges = []
    for entry in reversed(study.judges):
        judges.append(_judge_of_entry(entry, study, budget))
    async with AsyncExitStack() as stack:
        for subject in subjects:
            await stack.enter_async_context(subject.client)
        opening = opened(study, out, asking=True, stage=stage, say=say)
        truth, conditions = await stack.enter_async_context(opening)
        questions = []
        for q in truth.questions:
            if q.ground_truth is not None:
                questions.append(q)
        if not questions:
            reasons = "; ".join(truth.problems)
            raise InputError(f"No question has a ground truth, so nothing was asked: {reasons}.")
        check_result_files(out, [("the benchmark", Path(study.benchmark))])
        ran = await _ask_models(questions, subjects, conditions, ledger, bar)
        for line in _spending(ran, subjects):
            say(line)
        provenance = _provenance(subjects, conditions)
        silent = []
        for judge in judges:
            try:
                judged = await judge_answers(
                    judge, truth, ran.answers, ledger, judging=judging, say=say
                )
                results = _score(study, judged, truth, ran, provenance)
            except EndpointError as error:
                if judge is judges[-1]:
                    raise
                say(f"{judge.recipe.name} judged nothing: {error}")
                silent.append(judge.recipe.name)
    complete = truth.complete and not ran.lost
    return RunOutcome(results=results, silent=tuple(silent), complete=complete)


async def run_study_part(
    study: Study,
    part: Shard,
    *,
    bar: Bar = no_bar,
    judging: JudgingLine = no_judging_line,
    stage: StageLine = no_stage_line,
    say: Callable[[str], None] = say_nothing,
) -> JudgedPart:
    """Asks the models those questions that belong to a part, and has models judge the answers, so
    that all replies are in the ledger; arguments as of `run_study`."""
    budget = Budget(max_calls=study.budget.max_calls, max_cost=study.budget.max_cost)
    subjects = _models_under_test(study, budget)
    ledger = study.kept_in
    judges = [_judge_of_entry(entry, study, budget) for entry in study.judges]
    async with AsyncExitStack() as stack:
        for subject in subjects:
            await stack.enter_async_context(subject.client)
        opening = opened(study, study.folder, asking=True, stage=stage, say=say)
        truth, conditions = await stack.enter_async_context(opening)
        questions = []
        for question in truth.questions:
            if question.ground_truth is not None and part.holds(question.query_id):
                questions.append(question)
        answers: tuple[GivenAnswer, ...] = ()
        spent = Spend()
        if questions:
            ran = await _ask_models(questions, subjects, conditions, ledger, bar)
            answers = ran.answers
            spent = sum(ran.spent, spent)
        for judge in judges:
            if answers and judge.named.at_hand is None:  # else it judges all at once
                await judge_answers(judge, truth, answers, ledger, judging=judging, say=say)
    statuses = Counter("ok" if answer.lost is None else answer.lost.status for answer in answers)
    left = statuses.pop("left", 0)
    return JudgedPart(
        part=part,
        ledger=ledger,
        judges=tuple(subject.name for subject in subjects),
        statuses=statuses,
        left=left,
        spend=spent,
        problems=truth.problems,
    )


async def _ask_models(
    questions: Sequence[Question],
    subjects: Sequence[Subject],
    conditions: Sequence[Condition],
    ledger: Path,
    bar: Bar,
) -> Ran:
    """Asks every model every question under every condition, with a bar over all answers."""
    total = len(questions) * len(conditions) * sum(subject.repeats for subject in subjects)
    with bar("answers", total) as step:
        return await run_models(questions, subjects, conditions, ledger, progress=step)


async def forecast_study(
    study: Study, *, say: Callable[[str], None] = say_nothing
) -> tuple[DataTable, tuple[str, ...]]:
    """Returns what a study would ask and cost as a table, and what is wrong with its questions;
    asks no model."""
    out = study.folder
    prices = Prices.load(study.budget.prices)
    models = []
    for entry in study.models:
        models.append(
            (entry.title, entry.spec(), prices.of(entry.spec()), entry.repeats or study.repeats)
        )
    async with opened(study, out, asking=False, say=say) as (truth, conditions):
        questions = []
        for q in truth.questions:
            if _may_be_asked(q, truth):
                questions.append(q)
        asked = await forecast_run(questions, models, conditions, study.kept_in)
    rows = list(asked)
    for judge in (*study.judges[1:], study.judges[0]):
        if names_model(judge.name):
            spec = _asking_of_entry(judge, study).spec(judge.name)
            rows.append(forecast_judge(judge.name, spec, prices.of(spec), questions, asked))
    return forecast_table(rows), truth.problems


def _may_be_asked(question: Question, truth: Truth) -> bool:
    """Whether a question has a ground truth, or a query that was not tried in a forecast."""
    derivable = question.sparql is not None and question.query_id not in truth.errors
    return derivable or question.ground_truth is not None


def _models_under_test(study: Study, budget: Budget) -> list[Subject]:
    """The models that a study names, each with its client."""
    return [
        Subject(
            name=entry.title,
            client=_asking_of_entry(entry, study, budget).client(entry.spec()),
            repeats=entry.repeats or study.repeats,
        )
        for entry in study.models
    ]


def _asking_of_entry(
    entry: JudgeEntry | ModelEntry, study: Study, budget: Budget | None = None
) -> Asking:
    """The options for asking a model: those of its entry, else the study's."""
    names = type(entry).model_fields.keys() & Asking.__dataclass_fields__.keys()
    given = {}
    for name in names:
        if (value := getattr(entry, name)) is not None:
            given[name] = value
    return Asking(
        **{"concurrency": study.concurrency, **given},
        max_failures=study.budget.max_failures,
        prices=study.budget.prices,
        budget=budget,
    )


def _judge_of_entry(entry: JudgeEntry, study: Study, budget: Budget) -> AnswerJudge:
    """The judge of an entry.

    Raises:
        InputError: a key, a price or a function is missing; told before any model is asked.
    """
    recipe = recipe_of(JUDGED, entry.name, _asking_of_entry(entry, study, budget))
    return open_answer_judge(recipe, budget)


def _score(
    study: Study,
    judged: JudgedAnswers,
    truth: Truth,
    ran: Ran,
    provenance: dict[str, object],
) -> Results:
    """Returns the scores of the answers, by the facts that a judge found in them."""
    return score_study(
        truth,
        AnswerFile(answers=ran.answers, problems=ran.problems),
        judged,
        Options(**study.estimates.model_dump()),
        ledger=study.kept_in,
        provenance=provenance,
    )


def _provenance(subjects: Sequence[Subject], conditions: Sequence[Condition]) -> dict[str, object]:
    """The parameters of each model and the settings of each condition, for the signature."""
    return {
        "models": {subject.name: subject.client.spec.signature for subject in subjects},
        "conditions": {condition.name: condition.settings for condition in conditions},
    }


def _spending(ran: Ran, subjects: Sequence[Subject]) -> Iterator[str]:
    """Yields what each model cost, which calls failed, and why it was stopped."""
    for spend, subject in zip(ran.spent, subjects, strict=True):
        yield spend_in_words(subject.name, spend)
        for reason, times in spend.failures.items():
            yield f"{subject.name}: {count(times, 'call', 'calls')} failed: {reason}"
        if spend.stopped:
            yield f"{subject.name}: {spend.stopped}"
