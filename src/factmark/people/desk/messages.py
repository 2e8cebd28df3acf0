"""What the page is told, as JSON values, and what it sends: revisions, checked one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import groupby

from factmark.campaign_model import Campaign, CampaignTask, Doubt, PersonResponse, Revision, Shown
from factmark.people.core.forms import COARSE, Form, check_response, check_seconds
from factmark.people.desk.shown_sources import Readings
from factmark.people.practice.known import Right
from factmark.text.shown_text import visible

MOST_NOTE = 2_000  # characters

Opinions = Mapping[str, Sequence[tuple[str, PersonResponse]]]
"""Unit -> what people gave it, under names that do not tell who they are."""


def box(
    form: Form,
    campaign: Campaign,
    code: str,
    tasks: Iterable[CampaignTask],
    readings: Readings,
    opinions: Opinions | None = None,
) -> dict[str, object]:
    """All that an annotator sees, in order; nothing in it tells whose a unit is. Who decides
    between others (`opinions`) sees what these gave.

    A source stands once, however many documents of the list are about it, as clauses are.
    """
    tasks = list(tasks)
    together = grouped(form, [task for task in tasks if not task.shown.options])
    sources = {part[0].shown.evidence: readings.source(part[0].shown) for part in together}
    places = {evidence: place for place, evidence in enumerate(sources)}
    return {
        "campaign": campaign.id,
        "code": code,
        "noun": form.noun,
        "question": f"{_DECIDE * (opinions is not None)}{form.question}",
        "evidence": form.evidence,
        "labels": [
            {"label": label, "key": key, "meaning": form.meanings[label]}
            for key, label in form.keys.items()
        ],
        "pace": form.pace,
        "checks": [
            {"key": task.key, "question": task.shown.text, "options": task.shown.options}
            for task in tasks
            if task.shown.options
        ],
        "sources": list(sources.values()),
        "documents": [
            _document(part, places[part[0].shown.evidence], readings, opinions or {})
            for part in together
        ],
    }


def grouped(form: Form, tasks: Iterable[CampaignTask]) -> list[list[CampaignTask]]:
    """Tasks that are shown side by side: summaries of one document and batch."""

    def together(task: CampaignTask) -> object:
        about = task.assignment
        if form != COARSE:
            return task.key
        return about.batch, about.document, task.shown.evidence

    return [list(part) for _, part in groupby(tasks, together)]


def answers(revisions: Mapping[str, Sequence[Revision]]) -> dict[str, object]:
    """Key -> the newest answer, with its time and the seconds that it took so far."""
    newest = {key: several[-1] for key, several in revisions.items()}
    return {
        key: {"answer": _answer(last.response), "at": last.at, "seconds": last.seconds or 0}
        for key, last in newest.items()
    }


def notes(doubts: Mapping[str, Doubt], right: Mapping[str, Right]) -> dict[str, object]:
    """Key -> what is shown beside a task once it is rated: a doubt that is not held back, or the
    right answer."""
    shown = {
        key: ("doubt", doubt.label, doubt.reason) for key, doubt in doubts.items() if doubt.shown
    }
    shown |= {key: ("right", answer.label, answer.why) for key, answer in right.items()}
    return {
        key: {"kind": kind, "label": label, "text": visible(text)[:MOST_NOTE]}
        for key, (kind, label, text) in shown.items()
    }


_DECIDE = "People rated this differently; what you choose counts in place of their ratings. "


def _document(
    tasks: list[CampaignTask], source: int, readings: Readings, opinions: Opinions
) -> dict[str, object]:
    """Returns a document's tasks as the page shows them side by side."""
    return {
        "batch": tasks[0].assignment.batch,
        "source": source,
        "units": [
            {
                "key": task.key,
                "text": task.shown.text,
                "marked": task.shown.marked,
                "elements": task.shown.elements,
                "sentences": readings.sentences(task.shown),
                "given": [
                    {"name": name, **_answer(response)}
                    for name, response in opinions.get(task.assignment.unit, ())
                ],
            }
            for task in tasks
        ],
    }


def _answer(response: PersonResponse) -> dict[str, object]:
    """Returns an answer as the page knows it."""
    if response.marking is None:
        return {"label": response.label, "comment": response.comment}
    return {"marking": asdict(response.marking), "comment": response.comment}


MOST_BODY = 1_000_000  # bytes of one request
MOST_REVISIONS = 200  # in one request
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FIELDS = {"id", "key", "answer", "seconds", "at"}


def read_revisions(
    form: Form, shown: Mapping[str, Shown], given: object, *, created: str, now: datetime
) -> tuple[list[Revision], list[tuple[str, str]]]:
    """The revisions of a request; and the ids (or none) of those that cannot be taken, with why.

    `shown` holds all tasks of the one who sends, by key. Nothing can have been answered before the
    campaign was created, nor later than now. ValueError: there is no list of them, or too many.
    """
    listed = given.get("revisions") if isinstance(given, Mapping) else None
    if not isinstance(listed, list):
        raise ValueError("the request holds no list of revisions")
    if len(listed) > MOST_REVISIONS:
        raise ValueError(f"the request holds more than {MOST_REVISIONS} revisions")
    revisions, wrong = [], []
    for revision in listed:
        try:
            revisions.append(_revision(form, shown, revision, datetime.fromisoformat(created), now))
        except ValueError as error:
            named = revision.get("id") if isinstance(revision, Mapping) else ""
            known = named if isinstance(named, str) and _ID.fullmatch(named) else ""
            wrong.append((known, str(error)[:300]))
    return revisions, wrong


def _revision(
    form: Form, shown: Mapping[str, Shown], given: object, earliest: datetime, now: datetime
) -> Revision:
    """Returns the revision that the page sent. ValueError: it is none, or about another's task."""
    if not isinstance(given, Mapping):
        raise ValueError("a revision is no object")
    if unknown := sorted(str(name) for name in given.keys() - _FIELDS):
        raise ValueError(f"it has the unknown field {unknown[0]!r}")
    name, key = given.get("id"), given.get("key")
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise ValueError("its id is no UUID")
    if not isinstance(key, str) or key not in shown:
        raise ValueError("it is about none of your tasks")
    return Revision(
        id=name,
        key=key,
        response=check_response(form, shown[key], given.get("answer")),
        seconds=check_seconds(given.get("seconds")),
        at=_time(given.get("at"), earliest, now),
        source="page",
    )


def _time(given: object, earliest: datetime, now: datetime) -> str:
    """Returns when a revision was made, as the page says, but neither before the campaign nor in
    the future."""
    try:
        at = datetime.fromisoformat(given) if isinstance(given, str) else None
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise ValueError("its time is no time in ISO 8601 with a time zone")
    try:
        at = at.astimezone(UTC)
    except OverflowError:
        raise ValueError("its time is out of range") from None
    return min(max(at, earliest), now).isoformat(timespec="microseconds")
