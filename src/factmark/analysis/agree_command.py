"""`factmark agree`: how far the judges of a ledger agree."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from factmark.cli import options
from factmark.cli.console import print_agreement, say


class Scale(StrEnum):
    """How far apart labels are."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def agree(
    ledger: Annotated[Path, typer.Argument(help="The ledger's file.")],
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge's name or the beginning of its id; again for each. One: it against all "
            "others. All that share units, where none is given."
        ),
    ] = None,
    first_final: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge whose first verdicts are compared with its newest; again for each."
        ),
    ] = None,
    kind: Annotated[
        str, typer.Option(help="The kind of units: pair, triple, fact, ...; each, if not given.")
    ] = "",
    scale: Annotated[
        Scale | None,
        typer.Option(
            help="How far apart labels are. Not given: interval where they are numbers, ordinal "
            "where each has its own value, else nominal."
        ),
    ] = None,
    by: Annotated[
        str,
        typer.Option(help="A stratum to break down by: relation, category, model, condition, ..."),
    ] = "",
    out: Annotated[
        Path | None, typer.Option(help="A folder for agree.json, .csv, .md and .tex.")
    ] = None,
    level: options.Level = 0.95,
    resamples: options.Resamples = 10_000,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Tell how far judges agree: rules, models and people alike.

    Every two judges that were asked about the same units, each judge against all people, and people
    among each other: Krippendorff's alpha beside Gwet's AC1, kappa and exact agreement,
    with intervals over clusters and with what is missing; then what each of two said, as a table.
    Either coefficient alone misleads where one label prevails; a note says where that is so.
    """
    from factmark.analysis.agree_results import agreement_of, write_agreement
    from factmark.analysis.panels import How
    from factmark.errors import InputError
    from factmark.files.overwriting import check_files

    if judge and first_final:
        raise InputError("--judge and --first-final: take one of them.")
    how = How(
        scale=None if scale is None else scale.value,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    found = agreement_of(
        ledger, how, judges=judge or (), revised=first_final or (), kind=kind, by=by
    )
    if out is not None:
        names = [f"agree.{end}" for end in ("json", "csv", "md", "tex")]
        check_files(out, names, [("the ledger", ledger)])
        written = write_agreement(found, out)
        say(f"wrote {', '.join(str(path) for path in written)}")
    print_agreement(found, json=json)
