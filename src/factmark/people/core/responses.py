"""What came in for a task, checked: a response of the form, or a sentence that says why not."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from factmark.campaign_model import Marking, PersonResponse, Shown, Span
from factmark.people.core.forms import Form

MOST_COMMENT = 10_000  # characters
_FIELDS = {"label", "comment", "marking"}
_MARKS = {"grounded", "ungrounded", "covered", "verdict", "absence"}


def check_response(form: Form, shown: Shown, given: object) -> PersonResponse:
    """A response from JSON values: an object with `label` or `marking`, and `comment` if wanted.

    Raises:
        ValueError: it is no answer to this task; the message is one sentence.
    """
    if not isinstance(given, Mapping):
        raise ValueError("it is no object")
    if unknown := sorted(str(name) for name in given.keys() - _FIELDS):
        raise ValueError(f"it has the unknown field {unknown[0]!r:.60}")
    comment = given.get("comment") or ""
    if not isinstance(comment, str):
        raise ValueError("its comment is no text")
    if len(comment) > MOST_COMMENT:
        raise ValueError(f"its comment is longer than {MOST_COMMENT} characters")
    comment = comment.encode("utf-8", "replace").decode().replace("\0", "�")
    label, marking = given.get("label"), given.get("marking")
    if form.values:
        if marking is not None:
            raise ValueError("it has marks where a label is asked for")
        if not isinstance(label, str) or label not in form.values:
            told = "no label" if label is None else f"the label {label!r:.60}"
            raise ValueError(f"it has {told}, not one of {', '.join(form.labels)}")
        return PersonResponse(label=label, comment=comment)
    if label is not None:
        raise ValueError("it has a label where marks are asked for")
    return PersonResponse(marking=_marking(shown, marking), comment=comment)


def check_seconds(given: object) -> float | None:
    """Seconds that a client told; None where that is no time that can have passed."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    # Compared as it came: an integer may be larger than any float, and NaN is in no range.
    return float(given) if 0 <= given <= 31_536_000 else None


def _marking(shown: Shown, given: object) -> Marking:
    if not isinstance(given, Mapping):
        raise ValueError("it has no marks")
    if unknown := sorted(str(name) for name in given.keys() - _MARKS):
        raise ValueError(f"its marks have the unknown field {unknown[0]!r:.60}")
    grounded = _spans(given.get("grounded", []), len(shown.text))
    ungrounded = _spans(given.get("ungrounded", []), len(shown.text))
    for (_, end), (start, _) in pairwise(sorted((*grounded, *ungrounded))):
        if start < end:
            raise ValueError("two of its marks overlap")
    covered = given.get("covered", [])
    if not isinstance(covered, list) or any(one not in shown.elements for one in covered):
        raise ValueError("it names what is no element of the ground truth")
    verdict, absence = given.get("verdict"), given.get("absence", False)
    if verdict not in ("yes", "no", None):
        raise ValueError("its verdict is not yes, no or none")
    if not isinstance(absence, bool):
        raise ValueError("its absence is not true or false")
    return Marking(
        grounded=grounded, ungrounded=ungrounded,
        covered=tuple(one for one in shown.elements if one in covered),
        verdict=verdict, absence=absence,
    )  # fmt: skip


def _spans(given: object, size: int) -> tuple[Span, ...]:
    if not isinstance(given, list):
        raise ValueError("its marks are no list")
    out = []
    for one in given:
        if (
            not isinstance(one, list)
            or len(one) != 2
            or not all(isinstance(end, int) and not isinstance(end, bool) for end in one)
            or not 0 <= one[0] < one[1] <= size
        ):
            raise ValueError(f"the mark {one!r:.60} is no part of the text")
        out.append((one[0], one[1]))
    return tuple(sorted(out))
