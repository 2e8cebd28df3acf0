"""Changes of single fields, laid over the answer as it is when they arrive.

The page sends what was changed and by which revision it was shown. A field that nobody else has
changed since takes the change; one that was changed elsewhere to something else is a conflict, and
the person decides. What arrives first counts meanwhile, whatever clocks say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from factmark.campaign_model import PersonResponse, Rating

FIELDS = ("label", "marking", "comment", "evidence")


class ElsewhereError(ValueError):
    """A field was changed elsewhere since the page showed it; `fields` names those."""

    def __init__(self, fields: Sequence[str]) -> None:
        super().__init__(f"its {' and '.join(fields)} was changed elsewhere meanwhile")
        self.fields = tuple(fields)


def answer_as_json(response: PersonResponse) -> dict[str, object]:
    """Returns an answer as the page knows it, without the fields that its form has not."""
    if response.marking is None:
        return {
            "label": response.label,
            "comment": response.comment,
            "evidence": [list(span) for span in response.evidence],
        }
    return {"marking": asdict(response.marking), "comment": response.comment}


def merge_fields(
    changes: Mapping[str, object], base: str | None, history: Sequence[Rating]
) -> dict[str, object]:
    """Returns the whole answer once these fields are changed.

    Args:
        changes: field -> its new value, as the page sends it.
        base: the id of the revision that the page showed; None where it showed no answer.
        history: all revisions of the task as they arrived.

    Raises:
        ElsewhereError: a field that differs was changed since by another revision.
    """
    if not history:
        return dict(changes)
    newest = _fields(history[-1])
    shown: dict[str, object] = {}
    if base is None:
        shown = {"comment": "", "evidence": []}
    for revision in history:
        if revision.id == base:
            shown = _fields(revision)
    clashes = []
    for field, value in changes.items():
        elsewhere = field not in shown or shown[field] != newest.get(field)
        if elsewhere and _plain(value) != newest.get(field):
            clashes.append(field)
    if clashes:
        raise ElsewhereError(clashes)
    return {**answer_as_json(history[-1].response), **changes}


def _fields(revision: Rating) -> dict[str, object]:
    """Returns the fields of a revision so that those from JSON compare with them."""
    fields = {}
    for field, value in answer_as_json(revision.response).items():
        fields[field] = _plain(value)
    return fields


def _plain(value: object) -> object:
    """Returns a JSON value with lists for tuples."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
