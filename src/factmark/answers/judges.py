"""Who judges answers: a question and an answer to it in, a score out, whoever finds the facts.

Rules, people's marks, a function of the user's own and a model each give an `AnswerJudge`; ledger,
budget and progress are outside it. Another kind of judge is another function here that returns one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from factmark.answers.core.evaluate import AnswerJudge
from factmark.answers.core.matching import Targets
from factmark.answers.core.records import AnswerScore, Fact, GivenAnswer, Question
from factmark.answers.core.scores import score_with
from factmark.answers.core.writings import writings
from factmark.answers.marks.annotations import Annotations, open_annotations
from factmark.answers.options import ScoreOptions
from factmark.errors import InputError
from factmark.model import Judge

if TYPE_CHECKING:
    from factmark.answers.questions.ground_truths import Truth
    from factmark.ask.model_spec import ModelSpec


def named_model(options: ScoreOptions) -> ModelSpec | None:
    """The model that --extractor names, or None where it names none."""
    from factmark.ask.model_spec import names_model

    if options.extractor and options.annotations:
        raise InputError("Give --extractor or --annotations, not both.")
    if options.extractor and names_model(options.extractor):
        spec = options.asking.spec(options.extractor)
        options.asking.client(spec)  # a missing key or price shows before G is derived
        return spec
    if options.dry_run or options.asking.given:
        raise InputError(
            "--dry-run, --base-url, --key-env, --max-calls, --max-cost and --prices are for a "
            "model that finds the facts: --extractor openai:MODEL."
        )
    return None


def judge_without_model(options: ScoreOptions) -> AnswerJudge:
    """The judge that the options name, where it is no model: a function, a person, or the rules."""
    annotator = None if options.people else options.annotator
    if annotator and not options.annotations:
        raise InputError("--annotator says whose facts in --annotations or --people; name one.")
    if options.extractor:
        return own_judge(options.extractor)
    if options.annotations:
        return judge_by_marks(open_annotations(options.annotations, annotator))
    return AnswerJudge()


def judge_by_model(
    options: ScoreOptions, spec: ModelSpec, truth: Truth, answers: Sequence[GivenAnswer]
) -> AnswerJudge | None:
    """The model as a judge, once it was asked; None for a dry run, which prints the forecast."""
    from factmark.answers.model_facts import forecast_facts, model_finds_facts, texts
    from factmark.cli.asking import tell_forecast

    asking, given = options.asking, (truth.questions, answers)
    if options.dry_run:
        forecast = forecast_facts(texts(*given), spec, asking.price(spec), options.kept_in)
        tell_forecast(forecast, spec, json=options.json)
        return None
    return asyncio.run(model_finds_facts(spec, asking, *given, options.kept_in))


def judge_named(name: str) -> AnswerJudge:
    """The rules, which are `rules`, or a function of the user's own (`own_judge`)."""
    return AnswerJudge() if name == "rules" else own_judge(name)


def judge_by_marks(people: Annotations) -> AnswerJudge:
    """The annotator as a judge; scoring an answer without marks is an InputError."""

    def scorer(question: Question, answer: GivenAnswer) -> AnswerScore:
        score = people.score(question, answer)
        if score is None:
            raise InputError(
                f"{people.path}: holds no annotations of answer {answer.id} to "
                f"{answer.query_id}. Annotate it, or leave it out of the answers."
            )
        return score

    judge = Judge.create("person", people.name, marked=people.digest)
    return AnswerJudge(judge=judge, scorer=scorer)


def own_judge(name: str) -> AnswerJudge:
    """A function of the user's own, `module:function`, as a judge; its source is part of who it is.

    The function gets the question, the ground truth and the answer as `(str, list[str], str)` and
    returns the facts: each a string that stands in the answer, or a pair `(start, end)` of
    positions in it.

    Raises:
        InputError: if there is no such function; and later, by the scorer, if it fails or returns
            something else.
    """
    from factmark.ask.judges.own_function import load_function

    function = load_function("--extractor", name)

    def scorer(question: Question, answer: GivenAnswer) -> AnswerScore:
        truth = list(question.ground_truth or ())

        def extract() -> list[Fact]:
            return _facts_at(function.call(question.text, truth, answer.text), answer.text)

        try:
            targets = Targets.of(truth, writings(question))
            return score_with(extract, question.text, targets, answer.text)
        except (Exception, SystemExit) as error:
            raise InputError(
                f"--extractor {name}: failed on answer {answer.id} to {answer.query_id}: "
                f"{type(error).__name__}: {error}"
            ) from error

    return AnswerJudge(judge=Judge.create("rule", name, source=function.source), scorer=scorer)


def _facts_at(given: Iterable[str | Sequence[int]], answer: str) -> list[Fact]:
    """The facts that a function returned, as texts of the answer or as positions in it."""
    facts = []
    for stretch in given:
        if isinstance(stretch, str):
            start = answer.find(stretch) if stretch else -1
            end = start + len(stretch)
        else:
            start, end = stretch
        if not 0 <= start < end <= len(answer):
            raise ValueError(f"{stretch!r} is not in the answer")
        facts.append(Fact(text=answer[start:end], start=start, end=end))
    return facts
