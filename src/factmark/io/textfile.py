"""Reads a user's text file, with an error that names what is wrong with it."""

from __future__ import annotations

import codecs
from pathlib import Path

from factmark.errors import InputError


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, without a byte order mark; line ends as they are.

    Raises:
        InputError: there is no such file, it cannot be read, or it is not UTF-8.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{path} is UTF-16. Save it as UTF-8.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        skipped = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        offset = error.start + skipped
        line = data.count(b"\n", 0, offset) + 1
        raise InputError(
            f"{path}, line {line}: byte 0x{data[offset]:02x} at offset {offset} is not UTF-8."
            " Save the file as UTF-8."
        ) from error
