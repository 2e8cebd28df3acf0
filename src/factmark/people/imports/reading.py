"""Files of ratings, whatever their layout, as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import md5
from pathlib import Path

from factmark.errors import InputError
from factmark.files.rows import strict_rows
from factmark.people.imports.columns import columns_named
from factmark.people.imports.flat import flat_ratings
from factmark.people.imports.published import reader_of
from factmark.people.imports.rating_rows import Note, RatingRow


def read_ratings(
    paths: Sequence[Path], columns: Sequence[str], encoding: str, note: Note
) -> list[RatingRow]:
    """All ratings of the files in their order; `note` is told what was taken for what.

    InputError, with the place: a file holds nothing, cannot be read, or does not tell what is
    needed; it says what it holds, and which `--column` would read it.
    """
    given = columns_named(columns)
    rows: list[RatingRow] = []
    for path in paths:
        table = list(strict_rows(path, encoding))
        if not table:
            raise InputError(f"{path}: holds no rows.")
        reader = reader_of(table, given) or flat_ratings
        ratings = list(reader(str(path), table, given, note))
        if not ratings:
            raise InputError(f"{path}: holds {len(table)} rows and no label in any of them.")
        rows += ratings
    return _decoded(rows, note)


def _decoded(rows: list[RatingRow], note: Note) -> list[RatingRow]:
    """LongEval's COARSE with documents and systems by their names, which the FINE files have.

    There a summary is known by a hash alone, so that annotators cannot tell whose it is; a hash
    that no name here explains stays.
    """
    fine = {code: row for row in rows if row.form == "fine" for code in _codes(row)}
    unknown = {row.system for row in rows if row.form == "coarse"} - fine.keys()
    if unknown:
        note(
            f"{len(unknown)} summaries of LongEval's COARSE are known by a code alone; name the "
            "FINE files as well, which tell whose they are"
        )
    return [
        replace(row, document=fine[row.system].document, system=fine[row.system].system)
        if row.form == "coarse" and row.system in fine
        else row
        for row in rows
    ]


def _codes(row: RatingRow) -> set[str]:
    """The hashes by which LongEval's COARSE may know a summary: MD5 of `document_system`."""
    document = row.document.replace("-", "_")
    systems = {row.system, row.system.replace("-", "_"), row.system.replace("_", "-")}
    stories = {f"{name}_{system}" for name in (row.document, document) for system in systems}
    return {md5(story.encode(), usedforsecurity=False).hexdigest() for story in stories}
