"""Files of ratings, whatever their form, as rows: opened, mapped, read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import md5
from pathlib import Path

from factmark.errors import InputError
from factmark.files.rows import Row
from factmark.intake.columns import folded
from factmark.intake.mapping import TableMapping, read_mapping
from factmark.intake.readings import NONE, Named
from factmark.intake.tools import role_names
from factmark.ledger.rows import file_name
from factmark.people.imports.rating_advice import may_be_systems
from factmark.people.imports.rating_mapping import rating_mapping
from factmark.people.imports.rating_rows import Note, RatingRow
from factmark.people.imports.rating_tables import RatingTable, open_rating_tables
from factmark.people.imports.roles.copies import ROWS
from factmark.people.imports.table_ratings import LeftOut, ratings_of
from factmark.text.shell import quote
from factmark.text.shown_text import some

RATINGS = "ratings"
"""The role, and the setting, that names a column with lists of ratings."""

_SIBLINGS = ("annotator", "dimension", "system", "document")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenColumns:
    """What the user says of the columns of files.

    Attributes:
        columns: `ROLE=COLUMN`, again for each.
        siblings: what the names of ratings side by side tell, such as `annotator`.
        mapping: a file with a mapping.
        rows: the path to the rows of a JSON file, or the sheet of a workbook.
    """

    columns: Sequence[str] = ()
    siblings: str = ""
    rows: str = ""
    mapping: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRatings:
    """The ratings of files, and how they were read.

    Attributes:
        mappings: of each table that the files make.
    """

    rows: list[RatingRow] = field(default_factory=list)
    mappings: list[TableMapping] = field(default_factory=list)


def read_ratings(
    paths: Sequence[Path], given: GivenColumns, encoding: str, note: Note
) -> ReadRatings:
    """Returns all ratings of the files in their order; `note` is told what was taken for what.

    Args:
        paths: files, or folders of them; those of one form make one table.

    Raises:
        InputError: with the place: a file holds nothing, cannot be read, or does not tell what is
            needed; it says what it holds, and which option would read it.
    """
    named = _named(given)
    ratings = named.settings.get(RATINGS, "")
    if not ratings and given.mapping is not None:
        ratings = read_mapping(given.mapping, "ratings").settings.get(RATINGS, "")
    tables = open_rating_tables(paths, encoding, ratings, given.rows)
    read = ReadRatings()
    for table in tables:
        mapping = rating_mapping(table, named)
        left = LeftOut(reasons=Counter())
        rows = ratings_of(table.placed, mapping, table.places, left)
        if not rows:
            raise InputError(
                f"{table.path}: holds {len(table.placed)} rows and no label in any of them."
            )
        people = len({rating.annotator for rating in rows})
        _note_reading(table, mapping, people, note)
        for sentence in (*table.problems, *left.sentences()):
            note(f"{table.path}: {sentence}")
        ids = {where: row_id(row) for where, row in table.placed}
        read.rows.extend(_placed(rating, table.files, ids) for rating in rows)
        read.mappings.append(mapping)
        for path in table.files:
            _note_names(path, rows, note)
    return ReadRatings(rows=_decoded(read.rows, note), mappings=read.mappings)


def _named(given: GivenColumns) -> Named:
    """Returns what the user names; an empty column is none.

    Raises:
        InputError: no such role, or one that has a column already.
    """
    columns: dict[str, str | tuple[str, ...]] = {}
    roles = ", ".join(role_names("ratings"))
    for text in given.columns:
        role, sign, name = (part.strip() for part in text.partition("="))
        if not sign or role not in role_names("ratings"):
            raise InputError(f"--column {text}: say ROLE=COLUMN; roles are {roles}.")
        before = columns.get(role)
        if before is None:
            columns[role] = name or NONE
        elif role == "label":
            columns[role] = (*([before] if isinstance(before, str) else before), name)
        else:
            raise InputError(f"--column {text}: {role} has the column {before!r} already.")
    parts = [part.strip() for part in given.siblings.split("/") if part.strip()]
    for part in parts:
        if part not in _SIBLINGS:
            raise InputError(f"--siblings {given.siblings}: there are {', '.join(_SIBLINGS)}.")
    settings: dict[str, str] = {}
    if parts:
        settings["siblings"] = "/".join(parts)
    if RATINGS in columns:
        settings[RATINGS] = str(columns.pop(RATINGS))
    return Named(columns=columns, mapping=given.mapping, settings=settings, special=(ROWS,))


def _note_reading(table: RatingTable, mapping: TableMapping, people: int, note: Note) -> None:
    """Notes how a table is read, which has the ratings of so many people."""
    files = some([str(path) for path in table.files], 4)
    of_tool = f"{mapping.tool}'s; " if mapping.tool else ""
    note(f"{files}: {of_tool}{mapping.in_words()}")
    siblings = mapping.settings.get("siblings", "").split("/")
    is_nobody_named = not mapping.columns.get("annotator") and "annotator" not in siblings
    if is_nobody_named and people == 1:
        note(f"{files}: no column tells who rated; all ratings are taken for one person's")
    elif is_nobody_named:
        note(f"{files}: no column names who rated; up to {people} people rated each unit")
    systems = may_be_systems(table.sample, mapping)
    if systems:
        names = some(list(map(repr, systems)), 3)
        note(f"{files}: no system is named; {names} may be it: --column system=NAME")
    if table.others:
        names = some(list(map(repr, table.others)), 4)
        note(f"{files}: {names} is not read; it is by --column ratings={quote(table.others[0])}")


def row_id(row: Row) -> str:
    """Returns the id that a row of a file has in a column of that name; empty where it has none."""
    names = role_names("ratings", "words")["row"]
    ids = (str(cell) for name, cell in row.items() if folded(str(name)) in names)
    return next((" ".join(text.split()) for text in ids if text not in ("", "None")), "")


def _note_names(path: Path, rows: Sequence[RatingRow], note: Note) -> None:
    """Notes a rater whose name a file's name holds."""
    names = _named_in(path, rows)
    if names:
        note(
            f"{path}: the file's name holds a rater's ({names[0]!r}); results tell it beside "
            "the code. Rename the file where nobody may know who is who"
        )


def _placed(rating: RatingRow, files: Sequence[Path], ids: Mapping[str, str]) -> RatingRow:
    """Returns a rating with the place that it was read from, as results tell it."""
    path = next(file for file in files if rating.where.startswith(f"{file}, "))
    place = rating.where.removeprefix(f"{path}, ")
    own = ids.get(rating.where) or rating.document
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
