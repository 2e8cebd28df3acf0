"""Cells of a ledger that are not as they were written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from factmark.errors import LedgerError


def json_cell(text: str) -> Any:
    """The value of a JSON cell.

    Raises:
        sqlite3.DataError: it holds none; the ledger that is open tells it with its path.
    """
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise sqlite3.DataError(f"a cell holds no JSON: {error}") from error


@contextmanager
def damage_told(path: Path) -> Iterator[None]:
    """Tells values of another shape than a ledger's are written in with its path.

    Raises:
        LedgerError: in place of what such values raise.
    """
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise LedgerError(
            f"{path}: is damaged: its cells are of another form ({error!r}). Take a copy of the "
            "ledger or start a new one."
        ) from error
