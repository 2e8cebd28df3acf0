"""What the page is told, as JSON values, and what it sends: revisions, checked one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from statistics import fmean

from factmark.campaign_model import Campaign, CampaignTask, PersonResponse, Rating, Shown
from factmark.people.core.forms import COARSE, Form, check_response, check_seconds
from factmark.people.desk.merging import FIELDS, ElsewhereError, answer_as_json, merge_fields
from factmark.people.desk.shown_sources import ShownSources
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
    page_sources: ShownSources,
    opinions: Opinions | None = None,
) -> dict[str, object]:
    """All that an annotator sees, in order; nothing in it tells whose a unit is. Who decides
    between others (`opinions`) sees what these gave.

    A source stands once, however many documents of the list are about it, as clauses are.
    """
    tasks = list(tasks)
    together = units_side_by_side(form, [task for task in tasks if not task.shown.options])
    sources = {}
    for part in together:
        sources[part[0].shown.evidence] = page_sources.source(part[0].shown)
    places = {evidence: place for place, evidence in enumerate(sources)}
    question = form.question
    if opinions is not None:
        question = f"{_DECIDE}{question}"
    middle = 0.0
    if form.values:
        middle = fmean((min(form.values.values()), max(form.values.values())))
    return {
        "campaign": campaign.id,
        "code": code,
        "noun": form.noun,
        "question": question,
        "evidence": form.evidence,
        "crowd": "crowd" in campaign.settings,
        "labels": [
            {
                "label": label,
                "key": key,
                "meaning": form.meanings[label],
                "low": form.values[label] < middle,
            }
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
            _document(part, places[part[0].shown.evidence], page_sources, opinions or {})
            for part in together
        ],
    }


def units_side_by_side(form: Form, tasks: Iterable[CampaignTask]) -> list[list[CampaignTask]]:
    """Tasks that are shown side by side: summaries of one document and batch."""

    def together(task: CampaignTask) -> object:
        about = task.assignment
        if form != COARSE:
            return task.key
        return about.batch, about.document, task.shown.evidence

    return [list(part) for _, part in groupby(tasks, together)]


def answers(revisions: Mapping[str, Sequence[Rating]]) -> dict[str, object]:
    """Key -> the newest answer, with the id of its revision, its time, and the seconds that it took
    so far."""
    newest: dict[str, object] = {}
    for key, several in revisions.items():
        last = several[-1]
        answer = answer_as_json(last.response)
        newest[key] = {"id": last.id, "answer": answer, "at": last.at, "seconds": last.seconds or 0}
    return newest


def notes(right: Mapping[str, Right]) -> dict[str, object]:
    """Key -> what is shown beside a task once it is rated: the right answer."""
    return {
        key: {"label": answer.label, "text": visible(answer.why)[:MOST_NOTE]}
        for key, answer in right.items()
    }


_DECIDE = "People rated this differently; what you choose counts in place of their ratings. "


def _document(
    tasks: list[CampaignTask], source: int, page_sources: ShownSources, opinions: Opinions
) -> dict[str, object]:
    """Returns a document's tasks as the page shows them side by side."""
    return {
        "batch": tasks[0].assignment.batch,
        "source": source,
        "units": [
            {
                "key": task.key,
                "text": task.shown.text,
                "clause": task.shown.clause,
                "elements": task.shown.elements,
                "sentences": page_sources.sentences(task.shown),
                "given": [
                    {"name": name, **answer_as_json(response)}
                    for name, response in opinions.get(task.assignment.unit, ())
                ],
            }
            for task in tasks
        ],
    }


MOST_BODY = 1_000_000  # bytes of one request
MOST_REVISIONS = 200  # in one request
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FIELDS = {"id", "key", "base", "answer", "seconds", "at"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A change that was not taken, since the same field was changed elsewhere meanwhile."""

    id: str
    key: str
    fields: Mapping[str, object]  # that clash, as they were sent


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedChanges:
    """What a request holds.

    Attributes:
        revisions: whole answers, in their order.
        elsewhere: changes that somebody has to decide on.
        wrong: the ids (or none) of those that cannot be taken, with why.
    """

    revisions: list[Rating]
    elsewhere: list[Clash]
    wrong: list[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorWork:
    """What changes are held against: the form, and one annotator's tasks and answers by key."""

    form: Form
    shown: Mapping[str, Shown]
    history: Mapping[str, Sequence[Rating]]
    created: str  # nothing was answered before


def read_revisions(work: AnnotatorWork, given: object, now: datetime) -> ReceivedChanges:
    """Returns the revisions of a request, each change laid over the answer as it is now.

    ValueError: there is no list of them, or too many.
    """
    listed = None
    if isinstance(given, Mapping):
        listed = given.get("revisions")
    if not isinstance(listed, list):
        raise ValueError("the request holds no list of revisions")
    if len(listed) > MOST_REVISIONS:
        raise ValueError(f"the request holds more than {MOST_REVISIONS} revisions")
    history = {}
    for key, revisions in work.history.items():
        history[key] = list(revisions)
    work = replace(work, history=history)
    received = ReceivedChanges(revisions=[], elsewhere=[], wrong=[])
    for sent in listed:
        try:
            revision = _revision(work, sent, now)
        except ElsewhereError as clash:
            fields = {field: sent["answer"][field] for field in clash.fields}
            received.elsewhere.append(Clash(id=sent["id"], key=sent["key"], fields=fields))
        except ValueError as error:
            named = sent.get("id") if isinstance(sent, Mapping) else None
            if not (isinstance(named, str) and _ID.fullmatch(named)):
                named = ""
            received.wrong.append((named, str(error)[:300]))
        else:
            received.revisions.append(revision)
            history.setdefault(revision.key, []).append(revision)  # the next may build on it
    return received


def _revision(work: AnnotatorWork, given: object, now: datetime) -> Rating:
    """Returns the revision that the page sent. ValueError: it is none, or about another's task;
    ElsewhereError: it clashes with another."""
    if not isinstance(given, Mapping):
        raise ValueError("a revision is no object")
    unknown = sorted(str(name) for name in given.keys() - _FIELDS)
    if unknown:
        raise ValueError(f"it has the unknown field {unknown[0]!r}")
    name = given.get("id")
    key = given.get("key")
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise ValueError("its id is no UUID")
    if not isinstance(key, str) or key not in work.shown:
        raise ValueError("it is about none of your tasks")
    history = work.history.get(key, ())
    sent_before = next((revision for revision in history if revision.id == name), None)
    if sent_before is not None:
        return sent_before
    answer = given.get("answer")
    if "base" in given:
        answer = _merged(work, work.shown[key], answer, given["base"], history)
    return Rating(
        id=name,
        key=key,
        response=check_response(work.form, work.shown[key], answer),
        seconds=check_seconds(given.get("seconds")),
        at=_time(given.get("at"), datetime.fromisoformat(work.created), now),
        source="page",
    )


def _merged(
    work: AnnotatorWork, shown: Shown, changes: object, base: object, history: Sequence[Rating]
) -> dict[str, object]:
    """Returns the whole answer of a change of fields; ValueError where it is none, ElsewhereError
    where it clashes. A change that can never be an answer is wrong first, and clashes with
    nothing."""
    if base is not None and not isinstance(base, str):
        raise ValueError("the revision that it is based on is no id")
    if not isinstance(changes, Mapping) or not changes:
        raise ValueError("it changes nothing")
    unknown = sorted(str(field) for field in changes.keys() - set(FIELDS))
    if unknown:
        raise ValueError(f"it has the unknown field {unknown[0]!r:.60}")
    before = {}
    if history:
        before = answer_as_json(history[-1].response)
    check_response(work.form, shown, {**before, **changes})
    return merge_fields(changes, base, history)


def _time(given: object, earliest: datetime, now: datetime) -> str:
    """Returns when a revision was made, as the page says, but neither before the campaign nor in
    the future."""
    try:
        at = None
        if isinstance(given, str):
            at = datetime.fromisoformat(given)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise ValueError("its time is no time in ISO 8601 with a time zone")
    try:
        at = at.astimezone(UTC)
    except OverflowError:
        raise ValueError("its time is out of range") from None
    return min(max(at, earliest), now).isoformat(timespec="microseconds")
