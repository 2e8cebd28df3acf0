"""What a Label Studio server keeps of an answer, read as one; and a judge's verdict as it keeps it.

The server takes whatever is sent: any control, any value, any number of each. So all is checked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TypeVar

from factmark.campaign_model import Shown
from factmark.people.core.forms import Form
from factmark.people.labelstudio.labelconfig import ABSENCES, GROUNDED, UNGROUNDED, VERDICTS, clean

T = TypeVar("T")

_TYPES = {
    "label": "choices", "comment": "textarea", "marks": "labels", "elements": "choices",
    "verdict": "choices", "absence": "choices",
}  # fmt: skip
_CALLED = {"label": "ratings", "comment": "comments", "verdict": "verdicts"}
_MOST_REGIONS = 5_000
_BLANK = re.compile(r"(?:\s|\\n)+")


def read_result(form: Form, shown: Shown, result: object) -> dict[str, object]:
    """The regions of an annotation as what `check_response` takes.

    Raises:
        ValueError: they are no answer in this form; the message is one sentence.
    """
    if not isinstance(result, list):
        raise ValueError("its result is no list")
    if not result:
        raise ValueError("its result is empty")
    if len(result) > _MOST_REGIONS:
        raise ValueError(f"its result has more than {_MOST_REGIONS} regions")
    offered = ("label", "comment") if form.values else tuple(_TYPES)[1:]
    found: dict[str, list[object]] = {name: [] for name in offered}
    for region in result:
        name, value = _region(region, found.keys())
        found[name].append(value)
    for name, values in found.items():
        if name != "marks" and len(values) > 1:
            raise ValueError(f"it has several {_CALLED.get(name, 'answers of one control')}")
    out: dict[str, object] = {}
    if found["comment"]:
        out["comment"] = _comment(found["comment"][0])
    if form.values:
        if found["label"]:
            out["label"] = _one(found["label"][0])
        return out
    return {**out, "marking": _marking(shown, found)}


def prediction(form: Form, label: str) -> list[dict[str, object]]:
    """A label as the regions of a prediction.

    Raises:
        ValueError: the form has no such label.
    """
    if label not in form.values:
        raise ValueError(f"the form {form.name} has no label {label!r}")
    return [
        {
            "from_name": "label", "to_name": "text", "type": "choices",
            "value": {"choices": [label]},
        }
    ]  # fmt: skip


def _region(region: object, names: Collection[str]) -> tuple[str, object]:
    """The control of a region and what it says."""
    if not isinstance(region, Mapping):
        raise ValueError("its result has a region that is no object")
    name = region.get("from_name")
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"it answers by the unknown control {name!r:.60}")
    if region.get("to_name") != "text":
        raise ValueError(f"its {name} is about {region.get('to_name')!r:.60}, not about the text")
    if region.get("type") != _TYPES[name]:
        raise ValueError(
            f"its {name} is of the type {region.get('type')!r:.60}, not {_TYPES[name]}"
        )
    return name, region.get("value")


def _texts(value: object, field: str) -> list[str]:
    texts = value.get(field) if isinstance(value, Mapping) else None
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise ValueError(f"its {field} are no texts")
    return texts


def _one(value: object) -> str:
    texts = _texts(value, "choices")
    if len(texts) != 1:
        raise ValueError(f"it chooses {len(texts)} things where one is asked for")
    return texts[0]


def _comment(value: object) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        return str(value["text"])  # what importers write
    texts = _texts(value, "text")
    if len(texts) > 1:
        raise ValueError("it has several comments")
    return "".join(texts)


def _marking(shown: Shown, found: Mapping[str, list[object]]) -> dict[str, object]:
    spans: dict[str, list[list[int]]] = {GROUNDED: [], UNGROUNDED: []}
    for value in found["marks"]:
        labels = _texts(value, "labels")
        if len(labels) != 1 or labels[0] not in spans:
            raise ValueError("one of its marks is neither grounded nor not grounded")
        spans[labels[0]].append(_span(shown.text, value))
    if not found["verdict"]:
        raise ValueError("it does not say what the answer's verdict is")
    names = {f"e{number}": element for number, element in enumerate(shown.elements)}
    ticked = [one for value in found["elements"] for one in _texts(value, "choices")]
    return {
        "grounded": spans[GROUNDED],
        "ungrounded": spans[UNGROUNDED],
        "covered": [_of(names, one, "element of the ground truth") for one in ticked],
        "verdict": _of(VERDICTS, _one(found["verdict"][0]), "verdict"),
        "absence": any(_of(ABSENCES, _one(value), "answer") for value in found["absence"]),
    }


def _of(known: Mapping[str, T], name: str, what: str) -> T:
    if name not in known:
        raise ValueError(f"it has {name!r:.60}, which is no {what}")
    return known[name]


def _span(text: str, value: object) -> list[int]:
    """Start and end of a mark; the editor (1.23.2) counts characters, not UTF-16 units.

    It sends what it marked along, so a count of another kind is found out.
    """
    told = value if isinstance(value, Mapping) else {}
    start, end, said = told.get("start"), told.get("end"), told.get("text")
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise ValueError(f"the mark from {start!r:.20} to {end!r:.20} is no part of the text")
    if not isinstance(said, str) or _bare(said) != _bare(clean(text[start:end])):
        raise ValueError(f"the mark from {start} to {end} is not on what it says it is on")
    return [start, end]


def _bare(text: str) -> str:
    return _BLANK.sub("", text)
