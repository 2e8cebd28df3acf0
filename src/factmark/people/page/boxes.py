"""What the page is told, as JSON values: an annotator's list, and the newest answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import groupby

from factmark.campaign_model import Campaign, Rating, Task
from factmark.people.core.forms import Form


def box(form: Form, campaign: Campaign, code: str, tasks: Iterable[Task]) -> dict[str, object]:
    """All that an annotator sees, in order; nothing in it tells whose a unit is."""
    return {
        "campaign": campaign.id,
        "code": code,
        "noun": form.noun,
        "question": form.question,
        "evidence": form.evidence,
        "labels": [
            {"label": label, "key": key, "meaning": form.meanings[label]}
            for key, label in form.keys.items()
        ],
        "documents": [_document(part) for part in grouped(form, tasks)],
    }


def grouped(form: Form, tasks: Iterable[Task]) -> list[list[Task]]:
    """Tasks that are shown side by side: of one document and batch where the form says so."""

    def together(task: Task) -> object:
        about = task.assignment
        if form.together == 1:
            return task.key
        return about.batch, about.document, task.shown.evidence

    return [list(part) for _, part in groupby(tasks, together)]


def answers(newest: Mapping[str, Rating]) -> dict[str, object]:
    """Key -> the newest answer, with its time and the seconds that it took so far."""
    return {
        key: {"answer": _answer(one), "at": one.at, "seconds": one.seconds or 0}
        for key, one in newest.items()
    }


def _document(tasks: list[Task]) -> dict[str, object]:
    shown = tasks[0].shown
    return {
        "batch": tasks[0].assignment.batch,
        "evidence": shown.evidence,
        "likely": shown.likely,
        "units": [
            {
                "key": task.key,
                "text": task.shown.text,
                "marked": task.shown.marked,
                "elements": task.shown.elements,
            }
            for task in tasks
        ],
    }


def _answer(rating: Rating) -> dict[str, object]:
    response = rating.response
    if response.marking is None:
        return {"label": response.label, "comment": response.comment}
    return {"marking": asdict(response.marking), "comment": response.comment}
