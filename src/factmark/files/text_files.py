"""Reading and writing text files so that nothing is guessed and nothing is left half-written."""

from __future__ import annotations

import codecs
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import StringIO
from pathlib import Path
from typing import IO, Any, AnyStr, Self

from factmark.errors import FactmarkError, InputError
from factmark.files.temporary import temporary_folder
from factmark.redaction import redacted

LONGEST = 1_000_000
"""Characters that an answer, a passage, a question, a summary or a model's reply has at most."""

LONGEST_LINE = 32 * LONGEST
_BLOCK = 2**16  # characters
"""Characters of a line in a file of rows; a longer one is refused before it is read whole."""

_MARKS = {
    **dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "UTF-32"),
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "UTF-16"),
}
_BEGINNINGS = {
    b"PK\x03\x04": "a workbook or a zip file",
    b"\xd0\xcf\x11\xe0": "a workbook",
    **dict.fromkeys((b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"), "a compressed file"),
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"SQLite format 3": "a database",
}
CUT_OFF = "ends in the middle of a value; the file seems cut off"
_STDIN = Path("-")
_ON_PURPOSE = re.compile(r"/dev/stdin|/(?:dev|proc/self)/fd/\d+")


def unreadable(path: Path, error: OSError) -> InputError:
    """Returns the error for a file that cannot be read, to be raised: that it is not there, or
    what the system says."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path}: there is no such file.")
    return InputError(f"{path}: cannot be read ({error.strerror or error}).")


def path_to_open(path: Path) -> Path:
    """The path to open for a user's file: the path itself, or that of standard input for `-`.

    One that is not there is for its reader to tell.

    Raises:
        InputError: it is neither a file nor a pipe that was given on purpose (`-`, `/dev/stdin`,
            or `/dev/fd/N`, as a shell writes `<(command)`): a device or a pipe that lies
            somewhere could be read without end.
    """
    if path == _STDIN:
        place = Path("/dev/stdin")
    else:
        place = path
    try:
        mode = place.stat().st_mode
    except (OSError, ValueError):
        return place
    if stat.S_ISDIR(mode):
        raise InputError(f"{path}: is a folder. Name a file in it.")
    is_pipe = stat.S_ISFIFO(mode) and _ON_PURPOSE.fullmatch(str(place))
    if not (stat.S_ISREG(mode) or is_pipe):
        raise InputError(
            f"{path}: is no file but {_kind(mode)}. Name a file, or give a pipe as `-` or `<(...)`."
        )
    return place


def _kind(mode: int) -> str:
    """Returns what something that is no plain file is called, such as `a pipe`."""
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Returns the text of a file, without a byte order mark; line ends stay as they are.

    Raises:
        InputError: if it cannot be read, or holds bytes that are not in the encoding; the message
            names the line.
    """
    try:
        data = path_to_open(path).read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    return _decode(path, data, encoding)


def text_lines(path: Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yields the lines of a text file without their ends, decoded one by one, so that a file that
    is no text is refused at its first bad line.

    Raises:
        InputError: as `read_text` and `bounded_lines`.
    """
    try:
        with path_to_open(path).open("rb") as file:
            encoding = marked_encoding(file.peek(4), encoding)
            if not is_utf8(encoding):  # a byte of another encoding may be no line's end
                yield from _decode(path, file.read(), encoding).split("\n")
                return
            offset = 0
            number = 0
            for number, line in enumerate(bounded_lines(path, file), start=1):
                yield _decode(path, line, encoding, number, offset).removesuffix("\n")
                offset += len(line)
    except OSError as error:
        raise unreadable(path, error) from error


def _decode(path: Path, data: bytes, encoding: str, first: int = 1, before: int = 0) -> str:
    """Returns the text of a file, or of the part that begins at line `first` and byte `before`."""
    if not before and (kind := binary_kind(data[:16])):
        raise binary_error(path, kind)
    if not before:
        encoding = marked_encoding(data, encoding)
    try:
        return data.decode("utf-8-sig" if is_utf8(encoding) and not before else encoding)
    except LookupError as error:
        raise InputError(f"--encoding {encoding}: no such encoding.") from error
    except UnicodeDecodeError as error:
        mark = 0
        if data.startswith(codecs.BOM_UTF8) and not before:
            mark = len(codecs.BOM_UTF8)
        at = min(error.start + mark, len(data) - 1)
        line = data.count(b"\n", 0, at) + first
        raise InputError(
            f"{path}, line {line}: byte 0x{data[at]:02x} at offset {before + at} is not "
            f"{encoding.upper()}. Save the file as UTF-8."
        ) from error


def binary_kind(start: bytes) -> str:
    """Returns what a file is by its first bytes, if it is of a usual kind that is no text; else an
    empty text."""
    return next((kind for mark, kind in _BEGINNINGS.items() if start.startswith(mark)), "")


def binary_error(path: Path, kind: str) -> InputError:
    """Returns the error for a file that is no text, to be raised."""
    return InputError(
        f"{path}: is {kind}, and no text. Unpack it or save it as CSV (UTF-8), or give it the "
        "ending of what it is."
    )


def encoding_of_mark(start: bytes) -> str:
    """Returns the encoding that the first bytes of a file name (byte order mark), if it is not
    UTF-8; else an empty text."""
    return next((name for mark, name in _MARKS.items() if start.startswith(mark)), "")


def marked_encoding(start: bytes, encoding: str) -> str:
    """Returns the encoding that the first bytes of a file name where nobody named another than
    UTF-8: a byte order mark is no guess. Spreadsheets and PowerShell write it."""
    if is_utf8(encoding):
        return encoding_of_mark(start) or encoding
    return encoding


def bounded_lines(path: Path, file: IO[AnyStr]) -> Iterator[AnyStr]:
    """Yields the lines of an open file, with their ends.

    Raises:
        InputError: one is longer than `LONGEST_LINE`; names it.
    """
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise _too_long_line(path, number)
        yield line


def bounded_blocks(path: Path, file: IO[str], size: int = _BLOCK) -> Iterator[list[str]]:
    """Yields the lines of an open file, with their ends, thousands at a time.

    Args:
        file: opened with `newline=""`.
        size: characters that are read at a time.

    Raises:
        InputError: as `bounded_lines`.
    """
    number, rest = 0, ""
    while text := file.read(size):
        while text.endswith("\r") and (further := file.read(1)):
            text += further  # of one end of a line both characters
        lines = StringIO(rest + text, newline="").readlines()
        rest = ""
        if not lines[-1].endswith(("\n", "\r")):
            rest = lines.pop()
        number += len(lines)
        if len(rest) > LONGEST_LINE:
            raise _too_long_line(path, number + 1)
        yield lines
    if rest:
        yield [rest]


def _too_long_line(path: Path, number: int) -> InputError:
    """Returns the error for a line that is too long, to be raised."""
    return InputError(
        f"{path}, line {number}: is longer than {LONGEST_LINE:,} characters, as no row is. "
        "Divide it or leave it out."
    )


def is_utf8(encoding: str) -> bool:
    """Whether a name of an encoding means UTF-8."""
    return encoding.casefold().replace("-", "").replace("_", "") == "utf8"


def too_long_reason(text: str) -> str:
    """Returns why a text is too long for the readers of answers and passages; empty if it is not.

    They take about a second for `LONGEST` characters; memory grows with the text too.
    """
    if len(text) <= LONGEST:
        return ""
    return f"{len(text):,} characters; a text has at most {LONGEST:,}. Divide it or leave it out"


def without_surrogates(text: str) -> str:
    """Returns the text with U+FFFD for each lone surrogate, which JSON can hold and no file can.

    A pair of surrogates becomes the character that it stands for.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def mend_texts(value: Any, mend: Callable[[str], str] = without_surrogates) -> Any:
    """Returns a JSON value with each text in it mended by `mend`, names of fields too.

    Raises:
        RecursionError: it is nested too deeply.
    """
    if isinstance(value, str):
        return mend(value)
    if isinstance(value, list):
        return [mend_texts(part, mend) for part in value]
    if isinstance(value, dict):
        texts = {}
        for name, part in value.items():
            texts[mend(name)] = mend_texts(part, mend)
        return texts
    return value


@contextmanager
def replace_at_end(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yields an empty file beside `path` that takes the place of `path` when the block ends well. A
    link at `path` is replaced, not what it points to.

    Args:
        private: nobody but this account may read it.

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
            # As any other file that the user makes, whatever program wrote it.
            temporary.chmod(0o600 if private else 0o666 & ~_umask())
            temporary.replace(path)
        except OSError as error:
            raise FactmarkError(
                f"{path}: cannot be written ({error.strerror or error}); nothing was changed there."
            ) from error


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    """Writes a whole file in UTF-8, without secrets; if that fails, what was there stays. A
    private one is read by this account alone."""
    with replace_at_end(path, private=private) as temporary:
        # The same bytes on every system.
        temporary.write_text(redacted(text), encoding="utf-8", newline="\n")


def write_pieces(path: Path, pieces: Iterable[str]) -> None:
    """Writes a whole file in UTF-8 from pieces that hold no secrets any more, such as
    `flat_files.json_text` and `csv_lines` give; if that fails, what was there stays."""
    with ExitStack() as stack:
        temporary = stack.enter_context(replace_at_end(path))
        out = stack.enter_context(temporary.open("w", encoding="utf-8", newline="\n"))
        out.writelines(pieces)


def _umask() -> int:
    """Returns the process's umask, which can only be read by setting it."""
    current = os.umask(0)
    os.umask(current)
    return current


class NumberAsWritten(float):
    """A number of a JSON file that is no whole one; as a text it is what stands there, so that an
    id `2.50` or `1e3` is found again.

    >>> number = NumberAsWritten("2.50")
    >>> number == 2.5, str(number)
    (True, '2.50')
    """

    __slots__ = ("_text",)
    _text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number._text = text
        return number

    def __str__(self) -> str:
        return self._text


JSON = json.JSONDecoder(parse_float=NumberAsWritten)
"""Reads the JSON of users' files."""


def json_value(path: Path | str, text: str) -> Any:
    """Returns the value of a JSON text; of a file with an object a line, a list of them.

    Args:
        path: the file, for the message; or its name with the line that the text is.

    Raises:
        InputError: if it is none; names the line.
    """

    def place(line: int) -> str:
        if isinstance(path, str):
            return path
        return f"{path}, line {line}"

    try:
        return JSON.decode(text)
    except json.JSONDecodeError as error:
        if isinstance(path, Path) and is_json_lines(text):
            return [value for _, value in json_lines(path, text.splitlines())]
        raise InputError(
            f"{place(error.lineno)}, column {error.colno}: {_json_fault(error)}."
        ) from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply.") from error
    except ValueError as error:  # a number of more digits than Python reads
        match = re.search(rf"[0-9]{{{sys.get_int_max_str_digits() + 1},}}", text)
        line = 1 + text.count("\n", 0, match.start() if match else 0)
        raise InputError(f"{place(line)}: a number is too long.") from error


def is_json_lines(text: str) -> bool:
    """Whether a text has an object a line: its first line is one, and others come after it."""
    first, _, rest = text.lstrip().partition("\n")
    if not first.startswith("{") or not rest.strip():
        return False
    try:
        JSON.decode(first)
    except (ValueError, RecursionError):
        return False
    return True


def json_lines(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Yields the values of lines of JSON, each with the name of its line; blank lines are skipped.

    Raises:
        InputError: for a line that is no JSON; names it.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield f"line {number}", json_value(f"{path}, line {number}", line)


def is_cut_off(error: Exception, line: str) -> bool:
    """Whether a line is no JSON since a file ends within it."""
    has_no_end = not line.endswith(("\n", "\r"))
    return has_no_end and isinstance(error, json.JSONDecodeError) and _json_fault(error) == CUT_OFF


def _json_fault(error: json.JSONDecodeError) -> str:
    """Returns what is wrong with a JSON text, in words that say if it was just cut off."""
    if not error.doc.strip():
        return "is empty"
    if error.pos >= len(error.doc.rstrip()) or "Unterminated" in error.msg:
        return CUT_OFF
    return error.msg
