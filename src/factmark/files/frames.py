"""Rows, frames and paths that a Python function is given, as files for as long as it reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol, cast

from factmark.errors import FactmarkError, InputError
from factmark.files.temporary import temporary_folder


class Frame(Protocol):
    """A DataFrame of pandas or polars."""

    columns: Any


Rows = str | Path | Iterable[Mapping[str, Any]] | Frame
"""A file, rows as mappings, or a DataFrame."""


@contextmanager
def as_file(given: Rows | Mapping[str, str] | None, name: str = "rows") -> Iterator[Any]:
    """Yields the path of a file; rows are written into one for as long as it is read, which errors
    call by its name. A mapping of ids to texts is a row with `id` and `text` for each.

    Its folder's name holds a hash of the rows: in a ledger rows of different frames stand side by
    side, and the same frame again takes the place of itself.

    Raises:
        InputError: neither a path, nor rows, nor a frame.
    """
    if given is None or isinstance(given, str | Path):
        if given is None:
            yield None
        else:
            yield Path(given)
        return
    with temporary_folder() as folder:
        path = folder / f"{name}.jsonl"
        digest = sha256()
        with path.open("w", encoding="utf-8") as out:
            for row in _rows_as_mappings(given, name):
                line = json.dumps(row, default=str) + "\n"
                digest.update(line.encode())
                out.write(line)
        named = folder / f"frame-{digest.hexdigest()[:12]}"  # a ledger keeps the folder's name too
        named.mkdir()
        path = path.rename(named / path.name)
        try:
            yield path
        except FactmarkError as error:
            error.args = tuple(str(part).replace(str(path), path.name) for part in error.args)
            raise


@contextmanager
def as_files(given: Rows | Sequence[str | Path] | None) -> Iterator[list[Path] | None]:
    """Yields the paths of several files, or of the one that `as_file` yields."""
    paths: list[Any] | tuple[Any, ...] = ()
    if isinstance(given, list | tuple):
        paths = given
    if paths and all(isinstance(path, str | Path) for path in paths):
        yield [Path(str(path)) for path in paths]
        return
    with as_file(cast("Rows | None", given)) as path:
        yield path and [path]


def is_frame(given: object) -> bool:
    """Whether something is a DataFrame of pandas or polars."""
    return hasattr(given, "columns") and (hasattr(given, "to_dicts") or hasattr(given, "to_dict"))


def frame_rows(frame: Any, block: int = 2_500) -> Iterator[Mapping[str, Any]]:
    """Yields the rows of a frame as mappings, None for what is missing; a block at a time."""
    for start in range(0, len(frame), block):
        part = frame[start : start + block]
        yield from _rows_as_mappings(part, "rows")


def frame_column(frame: Any, name: str) -> list[Any]:
    """Returns the cells of a frame's column, None for what is missing."""
    column = frame[name]
    if hasattr(column, "to_list") and not hasattr(column, "notna"):  # polars
        return list(column.to_list())
    if not column.hasnans:
        return list(column.tolist())
    if column.dtype.kind == "f":  # whole numbers with a gap are floats
        column = column.convert_dtypes()
    missing = column.isna().tolist()
    cells = zip(column.astype(object).tolist(), missing, strict=True)
    return [None if is_missing else cell for cell, is_missing in cells]


def _rows_as_mappings(given: Any, name: str) -> Iterable[Mapping[str, Any]]:
    """Returns the rows of a frame as mappings, None for what is missing; other rows as they are."""
    has_rows = isinstance(given, Iterable) and not isinstance(given, bytes)
    if not has_rows:
        kind = type(given).__name__
        raise InputError(f"{name}: give a file, rows or a frame, and no {kind}.")
    rows: Iterable[Mapping[str, Any]] = given
    if isinstance(given, Mapping):
        rows = [{"id": name, "text": text} for name, text in given.items()]
    elif hasattr(given, "to_dicts"):  # polars, which tells NaN from what is missing
        rows = given.fill_nan(None).to_dicts()
    elif hasattr(given, "to_dict"):  # pandas, where NaN is what is missing
        # Whole numbers with a gap are floats in pandas; as ids they would end in `.0`.
        whole = given.loc[:, given.isna().any()].convert_dtypes()
        full = given.astype(object)
        for name in whole:
            full[name] = whole[name].astype(object)
        rows = full.where(given.notna(), None).to_dict("records")
    return rows
