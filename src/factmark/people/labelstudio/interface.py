"""A form as Label Studio shows it, and what the server keeps of an answer, read as one.

Every text goes as data, never into the labeling config. `<Text>` shows data as it is; `<HyperText>`
shows HTML, so there everything is escaped and only the marks are ours. The label of a choice that
comes as data is different: the editor puts the task's data where it has `$name` (tried with
1.23.2), so every `$` in it is followed by a word joiner, which is not seen, and answers name it by
an alias.

The server takes whatever is sent: any control, any value, any number of each. So all is checked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby, pairwise
from typing import TypeVar
from xml.sax.saxutils import quoteattr

from factmark.campaign_model import Annotator, CampaignTask, Shown, Span
from factmark.people.core.forms import FINE, Form, markdown_html

GROUNDED = "GROUNDED"
UNGROUNDED = "NOT_GROUNDED"
VERDICTS: Mapping[str, str | None] = {"yes": "yes", "no": "no", "none": None}
ABSENCES: Mapping[str, bool] = {"absent": True, "present": False}
LONGEST_TITLE = 50
TaskData = Mapping[str, object]
"""What the server is given for a task: its blind `key`, its `place` and what is shown."""
T = TypeVar("T")
_PLACE = "place"

_STYLE = """<Style>
  .fm-pair { display: grid; flex: none; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
    gap: 24px; }
  .fm-side { max-height: 62vh; overflow: auto; }
  .fm-row { display: flex; flex-wrap: wrap; gap: 0 16px; align-items: center; }
  .fm-bar { position: sticky; bottom: 0; z-index: 5; padding: 8px 0;
    background: var(--color-neutral-background, #fff); border-top: 1px solid #8888; }
  @media (max-width: 700px) {
    .fm-pair { grid-template-columns: minmax(0, 1fr); } .fm-side { max-height: none; } }
</Style>"""
_COMMENT = (
    '<TextArea name="comment" toName="text" maxSubmissions="1" rows="2" editable="true" '
    'showSubmitButton="true" placeholder="Comment, if wanted"/>'
)
_MARKS = (
    f'<Labels name="marks" toName="text"><Label value="{GROUNDED}" hotkey="1" '
    f'background="#1a7f37"/><Label value="{UNGROUNDED}" hotkey="2" background="#cf222e"/></Labels>'
    '<View className="fm-row"><Header value="Its verdict" size="6"/>'
    '<Choices name="verdict" toName="text" choice="single-radio" showInline="true" '
    'required="true" requiredMessage="Choose one."><Choice value="yes" hotkey="7"/>'
    '<Choice value="no" hotkey="8"/><Choice value="none" hotkey="9"/></Choices>'
    '<Header value="Does it report that there is nothing?" size="6"/>'
    '<Choices name="absence" toName="text" choice="single-radio" showInline="true">'
    '<Choice value="yes" alias="absent"/><Choice value="no" alias="present"/></Choices></View>'
)
_ELEMENTS = (
    '<Header value="Elements that it states" size="6"/>'
    '<Choices name="elements" toName="text" choice="multiple" value="$elements"/>'
)


_GUIDE = (
    "<style>.fm-guide p, .fm-guide ul, .fm-guide ol, .fm-guide table, .fm-guide blockquote "
    "{ margin: 0 0 0.8em } .fm-guide ul { list-style: disc; padding-left: 1.5em } "
    ".fm-guide ol { list-style: decimal; padding-left: 1.5em } "
    ".fm-guide h1, .fm-guide h2, .fm-guide h3 { line-height: 1.3; margin: 0.6em 0 0.4em } "
    ".fm-guide blockquote { border-left: 3px solid #8888; padding-left: 1em } "
    ".fm-guide td, .fm-guide th { padding: 0.2em 1em 0.2em 0; text-align: left; "
    "vertical-align: top }</style>"
)


def project_instruction(guidelines: str) -> str:
    """Returns guidelines (Markdown) as the HTML that annotators see when they open their project.

    The server keeps a style sheet as it is, and takes `style` attributes away; without one, its
    page shows lists without marks and paragraphs without space (tried with 1.23.2).
    """
    return f'{_GUIDE}<div class="fm-guide">{markdown_html(guidelines)}</div>'


def label_config(form: Form) -> str:
    """Returns the labeling config of a form: evidence and unit side by side, the answer always in
    view."""
    if form == FINE:
        tag, more = ("HyperText", ' inline="true"')
    else:
        tag, more = ("Text", "")
    sides = "".join(
        f'<View className="fm-side"><Header value={quoteattr(title)} size="4"/>'
        f'<{tag} name="{name}" value="${name}" valueType="text"{more}/>{below}</View>'
        for title, name, below in (
            (form.evidence, "evidence", ""),
            (form.noun.capitalize(), "text", "" if form.values else _ELEMENTS),
        )
    )
    return (
        f'<View>{_STYLE}<Header value="$place" size="5"/><View className="fm-pair">{sides}</View>'
        f'<View className="fm-bar"><Header value={quoteattr(form.question)} size="5"/>'
        f"{_choices_config(form) if form.values else _MARKS}{_COMMENT}</View></View>"
    )


def _choices_config(form: Form) -> str:
    """Returns the part of the config that offers the labels, each with its key and meaning."""
    options = "".join(
        f"<Choice value={quoteattr(label)} hotkey={quoteattr(key)} "
        f"hint={quoteattr(form.meanings[label])}/>"
        for key, label in form.keys.items()
    )
    return (
        '<Choices name="label" toName="text" choice="single-radio" showInline="true" '
        f'required="true" requiredMessage="Choose one.">{options}</Choices>'
    )


def project_title(title: str, annotator: Annotator) -> str:
    """Returns the title of an annotator's project of a campaign with that title, 50 characters at
    most: a name too long is cut off, with the code in place of its end."""
    end = f" — {title}"
    name = " ".join(annotator.name.split())
    if len(name) + len(end) > LONGEST_TITLE:
        end = f"… ({annotator.code}){end}"
        name = name[: LONGEST_TITLE - len(end)].rstrip()
    return name + end


def task_data(form: Form, tasks: Sequence[CampaignTask]) -> list[TaskData]:
    """Returns the data that is imported for each task of one annotator."""
    return [
        {"key": task.key, _PLACE: place, **_shown_data(form, task.shown)}
        for task, place in zip(tasks, _places_in_words(form, tasks), strict=True)
    ]


def same_task(task: TaskData, other: TaskData) -> bool:
    """Whether two tasks show the same; where they stand on the list does not count."""
    return {**task, _PLACE: ""} == {**other, _PLACE: ""}


def _places_in_words(form: Form, tasks: Sequence[CampaignTask]) -> Iterator[str]:
    """Yields the place of each task on the list, as annotators read it: `Batch 1 of 2 · Document 1
    of 3 · summary 2 of 3`; of a list that is one batch without it."""
    groups = [list(g) for _, g in groupby(tasks, key=lambda task: task.assignment.document)]
    batches = sorted({task.assignment.batch for task in tasks})
    for number, group in enumerate(groups, 1):
        batch = ""
        if len(batches) > 1:
            batch = f"Batch {batches.index(group[0].assignment.batch) + 1} of {len(batches)} · "
        for turn in range(1, len(group) + 1):
            yield (
                f"{batch}Document {number} of {len(groups)} · {form.noun} {turn} of {len(group)}"
            )


def _shown_data(form: Form, shown: Shown) -> dict[str, object]:
    """Returns the texts of a task as the server is given them."""
    if form == FINE:
        marked: tuple[()] | tuple[tuple[int, int]] = ()
        if shown.clause is not None:
            marked = (shown.clause,)
        return {
            "evidence": _marked_html(storable_text(shown.evidence), shown.likely),
            "text": _marked_html(storable_text(shown.text), marked),
        }
    data: dict[str, object] = {
        "evidence": storable_text(shown.evidence),
        "text": storable_text(shown.text),
    }
    if not form.values:
        data["elements"] = [
            {"value": storable_text(element).replace("$", "$\u2060"), "alias": f"e{number}"}
            for number, element in enumerate(shown.elements)
        ]
    return data


def _marked_html(text: str, spans: Iterable[Span]) -> str:
    """Returns the text as HTML with a `<mark>` around each span; spans that overlap become one."""
    ends = [0]
    for start, end in sorted(spans):
        if len(ends) > 1 and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            ends += (start, end)
    parts = [escape(text[start:end]) for start, end in pairwise([*ends, len(text)])]
    marked = (f"<mark>{part}</mark>" if n % 2 else part for n, part in enumerate(parts))
    return f'<div style="white-space: pre-wrap">{"".join(marked)}</div>'


def storable_text(text: str) -> str:
    """Returns the text without what a server cannot keep: NUL and lone surrogates, each as one
    mark.

    No character is added or lost, so that offsets hold.
    """
    return "".join(
        "�" if character == "\0" or "\ud800" <= character <= "\udfff" else character
        for character in text
    )


_TYPES = {
    "label": "choices",
    "comment": "textarea",
    "marks": "labels",
    "elements": "choices",
    "verdict": "choices",
    "absence": "choices",
}
_CALLED = {"label": "ratings", "comment": "comments", "verdict": "verdicts"}
_MOST_REGIONS = 5_000
_BLANK = re.compile(r"(?:\s|\\n)+")


def read_result(form: Form, shown: Shown, result: object) -> dict[str, object]:
    """Returns the regions of an annotation as the values that `check_response` takes.

    Raises:
        ValueError: they are no answer to this form; the message is one sentence.
    """
    if not isinstance(result, list):
        raise ValueError("its result is no list")
    if not result:
        raise ValueError("its result is empty")
    if len(result) > _MOST_REGIONS:
        raise ValueError(f"its result has more than {_MOST_REGIONS} regions")
    offered: tuple[str, ...]
    if form.values:
        offered = ("label", "comment")
    else:
        offered = tuple(_TYPES)[1:]
    values: dict[str, list[object]] = {name: [] for name in offered}
    for region in result:
        name, value = _read_region(region, offered)
        values[name].append(value)
        if name != "marks" and len(values[name]) > 1:
            raise ValueError(f"it has several {_CALLED.get(name, 'answers of one control')}")
    comments = [text for value in values["comment"] for text in _region_texts(value, "text")]
    if len(comments) > 1:
        raise ValueError("it has several comments")
    answer: dict[str, object] = {"comment": "".join(comments)}
    if not form.values:
        return {**answer, "marking": _read_marking(shown, values)}
    if values["label"]:
        answer["label"] = _single_choice(values["label"][0])
    return answer


def _read_region(region: object, names: Collection[str]) -> tuple[str, object]:
    """Returns the name of the control that a region belongs to, and its value."""
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


def _region_texts(value: object, field: str) -> list[str]:
    """Returns the texts in a field of a region's value; ValueError where that holds no texts."""
    texts = None
    if isinstance(value, Mapping):
        texts = value.get(field)
    # as importers write
    if field == "text" and isinstance(texts, str):
        texts = [texts]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"its {field} are no texts")
    return texts


def _single_choice(value: object) -> str:
    """Returns the only choice of a value; ValueError where there are none or several."""
    texts = _region_texts(value, "choices")
    if len(texts) != 1:
        raise ValueError(f"it chooses {len(texts)} things where one is asked for")
    return texts[0]


def _read_marking(shown: Shown, values: Mapping[str, list[object]]) -> dict[str, object]:
    """Returns the marks of an annotation, as `check_response` takes them."""
    spans: dict[str, list[list[int]]] = {GROUNDED: [], UNGROUNDED: []}
    for value in values["marks"]:
        labels = _region_texts(value, "labels")
        if len(labels) != 1 or labels[0] not in spans:
            raise ValueError("one of its marks is neither grounded nor not grounded")
        spans[labels[0]].append(_read_span(shown.text, value))
    if not values["verdict"]:
        raise ValueError("it does not say what the answer's verdict is")
    names = {f"e{number}": element for number, element in enumerate(shown.elements)}
    ticked = [name for value in values["elements"] for name in _region_texts(value, "choices")]
    return {
        "grounded": spans[GROUNDED],
        "ungrounded": spans[UNGROUNDED],
        "covered": [_named_option(names, name, "element of the ground truth") for name in ticked],
        "verdict": _named_option(VERDICTS, _single_choice(values["verdict"][0]), "verdict"),
        "absence": any(
            _named_option(ABSENCES, _single_choice(value), "answer") for value in values["absence"]
        ),
    }


def _named_option(known: Mapping[str, T], name: str, what: str) -> T:
    """Returns the option of that name; ValueError, which says what it should be, if there
    is none."""
    if name not in known:
        raise ValueError(f"it has {name!r:.60}, which is no {what}")
    return known[name]


def _read_span(text: str, value: object) -> list[int]:
    """Returns start and end of a mark, in characters of the text.

    The editor (1.23.2) counts characters too, not UTF-16 units. It sends along the text that it
    marked.

    Raises:
        ValueError: the mark is not in the text, or not on the text that was sent along.
    """
    if isinstance(value, Mapping):
        mark = value
    else:
        mark = {}
    start = mark.get("start")
    end = mark.get("end")
    marked = mark.get("text")
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise ValueError(f"the mark from {start!r:.20} to {end!r:.20} is no part of the text")
    if not isinstance(marked, str) or _without_blanks(marked) != _without_blanks(
        storable_text(text[start:end])
    ):
        raise ValueError(f"the mark from {start} to {end} is not on what it says it is on")
    return [start, end]


def _without_blanks(text: str) -> str:
    """Returns a text without white space and written line breaks, which the editor changes."""
    return _BLANK.sub("", text)
