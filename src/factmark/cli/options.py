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

BaseUrl = Annotated[
    str | None,
    typer.Option(help="The model's server, such as http://localhost:8000/v1."),
]
Temperature = Annotated[
    str, typer.Option(help="Of the model, 0 to 2; `none` leaves it to the server.")
]
MaxTokens = Annotated[
    int, typer.Option(min=1, help="The most tokens of one reply, its thinking included.")
]
Concurrency = Annotated[int, typer.Option(min=1, help="Requests to the model at a time.")]
MaxCalls = Annotated[
    int | None, typer.Option(min=0, help="The most requests to the model; what is left stays.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(min=0, help="The most that the model may cost, in the price table's currency."),
]
PriceTable = Annotated[
    Path | None,
    typer.Option("--prices", help="Your own prices (TOML), before the bundled ones."),
]
Samples = Annotated[int, typer.Option(min=1, help="Replies per question to the model; most win.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Tell calls, tokens and cost; ask the model nothing.")
]
