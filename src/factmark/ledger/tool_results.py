"""What tools and searches brought, kept in the ledger before the model is shown it.

A row's key is the hash of all that led to it: the call of the model that asked for it, the server,
the name, the arguments. The first row counts; rows are never changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from factmark.ask.sources import ToolResult
from factmark.files.text_files import storable
from factmark.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResult:
    """A result with what was called.

    Attributes:
        server: the identity of the server or the index.
        arguments: as JSON, or a question that was looked up.
    """

    server: str
    name: str
    arguments: str
    result: ToolResult


def find_result(ledger: Ledger, key: str) -> KeptResult | None:
    """What was kept under a key, or None."""
    row = ledger.connection.execute(
        "SELECT server, name, arguments, status, text, size, seconds FROM tool_results "
        "WHERE key = ?",
        (key,),
    ).fetchone()
    if row is None:
        return None
    server, name, arguments, status, text, size, seconds = row
    result = ToolResult(text=text, status=status, seconds=seconds, size=size)
    return KeptResult(server=server, name=name, arguments=arguments, result=result)


def add_result(ledger: Ledger, key: str, kept: KeptResult) -> None:
    """Keeps a result; inside `Ledger.writing`."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    result = kept.result
    ledger.connection.execute(
        "INSERT OR IGNORE INTO tool_results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(
                key,
                storable(kept.server),
                storable(kept.name),
                storable(kept.arguments),
                result.status,
            ),
            *(storable(result.text), result.size, result.seconds, now),
        ),
    )
