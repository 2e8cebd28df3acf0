"""Rows of Arrow files: `.arrow`, as a stream or a file, and the folders that `save_to_disk` of
Hugging Face's datasets writes. One batch is held at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.native import native_reader
from factmark.files.problems import Problems

ARROW = ".arrow"


def is_arrow_folder(path: Path) -> bool:
    """Whether a path is a folder of `save_to_disk`: of a data set, or of its splits."""
    return path.is_dir() and ((path / "dataset_dict.json").is_file() or bool(_files(path)))


def arrow_rows(path: Path, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the rows of an Arrow file, or of all files of a folder, each with its place.

    Raises:
        InputError: pyarrow is not installed, a file is damaged, or the folder has several splits.
    """
    files = _files_of(path)
    for file in files:
        number = 0
        with _open_batches(file) as batches:
            for batch in batches:
                batch.validate(full=True)  # else a damaged one is read beyond its end
                for row in batch.to_pylist():
                    number += 1
                    problems.rows += 1
                    yield f"{file.name}, row {number}" if files[1:] else f"row {number}", row


def _files_of(path: Path) -> list[Path]:
    """Returns the Arrow files that a path names, in order.

    Raises:
        InputError: it is no file, or a folder with several splits.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path}: there is no such file.")
    files = _files(path)
    if files:
        return files
    splits = sorted(split for split in path.iterdir() if split.is_dir() and _files(split))
    if len(splits) == 1:
        return _files(splits[0])
    names = ", ".join(split.name for split in splits) or "nothing"
    raise InputError(f"{path}: holds the splits {names}. Name the folder of one of them.")


def _files(folder: Path) -> list[Path]:
    """Returns the Arrow files in a folder, sorted, without those of the cache of `map`."""
    return sorted(p for p in folder.glob(f"*{ARROW}") if not p.name.startswith(("cache-", "tmp")))


@contextmanager
def _open_batches(file: Path) -> Iterator[Iterator[Any]]:
    """Yields the batches of rows of a file; its errors become InputError."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise InputError(
            f'{file}: is an Arrow file; to read it: pip install "factmark[arrow]". Or save it as '
            "Parquet."
        ) from error
    with native_reader(file, "Arrow", pa.ArrowException), pa.memory_map(str(file)) as source:
        try:
            reader = pa.ipc.open_file(source)
        except pa.ArrowInvalid:
            source.seek(0)
            yield iter(pa.ipc.open_stream(source))
        else:
            yield (reader.get_batch(at) for at in range(reader.num_record_batches))
