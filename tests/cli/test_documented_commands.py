"""Every command line in README and docs is one that factmark takes: command, options, choices."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from factmark.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
IN_LINE = re.compile(r"`(factmark [a-z][^`]*)`")
REST = re.compile(r"\s+(?:\.\.\.|…)$|\s[|>]\s.*")
"""What a line leaves out at its end, or what takes its output."""
UsageError: Any = typer.BadParameter.__base__  # what typer raises for every line that it refuses
OF_PARTS = ("Missing ", "requires an argument.")  # a line that names but a part of a command


def lines_of(page: Path) -> Iterator[tuple[str, bool]]:
    """The command lines of a page, and whether each stands whole in a block, or in a sentence."""
    text = page.read_text("utf-8")
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("factmark "):
                yield line, True
    for line in IN_LINE.findall(BLOCK.sub("", text)):
        yield " ".join(line.split()), False


def parse(line: str) -> None:
    """Parses a line as the program would; raises `UsageError` where it refuses it."""
    words = shlex.split(REST.sub("", line).replace("…", "X"), comments=True)[1:]
    command: Any = typer.main.get_command(app)
    context: Any = typer.Context(command)
    while words and hasattr(command, "list_commands"):
        command = command.get_command(context, words[0])
        if command is None:
            raise UsageError(f"no command {words[0]!r}")
        context = typer.Context(command, parent=context, info_name=words.pop(0))
    if words:
        command.make_context(context.info_name, words, parent=context.parent)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_program_takes_each_command_line_of_a_page(page: Path) -> None:
    """A sentence may name an option without its value, or a command without its file."""
    refused = {}
    for line, is_whole in lines_of(page):
        try:
            parse(line)
        except UsageError as error:
            message = error.format_message()
            if is_whole or not any(part in message for part in OF_PARTS):
                refused[line] = message
    assert refused == {}


@pytest.mark.parametrize(
    "line",
    [
        "factmark score answers.jsonl --bench mine.jsonl",
        "factmark graph fact triples.csv",
        "factmark graph factscore triples.csv --target people",
        "factmark plan 100",
    ],
)
def test_a_line_with_a_wrong_word_is_refused(line: str) -> None:
    with pytest.raises(UsageError):
        parse(line)
