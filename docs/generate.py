"""Writes docs/commands.md from the commands themselves (`make docs`); `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from typer import Context
from typer.core import TyperArgument, TyperGroup, TyperOption
from typer.main import get_command

from factmark.cli.main import app

TARGET = Path(__file__).parent / "commands.md"


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


def row(name: str, value: str, text: str) -> str:
    return f"| `{name}` | {value} | {text} |".replace("\n", " ")


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
        "Progress goes to stderr, and only to a terminal. Exit status: 0 done, 1 something drifted",
        "or failed (`groundtruth`), or nothing could be judged, 2 bad input, with one message that",
        "says what to do, 3 not complete: calls failed, or a budget was used up; what came in",
        "is scored and kept, and the same command goes on from there.",
        "",
    ]
    command = get_command(app)
    return "\n".join(head) + "\n" + "\n".join(pages(command, "factmark"))


def main() -> None:
    text = document()
    if "--check" in sys.argv[1:]:
        if not TARGET.exists() or TARGET.read_text("utf-8") != text:
            sys.exit("docs/commands.md is not what the commands say; run `make docs`")
    else:
        TARGET.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
