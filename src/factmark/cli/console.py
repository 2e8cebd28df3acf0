"""All that the commands print: progress on stderr, results on stdout.

Progress is a line that is redrawn where stderr is a terminal, and elsewhere a line each half
minute: a log then shows that a long job lives, and of a short one nothing.

Names of models, files and entities are others' texts: what is printed cannot drive the terminal
or show a secret (`visible`), so no command prints by itself. What logs and Python itself print
passes `RedactedStream`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import TextIOWrapper
from time import monotonic
from typing import TYPE_CHECKING, Any

from factmark.redaction import redacted

if TYPE_CHECKING:
    from rich.console import Console

    from factmark.ask.runner import JudgingLine, JudgingProgress
    from factmark.report.layouts import DataTable
    from factmark.report.sentence import FirstSentence

Bar = Callable[[str, int], AbstractContextManager[Callable[..., None]]]
"""What is done and how many steps it has -> what shows it and yields a function to call per step:
`progress`, or `no_bar`"""

StageLine = Callable[[], AbstractContextManager[Callable[[str, int, int], None]]]
"""What shows how far a work in stages is: `stage_line`, or `no_stage_line`"""

_BETWEEN_LINES = 30.0  # seconds, in a log


class RedactedStream(TextIOWrapper):
    """A stream of text that strikes secrets out of what is written at a time.

    Attributes:
        guards: the stream in whose place it stands, which closes the file where nobody holds it.
    """

    guards: TextIOWrapper | None = None

    def write(self, text: str, /) -> int:
        """Writes the text without secrets; returns its length."""
        super().write(redacted(text))
        return len(text)


def guard_streams() -> None:
    """Has stdout and stderr strike secrets out of what logs, warnings and tracebacks print too."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is TextIOWrapper:  # and none of somebody's own
            guarded = RedactedStream(
                stream.buffer,
                encoding=stream.encoding,
                errors=stream.errors,
                newline="\n",
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            guarded.guards = stream
            setattr(sys, name, guarded)


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[..., None]]:
    """Shows a bar with rate and time left on stderr; yields a function to call with how many steps
    are done, or once per step.
    """
    if not sys.stderr.isatty():
        yield _counted(what, total)
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


def no_bar(_what: str, _total: int) -> AbstractContextManager[Callable[..., None]]:
    """Shows nothing: the `Bar` of a library."""
    return nullcontext(lambda _count=1: None)


@contextmanager
def judging_line(total: int) -> Iterator[Callable[[JudgingProgress], None]]:
    """Shows a line on stderr while units are judged: done, rate, time left; for a model, its cost.

    Yields the function that updates it.
    """
    show = _live_line()

    def tell(now: JudgingProgress) -> None:
        new = now.done - now.spend.judged_before
        left = 0.0
        if now.rate > 0:
            left = (total - now.done) / now.rate
        cost = "cost unknown"
        if now.spend.cost is not None:
            cost = f"${now.spend.cost:.4f}"
        unparsed = 0.0
        if now.done:
            unparsed = now.verdicts.get("unparsed", 0) / now.done
        failed = now.verdicts.get("failed", 0)
        asked = ""
        if now.judge.kind == "model":
            asked = f", {cost}, {unparsed:.1%} unparsed"
        line = f"{now.done}/{total} judged, {now.rate:.1f}/s, {left:.0f} s left, {new} new{asked}"
        show(f"{line}, {failed} failed")

    yield tell
    if sys.stderr.isatty():
        print(file=sys.stderr)


def judging_line_if(wanted: bool) -> JudgingLine:
    """Returns what shows progress while units are judged: `judging_line`, or what shows none."""
    from factmark.ask.runner import no_judging_line

    if wanted:
        return judging_line
    return no_judging_line


@contextmanager
def stage_line() -> Iterator[Callable[[str, int, int], None]]:
    """Shows a line on stderr; yields the function that updates it with what is being done, and how
    much of it is.
    """
    show = _live_line()

    def tell(what: str, done: int, total: int) -> None:
        show(f"{what}: {done:,} of {total:,}" if total else what)

    yield tell
    if sys.stderr.isatty():
        _redraw_line("")


def no_stage_line() -> AbstractContextManager[Callable[[str, int, int], None]]:
    """Shows nothing: the `StageLine` of a library."""
    return nullcontext(lambda _what, _done, _total: None)


def reading_line(name: str, done: int, size: int) -> None:
    """Shows how much of a large file is read, as a line on stderr where that is a terminal."""
    if sys.stderr.isatty():
        share = 1.0
        if size:
            share = done / size
        _redraw_line(f"{name}: {share:.0%} read", end="\n" if done >= size else "")


def _live_line() -> Callable[[str], None]:
    """Returns what shows how far a long work is, as the head of this module says."""
    if sys.stderr.isatty():
        return _redraw_line
    last = monotonic()

    def tell(line: str) -> None:
        nonlocal last
        if monotonic() - last >= _BETWEEN_LINES:
            last = monotonic()
            say(line)

    return tell


def _counted(what: str, total: int) -> Callable[..., None]:
    """Returns what counts steps and shows how many are done, where no bar can be drawn."""
    show = _live_line()
    began = monotonic()
    done = 0

    def step(count: int = 1) -> None:
        nonlocal done
        done += count
        left = 0.0
        if done:
            left = (monotonic() - began) / done * (total - done)
        show(f"{what}: {done:,} of {total:,}, about {left:,.0f} s left")

    return step


def _redraw_line(line: str, end: str = "") -> None:
    """Puts the text in place of the line that stands on stderr."""
    print(f"\r\x1b[K{_visible(line)}", end=end, file=sys.stderr, flush=True)


def _visible(text: str) -> str:
    """Returns the text without secrets, and without what could drive a terminal."""
    from factmark.text.shown_text import visible

    return visible(text)


def say(text: str) -> None:
    """Prints a line for people on stderr, so that stdout stays for results."""
    print(_visible(text), file=sys.stderr)


def print_line(text: str) -> None:
    """Prints a line on stdout, at once."""
    print(_visible(text), flush=True)


def print_text(text: str) -> None:
    """Prints a text of several lines on stdout, without a line break at its end."""
    sys.stdout.write(_visible(text))


def print_json(value: Any) -> None:
    """Prints a value as JSON on stdout; what could drive a terminal is escaped."""
    from factmark.files.flat_files import json_text
    from factmark.files.text_files import without_surrogates

    text = json_text(value, indent=1)
    _write_json(without_surrogates(text) + "\n")


def print_pieces(pieces: Iterable[str]) -> None:
    """Prints the pieces of a JSON text on stdout; what could drive a terminal is escaped."""
    for piece in pieces:
        _write_json(piece)


def _write_json(text: str) -> None:
    """Writes a part of a JSON text on stdout. JSON is UTF-8: where stdout is not, every letter
    beyond ASCII is an escape, since a code in its place (`\\xb1`) makes no JSON."""
    from factmark.files.text_files import is_utf8
    from factmark.text.shown_text import ascii_json, json_escaped

    text = json_escaped(text)
    if not is_utf8(sys.stdout.encoding or ""):
        text = ascii_json(text)
    sys.stdout.write(text)


def print_sentence(sentence: FirstSentence) -> None:
    """Prints the sentence that says the result, and what bears on it, before the tables."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    console.print(Text(_visible(sentence.sentence), style="bold"))
    for caution in sentence.cautions:
        console.print(Text(_visible(caution)))
    console.print()


def print_table(table: DataTable) -> None:
    """Prints a table on stdout, in parts where the terminal is narrow; no value is ever cut off."""
    from rich.console import Console

    _lay_out(table, Console())


def lines_of_table(table: DataTable) -> int:
    """Returns how many lines of the terminal `print_table` would take."""
    from rich.console import Console

    console = Console()
    with console.capture() as capture:
        _lay_out(table, console)
    return capture.get().count("\n")


def lines_of_texts(texts: Iterable[str]) -> int:
    """Returns how many lines of the terminal these texts take, each beginning a line."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    return sum(len(Text(text).wrap(console, console.width)) or 1 for text in texts)


def _lay_out(table: DataTable, console: Console) -> None:
    """Prints a table in parts that fit; where one column alone is too wide, the terminal breaks
    its lines."""
    from factmark.report.layouts import visible_table
    from factmark.report.terminal import fitting_tables, least_width

    for part in fitting_tables(visible_table(table), console.width):
        width = console.width
        console.width = max(width, least_width(part))
        console.print(part)
        console.width = width
