"""Where readers that are written in other languages (DuckDB, Arrow, oxigraph, tantivy) end and ours
begins: whatever they say of a damaged file becomes one error that names the file."""

from __future__ import annotations

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
    try:
        yield
    except FactmarkError:
        raise
    except (*errors, *_OF_BINDINGS) as error:
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
