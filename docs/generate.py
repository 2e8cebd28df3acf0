"""Writes docs/commands.md from the commands, docs/columns.md from the columns of result files,
docs/outcomes.md from the table of errors and the package's stub (`make docs`); `--check` only
compares."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import stub
from typer import Context
from typer.core import TyperArgument, TyperGroup, TyperOption
from typer.main import get_command

from factmark.answers.row_columns import (
    ASSERTED_COLUMNS,
    GIVEN_COLUMNS,
    ROW_COLUMNS,
    TRACE_COLUMNS,
    score_columns,
)
from factmark.ask.outcomes.table import ErrorKind, error_kinds
from factmark.cli.exit_status import MEANINGS
from factmark.cli.main import app
from factmark.interop.ehds_shape import AVERAGE_COLUMNS
from factmark.report.file_columns import FileColumn

FOLDER = Path(__file__).parent
FILES: dict[str, tuple[str, tuple[FileColumn[Any], ...]]] = {
    "rows": ("A row per answer.", (*GIVEN_COLUMNS, *score_columns(""))),
    "rows, where a ground truth has rows of several columns": ("Also:", ROW_COLUMNS),
    "rows, where questions name candidates": ("Also:", ASSERTED_COLUMNS),
    "rows, where a model was run": ("Also:", TRACE_COLUMNS),
    "averages.csv of `factmark export --to ehds`": (
        "A row per model, condition, category and score.",
        AVERAGE_COLUMNS,
    ),
}
"""Of a study of answers: file -> what a row is, and its columns."""


def pages(command: Any, path: str) -> list[str]:
    """The commands below one, in the order of its help, as Markdown sections."""
    if isinstance(command, TyperGroup):
        context = Context(command)
        return [
            part
            for name in command.list_commands(context)
            for part in pages(command.get_command(context, name), f"{path} {name}")
        ]
    return [section(command, path)]


def section(command: Any, path: str) -> str:
    arguments = [p for p in command.params if isinstance(p, TyperArgument)]
    options = [p for p in command.params if isinstance(p, TyperOption) and not p.hidden]
    usage = " ".join([path, *((p.metavar or p.name or "").upper() for p in arguments), "[OPTIONS]"])
    lines = [f"## {path}", "", (command.help or "").strip(), "", "```", usage, "```", ""]
    lines += ["| option or argument | default | what it does |", "| --- | --- | --- |"]
    lines += [row((p.name or "").upper(), "", getattr(p, "help", "") or "") for p in arguments]
    for option in options:
        if option.name != "help":
            names = ", ".join(option.opts + option.secondary_opts)
            lines.append(row(names, default(option), option.help or ""))
    return "\n".join(lines) + "\n"


def row(name: str, *cells: str) -> str:
    return f"| `{name}` | {' | '.join(cells)} |".replace("\n", " ")


def default(option: TyperOption) -> str:
    value = option.default
    if value is None or value is False or value == "" or callable(value):
        return ""
    return f"`{getattr(value, 'value', value)}`"


def document() -> str:
    head = [
        "# Commands",
        "",
        "Made from the commands by `make docs`; do not edit.",
        "",
        "Progress goes to stderr, and only to a terminal.",
        "",
        "| exit status | when |",
        "| --- | --- |",
        *(row(str(status), meaning) for status, meaning in MEANINGS.items()),
        "",
    ]
    command = get_command(app)
    return "\n".join(head) + "\n" + "\n".join(pages(command, "factmark"))


def columns_document() -> str:
    """The columns of the files of a study of answers, as Markdown."""
    lines = [
        "# Columns of the files of `score`, `run` and `report`",
        "",
        "Made from the columns by `make docs`; do not edit. rows.csv and rows.parquet have the",
        "same columns, `results.json` the same names under `rows`. Lists are JSON text in a cell.",
        "Of an estimate:",
        "value, interval (low, high, level, method), what it rests on (items, units), what is",
        "missing, and the value if all of that were as bad or as good as can be.",
    ]
    for name, (unit, columns) in FILES.items():
        lines += ["", f"## {name}", "", unit, "", "| column | type | what it is |"]
        lines += ["| --- | --- | --- |"]
        lines += [row(column.name, column.type, column.meaning) for column in columns]
    return "\n".join(lines) + "\n"


WAITS = {
    "never": "no",
    "soon": "a few tries, 15 s or so",
    "turn": "slower, as fast as it lets us",
    "back": "until it is back, 20 minutes at most; the last few of a run a minute",
}
REPLIES = (  # of 200; what code decides, beside the table of errors
    ("answer", "—", "no", "yes", "It is kept and read."),
    ("no text, or reasoning alone", "model", "once more", "yes", "Then it is `unparsed`."),
    (
        "cut off while thinking",
        "request",
        "with 2, 4, 8 times the room",
        "yes",
        "See --max-tokens.",
    ),
    (
        "broken off, an error beside it, unknown JSON",
        "server",
        "once more",
        "as it tells",
        "Then it is `failed`.",
    ),
    ("the model declines", "request", "no", "yes", "It is `refused`."),
)


def outcomes_document() -> str:
    """What comes of a call, as Markdown."""
    head = "| what | whose | does waiting help | paid | then |"
    lines = [
        "# What comes of a call",
        "",
        "Made from the table of errors by `make docs`; do not edit. Retries, pace, budget and",
        "messages follow it. factmark books what a body's usage says before it reads all else,",
        "of an error too: without usage an error is not paid. The first row that fits decides.",
        "",
        head,
        "| --- | --- | --- | --- | --- |",
        *(row(name, *cells) for name, *cells in REPLIES),
    ]
    lines += [row(*_error_cells(kind)) for kind in error_kinds()]
    return "\n".join(lines) + "\n"


def _error_cells(kind: ErrorKind) -> list[str]:
    then = "The run ends at once; the rest is left. " if kind.ends else ""
    places = {"model": "MODEL", "noun": "model", "path": "PATH", "key": "See `--key-env`."}
    signs = ", ".join(map(str, sorted(kind.statuses))) if not (kind.codes or kind.words) else ""
    name = f"{kind.name} ({signs})" if signs else kind.name
    return [name, kind.whose, WAITS[kind.wait], "no", then + kind.advice.format(**places)]


def main() -> None:
    documents = {
        "commands.md": document(),
        "columns.md": columns_document(),
        "outcomes.md": outcomes_document(),
    }
    targets = {FOLDER / name: text for name, text in documents.items()}
    for target, text in {**targets, stub.PATH: stub.stub_text()}.items():
        if "--check" not in sys.argv[1:]:
            target.write_text(text, "utf-8")
        elif not target.exists() or target.read_text("utf-8") != text:
            sys.exit(f"{target.name} is not what the package says; run `make docs`")


if __name__ == "__main__":
    main()
