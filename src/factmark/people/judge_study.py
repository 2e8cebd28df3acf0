"""A campaign's units judged by a model, by what people are shown; its verdicts stay in the ledger.

People never see them. Units of the form's kind that nobody is asked about are judged too, so that
people's answers can correct the judge's verdicts on the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.runner import Progress, run
from factmark.ask.tasks import Claims, Job, Task, rubric_task
from factmark.campaign_model import Campaign, Shown
from factmark.errors import InputError
from factmark.graphs.core.rubrics import SUPPORT_CONTEXT, VALIDITY_ONTOLOGY
from factmark.ledger.campaigns import Pair, campaign_named, pairs_of_kind, shown_of, units_shown
from factmark.ledger.ledger import open_existing
from factmark.model import Item, Unit
from factmark.people.core.forms import (
    COARSE,
    COARSE_SUMMARY,
    FINE,
    FINE_SUMMARY,
    clause_claim,
    form_named,
)
from factmark.replies.rubric import Rubric

RUBRICS: Mapping[str, Rubric] = {
    "summary": COARSE_SUMMARY,
    "clause": FINE_SUMMARY,
    "pair": SUPPORT_CONTEXT,
    "triple": VALIDITY_ONTOLOGY,
}
"""Kind of unit -> what a model is asked of it."""


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
        every = pairs_of_kind(opened, form.kind)
        shown = shown_of(opened, campaign)
        asked = len(shown)
        elsewhere = units_shown(opened) - shown.keys()
        wholes = dict(_texts(pairs_of_kind(opened, COARSE.kind)) if form == FINE else ())
    pairs = [pair for pair in every if pair[1].id not in elsewhere]
    pairs.sort(key=lambda pair: (pair[0].cluster, pair[0].id, pair[1].id))
    jobs: list[Job] = []
    for item, unit in pairs:
        evidence = shown.get(unit.id) or _unshown(item, unit, wholes)
        if evidence is not None:
            jobs.append((item, unit))
            shown[unit.id] = evidence
    return Docket(
        campaign=campaign, rubric=RUBRICS[form.kind], jobs=tuple(jobs), shown=shown, asked=asked,
        left_out=len(pairs) - len(jobs),
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


def _texts(pairs: Iterable[Pair]) -> Iterator[tuple[str, str]]:
    return ((unit.id, unit.text) for _, unit in pairs)


def _unshown(item: Item, unit: Unit, summaries: Mapping[str, str]) -> Shown | None:
    """What a unit that nobody is asked about would be shown with; None where that is not known."""
    evidence = unit.data.get("passage") if unit.kind == "pair" else item.data.get("source")
    if not isinstance(evidence, str) or unit.kind == "triple":
        return None
    if unit.kind != "clause":
        return Shown(evidence=evidence, text=unit.text)
    span, summary = unit.data.get("span"), summaries.get(str(unit.data.get("summary")))
    if summary is None or not isinstance(span, list) or len(span) != 2:
        return None
    return Shown(evidence=evidence, text=summary, marked=(span[0], span[1]))
