"""A campaign's units judged by a model, by what people are shown; its verdicts stay in the ledger.

People never see them. Units of the form's kind that nobody is asked about are judged too, so that
people's answers can correct the judge's verdicts on the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.runner import Progress, run
from factmark.ask.tasks import Claims, Job, Task, rubric_task
from factmark.errors import InputError
from factmark.graphs.core.rubrics import SUPPORT_CONTEXT, VALIDITY_ONTOLOGY
from factmark.ledger.damage import json_cell
from factmark.ledger.ledger import open_existing
from factmark.model import Item, Unit
from factmark.people.campaigns import campaign_named
from factmark.people.core.forms import form_named
from factmark.people.core.records import Campaign, Shown
from factmark.people.core.rubrics import COARSE_SUMMARY, FINE_SUMMARY, clause_claim
from factmark.replies.rubric import Rubric

RUBRICS: Mapping[str, Rubric] = {
    "summary": COARSE_SUMMARY,
    "clause": FINE_SUMMARY,
    "pair": SUPPORT_CONTEXT,
    "triple": VALIDITY_ONTOLOGY,
}
"""Kind of unit -> what a model is asked of it."""

_UNITS = """
SELECT u.id, u.item, u.kind, u.text, u.data, i.cluster, i.strata, i.data, e.text, s.data, w.text
FROM units u JOIN items i ON i.id = u.item
LEFT JOIN shown s ON s.unit = u.id AND s.campaign = :campaign
LEFT JOIN evidence e ON e.id = s.evidence
LEFT JOIN units w ON w.id = json_extract(u.data, '$.summary')
WHERE u.kind = :kind AND (s.unit IS NOT NULL
    OR NOT EXISTS (SELECT 1 FROM shown o WHERE o.unit = u.id))
ORDER BY i.cluster, u.item, u.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Docket:
    """What a judge is to go through.

    Attributes:
        rubric: what is asked.
        jobs: units with their items; those of one source stand together.
        shown: unit -> what it is judged by.
        asked: how many of the units people are asked about.
        left_out: units of which the ledger does not say what they are judged by.
    """

    campaign: Campaign
    rubric: Rubric
    jobs: tuple[Job, ...]
    shown: Mapping[str, Shown]
    asked: int
    left_out: int


def docket_of(ledger: Path, name: str | None = None) -> Docket:
    """The units of a campaign's kind, but for those that only other campaigns ask about.

    Raises:
        InputError: there is no such campaign, or no rubric for its form.
        LedgerError: there is no such ledger, or it cannot be read.
    """
    with open_existing(ledger, read_only=True) as opened:
        campaign = campaign_named(opened, name)
        form = form_named(campaign.form)
        if form.kind not in RUBRICS:
            more = (
                " `factmark score --extractor` has a model find facts." if not form.values else ""
            )
            raise InputError(
                f"{ledger}: the campaign {campaign.name!r} is of the form {form.name!r}, for which "
                f"no model can be asked. Forms with a judge are coarse, fine, support and "
                f"validity.{more}"
            )
        rows = opened.connection.execute(
            _UNITS, {"campaign": campaign.id, "kind": form.kind}
        ).fetchall()
    jobs: list[Job] = []
    shown: dict[str, Shown] = {}
    for unit, item, kind, text, data, cluster, strata, about, evidence, details, whole in rows:
        made = Unit(id=unit, item=item, kind=kind, text=text, data=json_cell(data))
        of = Item(id=item, cluster=cluster, strata=json_cell(strata), data=json_cell(about))
        what = _shown(evidence, details) if details else _unshown(of, made, whole)
        if what is not None:
            jobs.append((of, made))
            shown[unit] = what
    asked = sum(details is not None for *_, details, _ in rows)
    return Docket(
        campaign=campaign, rubric=RUBRICS[form.kind], jobs=tuple(jobs), shown=shown, asked=asked,
        left_out=len(rows) - len(jobs),
    )  # fmt: skip


def judge_task(docket: Docket, spec: ModelSpec, *, batch: int, samples: int) -> Task:
    """What a model is asked about the units, and how its replies are read."""
    rubric, shown = docket.rubric, docket.shown

    def asked(units: Sequence[Unit]) -> Claims:
        evidence = "" if rubric is VALIDITY_ONTOLOGY else shown[units[0].id].evidence
        return [_claim(unit, shown[unit.id]) for unit in units], evidence

    def group(unit: Unit) -> object:
        return shown[unit.id].evidence if rubric is not VALIDITY_ONTOLOGY else None

    return rubric_task(spec, rubric, asked, batch=batch, samples=samples, group=group)


async def judge_campaign(
    docket: Docket,
    task: Task,
    client: ChatClient,
    ledger: Path,
    *,
    batch: int = 1,
    samples: int = 1,
    concurrency: int = 64,
    again: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Progress:
    """Asks the model about every unit that it has not judged yet (`factmark.ask.runner.run`)."""
    async with client:
        return await run(
            docket.jobs, task, client, ledger, batch=batch, samples=samples,
            ahead=2 * concurrency, again=again, progress=progress,
        )  # fmt: skip


def _claim(unit: Unit, what: Shown) -> str:
    """What stands in the rubric's fence: the unit as people see it."""
    if unit.kind == "clause" and what.marked is not None:
        return clause_claim(what.text, *what.marked)
    return what.evidence if unit.kind == "triple" else what.text


def _shown(evidence: str, details: str) -> Shown:
    data = json_cell(details)
    marked = data["marked"]
    return Shown(
        evidence=evidence,
        text=data["text"],
        marked=None if marked is None else (marked[0], marked[1]),
    )


def _unshown(item: Item, unit: Unit, summary: str | None) -> Shown | None:
    """What a unit that nobody is asked about would be shown with; None where that is not known."""
    evidence = unit.data.get("passage") if unit.kind == "pair" else item.data.get("source")
    if not isinstance(evidence, str) or unit.kind == "triple":
        return None
    if unit.kind != "clause":
        return Shown(evidence=evidence, text=unit.text)
    span = unit.data.get("span")
    if summary is None or not isinstance(span, list) or len(span) != 2:
        return None
    return Shown(evidence=evidence, text=summary, marked=(span[0], span[1]))
