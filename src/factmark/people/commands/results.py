"""`factmark annotate results`: what a campaign came to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli import options
from factmark.cli.console import print_json, print_line, print_opening, print_table, say


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsOptions:
    """The options of `factmark annotate results`."""

    ledger: options.CampaignLedger
    campaign: options.Campaign = None
    out: Annotated[
        Path | None, typer.Option(help="A folder for results.json, ratings, tables, report.html.")
    ] = None
    names: Annotated[
        bool, typer.Option("--names", help="Call annotators by their names, not by codes.")
    ] = False
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A rule or model to set beside people: its name or the beginning of its id; again "
            "for each. All that judged such units, where none is given."
        ),
    ] = None
    level: options.Level = 0.95
    resamples: options.Resamples = 10_000
    seed: options.Seed = 0
    json: options.Json = False


def results(protocol_of: ProtocolOf, options: ResultsOptions) -> None:
    """Tell what a campaign came to, also while people are still at it.

    Each system with its interval, first ratings beside those that count, systems compared in pairs,
    annotators, their agreement, and how well a judge agrees with them. What is not rated yet is
    counted as missing; without any rating there are no values.
    """
    from factmark.files.overwriting import check_files
    from factmark.people.ratings.campaign_tables import campaign_opening, campaign_tables
    from factmark.people.results import (
        campaign_json,
        campaign_results,
        write_campaign_results,
        write_marks,
    )
    from factmark.stats.comparison import Options
    from factmark.tables.shown_text import count

    results = campaign_results(
        options.ledger,
        options.campaign,
        protocol_of=protocol_of,
        judges=options.judge or (),
        names=options.names,
        options=Options(level=options.level, resamples=options.resamples, seed=options.seed),
    )
    out, tables = options.out, campaign_tables(results)
    if out is not None:
        fixed = ("results.json", "ratings.csv", "ratings.parquet", "report.html", "tables.md")
        names = (*fixed, "tables.tex", "annotated.jsonl", *(f"{name}.csv" for name in tables))
        check_files(out, names, [("the ledger", options.ledger)])
        written = write_campaign_results(results, out)
        written += write_marks(options.ledger, results, out, protocol_of, names=options.names)
        say(f"wrote {', '.join(str(path) for path in written)}")
    if options.json:
        print_json(campaign_json(results))
        return
    print_opening(campaign_opening(results))
    for name, table in tables.items():
        if name != "comments":  # they have their place in the files and on the page
            print_table(table)
    if results.comments:
        read = sum(results.finer(entry) is not None for entry in results.comments)
        print_line(
            f"{count(len(results.comments), 'comment', 'comments')}, {read} of them with a finer "
            "rating; --out writes them."
        )
    for problem in results.problems:
        say(f"note: {problem}")
