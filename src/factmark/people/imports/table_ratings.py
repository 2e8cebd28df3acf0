"""The ratings of a table, as a mapping says what its columns hold."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

from factmark.errors import InputError
from factmark.files.rows import Row
from factmark.intake.columns import folded, is_empty
from factmark.intake.mapping import TableMapping
from factmark.intake.shapes import Placed
from factmark.intake.tools import role_names
from factmark.model import content_hash
from factmark.people.imports.rating_rows import (
    RatingRow,
    label_text,
    moment,
    name_text,
    plain_text,
    seconds_of,
)
from factmark.people.imports.roles.copies import ROWS
from factmark.people.imports.roles.siblings import parts_of_names

NOBODY = "annotator"  # who rated, where a table does not say

_LONGEST = 200  # characters of a name

_TAG = re.compile(r"<[^>]*>")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@dataclass(slots=True, kw_only=True)
class LeftOut:
    """What of a table became no rating, by reason."""

    reasons: Counter[str]

    def sentences(self) -> list[str]:
        """Returns a sentence for each reason."""
        return [f"{times} {reason}, left out" for reason, times in self.reasons.items()]


def ratings_of(
    rows: Sequence[Placed], mapping: TableMapping, places: Sequence[str], left: LeftOut
) -> list[RatingRow]:
    """Returns the ratings of rows in their order.

    Args:
        places: columns with the place in a list, by which people are known.
        left: counts what becomes no rating.

    Raises:
        InputError: a cell that must have a name is empty, or a clause is not marked.
    """
    reader = _RatingReader(mapping, places)
    is_each_asked = len(mapping.columns["label"]) == 1 or bool(mapping.settings.get("siblings"))
    ratings: list[RatingRow] = []
    comments = role_names("ratings")["comment"]
    for where, row in rows:
        if reader.is_left_out(row):
            left.reasons["cancelled annotations"] += 1
            continue
        for rating in reader.ratings(where, row):
            if folded(rating.dimension) in comments:
                left.reasons["answers to a question for comments"] += 1
            else:
                ratings.append(rating)
        if is_each_asked:
            empty = [name for name in mapping.columns["label"] if is_empty(row.get(name))]
            left.reasons["empty labels"] += len(empty)
    left.reasons += Counter()  # drops zeros
    if mapping.columns.get("annotator") == ():
        return _by_place(ratings)
    return ratings


def unit_of(rating: RatingRow) -> tuple[str, ...]:
    """Returns what was rated, and by which dimension."""
    part = rating.place or rating.part
    return (rating.document, rating.item, rating.system, part, rating.dimension)


def _by_place(ratings: Sequence[RatingRow]) -> list[RatingRow]:
    """Returns ratings that nobody is named for: of a unit the first is one person's, the second
    another's. Agreement does not depend on who is who."""
    times: Counter[tuple[str, ...]] = Counter()
    named = []
    for rating in ratings:
        unit = unit_of(rating)
        times[unit] += 1
        named.append(replace(rating, annotator=f"{NOBODY} {times[unit]}"))
    if max(times.values(), default=0) < 2:
        return list(ratings)
    return named


class _RatingReader:
    """Reads the ratings of a row by a mapping."""

    def __init__(self, mapping: TableMapping, places: Sequence[str]) -> None:
        """Takes the names of label columns apart."""
        self.columns = mapping.columns
        self.settings = mapping.settings
        self.places = places
        labels = mapping.columns["label"]
        roles = tuple(filter(None, self.settings.get("siblings", "").split("/")))
        parts: list[tuple[str, ...]] = [(name,) for name in labels]
        if roles:
            parts = list(parts_of_names(labels))
        if roles and len(parts[0]) != len(roles):
            raise InputError(
                f"--siblings {'/'.join(roles)}: the names of the ratings have "
                f"{len(parts[0])} parts, such as {' and '.join(map(repr, parts[0]))}."
            )
        self.by_label = {
            name: dict(zip(roles, part, strict=False))
            for name, part in zip(labels, parts, strict=True)
        }
        if len(labels) == 1 and roles == ("dimension",):
            self.by_label = {labels[0]: {}}

    def is_left_out(self, row: Row) -> bool:
        """Whether a row says that it does not count."""
        without, _, value = self.settings.get("without", "").partition("=")
        cell = row.get(without)
        if without and not is_empty(cell) and (cell == value if value else bool(cell)):
            return True
        only, _, value = self.settings.get("only", "").partition("=")
        return bool(only) and not is_empty(row.get(only)) and row.get(only) != value

    def ratings(self, where: str, row: Row) -> Iterator[RatingRow]:
        """Yields the ratings in a row."""
        about: RatingRow | None = None
        for column, of_name in self.by_label.items():
            cell = _parsed(row.get(column))
            people = [("", cell)]
            if isinstance(cell, list) and len(cell) > 1 and "yes" not in self.settings:
                people = [(str(place), part) for place, part in enumerate(cell, start=1)]
            for place, part in people:
                label = self._label(part)
                if not label:
                    continue
                about = about or self._about(where, row)
                yield self._rating(about, of_name, label, place)

    def _label(self, cell: Any) -> str:
        """Returns the label in a cell; empty where it holds none."""
        yes = self.settings.get("yes")
        if yes is None:
            label = label_text(cell)
            return label.upper() if self.settings.get("form") == "fine" else label
        if cell is None:
            return ""
        return "yes" if cell in (yes, [yes]) else "no"

    def _rating(
        self, about: RatingRow, of_name: dict[str, str], label: str, place: str
    ) -> RatingRow:
        """Returns a rating with what its row and the name of its column say."""
        person = about.annotator
        if place:
            person = f"{NOBODY} {place}"
        return replace(
            about,
            label=label,
            document=of_name.get("document", about.document),
            system=of_name.get("system", about.system),
            annotator=of_name.get("annotator", person),
            dimension=of_name.get("dimension", about.dimension),
        )

    def _about(self, where: str, row: Row) -> RatingRow:
        """Returns what a row says of all its ratings."""
        source = plain_text(self._cell(row, "source"))
        summary = plain_text(self._cell(row, "summary"))
        part = plain_text(self._cell(row, "sentence"))
        rating = RatingRow(
            where=where,
            document=self._document(where, row, source or summary),
            item=_short(name_text(where, self._cell(row, "topic"), "topic")),
            system=self._name(where, row, "system"),
            annotator=self._person(where, row),
            label="",
            dimension=self.settings.get("dimension", "")
            or name_text(where, self._cell(row, "dimension"), "dimension"),
            summary=summary,
            source=source,
            part=part,
            place=name_text(where, self._cell(row, "place"), "place"),
            comment=self._comment(row),
            seconds=seconds_of(self._cell(row, "seconds")),
            at=moment(self._cell(row, "time")),
            form=self.settings.get("form", ""),
        )
        if self.settings.get("marked"):
            return _with_marked(rating, self.settings["marked"])
        if part and summary:
            start = summary.find(part)
            return replace(rating, start=start if start >= 0 else None)
        if not (rating.system or part or rating.item) and summary and source:
            return replace(rating, item=f"text {content_hash(summary)[:8]}")
        return rating

    def _document(self, where: str, row: Row, text: str) -> str:
        """Returns the document; where no column names it, one that its text stands for."""
        if self.columns.get("document") == (ROWS,):
            return where.rpartition(", ")[2]
        if self.columns.get("document"):
            return _short(self._name(where, row, "document"))
        return f"document-{content_hash(text)[:12]}"

    def _person(self, where: str, row: Row) -> str:
        """Returns who rated."""
        columns = self.columns.get("annotator", ())
        if columns == (ROWS,):
            return where.rpartition(", ")[2]
        name = self._name(where, row, "annotator")
        if name and columns[0] in self.places:
            return f"{columns[0]} {name}"
        return name or NOBODY

    def _name(self, where: str, row: Row, role: str) -> str:
        """Returns the name in a cell; empty where no column is for it.

        Raises:
            InputError: the cell is empty.
        """
        columns = self.columns.get(role)
        if not columns:
            return ""
        text = name_text(where, self._cell(row, role), role)
        in_names = any(role in of_name for of_name in self.by_label.values())
        if not text and not in_names:
            raise InputError(f"{where}: the {role} ({columns[0]!r}) is empty.")
        return text

    def _comment(self, row: Row) -> str:
        """Returns what a person wrote beside the ratings, or which errors they saw."""
        texts = []
        for column in self.columns.get("comment", ()):
            cell = row.get(column)
            parts = cell if isinstance(cell, list) else [cell]
            texts += [str(part) for part in parts if not is_empty(part)]
        yes = self.settings.get("yes")
        seen = row.get(self.columns["label"][0])
        if yes is not None and seen not in (None, yes, [yes]):
            texts.append(", ".join(map(str, seen if isinstance(seen, list) else [seen])))
        return " ".join(texts)

    def _cell(self, row: Row, role: str) -> Any:
        """Returns what the first filled column of a role holds; None where none does."""
        cells = (row.get(column) for column in self.columns.get(role, ()))
        return next((cell for cell in cells if not is_empty(cell)), None)


def _short(name: str) -> str:
    """Returns a name as it is; for a text one that stands for it."""
    return name if len(name) <= _LONGEST else f"text {content_hash(name)[:12]}"


def _with_marked(rating: RatingRow, name: str) -> RatingRow:
    """Returns a rating of the clause that a `span` of some id marks in its summary.

    Raises:
        InputError: nothing is marked.
    """
    mark = re.compile(rf"<span[^>]*id=['\"]{re.escape(name)}['\"][^>]*>(.*?)</span>", re.DOTALL)
    match = mark.search(rating.summary)
    if match is None:
        raise InputError(
            f"{rating.where}: no clause is marked in its summary; it should hold "
            f"<span id='{name}'>…</span>."
        )
    before = _without_tags(rating.summary[: match.start()])
    clause = _without_tags(match[1])
    return replace(
        rating,
        summary=before + clause + _without_tags(rating.summary[match.end() :]),
        source=_without_tags(rating.source),
        part=clause,
        place=str(len(before)),
        start=len(before),
    )


def _without_tags(html: str) -> str:
    """Returns the text of HTML."""
    return unescape(_TAG.sub("", _BREAK.sub("\n", html)))


def _parsed(cell: object) -> object:
    """Returns what a cell holds; some tools write ratings as JSON into tables."""
    if isinstance(cell, str) and cell[:1] in ("[", "{"):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell
