"""A rating as a file has it, whatever its layout; and what all readers need of cells."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from factmark.errors import InputError
from factmark.files.rows import has_broken_bytes
from factmark.intake.columns import is_empty
from factmark.people.core.scales import number_label, plain_labels
from factmark.text.shown_text import count

Note = Callable[[str], None]
"""Is told what the owner should know, a sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One rating.

    Attributes:
        where: the file and the place in it.
        row: the file's name with that of its folder, the place in it, and the row's own id or that
            of its document, as results tell them.
        document: what was summarized; its summaries are resampled together.
        item: what sets apart several summaries of one document by one system: a topic, a question.
        system: whose summary it is; empty where all are of one.
        dimension: what is rated, such as `coherence`; empty where the file has but one.
        summary, source: texts; empty where the file has none.
        part: the sentence or clause that was rated; empty where the whole summary was.
        place: where the part stands among those of its summary.
        start: where it begins in `summary`; None where that is not known.
        at: when, in UTC, as ISO 8601; empty where the file does not tell.
        form: of ours, where the layout says which.
    """

    where: str
    document: str
    system: str
    annotator: str
    label: str
    dimension: str = ""
    item: str = ""
    summary: str = ""
    source: str = ""
    part: str = ""
    place: str = ""
    start: int | None = None
    comment: str = ""
    seconds: float | None = None
    at: str = ""
    form: str = ""
    row: tuple[str, str, str] = ("", "", "")


def label_text(value: object) -> str:
    """The label in a cell; empty for an empty cell.

    A list or object holds it as Label Studio writes ratings and choices; a truth value is yes or
    no.
    """
    if isinstance(value, bool):
        if value:
            return "yes"
        return "no"
    if isinstance(value, list):
        if len(value) == 1:
            return label_text(value[0])
        return ""
    if isinstance(value, Mapping):
        for name in ("choices", "rating", "number", "text"):
            if name in value:
                return label_text(value[name])
        return ""
    if is_empty(value):
        return ""
    return number_label(str(value))


def with_plain_labels(
    rows: Sequence[RatingRow], keep: Collection[str], note: Note
) -> list[RatingRow]:
    """Rows with labels as they are compared, see `plain_labels`; those whose label says nothing are
    left out, and that is told."""
    given: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        given[row.form or row.dimension].add(row.label)
    plain = {}
    for name, labels in given.items():
        plain[name] = plain_labels(labels, keep)
    labelled = [replace(row, label=plain[row.form or row.dimension][row.label]) for row in rows]
    nothing = set()
    for old, new in zip(rows, labelled, strict=True):
        if not new.label:
            nothing.add(old.label)
    if nothing:
        empty = sum(not row.label for row in labelled)
        note(
            f"{count(empty, 'label', 'labels')} that say nothing "
            f"({', '.join(sorted(nothing))}), left out"
        )
    if any("," in old and "." in new for some in plain.values() for old, new in some.items()):
        note("numbers with a comma are read as 3,5 = 3.5")
    return [row for row in labelled if row.label]


def name_text(where: str, value: object, what: str) -> str:
    """A name (of a document, a system, a person) in one line; a number is a name too.

    InputError: it holds what is no character.
    """
    if isinstance(value, Mapping):  # of a person, as Label Studio has one
        value = value.get("email") or value.get("username") or value.get("id")
    if isinstance(value, float):  # NaN is how some write an empty cell
        if value.is_integer():
            value = int(value)
        elif math.isnan(value):
            value = None
    text = " ".join(str("" if value is None else value).split())
    if has_broken_bytes(text):
        raise InputError(f"{where}: {what} is not UTF-8. Save the file so, or name its --encoding.")
    return text


def plain_text(value: object) -> str:
    """Returns a text as it is; an empty text for anything else."""
    if isinstance(value, str):
        return value
    return ""


def seconds_of(value: object) -> float | None:
    """Seconds in a cell; None where there are none."""
    try:
        seconds = float(str(value))
    except ValueError:
        return None
    if 0 <= seconds <= 31_536_000:
        return seconds
    return None


_ZONES = {"PST": -8, "PDT": -7, "EST": -5, "EDT": -4, "UTC": 0, "GMT": 0}
_MTURK = re.compile(r"\w{3} (\w{3}) +(\d+) (\d\d:\d\d:\d\d) (\w+) (\d{4})")


def moment(value: object) -> str:
    """A time in UTC as ISO 8601, from ISO 8601 or as Mechanical Turk has it; else nothing."""
    text = str(value or "").strip()
    try:
        match = _MTURK.fullmatch(text)
        if match:
            month, day, clock, zone, year = match.groups()
            zoned = f"{month} {day} {year} {clock} {_ZONES.get(zone, 0):+03}00"
            read = datetime.strptime(zoned, "%b %d %Y %H:%M:%S %z")
        else:
            read = datetime.fromisoformat(text)
    except ValueError:
        return ""
    if not read.tzinfo:
        read = read.replace(tzinfo=UTC)
    return read.astimezone(UTC).isoformat(timespec="microseconds")
