"""Files of ratings, whatever their layout, as rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import md5
from pathlib import Path

from factmark.errors import InputError
from factmark.files.rows import strict_rows
from factmark.ledger.rows import file_name
from factmark.people.imports.columns import columns_named, row_id
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
        ids = {where: row_id(row) for where, row in table}
        rows += [_placed(rating, path, ids) for rating in ratings]
        names = _named_in(path, ratings)
        if names:
            note(
                f"{path}: the file's name holds a rater's ({names[0]!r}); results tell it beside "
                "the code. Rename the file where nobody may know who is who"
            )
    return _decoded(rows, note)


def _placed(rating: RatingRow, path: Path, ids: Mapping[str, str]) -> RatingRow:
    """Returns a rating with the place that it was read from, as results tell it."""
    place = rating.where.removeprefix(f"{path}, ")
    own = ids.get(rating.where) or place.partition(", task ")[2] or rating.document
    return replace(rating, row=(file_name(path), place, own))


def _named_in(path: Path, ratings: Sequence[RatingRow]) -> list[str]:
    """Returns the raters whose name, or a part of it, is a word of a file's name."""
    words = set(re.split(r"[\W_\d]+", path.stem.casefold()))
    people = dict.fromkeys(rating.annotator for rating in ratings)
    return [
        person
        for person in people
        if any(len(part) > 2 and part in words for part in re.split(r"[\W_\d]+", person.casefold()))
    ]


def _decoded(rows: list[RatingRow], note: Note) -> list[RatingRow]:
    """LongEval's COARSE with documents and systems by their names, which the FINE files have.

    There a summary is known by a hash alone, so that annotators cannot tell whose it is; a hash
    that no name here explains stays.
    """
    fine = {}
    for row in rows:
        if row.form == "fine":
            for code in _codes(row):
                fine[code] = row
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
    stories = set()
    for name in (row.document, document):
        for system in systems:
            stories.add(f"{name}_{system}")
    codes = set()
    for story in stories:
        codes.add(md5(story.encode(), usedforsecurity=False).hexdigest())
    return codes
