"""Where readers that are written in other languages (DuckDB, Arrow, oxigraph, tantivy) end and ours
begins: whatever they say of a damaged file becomes one error that names the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from factmark.errors import FactmarkError, InputError

_OF_BINDINGS = (ValueError, OSError, RuntimeError, OverflowError, SystemError, EOFError)
"""What bindings raise beside errors of their library; a UnicodeDecodeError is a ValueError."""
_PANIC = "PanicException"  # of a library in Rust; no Exception, and its class cannot be imported


@contextmanager
def native_reader(path: Path, form: str, *errors: type[Exception]) -> Iterator[None]:
    """Turns what a library says of a file, in the block, into an InputError with the file's name.

    Args:
        form: what the file is read as: "Parquet".
        errors: of the library's own.
    """
    kinds: tuple[type[Exception], ...] = (*errors, *_OF_BINDINGS)
    try:
        yield
    except FactmarkError:
        raise
    except kinds as error:
        raise _unreadable(path, form, error) from error
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise _unreadable(path, form, error) from None


def _unreadable(path: Path, form: str, error: BaseException) -> InputError:
    """Returns the error for a file that a library cannot read: with the first line of what it
    says."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return InputError(f"{path}: cannot be read as {form}: {lines[0]}")


def check_room(doing: str, wanted: int) -> None:
    """Raises InputError where a limit of address space (`ulimit -v`) leaves less than a library
    takes: it would end the process without a word.

    Args:
        doing: what it is needed for, at the beginning of a sentence.
        wanted: bytes beside those that are in use.
    """
    limit = _address_space()
    if limit is None:
        return
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):  # no Linux
        return
    if used + wanted > limit:
        raise InputError(
            f"{doing} takes {wanted / 2**30:.1f} GiB of address space beside the "
            f"{used / 2**30:.1f} in use; `ulimit -v` allows {limit / 2**30:.1f} in all. Raise it."
        )


def _address_space() -> int | None:
    """Returns the limit of this process's address space in bytes; None where there is none."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return None
    return limit


def lacks_memory(error: BaseException) -> bool:
    """Whether an error says that there is no memory: none was given, no thread could be started, or
    a library could not be loaded."""
    if isinstance(error, MemoryError):
        return True
    words = ("can't start new thread", "failed to map segment", "cannot allocate memory")
    return any(word in str(error).casefold() for word in words)
