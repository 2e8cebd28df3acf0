"""Each system before and after somebody decided where ratings lie far apart. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from factmark.people.ratings.disputes import apart_of, disputes
from factmark.people.ratings.entries import RatedTask, Scoring
from factmark.people.ratings.systems import SystemScore, system_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """What was decided where ratings lay far apart.

    Attributes:
        apart: from how many points on.
        disputed: units whose ratings are as far apart; `left`, those of them that nobody decided.
        decided: units on which somebody did, also where ratings are not as far apart any more.
        decisions: who decided, or is to decide, what.
        scores: of each system: `first` by the ratings, `final` with what was decided in place of
            all ratings of a unit, `change` the difference.
    """

    apart: float
    disputed: int
    left: int
    decided: int
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
    decided = {}
    for decision in decisions:
        if decision.final:
            decided[decision.assignment.unit] = decision.final
    disputed = disputes(scoring.form, entries, apart)
    return Adjudication(
        apart=apart,
        disputed=len(disputed),
        left=sum(dispute.unit not in decided for dispute in disputed),
        decided=len(decided),
        decisions=tuple(decisions),
        scores=system_scores(scoring, with_decisions(entries, decisions)) if decided else (),
    )


def with_decisions(
    entries: Sequence[RatedTask], decisions: Sequence[RatedTask]
) -> tuple[RatedTask, ...]:
    """Returns ratings as first answers, and as final ones what was decided of a unit in place of
    them, where somebody did."""
    decided = {}
    for decision in decisions:
        if decision.final:
            decided[decision.assignment.unit] = decision.final
    return tuple(
        replace(
            entry,
            revisions=(
                replace(entry.final, first=True),
                decided.get(entry.assignment.unit) or entry.final,
            ),
        )
        if entry.final is not None
        else entry
        for entry in entries
    )
