"""Reading and writing text files so that nothing is guessed and nothing is left half-written."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, AnyStr

from factmark.errors import FactmarkError, InputError
from factmark.files.temporary import temporary_folder

LONGEST = 1_000_000
"""Characters that an answer, a passage, a question, a summary or a model's reply has at most."""

LONGEST_LINE = 32 * LONGEST
"""Characters of a line in a file of rows; a longer one is refused before it is read whole."""


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """The text of a file, without a byte order mark; line ends as they are.

    Raises:
        InputError: if it cannot be read, or holds bytes that are not in the encoding; the message
            names the line.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and _is_utf8(encoding):
        raise InputError(f"{path} is UTF-16. Save it as UTF-8.")
    try:
        return data.decode("utf-8-sig" if _is_utf8(encoding) else encoding)
    except LookupError as error:
        raise InputError(f"--encoding {encoding}: no such encoding.") from error
    except UnicodeDecodeError as error:
        mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        offset = min(error.start + mark, len(data) - 1)
        line = data.count(b"\n", 0, offset) + 1
        name = encoding.upper()
        raise InputError(
            f"{path}, line {line}: byte 0x{data[offset]:02x} at offset {offset} is not {name}. "
            "Save the file as UTF-8."
        ) from error


def bounded_lines(path: Path, file: IO[AnyStr]) -> Iterator[AnyStr]:
    """The lines of an open file, with their ends.

    Raises:
        InputError: one is longer than `LONGEST_LINE`; names it.
    """
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise InputError(
                f"{path}, line {number}: is longer than {LONGEST_LINE:,} characters, as no row is. "
                "Divide it or leave it out."
            )
        yield line


def check_lines(path: Path) -> None:
    """Tells a file with a line that is too long, as `bounded_lines`; one that cannot be read is for
    its reader."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        for _ in bounded_lines(path, file):
            pass


def _is_utf8(encoding: str) -> bool:
    return encoding.casefold().replace("-", "").replace("_", "") == "utf8"


def why_too_long(text: str) -> str:
    """Why a text is longer than what the readers of answers and passages are made for; empty where
    it is not.

    They take about a second for `LONGEST` characters; memory grows with the text too.
    """
    if len(text) <= LONGEST:
        return ""
    return f"{len(text):,} characters; a text has at most {LONGEST:,}. Divide it or leave it out"


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for each lone surrogate: those can be read from JSON, and not written.

    A pair of surrogates becomes the character that it stands for.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def sound(value: Any, mend: Callable[[str], str] = without_surrogates) -> Any:
    """A JSON value with each text in it mended, names too.

    Raises:
        RecursionError: it is nested too deeply.
    """
    if isinstance(value, str):
        return mend(value)
    if isinstance(value, list):
        return [sound(part, mend) for part in value]
    if isinstance(value, dict):
        return {mend(name): sound(part, mend) for name, part in value.items()}
    return value


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """An empty file, in a folder of its own beside `path`, that takes the place of `path` when the
    block ends well. A link at `path` is replaced, not what it points to.

    Raises:
        FactmarkError: if it cannot be written; what stood at `path` before stands there still.
    """
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = stack.enter_context(temporary_folder(path.parent)) / "new"
            temporary.touch()
        except OSError as error:
            raise FactmarkError(
                f"{path}: cannot be written ({error.strerror or error})."
            ) from error
        try:
            yield temporary
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
        except OSError as error:
            raise FactmarkError(
                f"{path}: cannot be written ({error.strerror or error}); nothing was changed there."
            ) from error


def write_text(path: Path, text: str) -> None:
    """Writes a whole file in UTF-8, or leaves what was there."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def json_value(path: Path | str, text: str) -> Any:
    """The value of a JSON text.

    Args:
        path: the file, for the message; or its name with the line that the text is.

    Raises:
        InputError: if it is none; names the line.
    """

    def place(line: int) -> str:
        return path if isinstance(path, str) else f"{path}, line {line}"

    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        more = "" if isinstance(path, str) else " For one object a line, name the file .jsonl."
        raise InputError(
            f"{place(error.lineno)}, column {error.colno}: {_why_no_json(error)}.{more}"
        ) from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply.") from error
    except ValueError as error:  # a number of more digits than Python reads
        match = re.search(rf"[0-9]{{{sys.get_int_max_str_digits() + 1},}}", text)
        line = 1 + text.count("\n", 0, match.start() if match else 0)
        raise InputError(f"{place(line)}: a number is too long.") from error


def json_lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """The values of a JSON Lines text, each with the name of its line; blank lines are skipped.

    Raises:
        InputError: for a line that is no JSON; names it.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"line {number}", json_value(f"{path}, line {number}", line)


def _why_no_json(error: json.JSONDecodeError) -> str:
    """What is wrong, where the text may just have been cut off."""
    if not error.doc.strip():
        return "is empty"
    if error.pos >= len(error.doc.rstrip()) or "Unterminated" in error.msg:
        return "ends in the middle of a value; the file seems cut off"
    return error.msg
