"""Texts as a ledger holds them: compressed, where that is shorter."""

from __future__ import annotations

import json
import sqlite3
import zlib

from factmark.files.text_files import without_surrogates
from factmark.redaction import redacted

_LEAST = 64  # bytes; what is shorter is kept as it stands


def packed(text: str) -> str | bytes:
    """Returns a text as a cell, without secrets; lone surrogates, which no cell can hold, become
    U+FFFD."""
    text = redacted(without_surrogates(text))
    content = text.encode()
    if len(content) > _LEAST:
        short = zlib.compress(content)
    else:
        short = content
    if len(short) < len(content):
        return short
    return text


def unpacked(cell: str | bytes) -> str:
    """Returns the text of a cell that `packed` made, or that an earlier version wrote.

    Raises:
        sqlite3.DataError: it is damaged; the ledger that is open tells it with its path.
    """
    try:
        if isinstance(cell, bytes):
            return zlib.decompress(cell).decode()
        return cell
    except (zlib.error, UnicodeDecodeError) as error:
        raise sqlite3.DataError(f"a compressed text is damaged: {error}") from error


def whole_data(
    cells: str, names: str | None, passage: int | None, text: str | bytes | None
) -> str | None:
    """Returns the data of a unit, as JSON, with its passage in it; None where that is damaged.

    SQL calls it, where an exception would tell nothing.

    Args:
        cells: the data, or only its values, by `names`.
        passage: the number of the passage; None where it has none or holds it itself.
        text: the passage's, as `packed` made it.
    """
    try:
        data = json.loads(cells)
        if names is not None:
            data = dict(zip(json.loads(names), data, strict=True))
        if passage is not None:
            if text is None:
                return None
            data["passage"] = unpacked(text)
        return json.dumps(data, sort_keys=True)
    except (sqlite3.DataError, TypeError, ValueError):
        return None
