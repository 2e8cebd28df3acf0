"""No output takes the place of an input, of another output, or of what factmark did not write.

Which files of a folder are factmark's is noted in the folder, in `.factmark`, a name a line.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path

from factmark.errors import InputError
from factmark.files.text_files import read_text, write_text

NOTES = ".factmark"
Named = tuple[str, Path]
"""The option as it was given, for example `--passages`, and the path that it names."""


def check_outputs(outputs: Iterable[Named], inputs: Iterable[Named]) -> None:
    """Raises InputError for an output that is one of the inputs, or that was named before.

    Links are followed, so that another name of the same file is no way around it.

    Raises:
        InputError: for the first such output.
    """
    taken = list(inputs)
    for option, path in outputs:
        for other, there in taken:
            if _is_same(path, there):
                raise InputError(
                    f"{option} {path}: would be written over {other} {there}. Name another file."
                )
        taken.append((option, path))


def check_files(
    folder: Path, names: Collection[str], inputs: Iterable[tuple[str, Path | None]]
) -> None:
    """Checks, before any work, that a command may write its files, and notes them as factmark's.

    Args:
        folder: where the files go; made where there is none.
        names: of all files that the command may write there.
        inputs: what it reads, by its option; options that are not given, and files that are not
            there, do not matter.

    Raises:
        InputError: the folder is a file; one of them is read, or is there and factmark did not
            write it.
        FactmarkError: the folder cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out {folder}: is a file. Name a folder.")
    given = []
    for option, path in inputs:
        if path is not None:
            given.append((option, path))
    check_outputs([("the result", folder / name) for name in names], given)
    notes = folder / NOTES
    if notes.is_file():
        known = set(read_text(notes).splitlines())
    else:
        known = set[str]()
    for name in names:
        if name not in known and os.path.lexists(folder / name):
            raise InputError(
                f"{folder / name}: is there, and factmark did not write it. Move it, or name "
                "another place with --out."
            )
    if not notes.is_file() or not known.issuperset(names):
        write_text(notes, "".join(f"{name}\n" for name in sorted(known.union(names))))


def _is_same(path: Path, other: Path) -> bool:
    """Whether two paths are the same file, or would be if they existed."""
    try:
        return path.samefile(other)
    except OSError:  # one of them is not there
        return os.path.realpath(path) == os.path.realpath(other)  # no error for links in a circle
