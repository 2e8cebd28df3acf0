"""Units on which ratings lie far apart. Pure, and without numpy, which the page starts without."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from factmark.people.core.forms import Form
from factmark.people.ratings.entries import RatedTask, group_rows

APART = 2.0  # points, on scales that have as many


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A unit whose ratings lie far apart.

    Attributes:
        entries: the tasks of all who rated it.
    """

    unit: str
    document: str
    entries: tuple[RatedTask, ...]

    @property
    def raters(self) -> tuple[str, ...]:
        """The codes of those who rated it."""
        return tuple(entry.assignment.annotator for entry in self.entries)


def apart_of(form: Form, asked: float | None) -> float:
    """Returns from how many points on ratings are far apart: as asked for, else two, or any
    difference where a scale has fewer."""
    return asked or (APART if form.bounds.span >= APART else min_step(form))


def min_step(form: Form) -> float:
    """Returns the least difference of two labels' values."""
    values = sorted(set(form.values.values()))
    return min((b - a for a, b in pairwise(values)), default=1.0)


def disputes(form: Form, entries: Iterable[RatedTask], apart: float) -> list[Dispute]:
    """Returns the units of which two ratings differ by so many points or more."""
    rated = []
    for entry in entries:
        if entry.final and entry.final.response.label:
            rated.append(entry)
    listed = []
    for unit, some in group_rows(rated, lambda entry: entry.assignment.unit).items():
        values = []
        for entry in some:
            values.append(form.values[str(entry.final and entry.final.response.label)])
        if max(values) - min(values) > apart - 1e-9:
            document = some[0].assignment.document
            listed.append(Dispute(unit=unit, document=document, entries=tuple(some)))
    return [dispute for dispute in listed if len(dispute.entries) > 1]
