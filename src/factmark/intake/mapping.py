"""The mapping of a table: which column holds what. It is shown first, signed and can be edited."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.text_files import read_text
from factmark.model import content_hash

_SHOWN = 8  # columns of a role


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMapping:
    """Which column of a table holds what.

    Attributes:
        task: what the table is read for, such as `claims` or `ratings`: a file of `tasks/`.
        tool: whose file it is by its signature, a file of `tools/`; empty for one's own table.
        columns: role -> the columns that hold it; several where each is a rater or a dimension, an
            empty tuple where the user says that there is none.
        settings: what cannot be read off a column, such as `siblings = "raters"`.
    """

    task: str
    tool: str = ""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its signature: a content hash, which the ledger keeps beside the import."""
        return content_hash(self.as_record())

    def column(self, role: str) -> str:
        """Returns the column of a role; an empty text where there is none."""
        return next(iter(self.columns.get(role, ())), "")

    def with_columns(self, named: Mapping[str, tuple[str, ...]]) -> TableMapping:
        """Returns it with the columns that the user named in place of its own."""
        return replace(self, columns={**self.columns, **named})

    def as_record(self) -> dict[str, Any]:
        """Returns it as plain values, for JSON and the ledger."""
        columns = {role: list(names) for role, names in self.columns.items()}
        settings = dict(self.settings)
        return {"task": self.task, "tool": self.tool, "columns": columns, "settings": settings}

    def as_toml(self) -> str:
        """Returns it as a file that `--mapping` reads."""
        head = "# Which column holds what. Edit it and name it with --mapping.\n"
        lines = [f"task = {_quoted(self.task)}"]
        if self.tool:
            lines.append(f"tool = {_quoted(self.tool)}")
        lines.append("\n[columns]")
        for role, names in self.columns.items():
            value = _quoted(names[0]) if len(names) == 1 else _list(names)
            lines.append(f"{_quoted(role)} = {value}")
        if self.settings:
            lines.append("\n[settings]")
            lines += [f"{_quoted(name)} = {_quoted(v)}" for name, v in self.settings.items()]
        return head + "\n".join(lines) + "\n"

    def in_words(self) -> str:
        """Returns what is read as what, for the first screen.

        >>> TableMapping(task="claims", columns={"claim": ("text",), "passage": ()}).in_words()
        "claim 'text'; no passage"
        """
        parts = []
        for role, names in self.columns.items():
            quoted = ", ".join(repr(name) for name in names[:_SHOWN])
            if len(names) > _SHOWN:
                quoted += f" and {len(names) - _SHOWN} more"
            parts.append(f"{role} {quoted}" if names else f"no {role}")
        parts += [f"{name} {value}" for name, value in self.settings.items()]
        return "; ".join(parts)


def read_mapping(path: Path, task: str) -> TableMapping:
    """Returns the mapping in a TOML file.

    Raises:
        InputError: the file cannot be read, is for another task, or says what no mapping says.
    """
    try:
        record = tomllib.loads(read_text(path, "utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: is no TOML: {error}.") from error
    columns, settings = record.get("columns", {}), record.get("settings", {})
    if unknown := record.keys() - {"task", "tool", "columns", "settings"}:
        raise InputError(f"{path}: {sorted(unknown)[0]!r} is no part of a mapping.")
    if not (isinstance(columns, dict) and isinstance(settings, dict)):
        raise InputError(f"{path}: [columns] and [settings] are tables of TOML.")
    if record.get("task", task) != task:
        raise InputError(f"{path}: is a mapping of {record['task']}, not of {task}.")
    named = {role: _names(path, role, value) for role, value in columns.items()}
    texts = {name: str(value) for name, value in settings.items()}
    return TableMapping(task=task, tool=str(record.get("tool", "")), columns=named, settings=texts)


def _names(path: Path, role: str, value: object) -> tuple[str, ...]:
    """Returns the columns that a file names for a role. Raises InputError for other values."""
    names = [value] if isinstance(value, str) else value
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        return tuple(name for name in names if name)
    raise InputError(f"{path}: {role} is no column's name and no list of them.")


def _quoted(text: str) -> str:
    """Returns a text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(names: tuple[str, ...]) -> str:
    """Returns names as a list of TOML."""
    return f"[{', '.join(_quoted(name) for name in names)}]"
