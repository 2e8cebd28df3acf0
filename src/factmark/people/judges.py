"""Who judges the units of a campaign beside people, and which units these are.

A model, or a judge of the user's own, judges by what people are shown. Units of the form's kind
that nobody is asked about are judged too, so that people's answers can correct its verdicts on the
rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.ask.judges.own_judge import open_own_judge
from factmark.ask.judges.recipe import Recipe
from factmark.ask.judges.unit_judge import NamedJudge
from factmark.ask.model_spec import ModelSpec
from factmark.ask.tasks import Claims, Job, Task, rubric_task
from factmark.campaign_model import Campaign, ProtocolOf, Shown
from factmark.cli.judge_recipes import Openers
from factmark.errors import InputError
from factmark.files.shards import Shard
from factmark.ledger.campaigns import campaign_named, pairs_of_kind, shown_by_unit, units_shown
from factmark.ledger.ledger import open_existing
from factmark.model import Item, Unit
from factmark.people.core.forms import (
    COARSE,
    COARSE_SUMMARY,
    FINE,
    FINE_SUMMARY,
    SUPPORT,
    VALIDITY,
    clause_claim,
    form_named,
)
from factmark.people.core.scales import form_of
from factmark.replies.rubric import Rubric

if TYPE_CHECKING:  # with aiohttp: loaded by those who ask
    from factmark.ask.client import ChatClient

RUBRICS: Mapping[str, Rubric] = {COARSE.kind: COARSE_SUMMARY, FINE.kind: FINE_SUMMARY}
"""Kind of unit -> what a model is asked of it; claims and triples: see their protocol."""

_OF_TRIPLES = ("head", "relation", "tail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a judge of a campaign's units goes by.

    Attributes:
        form: the name of the campaign's.
        shown: unit -> what it is judged by.
    """

    form: str
    rubric: Rubric
    shown: Mapping[str, Shown]


@dataclass(frozen=True, slots=True, kw_only=True)
class Docket:
    """The units that a judge is to go through."""

    campaign: Campaign
    bench: Bench
    jobs: tuple[Job, ...]  # units with their items; those of one source stand together
    asked: int  # how many of the units people are asked about
    left_out: int  # units of which the ledger does not say what they are judged by

    def part(self, part: Shard) -> Docket:
        """Returns the units of one part; those of a passage, which are asked together, are in one
        part."""
        by_evidence = self.bench.form != VALIDITY.name
        here = []
        for item, unit in self.jobs:
            if part.holds(self.bench.shown[unit.id].evidence if by_evidence else unit.id):
                here.append((item, unit))
        return replace(self, jobs=tuple(here))


def docket_of(ledger: Path, name: str | None, protocol_of: ProtocolOf) -> Docket:
    """Returns the units of a campaign's kind, but for those that only other campaigns ask about.

    Raises:
        InputError: there is no such campaign, or no model can be asked by its form.
    """
    with open_existing(ledger, read_only=True) as opened:
        campaign = campaign_named(opened, name)
        form = form_of(campaign)
        if form not in (COARSE, FINE, SUPPORT, VALIDITY):
            more = " `factmark score --judge` has a model find facts."
            if form.values:
                more = ""
            raise InputError(
                f"{ledger}: the campaign {campaign.name!r} is of the form {form.name!r}, for which "
                f"no model can be asked. Forms with a judge are coarse, fine, support and "
                f"validity.{more}"
            )
        shown = shown_by_unit(opened, campaign)
        elsewhere = units_shown(opened) - shown.keys()
        pairs = []
        for pair in pairs_of_kind(opened, form.kind):
            if pair[1].id not in elsewhere:
                pairs.append(pair)
        summaries = {}
        if form == FINE:
            summaries = {unit.id: unit.text for _, unit in pairs_of_kind(opened, COARSE.kind)}
    asked = sum(unit.id in shown for _, unit in pairs)
    pairs.sort(key=lambda pair: (pair[0].cluster, pair[0].id, pair[1].id))
    jobs: list[Job] = []
    for item, unit in pairs:
        evidence = shown.get(unit.id) or _shown_if_asked(item, unit, summaries)
        if evidence is not None:
            jobs.append((item, unit))
            shown[unit.id] = evidence
    return Docket(
        campaign=campaign,
        bench=Bench(form=campaign.form, rubric=_rubric_of(form.kind, protocol_of), shown=shown),
        jobs=tuple(jobs),
        asked=asked,
        left_out=len(pairs) - len(jobs),
    )


def _shown_if_asked(item: Item, unit: Unit, summaries: Mapping[str, str]) -> Shown | None:
    """Returns what people would see of a unit that nobody is asked about; None where that is not
    known."""
    if unit.kind == "pair":
        evidence = unit.data.get("passage")
    else:
        evidence = item.data.get("source")
    if not isinstance(evidence, str) or unit.kind == "triple":
        return None
    if unit.kind != "clause":
        return Shown(evidence=evidence, text=unit.text)
    span = unit.data.get("span")
    summary = summaries.get(str(unit.data.get("summary")))
    if summary is None or not isinstance(span, list) or len(span) != 2:
        return None
    return Shown(evidence=evidence, text=summary, clause=(span[0], span[1]))


def model_task(bench: Bench, spec: ModelSpec, *, batch: int, samples: int) -> Task:
    """Returns what a model is asked about the units, and how its replies are read."""
    # The entry of a triple is part of what is judged.
    apart = bench.form != VALIDITY.name

    def asked(units: Sequence[Unit]) -> Claims:
        evidence = ""
        if apart:
            evidence = bench.shown[units[0].id].evidence
        return [_claim_text(unit, bench.shown[unit.id]) for unit in units], evidence

    def group(unit: Unit) -> object:
        if apart:
            return bench.shown[unit.id].evidence
        return None

    return rubric_task(spec, bench.rubric, asked, batch=batch, samples=samples, group=group)


def campaign_openers(recipe: Recipe, bench: Bench) -> Openers:
    """Returns how the judges of a campaign's units are opened.

    A function or weights of the user's own are given the `claim` (a summary, a clause, a statement)
    and the `evidence`; of a clause also the `summary` that it stands in, of a triple its `head`,
    `relation` and `tail`. They are not told whose the unit is.
    """
    many = {name: recipe.parameter(name) for name in ("batch", "samples")}

    def by_model(client: ChatClient) -> NamedJudge:
        from factmark.ask.judges.model_judge import asking_judge

        return asking_judge(client, model_task(bench, client.spec, **many), **many)

    def shown(unit: Unit) -> dict[str, object]:
        seen = bench.shown[unit.id]
        claim = seen.text
        more = {}
        if unit.kind == "clause" and seen.clause is not None:
            claim = seen.text[slice(*seen.clause)]
            more = {"summary": seen.text}
        triple = {}
        for name in _OF_TRIPLES:
            if name in unit.data:
                triple[name] = unit.data[name]
        return {"kind": unit.kind, "claim": claim, "evidence": seen.evidence, **more, **triple}

    return Openers(model=by_model, own=lambda own: open_own_judge(own, shown, bench.rubric.values))


def with_shown(recipe: Recipe, bench: Bench) -> Recipe:
    """Returns a recipe with what units are judged by, for another process."""
    material = {}
    for unit, seen in bench.shown.items():
        material[unit] = {"evidence": seen.evidence, "text": seen.text, "marked": seen.clause}
    parameters = {**recipe.parameters, "form": bench.form}
    return replace(recipe, material=material, parameters=parameters)


def open_campaign_recipe(recipe: Recipe, protocol_of: ProtocolOf) -> Openers:
    """Returns how the judge is opened whose recipe came `with_shown`."""
    form = str(recipe.parameter("form"))
    shown = {}
    for unit, seen in recipe.material.items():
        shown[unit] = Shown(
            evidence=seen["evidence"],
            text=seen["text"],
            clause=tuple(seen["marked"]) if seen["marked"] else None,
        )
    rubric = _rubric_of(form_named(form).kind, protocol_of)
    return campaign_openers(recipe, Bench(form=form, rubric=rubric, shown=shown))


def _rubric_of(kind: str, protocol_of: ProtocolOf) -> Rubric:
    """Returns what a model is asked of units of a kind."""
    rubric: Rubric = RUBRICS.get(kind) or protocol_of(kind).rubrics[kind]
    return rubric


def _claim_text(unit: Unit, shown: Shown) -> str:
    """Returns the text that a model is to judge: the unit as people see it."""
    if unit.kind == "clause" and shown.clause is not None:
        return clause_claim(shown.text, *shown.clause)
    if unit.kind == "triple":
        return shown.evidence
    return shown.text
