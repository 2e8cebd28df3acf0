"""The JSON of every command: one envelope with the same keys, whatever was measured or done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from factmark.files.flat_files import json_text, to_json_value
from factmark.files.text_files import mend_texts, without_surrogates
from factmark.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOutcome:
    """What a command did that measures nothing, for `--json`: a list, a state, a forecast.

    Attributes:
        command: its name as it was called, such as "ledger import".
        subject: what it worked on.
        rows: a record per thing, as JSON values.
        details: all else, as JSON values.
    """

    command: str
    subject: str = ""
    rows: tuple[Mapping[str, Any], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()


def outcome_json(outcome: CommandOutcome) -> dict[str, Any]:
    """Returns what a command did as the same envelope, rows included."""
    head = envelope(
        measure={"key": outcome.command},
        subject=outcome.subject,
        problems=list(outcome.problems),
        details=to_json_value(outcome.details),
    )
    return {**head, "rows": to_json_value(outcome.rows)}


def envelope(
    *,
    measure: Mapping[str, Any],
    target: str | None = None,
    subject: str = "",
    judge: str = "",
    sentence: str = "",
    **parts: Any,
) -> dict[str, Any]:
    """Returns the keys of every envelope in their order; what a command has not is empty."""
    empty_parts: dict[str, Any] = {
        "averages": {},
        "tables": {},
        "spent": {},
        "problems": [],
        "signature": {},
    }
    head = {
        "factmark": __version__,
        "measure": measure,
        "target": target,
        "subject": subject,
        "judge": judge,
        "sentence": sentence,
        **{name: parts.get(name, empty) for name, empty in empty_parts.items()},
        "details": parts.get("details", {}),
    }
    return mend_texts(head)  # type: ignore[no-any-return]  # a mapping stays one


def json_pieces(head: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yields an envelope as one JSON text, piece by piece: a row at a time, so that a million rows
    take no more memory than one.

    Args:
        head: all but the rows.
    """
    return framed_pieces(head, (without_surrogates(json_text(row)) for row in rows))


def framed_pieces(head: Mapping[str, Any], rows: Iterable[str]) -> Iterator[str]:
    """Yields the same of rows that are JSON texts already."""
    yield json_text(head, indent=1).removesuffix("\n}") + ',\n "rows": ['
    separator = "\n  "
    for row in rows:
        yield separator + row
        separator = ",\n  "
    yield "\n ]\n}\n"
