"""All that the commands print: progress on stderr when it is a terminal, results on stdout.

Names of models, files and entities are others' texts: what is printed cannot drive the terminal
(`visible`), so no command prints by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from factmark.ask.runner import JudgingProgress
    from factmark.tables.layouts import DataTable
    from factmark.tables.opening import Opening

_UNBOUNDED = 10_000


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., None]]:
    """A bar with rate and time left; yields a function that is called with how many steps are
    done, or once per step."""
    if not sys.stderr.isatty():
        yield lambda _count=1: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(_visible(what), total=total)
        yield lambda count=1: bar.advance(task, count)


@contextmanager
def judging(total: int) -> Iterator[Callable[[JudgingProgress], None] | None]:
    """A line on stderr while a model judges: done, rate, time left, cost, unparsed share."""
    if not sys.stderr.isatty():
        yield None
        return

    def tell(now: JudgingProgress) -> None:
        new = now.done - now.spend.judged_before
        left = (total - now.done) / now.rate if now.rate > 0 else 0.0
        cost = "cost unknown" if now.spend.cost is None else f"${now.spend.cost:.4f}"
        unparsed = now.verdicts.get("unparsed", 0) / now.done if now.done else 0.0
        failed = now.verdicts.get("failed", 0)
        line = (
            f"{now.done}/{total} judged, {now.rate:.1f}/s, {left:.0f} s left, {new} new, {cost}, "
            f"{unparsed:.1%} unparsed, {failed} failed"
        )
        _redraw(line)

    yield tell
    print(file=sys.stderr)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """A line on stderr, where it is a terminal: what is being done, and how much of it."""
    if not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return

    def tell(what: str, done: int, total: int) -> None:
        _redraw(f"{what}: {done:,} of {total:,}" if total else what)

    yield tell
    _redraw("")


def reading(name: str, done: int, size: int) -> None:
    """How far a large file is read, as a line on stderr where it is a terminal."""
    if sys.stderr.isatty():
        share = done / size if size else 1.0
        _redraw(f"{name}: {share:.0%} read", end="\n" if done >= size else "")


def _redraw(line: str, end: str = "") -> None:
    """The text in place of the line that stands on stderr."""
    print(f"\r\x1b[K{_visible(line)}", end=end, file=sys.stderr, flush=True)


def _visible(text: str) -> str:
    from factmark.tables.shown_text import visible

    return visible(text)


def say(text: str) -> None:
    """A line for people on stderr, so that stdout stays for results."""
    print(_visible(text), file=sys.stderr)


def print_line(text: str) -> None:
    """A line on stdout, at once."""
    print(_visible(text), flush=True)


def print_text(text: str) -> None:
    """A text of several lines on stdout, as it is."""
    sys.stdout.write(_visible(text))


def print_json(value: Any) -> None:
    """A value as JSON on stdout; what could drive a terminal as JSON's escapes."""
    from factmark.files.flat_files import json_text
    from factmark.files.text_files import without_surrogates
    from factmark.tables.shown_text import json_escaped

    text = json_text(value, indent=1)
    sys.stdout.write(json_escaped(without_surrogates(text)) + "\n")


def print_opening(opening: Opening | None) -> None:
    """The sentence that says the result, and what bears on it, before the tables on stdout."""
    from rich.console import Console
    from rich.text import Text

    if opening is None:
        return
    console = Console()
    console.print(Text(_visible(opening.sentence), style="bold"))
    for caution in opening.cautions:
        console.print(Text(_visible(caution)))
    console.print()


def print_table(table: DataTable) -> None:
    """A table on stdout, in parts where the terminal is narrow; no value is ever cut off."""
    from rich.console import Console

    from factmark.tables.layouts import visible_table
    from factmark.tables.terminal import fitting_tables

    console = Console()
    for part in fitting_tables(visible_table(table), console.width):
        needed = Console(width=_UNBOUNDED).measure(part).minimum  # a measure ends at its console's
        # Where one column alone is too wide, the terminal breaks the lines.
        (Console(width=needed) if needed > console.width else console).print(part)
