"""A small campaign with ratings, as results are made of it, and one with hostile text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from factmark.campaign_model import (
    Annotator,
    Assignment,
    Campaign,
    Marking,
    PersonResponse,
    Rating,
)
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.table import JUDGE, Evaluated, table_of_judge
from factmark.people.campaign_page import ratings_page
from factmark.people.ratings.agreement import JudgeLabels
from factmark.people.ratings.entries import RatedTask, RatedUnit
from factmark.people.report import ratings_report
from factmark.people.results import CampaignResults
from factmark.people.study import rate_campaign
from factmark.stats.comparison import Options

CARDS = 2_000
QUICK = Options(resamples=500)
Said = str | None
Asked = tuple[str, str, str]
"""Annotator, document, system."""


def campaign(form: str = "coarse", people: int = 2, **settings: object) -> Campaign:
    """Made of `people` annotators A1, A2, ..."""
    return Campaign(
        id="c" * 32,
        name="pilot",
        form=form,
        annotators=tuple(
            Annotator(code=f"A{n}", name=f"Person {n}", email="") for n in range(1, people + 1)
        ),
        guidelines="",
        settings=settings,
    )


def judge_table(
    labels: Sequence[str | None],
    people: Mapping[int, float],
    *,
    ids: Sequence[str],
    clusters: Sequence[str],
    systems: Sequence[str],
) -> Evaluated:
    """What a judge gave units, and people's means by place; the form says what labels are worth."""
    worth = {label: 0.0 for label in labels if label is not None}
    column = column_of_labels(JUDGE, labels, worth)
    return table_of_judge(column, people, ids=ids, clusters=clusters, systems=systems)


def campaign_html(results: CampaignResults, *, title: str = "", cards: int = CARDS) -> str:
    """The report of a campaign as a page."""
    return ratings_report(results).as_html(ratings_page([results], title=title, cards=cards))


def rating(
    label: Said,
    *,
    comment: str = "",
    seconds: float | None = 60.0,
    at: int = 0,
    first: bool = True,
    marking: Marking | None = None,
) -> Rating:
    """A revision; `at` tells the order."""
    return Rating(
        id="",
        key="",
        response=PersonResponse(label=label, comment=comment, marking=marking),
        seconds=seconds,
        at=f"2026-01-01T00:{at:02}:00.000000+00:00",
        source="page",
        first=first,
    )


def summary(document: str, system: str, text: str = "") -> RatedUnit:
    """A summary as people saw it."""
    return RatedUnit(
        id=f"{document}-{system}",
        cluster=document,
        system=system,
        text=text or f"The summary of {document} by {system}.",
        evidence=f"The source of {document}. It has two sentences.",
    )


def entries(tasks: Iterable[tuple[str, RatedUnit, Sequence[Rating]]]) -> list[RatedTask]:
    """The tasks of each annotator, in this order, with what was answered."""
    places: dict[str, int] = {}
    out = []
    for annotator, subject, revisions in tasks:
        at = places[annotator] = places.get(annotator, -1) + 1
        about = Assignment(
            annotator=annotator,
            batch=1 + at // 30,
            position=at,
            unit=subject.id,
            document=subject.cluster,
        )
        out.append(RatedTask(assignment=about, unit=subject, revisions=tuple(revisions)))
    return out


def rated(
    labels: Mapping[Asked, Sequence[Said] | Said],
    *,
    form: str = "coarse",
    people: int = 2,
    options: Options = QUICK,
    judges: Sequence[JudgeLabels] = (),
) -> CampaignResults:
    """Summaries with the labels that they got: several are revisions, None is no answer."""
    tasks = []
    for (annotator, document, system), given in labels.items():
        several = [given] if given is None or isinstance(given, str) else given
        ratings = [rating(label, at=at) for at, label in enumerate(several) if label is not None]
        tasks.append((annotator, summary(document, system), ratings))
    return rate_campaign(campaign(form, people), entries(tasks), judges=judges, options=options)


_LABELS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("d1", "human", ("5",), "5"),
    ("d1", "model-a", ("3", "4"), "3"),
    ("d1", "model-b", ("2",), "1"),
    ("d2", "human", ("5", "4"), "5"),
    ("d2", "model-a", ("4",), "4"),
    ("d2", "model-b", ("0",), "3"),
    ("d3", "human", ("4",), ""),
    ("d3", "model-a", ("3",), ""),
    ("d3", "model-b", (), ""),
)
_COMMENTS = {
    "d1-model-a": "3.5",
    "d2-model-b": "It says 4 % where the source says 0.4 %.",
    "d3-human": "I'd say 4.5, one name is misspelt",
}
SOURCE = (
    "BACKGROUND. Falls are common among people over 80. METHODS. We followed 214 people for two "
    "years and counted their falls.\n\nRESULTS. Vitamin D did not change how often they fell "
    "(rate ratio 1.02, 95 % CI 0.88 to 1.18)."
)


def sample_campaign(*, names: bool = False, text: str = "") -> CampaignResults:
    """Three documents, three systems, two annotators; the third document is A1's alone.

    Args:
        text: stands in every field that can hold text, if given.
    """
    people = campaign(
        blinding={
            text or "model-b": [
                {
                    "rule": text or "spaces before punctuation",
                    "count": 12,
                    "examples": [[text or "fell .", text or "fell."]],
                }
            ],
            "human": [],
        },
        tells=[text or "human: the longest in 9 of 10 documents (by chance: 3.3; p < 0.001)"],
    )
    subjects: dict[str, RatedUnit] = {}
    tasks: list[tuple[str, RatedUnit, list[Rating]]] = []
    for at, (document, system, own, other) in enumerate(_LABELS):
        one = RatedUnit(
            id=f"{document}-{system}",
            cluster=text + document if text else document,
            system=system + text if system == "model-a" else system,
            text=text or f"Vitamin D did not prevent falls, says {system}.",
            evidence=text or SOURCE,
        )
        subjects[one.id] = one
        comment = _COMMENTS.get(one.id, "")
        mine = [
            rating(
                label,
                at=place,
                seconds=60.0 * (place + 1 + at % 3),
                comment=(text or comment) if place == len(own) - 1 else "",
            )
            for place, label in enumerate(own)
        ]
        tasks.append(("A1", one, mine))
        if other:
            late = rating(other, seconds=None if at else 40.0, first=system != "model-b")
            tasks.append(("A2", one, [late]))
    judge = JudgeLabels(
        id="j" * 32,
        kind="model",
        name=text or "gpt-test",
        table=judge_table(
            ("5", "4", "1", "5", "3", "1", "4", "4", None),
            {0: 5.0, 1: 3.5, 2: 1.5, 3: 4.5, 4: 4.0, 5: 1.5, 6: 4.0, 7: 3.0},
            ids=tuple(subjects),
            clusters=tuple(one.cluster for one in subjects.values()),
            systems=tuple(one.system for one in subjects.values()),
        ),
    )
    return rate_campaign(
        people,
        entries(tasks),
        judges=(judge,),
        refused={text or "it has the label '7', not one of 0, 1, 2, 3, 4, 5": 2},
        names=names,
        options=QUICK,
    )
