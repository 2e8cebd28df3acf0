"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Benchmark = Annotated[
    str,
    typer.Option(
        "--benchmark",
        "-b",
        help="`ehds`, or a file: the published benchmark.csv or benchmark.py, or JSON Lines.",
    ),
]
Store = Annotated[
    Path | None,
    typer.Option(help="A store folder (`factmark dataspace build`) or an RDF file to query."),
]
Endpoint = Annotated[str | None, typer.Option(help="The URL of a SPARQL endpoint to query.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for one query.")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")]
Resamples = Annotated[int, typer.Option(min=100, max=1_000_000, help="Of the bootstrap.")]
Level = Annotated[float, typer.Option(min=0.5, max=0.999, help="Coverage of the intervals.")]
