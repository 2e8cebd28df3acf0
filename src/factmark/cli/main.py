"""The command `factmark`: one file per group of commands, arguments only."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from io import TextIOWrapper
from types import FrameType
from typing import Annotated

import typer

from factmark import __version__
from factmark.analysis import ledger_command
from factmark.analysis.commands import agree, compare, plan
from factmark.answers import groundtruth_command
from factmark.answers.command import report, score
from factmark.cli.console import print_line, say
from factmark.cli.demo import demo
from factmark.ehds import command as dataspace_command
from factmark.errors import FactmarkError
from factmark.graphrag.command import graphrag, lookup, questions
from factmark.graphs import command as graph_command
from factmark.interop.command import export
from factmark.people import command as annotate_command
from factmark.runs import rag_command
from factmark.runs.command import run

app = typer.Typer(
    name="factmark",
    help="Measure how factual answers, summaries and knowledge graphs are.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(run)
app.command()(score)
app.command()(report)
app.command()(export)
app.command()(compare)
app.command()(plan)
app.command()(agree)
app.command()(demo)
app.add_typer(groundtruth_command.app, name="groundtruth")
for command in (graphrag, lookup, questions):
    graph_command.app.command()(command)
app.add_typer(graph_command.app, name="graph")
app.add_typer(annotate_command.app, name="annotate")
app.add_typer(rag_command.app, name="rag")
app.add_typer(dataspace_command.app, name="dataspace")
app.add_typer(ledger_command.app, name="ledger")
app.add_typer(dataspace_command.serve_app, name="serve")


def _version(wanted: bool) -> None:
    if wanted:
        print_line(f"factmark {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Measure how factual answers, summaries and knowledge graphs are."""


def main() -> None:
    """Run a command; bad input ends with one clear message and exit status 2."""
    _end_as_ctrl_c()
    if isinstance(
        sys.stdout, TextIOWrapper
    ):  # a terminal that cannot show a character shows its code
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except FactmarkError as error:
        say(f"factmark: {error}")
        raise SystemExit(2) from error
    except BrokenPipeError:
        _silence()
        raise SystemExit(1) from None
    except OSError as error:
        _silence()
        say(f"factmark: the output cannot be written ({error.strerror or error}).")
        raise SystemExit(2) from error


def _end_as_ctrl_c() -> None:
    """SIGTERM and SIGHUP end a command as Ctrl-C does, so that it cleans up."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        with contextlib.suppress(ValueError):  # not in the main thread
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # else nohup
                signal.signal(number, _interrupt)


def _interrupt(_number: int, frame: FrameType | None) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script
        signal.default_int_handler(signal.SIGINT, frame)
    signal.raise_signal(signal.SIGINT)


def _silence() -> None:
    """Sends what is still to be written to stdout nowhere, so that closing it does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
