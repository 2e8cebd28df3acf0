"""Who judges answers: rules, people's marks, a function of the user's own, or a model.

Each finds the facts in an answer; rules match them. Another judge is another of the `Openers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.answers.answer_units import Findings, scoring_judge
from factmark.answers.core.evaluate import score_by_rule
from factmark.answers.core.records import AnswerScore, Fact, GivenAnswer, Question
from factmark.answers.core.rows import rule_judge
from factmark.answers.core.scores import score_with, targets_of
from factmark.answers.marks.annotations import open_annotations
from factmark.answers.options import ScoreOptions
from factmark.ask.judges.own_function import OwnFunction
from factmark.ask.judges.own_judge import OwnJudge
from factmark.ask.judges.recipe import Recipe, RecipeFile, judged_by
from factmark.ask.judges.unit_judge import NamedJudge, UnitJudge, ready
from factmark.cli.judge_recipes import Openers, open_judge, recipe_of
from factmark.errors import InputError
from factmark.model import Judge

if TYPE_CHECKING:  # with aiohttp: loaded by those who ask
    from factmark.ask.client import ChatClient

JUDGED = "answers"
"""What recipes call that which is judged here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerJudge:
    """A judge of answers that can be opened; it puts what it finds into `findings`."""

    recipe: Recipe
    named: NamedJudge
    findings: Findings = field(default_factory=dict)


def answers_recipe(options: ScoreOptions) -> Recipe:
    """Returns the recipe of the judge that `factmark score` names.

    Raises:
        InputError: options that do not go together, or as `recipe_of`.
    """
    annotator = None
    if not options.people:
        annotator = options.annotator
    by = judged_by(options.judge)
    if options.annotations and by != "rules":
        raise InputError("Give --judge or --annotations, not both.")
    if by != "model" and (options.dry_run or options.asking.given):
        raise InputError(
            "--dry-run, --base-url, --key-env, --max-calls, --max-cost and --prices are for a "
            "model that finds the facts: --judge openai:MODEL."
        )
    if annotator and not options.annotations:
        raise InputError("--annotator says whose facts in --annotations or --people; name one.")
    if options.annotations:
        return marks_recipe(options.annotations, annotator)
    return recipe_of(JUDGED, options.judge, options.asking)


def marks_recipe(path: Path, annotator: str | None = None) -> Recipe:
    """Returns the recipe of a person who marked the facts of answers, see `open_annotations`."""
    return Recipe(
        judges=JUDGED,
        by="marks",
        name=str(path),
        parameters={"annotator": annotator},
        files={"marks": RecipeFile.at(path)},
    )


def open_answer_judge(recipe: Recipe, budget: Any = None) -> AnswerJudge:
    """Returns the judge of a recipe, here or in another process.

    Args:
        budget: of a model: shared with others.

    Raises:
        InputError: as `open_judge`; a file of marks cannot be read.
    """
    findings: Findings = {}
    named = open_judge(recipe, answer_openers(findings), budget=budget)
    return AnswerJudge(recipe=recipe, named=named, findings=findings)


def answer_openers(findings: Findings) -> Openers:
    """Returns how the judges of answers are opened, which put into `findings` what they find."""

    def by_model(client: ChatClient) -> NamedJudge:
        from factmark.answers.model_facts import judge_by_model

        return judge_by_model(client, findings)

    return Openers(
        rules=lambda: scoring_judge(rule_judge(), score_by_rule, findings),
        model=by_model,
        own=lambda own: ready(_function_judge(own, findings)),
        marks=lambda path, annotator: _judge_by_marks(path, annotator, findings),
    )


def _judge_by_marks(path: Path, annotator: str | None, findings: Findings) -> UnitJudge:
    """Returns the annotator as a judge; scoring an answer without marks is an InputError."""
    people = open_annotations(path, annotator)

    def scorer(question: Question, answer: GivenAnswer) -> AnswerScore:
        score = people.score(question, answer)
        if score is None:
            raise InputError(
                f"{people.path}: holds no annotations of answer {answer.id} to "
                f"{answer.query_id}. Annotate it, or leave it out of the answers."
            )
        return score

    judge = Judge.create("person", people.name, marked=people.digest)
    return scoring_judge(judge, scorer, findings)


def _function_judge(own: OwnJudge, findings: Findings) -> UnitJudge:
    """Returns a function of the user's own as a judge; its source is part of who it is.

    The function gets the question, the ground truth and the answer as `(str, list[str], str)` and
    returns the facts: each a string that stands in the answer, or a pair `(start, end)` of
    positions in it. Where it fails or returns something else, that is an InputError.
    """
    if not isinstance(own, OwnFunction):
        raise InputError(
            f"{own.option}: an entailment model finds no facts in an answer. Name a model that is "
            "asked, or module:function of your own."
        )

    def scorer(question: Question, answer: GivenAnswer) -> AnswerScore:
        truth = list(question.ground_truth or ())

        def extract() -> list[Fact]:
            return _facts_at(own.call(question.text, truth, answer.text), answer.text)

        try:
            return score_with(extract, question.text, targets_of(question), answer.text)
        except (Exception, SystemExit) as error:
            raise InputError(
                f"--judge {own.name}: failed on answer {answer.id} to {answer.query_id}: "
                f"{type(error).__name__}: {error}"
            ) from error

    judge = Judge.create("rule", own.name, source=own.source)
    return scoring_judge(judge, scorer, findings)


def _facts_at(given: Iterable[str | Sequence[int]], answer: str) -> list[Fact]:
    """The facts that a function returned, as texts of the answer or as positions in it."""
    facts = []
    for stretch in given:
        if isinstance(stretch, str):
            start = -1
            if stretch:
                start = answer.find(stretch)
            end = start + len(stretch)
        else:
            start, end = stretch
        if not 0 <= start < end <= len(answer):
            raise ValueError(f"{stretch!r} is not in the answer")
        facts.append(Fact(text=answer[start:end], start=start, end=end))
    return facts
