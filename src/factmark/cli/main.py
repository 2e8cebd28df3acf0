"""The command `factmark`. A command's module is imported when it is called."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
from importlib import import_module
from io import TextIOWrapper
from types import FrameType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from factmark.cli.circles import look_rarely_for_circles
from factmark.cli.console import guard_streams, print_line, say
from factmark.cli.exit_status import BAD_INPUT, PROBLEM, SIGNALLED
from factmark.errors import FactmarkError
from factmark.files.native import lacks_memory
from factmark.version import __version__

COMMANDS = {
    "run": (
        "factmark.runs.command:run",
        "Ask models the questions of a benchmark, with and without grounding, and score the"
        " answers.",
    ),
    "score": (
        "factmark.cli.score:command",
        "Score answers against the ground truth of a benchmark.",
    ),
    "report": (
        "factmark.cli.score:report",
        "Make the table and the report again from a ledger.",
    ),
    "export": (
        "factmark.interop.command:export",
        "Write scored answers as other harnesses do, for their viewers and tools.",
    ),
    "analyse": (
        "factmark.analysis.command:analyse",
        "Correct a judge's verdicts in any table by people's labels of some.",
    ),
    "compare": (
        "factmark.analysis.command:compare",
        "Compare systems on the same questions, triples or clusters of claims.",
    ),
    "plan": (
        "factmark.analysis.command:plan",
        "How many verdicts and labels by people a half-width needs, and what they take.",
    ),
    "agree": (
        "factmark.analysis.command:agree",
        "Tell how far judges agree: rules, models and people alike.",
    ),
    "demo": (
        "factmark.cli.demo:demo",
        "Score sample answers and a small knowledge graph, without a model; write reports.",
    ),
    "doctor": (
        "factmark.cli.doctor:doctor",
        "What does a model's server take, and which options does it need?",
    ),
    "judge": (
        "factmark.cli.weights.command:app",
        "Weights that judge without a server.",
    ),
    "groundtruth": (
        "factmark.answers.command:groundtruth",
        "Derive ground truths by SPARQL, and compare.",
    ),
    "graph": (
        "factmark.graph_answers.command:app",
        "Measure a knowledge graph.",
    ),
    "claims": (
        "factmark.claim_support.command:app",
        "Judge claims by their evidence.",
    ),
    "annotate": (
        "factmark.cli.annotate:app",
        "Campaigns: have people rate summaries, clauses, triples or answers.",
    ),
    "rag": (
        "factmark.runs.rag_command:app",
        "Index passages; measure retrieval.",
    ),
    "dataspace": (
        "factmark.ehds.command:app",
        "The embedded health data space.",
    ),
    "ledger": (
        "factmark.analysis.command:ledger_app",
        "Look into a ledger, bring in labels; merge, split, copy, check.",
    ),
    "serve": (
        "factmark.ehds.command:serve_app",
        "Offer data to other programs on this machine.",
    ),
}
"""Name -> where the function or group is, and its line in the help, in the order of the help."""


class Commands(TyperGroup):
    """All commands; each is imported when it is called, none for its line in the help."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; where it is interrupted, ends with a line that says what is kept, if
        anything is."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:  # here: typer makes one status of all of them
            notes = getattr(interrupt, "__notes__", ())
            say(f"Interrupted. {[*notes, 'It was not done; the same command begins again.'][0]}")
            raise SystemExit(SIGNALLED + (interrupt.args or (signal.SIGINT,))[0]) from None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help; what it says of each command stands in the table."""
        loaded = self.commands
        self.commands = {
            name: TyperCommand(name=name, help=text) for name, (_, text) in COMMANDS.items()
        }
        super().format_help(ctx, formatter)
        self.commands = loaded

    def list_commands(self, ctx: Any) -> list[str]:
        """Returns the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Returns the command of that name, or None."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            place, _ = COMMANDS[cmd_name]
            module, _, name = place.partition(":")
            command = _to_click(getattr(import_module(module), name))
            command.name = cmd_name
            self.commands[cmd_name] = command
        return super().get_command(ctx, cmd_name)


def _to_click(place: Any) -> Any:
    """Returns a command or group for click from a function or a typer app."""
    if isinstance(place, typer.Typer):
        return typer.main.get_group(place)
    alone = typer.Typer(add_completion=False)
    alone.command()(place)
    return typer.main.get_command(alone)


app = typer.Typer(
    name="factmark",
    help="Measure how factual answers, summaries and knowledge graphs are.",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _version(wanted: bool) -> None:
    """Prints the version and ends, where `--version` was given."""
    if wanted:
        print_line(f"factmark {__version__}")
        raise typer.Exit


@app.callback()
def _program_options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Measure how factual answers, summaries and knowledge graphs are."""


def main() -> None:
    """Runs a command; bad input ends with one clear message and the status `BAD_INPUT`."""
    _end_by_signals()
    guard_streams()
    look_rarely_for_circles()
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that cannot show a character shows its code.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except FactmarkError as error:
        say(f"factmark: {error}")
        raise SystemExit(BAD_INPUT) from error
    except BrokenPipeError:
        _discard_stdout()
        raise SystemExit(PROBLEM) from None
    except (MemoryError, RuntimeError, ImportError) as error:
        if not lacks_memory(error):
            raise
        say(
            "factmark: there is not enough memory. Raise the limit (`ulimit -v`), or judge fewer "
            "rows (--limit); what a ledger keeps is not asked again."
        )
        raise SystemExit(BAD_INPUT) from error
    except OSError as error:
        _discard_stdout()
        say(f"factmark: the output cannot be written ({error.strerror or error}).")
        raise SystemExit(BAD_INPUT) from error


def _end_by_signals() -> None:
    """Makes Ctrl-C, SIGTERM and SIGHUP end a command at once, cleaned up; what is ignored stays so:
    SIGINT in the background of a script, SIGHUP by nohup.

    An event loop that finds Python's own handler of SIGINT puts its own in place, and that waits
    until work which holds the loop has ended. It leaves this one.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        with contextlib.suppress(ValueError):  # not in the main thread
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """Raises KeyboardInterrupt with the number of the signal.

    Where that is in one of several tasks, asyncio would print a traceback beside the line on what
    is kept.
    """
    logging.getLogger("asyncio").disabled = True
    raise KeyboardInterrupt(number)


def _discard_stdout() -> None:
    """Discards what is still to be written to stdout, so that closing it does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
