"""A judge's verdicts, shown beside people's answers; only when nobody is asked any more.

Everybody on a server can read predictions, so before that they would sway people.
"""

from __future__ import annotations

from dataclasses import dataclass

from factmark.campaign_model import Campaign
from factmark.errors import EndpointError, InputError
from factmark.ledger.campaigns import note_shown_judge, tasks_of
from factmark.ledger.export import judges_of
from factmark.ledger.judge_names import resolve
from factmark.ledger.ledger import Ledger
from factmark.people.core.forms import form_named
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.labelresult import prediction
from factmark.people.labelstudio.places import find_projects
from factmark.people.labelstudio.transport import LostAnswerError

_ROUNDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What became of a judge's verdicts.

    Attributes:
        judge: as the server names it.
        made: predictions that are new.
        known: tasks that had one of this judge.
        without: tasks whose unit the judge gave no label.
    """

    judge: str
    made: int
    known: int
    without: int


async def push_predictions(
    ledger: Ledger, campaign: Campaign, client: LabelStudio, judge: str
) -> Shown:
    """Adds a judge's newest verdicts to the tasks that have none of it.

    Raises:
        InputError: people may still answer; the form has no labels; there is no such judge, or it
            is a person.
        EndpointError: the server cannot be reached; what was added stays.
    """
    if not campaign.closed:
        raise InputError(
            f"The campaign {campaign.name!r} is open: a judge's verdicts would sway the people. "
            "Close it first (`factmark annotate close`)."
        )
    form = form_named(campaign.form)
    if not form.values:
        raise InputError(f"--predictions: people give no labels in the form {form.name}.")
    judges = judges_of(ledger)
    found = resolve(ledger.path, judge, judges)
    known = next(one for one in judges if one.id == found)
    if known.kind == "person":
        raise InputError(f"--predictions {judge}: is a person; only other judges are shown.")
    name = f"{known.name} ({found[:8]})"
    units = {task.key: task.assignment.unit for task in tasks_of(ledger, campaign)}
    labels = {
        unit: verdict.label
        for unit, verdict in ledger.newest(found, list(dict.fromkeys(units.values()))).items()
        if verdict.status == "ok" and verdict.label in form.values
    }
    note_shown_judge(ledger, campaign, name)
    made = 0
    for turn in range(_ROUNDS):
        had = without = 0
        try:
            for projects in (await find_projects(ledger, campaign, client)).values():
                for project in projects:
                    there = {
                        one.task
                        for one in await client.predictions(project.id)
                        if one.model_version == name
                    }
                    for task in await client.tasks(project.id):
                        label = labels.get(units.get(str(task.data.get("key")), ""))
                        if task.id in there:
                            had += 1
                        elif label is None:
                            without += 1
                        else:
                            await client.add_prediction(
                                task.id, result=prediction(form, label), model_version=name
                            )
                            made += 1
        except LostAnswerError:  # it may have been added: look again
            if turn == _ROUNDS - 1:
                raise
        else:
            return Shown(judge=name, made=made, known=had, without=without)
    raise EndpointError(f"{client.url}: keeps losing answers. Try again.")
