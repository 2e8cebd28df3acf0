"""Files of lines are text throughout: a broken byte counts where nobody would read it, too."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from factmark.errors import InputError
from factmark.files.rows import JSON_LINES, broken_bytes_reason, has_broken_bytes
from factmark.files.separated import DELIMITERS
from factmark.files.text_files import marked_encoding, path_to_open, unreadable

_BROKEN = re.compile("[\0\ud800-\udfff]")  # NUL, and how undecoded bytes are read
_BLOCK = 2**20  # bytes


def check_text(path: Path, encoding: str = "utf-8") -> None:
    """Checks that a file of lines holds text throughout, also where nobody would read it.

    Raises:
        InputError: it cannot be read, or has bytes of another encoding, or NUL; names the line.
    """
    if path.suffix.casefold() not in (*DELIMITERS, *JSON_LINES):
        return
    line = 1
    try:
        with path_to_open(path).open("rb") as file:
            name = marked_encoding(file.read(4), encoding)
            file.seek(0)
            decoder = codecs.getincrementaldecoder(name)("surrogateescape")
            while data := file.read(_BLOCK):
                text = decoder.decode(data)
                if has_broken_bytes(text):
                    bad = _BROKEN.search(text)
                    line += _lines_in(text[: bad.start() if bad else 0])
                    raise InputError(f"{path}, line {line}: holds {broken_bytes_reason(text)}.")
                line += _lines_in(text)
            if decoder.getstate()[0]:
                raise InputError(f"{path}, line {line}: ends within a letter; it seems cut off.")
    except LookupError as error:
        raise InputError(f"--encoding {encoding}: no such encoding.") from error
    except UnicodeError as error:  # of an encoding without surrogateescape
        raise InputError(f"{path}, line {line}: is not {encoding}: {error}.") from error
    except OSError as error:
        raise unreadable(path, error) from error


def _lines_in(text: str) -> int:
    """Returns how many lines end in a text."""
    return text.count("\n") or text.count("\r")
