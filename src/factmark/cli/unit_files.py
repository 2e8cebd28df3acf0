"""Where the units of a campaign come from, as options of `factmark annotate create`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from factmark.cli import options


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFiles:
    """The files that a protocol reads units from, so that people can be asked about them."""

    source: Annotated[
        Path | None,
        typer.Argument(
            help="Summaries (.jsonl, .csv, .tsv, .parquet), triples, or answers; for `support`, "
            "`validity` and `graphrag` none, where the ledger has the units."
        ),
    ] = None
    system_column: Annotated[
        str | None, typer.Option(help="The column with the system, in a file with a row a summary.")
    ] = None
    passages: Annotated[
        Path | None, typer.Option(help="Passages of triples, with id and text.")
    ] = None
    ontology: Annotated[
        Path | None,
        typer.Option(
            help="A folder with UMLS's RRF files, or an RDF or OBO file; the bundled one."
        ),
    ] = None
    benchmark: options.Benchmark = "ehds"
    store: options.Store = None
    endpoint: options.Endpoint = None
    query_timeout: options.QueryTimeout = 60.0
    labels: options.Labels = "en"
    encoding: Annotated[str, typer.Option(help="Of the source's file.")] = "utf-8"
