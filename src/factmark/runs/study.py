"""What `factmark run` does: a study's questions -> models' answers -> scores -> a report."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from factmark.answers.core.evaluate import JudgedAnswers
from factmark.answers.core.records import Question
from factmark.answers.judges import JUDGED, AnswerJudge, open_answer_judge
from factmark.answers.questions.ground_truths import Truth
from factmark.answers.reading import AnswerFile
from factmark.answers.results import Results
from factmark.answers.study import judge_answers, score_study, write_report
from factmark.ask.budget import Budget
from factmark.ask.model_spec import names_model
from factmark.ask.prices import Prices
from factmark.cli.asking import Asking, tell_spend
from factmark.cli.console import print_json, print_table, progress, say
from factmark.cli.judge_recipes import recipe_of
from factmark.errors import EndpointError, InputError
from factmark.files.overwriting import ANSWERS, check_files
from factmark.runs.conditions import Condition
from factmark.runs.forecast import forecast_judge, forecast_run
from factmark.runs.reading import opened
from factmark.runs.running import Ran, Subject, run_models
from factmark.runs.study_file import JudgeEntry, ModelEntry, Study
from factmark.runs.tables import forecast_table
from factmark.stats.comparison import Options
from factmark.text.shown_text import count


async def run_study(study: Study) -> tuple[Results, list[str], bool]:
    """Asks the models, scores their answers and writes the report.

    Returns:
        The results, the names of judges that judged nothing, and whether nothing is left to do.
    """
    out = study.folder
    if out.exists() and not out.is_dir():  # one look, before anything runs
        raise InputError(f"--out {out}: is a file. Name a folder.")
    ledger = study.kept_in
    budget = Budget(max_calls=study.budget.max_calls, max_cost=study.budget.max_cost)
    subjects = _models_under_test(study, budget)
    # The first is the last to judge: reports show the newest.
    judges = [_judge_of_entry(entry, study, budget) for entry in reversed(study.judges)]
    async with AsyncExitStack() as stack:
        for subject in subjects:
            await stack.enter_async_context(subject.client)
        truth, conditions = await stack.enter_async_context(opened(study, out, asking=True))
        questions = [q for q in truth.questions if q.ground_truth is not None]
        if not questions:
            reasons = "; ".join(truth.problems)
            raise InputError(f"No question has a ground truth, so nothing was asked: {reasons}.")
        check_files(out, ANSWERS, [("the benchmark", Path(study.benchmark))])
        total = len(questions) * len(conditions) * sum(s.repeats for s in subjects)
        with progress("answers", total) as step:
            ran = await run_models(questions, subjects, conditions, ledger, progress=step)
        _tell_spending(ran, subjects)
        provenance = _provenance(subjects, conditions)
        silent = []
        for judge in judges:
            try:
                judged = await judge_answers(judge, truth, ran.answers, ledger)
                results = _score(study, judged, truth, ran, provenance)
            except EndpointError as error:
                if judge is judges[-1]:
                    raise
                say(f"{judge.recipe.name} judged nothing: {error}")
                silent.append(judge.recipe.name)
    write_report(results, out)
    say(f"wrote {out / 'report.html'} and the results beside it")
    return results, silent, truth.complete and not ran.lost


async def tell_plan(study: Study, *, json: bool) -> None:
    """Prints what a study would ask and cost; asks no model."""
    out = study.folder
    prices = Prices.load(study.budget.prices)
    models = [
        (entry.title, entry.spec(), prices.of(entry.spec()), entry.repeats or study.repeats)
        for entry in study.models
    ]
    async with opened(study, out, asking=False) as (truth, conditions):
        questions = [q for q in truth.questions if _may_be_asked(q, truth)]
        asked = await forecast_run(questions, models, conditions, study.kept_in)
    rows = list(asked)
    for judge in (*study.judges[1:], study.judges[0]):
        if names_model(judge.name):
            spec = _asking_of_entry(judge, study).spec(judge.name)
            rows.append(forecast_judge(judge.name, spec, prices.of(spec), questions, asked))
    table = forecast_table(rows)
    for problem in truth.problems:
        say(f"note: {problem}")
    if json:
        return print_json(table.rows())
    print_table(table)
    say("Nothing was asked.")
    return None


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
    given = {name: value for name in names if (value := getattr(entry, name)) is not None}
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
    """The scores of the answers, by the facts that a judge found in them."""
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


def _tell_spending(ran: Ran, subjects: Sequence[Subject]) -> None:
    """Prints what each model cost, which calls failed, and why it was stopped."""
    for spend, subject in zip(ran.spent, subjects, strict=True):
        tell_spend(subject.name, spend)
        for reason, times in spend.failures.items():
            say(f"{subject.name}: {count(times, 'call', 'calls')} failed: {reason}")
        if spend.stopped:
            say(f"{subject.name}: {spend.stopped}")
