"""The command `factmark`: one file per group of commands, arguments only."""

from __future__ import annotations

import sys

import typer

from factmark.errors import FactmarkError

app = typer.Typer(
    name="factmark",
    help="Measure how factual answers, summaries and knowledge graphs are.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run a command; bad input ends with one clear message and exit status 2."""
    try:
        app()
    except FactmarkError as error:
        print(f"factmark: {error}", file=sys.stderr)
        raise SystemExit(2) from error
