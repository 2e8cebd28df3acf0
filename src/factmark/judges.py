"""Judges opened from their recipes, whatever they judge: for a process that did not write them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from factmark.cli.judge_recipes import open_judge
from factmark.errors import InputError

if TYPE_CHECKING:
    from factmark.ask.judges.recipe import Recipe
    from factmark.ask.judges.unit_judge import NamedJudge
    from factmark.cli.judge_recipes import Openers


@contextmanager
def open_recipe(recipe: Recipe) -> Iterator[NamedJudge]:
    """Opens what the judge of a recipe needs, for a `with` block; gives the judge, for the runner.

    Raises:
        InputError: this process would open another judge (another version of factmark, another
            content of a file), a file or function is missing here, or nothing is judged so.
    """
    recipe.check()
    with _openers(recipe) as openers:
        yield open_judge(recipe, openers, option="the judge")


@contextmanager
def _openers(recipe: Recipe) -> Iterator[Openers]:
    """Opens what the judges of a recipe's protocol need; each is loaded when it is asked for."""
    match recipe.judges:
        case "factscore" | "validity":
            from factmark.graphs.judges import open_graph_recipe

            with open_graph_recipe(recipe) as openers:
                yield openers
        case "claims":
            from factmark.claim_support.judges import claim_openers

            yield claim_openers(recipe)
        case "answers":
            from factmark.answers.judges import answer_openers

            yield answer_openers({})
        case "graphrag" | "retrieval":
            from factmark.graph_answers.judges import open_answers_recipe

            yield open_answers_recipe(recipe)
        case "campaign":
            from factmark.cli.annotate import protocol_of
            from factmark.people.judges import open_campaign_recipe

            yield open_campaign_recipe(recipe, protocol_of)
        case _:
            raise InputError(f"Nothing of the name {recipe.judges!r} is judged.")
