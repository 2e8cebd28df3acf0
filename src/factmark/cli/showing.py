"""How a command ends: its result goes to --out, and to stdout as JSON or as the first screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from factmark.text.shown_text import one_line

if TYPE_CHECKING:
    from factmark.report.envelope import CommandOutcome
    from factmark.report.layouts import DataTable
    from factmark.report.result import Result
    from factmark.report.sentence import FirstSentence

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
    write_out(result, given.out)
    if given.json:
        from factmark.report.envelope import json_pieces

        print_pieces(json_pieces(result.as_head(), result.json_rows()))
    else:
        show(result, show_all=given.show_all)


def write_out(result: Result, folder: Path | None) -> None:
    """Writes a result into a folder, if there is one, and says so."""
    if folder is None:
        return
    paths = result.write_files(folder)
    say(f"wrote {paths[-1]} and the results beside it")


def show_outcome(outcome: CommandOutcome) -> None:
    """Prints what a command did that measures nothing as JSON, in the envelope of all commands."""
    from factmark.report.envelope import outcome_json

    print_json(outcome_json(outcome))


def show_deed(
    outcome: CommandOutcome,
    *,
    json: bool,
    lines: Iterable[str] = (),
    tables: Iterable[DataTable] = (),
    next_step: str = "",
) -> None:
    """Prints what a command did that measures nothing: as JSON, or in lines and tables. There what
    was wrong, and what to do next, goes to stderr."""
    if json:
        show_outcome(outcome)
        return
    for line in lines:
        print_line(line)
    for table in tables:
        print_table(table)
    for problem in outcome.problems:
        say(f"note: {one_line(problem)}")
    if next_step:
        say(next_step)


def show(result: Result, *, show_all: bool = False) -> None:
    """Prints the result in a sentence, its first table and what to do next, in at most 25 lines;
    with `show_all` all tables in full. What was wrong with the input goes to stderr."""
    show_tables(
        result.sentence,
        list(result.tables.values()),
        next_step=result.next_step,
        problems=result.problems,
        show_all=show_all,
    )


def show_tables(
    sentence: FirstSentence,
    tables: Sequence[DataTable],
    *,
    next_step: str = "",
    problems: Iterable[str] = (),
    show_all: bool = False,
    more: str = _MORE,
) -> None:
    """Prints the same of what a command did that measures nothing; `more` says where all tables
    are."""
    print_sentence(sentence)
    last = []
    if next_step:
        last = [next_step]
    if show_all:
        for table in tables:
            print_table(table)
    elif tables:
        room = SCREEN - lines_of_texts([sentence.sentence, *sentence.cautions, "", *last, more])
        shown, is_whole = _cut_to(tables[0], room)
        print_table(shown)
        if len(tables) > 1 or not is_whole:
            last.append(more)
    for line in last:
        print_line(line)
    others = sentence.other(problems)
    if not show_all and len(others) > _NOTES:
        others = [*others[:_NOTES], f"{len(others) - _NOTES:,} more notes: --all"]
    for problem in others:
        say(f"note: {problem}")


def _cut_to(table: DataTable, room: int) -> tuple[DataTable, bool]:
    """Returns a table with as many lines and then notes as so many lines of the screen hold, at
    least three, and whether nothing was left out."""
    bare = replace(table, notes=(), legend="")
    kept = min(len(table.lines), max(room, 3))  # each takes a line of the screen, at least
    while kept > 3 and lines_of_table(replace(bare, lines=table.lines[:kept])) > room:
        kept -= 1
    if kept < len(table.lines):
        note = f"{len(table.lines) - kept:,} more lines."
        return replace(bare, lines=table.lines[:kept], notes=(note,)), False
    notes = [note for note in table.notes if note != table.legend]
    while notes and lines_of_table(replace(bare, notes=tuple(notes))) > room:
        notes.pop()
    return replace(bare, notes=tuple(notes)), len(notes) == len(table.notes)
