"""How far annotators are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from factmark.people.ratings.entries import RatedUnit
from factmark.people.ratings.progress import AnnotatorProgress, progress_of
from sample_campaign import campaign, entries, rating

UNITS = [RatedUnit(id=f"u{n}", cluster=f"d{n // 3}") for n in range(6)]
ADA_AND_BEN = replace(campaign(), created="2025-12-31T16:00:00+00:00")
Given = Mapping[int, Sequence[tuple[int, float | None]]]
"""Place of a unit -> minute of the day and seconds so far of each answer to it."""


def of(ada: Given, ben: Given, stall: float = 24.0) -> dict[str, AnnotatorProgress]:
    tasks = entries(
        (who, unit, [rating("3", at=at, seconds=seconds) for at, seconds in said.get(place, ())])
        for who, said, units in (("A1", ada, UNITS), ("A2", ben, UNITS[:3]))
        for place, unit in enumerate(units)
    )
    return progress_of(ADA_AND_BEN, tasks, now="2026-01-01T01:00:00+00:00", stall=stall)


def test_done_left_and_who_stalls() -> None:
    parts = of({}, {0: [(30, None)]})
    ada, ben, whole = parts["A1"], parts["A2"], parts["all"]
    assert (ada.tasks, ada.done, ada.left, ada.minutes, ada.seen) == (6, 0, 6, None, "")
    assert (ada.idle, ben.idle, whole.idle) == (9.0, 0.5, 0.5)
    assert (whole.tasks, whole.done, whole.left, whole.stalls) == (9, 1, 8, False)
    assert whole.seen == ben.seen == "2026-01-01T00:30:00.000000+00:00"
    late = of({}, {0: [(30, None)]}, stall=8.0)
    assert (late["A1"].stalls, late["A2"].stalls) == (True, False)


def test_minutes_are_the_median_of_documents_that_are_done() -> None:
    def minutes(ada: Given, ben: Given) -> list[tuple[int, float | None]]:
        return [(part.documents, part.minutes) for part in of(ada, ben).values()]

    every = {n: [(n, 60.0 * (n + 1))] for n in range(6)}  # documents of 6 and 15 minutes
    assert minutes(every, {}) == [(2, 10.5), (0, None), (2, 10.5)]
    again = {**every, 0: [(0, 60.0), (9, 120.0)]}  # the time so far, not more time
    assert minutes(again, {})[0] == (2, 11.0)
    part = {n: every[n] for n in range(4)}
    assert minutes(part, every) == [(1, 6.0), (1, 6.0), (2, 6.0)]
    assert minutes({**every, 5: [(5, None)]}, {})[0] == (2, 6.0)  # of one no time is known
    done: AnnotatorProgress = of(every, {})["A1"]
    assert (done.left, done.idle, done.stalls) == (0, None, False)
