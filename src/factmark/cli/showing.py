"""How a command ends: its result goes to --out, and to stdout as JSON or as the first screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from factmark.cli.console import (
    lines_of_table,
    lines_of_texts,
    print_json,
    print_line,
    print_pieces,
    print_sentence,
    print_table,
    say,
)

if TYPE_CHECKING:
    from factmark.report.envelope import Outcome
    from factmark.report.layouts import DataTable
    from factmark.report.result import Result

SCREEN = 25  # lines of a first screen
_NOTES = 4  # problems that a first screen names on stderr
_MORE = "All tables and lines, with their notes: --all, or --out FOLDER."


class Showing(Protocol):
    """The options of every command that ends with a result."""

    @property
    def out(self) -> Path | None:
        """The folder for the files."""

    @property
    def json(self) -> bool:
        """Whether stdout gets JSON."""

    @property
    def show_all(self) -> bool:
        """Whether the screen gets all tables with all notes."""


def finish(result: Result, given: Showing) -> None:
    """Writes a result into the folder of --out, if there is one, and prints it."""
    if given.out is not None:
        from factmark.report.files import write_result

        paths = write_result(result, given.out)
        say(f"wrote {paths[-1]} and the results beside it")
    if given.json:
        from factmark.report.envelope import json_pieces

        print_pieces(json_pieces(result))
    else:
        show(result, show_all=given.show_all)


def show_outcome(outcome: Outcome) -> None:
    """Prints what a command did that measures nothing as JSON, in the envelope of all commands."""
    from factmark.report.envelope import outcome_json

    print_json(outcome_json(outcome))


def show(result: Result, *, show_all: bool = False) -> None:
    """Prints the result in a sentence, its first table and what to do next, in at most 25 lines;
    with `show_all` all tables in full. What was wrong with the input goes to stderr."""
    sentence = result.sentence
    tables = list(result.tables.values())
    print_sentence(sentence)
    last = [result.next_step] if result.next_step else []
    if show_all:
        for table in tables:
            print_table(table)
    elif tables:
        room = SCREEN - lines_of_texts([sentence.sentence, *sentence.cautions, "", *last, _MORE])
        shown, is_whole = _cut_to(tables[0], room)
        print_table(shown)
        if len(tables) > 1 or not is_whole:
            last.append(_MORE)
    for line in last:
        print_line(line)
    problems = sentence.other(result.problems)
    if not show_all and len(problems) > _NOTES:
        problems = [*problems[:_NOTES], f"{len(problems) - _NOTES:,} more notes: --all"]
    for problem in problems:
        say(f"note: {problem}")


def _cut_to(table: DataTable, room: int) -> tuple[DataTable, bool]:
    """Returns a table with as many lines and then notes as so many lines of the screen hold, at
    least three, and whether nothing was left out."""
    bare = replace(table, notes=(), legend="")
    kept = len(table.lines)
    while kept > 3 and lines_of_table(replace(bare, lines=table.lines[:kept])) > room:
        kept -= 1
    if kept < len(table.lines):
        note = f"{len(table.lines) - kept:,} more lines."
        return replace(bare, lines=table.lines[:kept], notes=(note,)), False
    notes = [note for note in table.notes if note != table.legend]
    while notes and lines_of_table(replace(bare, notes=tuple(notes))) > room:
        notes.pop()
    return replace(bare, notes=tuple(notes)), len(notes) == len(table.notes)
