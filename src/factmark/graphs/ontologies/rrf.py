"""UMLS files in the Rich Release Format: one row a line, fields between bars, a bar at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from factmark.errors import InputError

# How many fields each file has.
FIELDS = {"MRCONSO": 18, "MRSTY": 6, "MRREL": 16, "SRDEF": 10, "SRSTRE1": 3}
_PLACES = ("", "META", "NET")
_TOLD_EVERY = 200_000

Progress = Callable[[str, int, int], None]


def find_file(folder: Path, name: str) -> Path | None:
    """`MRCONSO.RRF` and so on: in the folder, in META or NET below it, in any case of letters."""
    wanted = {name.casefold(), f"{name.casefold()}.rrf"}
    for place in _PLACES:
        here = folder / place if place else folder
        if here.is_dir():
            for path in sorted(here.iterdir()):
                if path.name.casefold() in wanted and path.is_file():
                    return path
    return None


def rows(
    path: Path, name: str, progress: Progress = lambda name, done, size: None
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with their line numbers. LF or CRLF; the last bar may be missing.

    Args:
        progress: told the file, the bytes done and the bytes in all, now and then.

    Raises:
        InputError: for a line with too few or too many fields, naming it; for the last line it says
            that the file seems cut off; for bytes that are not UTF-8.
    """
    wanted = FIELDS[name]
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            done = 0
            for number, line in enumerate(file, start=1):
                done += len(line)
                yield number, _fields(path, number, line, wanted, done >= size)
                if number % _TOLD_EVERY == 0:
                    progress(name, done, size)
        progress(name, size, size)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


def _fields(path: Path, number: int, line: bytes, wanted: int, last: bool) -> list[str]:
    try:
        text = line.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        cut = last and not line.endswith(b"\n")
        why = "ends within a character; the file is cut off" if cut else "is not UTF-8"
        raise InputError(f"{path}, line {number}: {why}.") from error
    fields = text.rstrip("\r\n").split("|")
    if len(fields) == wanted + 1 and not fields[-1]:
        fields.pop()
    if len(fields) != wanted:
        found = len(fields) - (not fields[-1])
        if last and len(fields) < wanted:
            raise InputError(
                f"{path}, line {number}: the last line has {found} of {wanted} fields; the "
                "file is cut off. Copy or unpack it again."
            )
        raise InputError(f"{path}, line {number}: {found} fields where {path.name} has {wanted}.")
    return fields
