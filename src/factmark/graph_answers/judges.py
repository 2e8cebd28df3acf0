"""The judges of answers and contexts: rules, a model with a rubric, or one of the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from factmark.ask.client import ChatClient
from factmark.ask.judges.model_judge import asking_judge
from factmark.ask.judges.own_judge import OwnJudge, open_own_judge
from factmark.ask.judges.recipe import Recipe
from factmark.ask.judges.unit_judge import NamedJudge, UnitJudge, rule_judge
from factmark.ask.model_spec import ModelSpec
from factmark.ask.tasks import Claims, Task, rubric_task
from factmark.cli.judge_recipes import Openers, recipe_of
from factmark.graph_answers.core.records import VERIFIED, GraphQuestion
from factmark.graph_answers.core.rubrics import HOLDS, VERIFY, verify_evidence
from factmark.graph_answers.core.verifying import verify
from factmark.graph_answers.options import GraphragOptions
from factmark.model import Judge, Unit
from factmark.replies.rubric import Rubric

RULES_VERSION = "3"  # part of the rule judges' identity: raise it when they judge otherwise
REPLIES = Judge.create("rule", "choice replies", version=RULES_VERSION)
ABSTENTIONS = Judge.create("rule", "abstentions", version=RULES_VERSION)
OVERLAP = Judge.create("rule", "token overlap", version=RULES_VERSION)


def answers_recipe(given: GraphragOptions) -> Recipe:
    """Returns the recipe of the judge of answers to a graph.

    Raises:
        InputError: as `recipe_of`.
    """
    many = {"batch": given.batch, "samples": given.samples}
    return recipe_of("graphrag", given.judge, given.asking_of_both()[1], parameters=many)


def answer_openers(
    recipe: Recipe, questions: Mapping[str, GraphQuestion], rubric: Rubric = VERIFY
) -> Openers:
    """Returns how the judges of answers (`VERIFY`) are opened, or of contexts (`HOLDS`), of which
    only a model judges.

    Args:
        questions: id of an item -> its question.
    """
    batch = 1
    if rubric is VERIFY:
        batch = recipe.parameter("batch")
    many = {"batch": batch, "samples": recipe.parameter("samples")}

    def by_model(client: ChatClient) -> NamedJudge:
        return asking_judge(
            client, answer_model_task(rubric, client.spec, questions, **many), **many
        )

    if rubric is not VERIFY:
        return Openers(model=by_model)
    return Openers(
        rules=lambda: answer_rule_judge(questions),
        model=by_model,
        own=lambda own: answer_own_judge(own, questions),
    )


def with_questions(recipe: Recipe, questions: Mapping[str, GraphQuestion]) -> Recipe:
    """Returns a recipe with the questions, by which answers are judged in another process."""
    return replace(recipe, material={item: asdict(asked) for item, asked in questions.items()})


def open_answers_recipe(recipe: Recipe) -> Openers:
    """Returns how the judge is opened whose recipe came `with_questions`."""
    questions = {}
    for item, asked in recipe.material.items():
        questions[item] = _question(asked)
    return answer_openers(recipe, questions, HOLDS if recipe.judges == "retrieval" else VERIFY)


def _question(asked: Mapping[str, Any]) -> GraphQuestion:
    """Returns the question whose fields `with_questions` wrote down."""
    several = {}
    for name, value in asked.items():
        if isinstance(value, list):
            several[name] = tuple(value)
    triples = tuple((head, relation, tail) for head, relation, tail in asked["triples"])
    return GraphQuestion(**{**asked, **several, "triples": triples})


def answer_rule_judge(questions: Mapping[str, GraphQuestion]) -> UnitJudge:
    """Returns the rule judge of free-text answers, which goes by words that answer and reference
    share.

    Args:
        questions: id of an item -> its question.
    """

    def by_words(unit: Unit) -> tuple[str | None, str]:
        return verify(questions[unit.item], _answer_in(unit))

    return rule_judge(OVERLAP, by_words, VERIFIED)


def _answer_in(unit: Unit) -> str:
    """Returns the answer of a unit as it was given; the text of the unit is blinded for people."""
    return str(unit.data.get("original", unit.text))


def answer_model_task(
    rubric: Rubric,
    spec: ModelSpec,
    questions: Mapping[str, GraphQuestion],
    *,
    batch: int = 1,
    samples: int = 1,
) -> Task:
    """Returns what a model is asked about answers (`VERIFY`) or contexts (`HOLDS`).

    Args:
        questions: id of an item -> its question.
    """

    def asked(units: Sequence[Unit]) -> Claims:
        return [_answer_in(unit) for unit in units], verify_evidence(questions[units[0].item])

    return rubric_task(
        spec, rubric, asked, batch=batch, samples=samples, group=lambda unit: unit.item
    )


def answer_own_judge(own: OwnJudge, questions: Mapping[str, GraphQuestion]) -> NamedJudge:
    """Returns a function or weights of the user's own as a judge of free-text answers.

    It is given the `question`, its `references`, and the answer as the `claim`; as `evidence`
    question and references as a model would read them. It does not learn whose answer it is.

    Args:
        questions: id of an item -> its question.
    """

    def shown(unit: Unit) -> dict[str, object]:
        question = questions[unit.item]
        return {
            "kind": unit.kind,
            "claim": _answer_in(unit),
            "evidence": verify_evidence(question),
            "question": question.asked,
            "references": list(question.references),
        }

    return open_own_judge(own, shown, VERIFIED)
