"""`factmark plan`: how many verdicts and labels by people an interval of a given width needs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.console import print_json, print_table, say

if TYPE_CHECKING:
    from factmark.analysis.plan import Pilot
    from factmark.stats.planning import Need, Stratum


def plan(
    half_width: Annotated[
        float | None,
        typer.Option(min=0.0001, max=0.4999, help="Half of the interval that is wanted."),
    ] = None,
    labels: Annotated[
        int | None,
        typer.Option(min=1, help="In place of --half-width: a sheet with so many units in all."),
    ] = None,
    share: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="The share that is expected.")
    ] = None,
    agreement: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="How often judge and people agree.")
    ] = 0.9,
    sensitivity: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="In place of --agreement: on what is true."),
    ] = None,
    specificity: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="In place of --agreement: on what is false."),
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="A pilot, in place of assumptions: verdicts and labels.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="The pilot's judge: its name or the start of its id.")
    ] = None,
    verdicts: Annotated[
        int | None,
        typer.Option(min=1, help="Units that the judge goes through; enough where not given."),
    ] = None,
    census: Annotated[
        bool, typer.Option("--census", help="The verdicts are on all the units that there are.")
    ] = False,
    design_effect: Annotated[
        float | None,
        typer.Option(min=1.0, help="Of labels on several units of one item; the pilot's, else 1."),
    ] = None,
    entity_seconds: Annotated[
        float, typer.Option(min=0.0, help="A person's time to find out about an entity.")
    ] = 45.0,
    fact_seconds: Annotated[
        float, typer.Option(min=0.0, help="A person's time for a fact on it.")
    ] = 25.0,
    facts_per_entity: Annotated[
        float, typer.Option(min=1.0, help="Labelled facts that share an entity.")
    ] = 1.0,
    wage: Annotated[float, typer.Option(min=0.0, help="Of a person, for an hour.")] = 0.0,
    verdict_cost: Annotated[
        float | None, typer.Option(min=0.0, help="Of a verdict; what the pilot's cost, else 0.")
    ] = None,
    sheet: Annotated[
        Path | None,
        typer.Option(help="Write a CSV sheet with the pilot's units to label next."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over a sheet that is there.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of drawing the sheet.")] = 0,
    level: options.Level = 0.95,
    json: options.Json = False,
) -> None:
    """How many verdicts and labels by people a half-width needs, and what they take.

    From assumptions (--share, --agreement), or from a pilot: a ledger with a judge's verdicts and
    people's labels on some of them. `factmark ledger import` brings in a sheet that was filled in.
    """
    from factmark.errors import InputError
    from factmark.files.overwriting import check_outputs
    from factmark.stats import Costs, needs
    from factmark.stats.planning import allot

    if (share is None) == (ledger is None):
        raise InputError(
            "Say what share is expected with --share, or name a pilot with --ledger; one."
        )
    if (half_width is None) == (labels is None):
        raise InputError("Name the --half-width that is wanted, or the --labels there are; one.")
    if (sheet is not None or labels is not None) and (ledger is None or sheet is None):
        raise InputError("A sheet is drawn from a ledger: name both, with --ledger and --sheet.")
    if sheet is not None and ledger is not None:
        check_outputs([("--sheet", sheet)], [("--ledger", ledger)])
    if sheet is not None and sheet.exists() and not replace:
        raise InputError(f"{sheet}: is there already. Name another file, or say --replace.")
    pilot = None if ledger is None else _pilot(ledger, judge)
    strata = _strata(share, agreement, sensitivity, specificity, pilot)
    if half_width is None:
        if pilot is not None and ledger is not None and sheet is not None and labels is not None:
            _draw(ledger, pilot, allot(strata, labels, len(pilot.found.units)), sheet, seed)
        return
    cost = verdict_cost if verdict_cost is not None else (pilot and pilot.cost) or 0.0
    found = needs(
        strata,
        half_width,
        verdicts=verdicts or (len(pilot.found.units) if pilot else None),
        level=level,
        design_effect=design_effect or (pilot.design_effect if pilot else 1.0),
        population=census,
        costs=Costs(
            entity_seconds=entity_seconds,
            fact_seconds=fact_seconds,
            facts_per_entity=facts_per_entity,
            wage=wage,
            verdict=cost,
            verdict_seconds=pilot.seconds if pilot else 0.0,
        ),
    )
    expected = sum(part.weight * part.share for part in strata)
    _tell(found, half_width, expected, level, json)
    if ledger is not None and pilot is not None and sheet is not None:
        if found[-1].labels is None:
            raise InputError(
                "No sheet: no number of labels gives that width with so few verdicts. Judge more "
                "units, take a larger --half-width, or say --census if these are all there are."
            )
        _draw(ledger, pilot, found[-1].allocation, sheet, seed)


def _pilot(path: Path, judge: str | None) -> Pilot:
    from factmark.analysis.plan import read_pilot
    from factmark.ledger.ledger import open_existing

    with open_existing(path, read_only=True) as opened:
        pilot = read_pilot(opened, judge)
    if not pilot.found.people:
        say(
            f"note: {path} has no labels by people on {pilot.judge}'s units yet, so each verdict "
            "is taken to be right half of the time; label a few dozen and plan again"
        )
    return pilot


def _strata(
    share: float | None,
    agreement: float,
    sensitivity: float | None,
    specificity: float | None,
    pilot: Pilot | None,
) -> tuple[Stratum, ...]:
    from factmark.stats import expected_strata, pilot_strata

    if pilot is not None:
        return pilot_strata(pilot.cells)
    return expected_strata(
        share or 0.0,
        agreement if sensitivity is None else sensitivity,
        agreement if specificity is None else specificity,
    )


def _tell(
    found: tuple[Need, ...], half_width: float, share: float, level: float, json: bool
) -> None:
    from factmark.analysis.plan import plan_table

    if json:
        from factmark.files.json_values import plain

        print_json(
            {"half_width": half_width, "share": share, "level": level, "designs": plain(found)}
        )
        return
    print_table(plan_table(found, half_width=half_width, share=share, level=level))


def _draw(ledger: Path, pilot: Pilot, wanted: Mapping[str, int], sheet: Path, seed: int) -> None:
    from factmark.analysis.plan import draw_sheet
    from factmark.ledger.ledger import open_existing
    from factmark.people.core.forms import FORMS

    with open_existing(ledger, read_only=True) as opened:
        count = draw_sheet(sheet, opened, pilot, wanted, seed)
    done = len(pilot.found.people)
    if not count:
        say(f"nothing to label: people have labelled {done} units, which is enough; no sheet")
        return
    short = max(0, sum(wanted.values()) - len(pilot.found.units))
    if short:
        say(f"note: the plan needs {short} units more than the ledger holds; judge more")
    more = f" beside the {done} that people labelled" if done else ""
    form = next(name for name, form in FORMS.items() if form.kind == pilot.kind)
    say(
        f"wrote {sheet}: {count} units to label{more}. Fill in annotator and label, then "
        f"`factmark ledger import {ledger} {sheet}`; or have them labelled on a page: `factmark "
        f"annotate create --form {form} --ledger {ledger} --sheet {sheet} --annotators NAMES`"
    )
