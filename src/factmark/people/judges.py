"""Who judges the units of a campaign beside people: a model, or a function of the user's own."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.ask.judges.own_function import OwnFunction, function_judge
from factmark.ask.judges.unit_judge import UnitJudge
from factmark.ask.model_spec import ModelSpec
from factmark.ask.tasks import Claims, Task, rubric_task
from factmark.campaign_model import Shown
from factmark.model import Unit
from factmark.people.core.forms import VALIDITY, clause_claim
from factmark.people.judge_study import Docket

_OF_TRIPLES = ("head", "relation", "tail")


def model_task(docket: Docket, spec: ModelSpec, *, batch: int, samples: int) -> Task:
    """What a model is asked about the units, and how its replies are read."""
    # The entry of a triple is part of what is judged.
    apart = docket.campaign.form != VALIDITY.name

    def asked(units: Sequence[Unit]) -> Claims:
        evidence = docket.shown[units[0].id].evidence if apart else ""
        return [_claim(unit, docket.shown[unit.id]) for unit in units], evidence

    def group(unit: Unit) -> object:
        return docket.shown[unit.id].evidence if apart else None

    return rubric_task(spec, docket.rubric, asked, batch=batch, samples=samples, group=group)


def by_function(docket: Docket, function: OwnFunction) -> UnitJudge:
    """A function of the user's own as a judge of what people are shown.

    It is given the `claim` (a summary, a clause, a statement), the `evidence`, of a clause the
    `summary` that it stands in, and of a triple its `head`, `relation` and `tail`. Whose it is is
    not told.
    """

    def shown(unit: Unit) -> dict[str, object]:
        seen = docket.shown[unit.id]
        claim, more = seen.text, {}
        if unit.kind == "clause" and seen.marked is not None:
            claim, more = seen.text[slice(*seen.marked)], {"summary": seen.text}
        triple = {name: unit.data[name] for name in _OF_TRIPLES if name in unit.data}
        return {"kind": unit.kind, "claim": claim, "evidence": seen.evidence, **more, **triple}

    return function_judge(function, shown, docket.rubric.values)


def _claim(unit: Unit, shown: Shown) -> str:
    """What stands in the rubric's fence: the unit as people see it."""
    if unit.kind == "clause" and shown.marked is not None:
        return clause_claim(shown.text, *shown.marked)
    return shown.evidence if unit.kind == "triple" else shown.text
