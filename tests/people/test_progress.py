"""How far annotators are."""

from __future__ import annotations

from dataclasses import replace

from factmark.campaign_model import Annotator, Assignment, PersonResponse, Rating
from factmark.people.ratings.entries import RatedUnit, entries_of
from factmark.people.ratings.progress import (
    LONGEST_PAUSE,
    AnnotatorProgress,
    overall,
    progress_of,
)

ADA, BEN = Annotator(code="A1", name="Ada"), Annotator(code="A2", name="Ben")
DAY = "2026-05-01T"
UNITS = {f"u{n}": RatedUnit(id=f"u{n}", cluster=f"d{n // 3}") for n in range(6)}


def lists(code: str = "A1", documents: int = 2) -> list[Assignment]:
    return [
        Assignment(annotator=code, batch=1, position=p, unit=f"u{p}", document=f"d{p // 3}")
        for p in range(documents * 3)
    ]


def rating(
    unit: int, at: str, seconds: float | None = None, comment: str = "", code: str = "A1"
) -> Rating:
    return Rating(
        annotator=code, unit=f"u{unit}", document=f"d{unit // 3}", system="s",
        response=PersonResponse(label="3", comment=comment), value=3.0, seconds=seconds,
        at=f"{DAY}{at}+00:00", number=unit, first=True, source="page",
    )  # fmt: skip


def of(ratings: list[Rating], now: str = "20:00:00", stall: float = 24.0) -> AnnotatorProgress:
    return progress_of(
        [ADA], entries_of(lists(), ratings, UNITS), started=f"{DAY}08:00:00+00:00",
        now=f"{DAY}{now}+00:00", stall=stall,
    )["A1"]  # fmt: skip


def test_before_the_first_answer() -> None:
    found = of([])
    assert (found.tasks, found.done, found.left, found.minutes, found.seen) == (6, 0, 6, None, "")
    assert found.idle == 12.0
    assert not found.stalls
    assert of([], stall=11.0).stalls


def test_minutes_are_the_median_of_what_clients_told() -> None:
    ratings = [rating(n, f"09:0{n}:00", seconds=60.0 * (n + 1)) for n in range(6)]
    found = of(ratings)
    assert (found.done, found.documents) == (6, 2)
    assert found.minutes == (1 + 2 + 3 + 4 + 5 + 6) / 2  # documents of 6 and 15 minutes
    assert (found.idle, found.stalls) == (None, False)
    again = rating(0, "09:30:00", seconds=120.0, comment="3.5")  # the time so far, not more time
    more = of([*ratings, again])
    assert more.minutes == (7 + 15) / 2
    assert (more.done, more.changed, more.comments) == (6, 0, 1)
    last = rating(0, "09:40:00", seconds=121.0)
    other = replace(last, response=PersonResponse(label="1"), value=1.0)
    assert of([*ratings, again, other]).changed == 1


def test_only_documents_that_are_done_tell_minutes() -> None:
    assert of([rating(0, "09:00:00", seconds=60.0)]).minutes is None
    found = of([rating(n, f"09:0{n}:00", seconds=60.0) for n in range(4)])
    assert (found.documents, found.minutes) == (1, 3.0)


def test_without_times_the_gaps_between_saves_count() -> None:
    ratings = [rating(n, f"09:{5 * n:02d}:00") for n in range(6)]
    # The first document has 5 + 5 minutes, the second 5 + 5 + 5.
    assert of(ratings).minutes == 12.5
    late = [*ratings[:3], *(replace(one, at=one.at.replace("T09", "T15")) for one in ratings[3:])]
    assert of(late).minutes == (10 + LONGEST_PAUSE / 60 + 10) / 2


def test_all_together() -> None:
    parts = progress_of(
        [ADA, BEN],
        entries_of(
            [*lists(), *lists("A2", 1)],
            [rating(0, "09:00:00"), rating(0, "10:00:00", code="A2")], UNITS,
        ),
        started=f"{DAY}08:00:00+00:00", now="2026-05-02T09:30:00+00:00", stall=24.0,
    )  # fmt: skip
    assert [one.stalls for one in parts.values()] == [True, False]
    whole = overall(parts.values())
    assert (whole.tasks, whole.done, whole.left, whole.stalls) == (9, 2, 7, True)
    assert whole.seen == f"{DAY}10:00:00+00:00"
    assert whole.idle == 23.5
