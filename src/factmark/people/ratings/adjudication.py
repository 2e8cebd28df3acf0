"""Units on which ratings lie far apart, and each system before and after somebody decided. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from factmark.people.core.forms import Form
from factmark.people.ratings.entries import RatedTask, Scoring, group_rows
from factmark.people.ratings.systems import SystemScore, system_scores

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
    return asked or (APART if form.top - form.lowest >= APART else min_step(form))


def min_step(form: Form) -> float:
    """Returns the least difference of two labels' values."""
    values = sorted(set(form.values.values()))
    return min((b - a for a, b in pairwise(values)), default=1.0)


def disputes(form: Form, entries: Iterable[RatedTask], apart: float) -> list[Dispute]:
    """Returns the units of which two ratings differ by so many points or more."""
    rated = [entry for entry in entries if entry.final and entry.final.response.label]
    listed = []
    for unit, some in group_rows(rated, lambda entry: entry.assignment.unit).items():
        values = [form.values[str(entry.final and entry.final.response.label)] for entry in some]
        if max(values) - min(values) > apart - 1e-9:
            document = some[0].assignment.document
            listed.append(Dispute(unit=unit, document=document, entries=tuple(some)))
    return [dispute for dispute in listed if len(dispute.entries) > 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """What was decided where ratings lay far apart.

    Attributes:
        apart: from how many points on.
        disputed: units whose ratings are as far apart; `left`, those of them that nobody decided.
        decisions: who decided, or is to decide, what.
        scores: of each system: `first` by the ratings, `final` with what was decided in place of
            all ratings of a unit, `change` the difference.
    """

    apart: float
    disputed: int
    left: int
    decisions: tuple[RatedTask, ...]
    scores: tuple[SystemScore, ...]


def adjudication(
    scoring: Scoring,
    entries: Sequence[RatedTask],
    decisions: Sequence[RatedTask],
    asked: float | None,
) -> Adjudication | None:
    """Returns what was decided, and each system before and after; None where nobody was to decide.

    Args:
        asked: from how many points on, where the campaign says it.
    """
    if not scoring.form.values or (asked is None and not decisions):
        return None
    apart = apart_of(scoring.form, asked)
    decided = {decision.assignment.unit: decision.final for decision in decisions if decision.final}
    disputed = disputes(scoring.form, entries, apart)
    both = []
    for entry in entries:
        revisions = entry.revisions
        if entry.final is not None:
            final = decided.get(entry.assignment.unit) or entry.final
            revisions = (replace(entry.final, first=True), final)
        both.append(replace(entry, revisions=revisions))
    return Adjudication(
        apart=apart,
        disputed=len(disputed),
        left=sum(dispute.unit not in decided for dispute in disputed),
        decisions=tuple(decisions),
        scores=system_scores(scoring, both) if decided else (),
    )
