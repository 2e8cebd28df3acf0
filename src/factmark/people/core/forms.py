"""What people and models are asked of a unit, forms, guidelines, rubrics of summaries; and answers.

One row on an annotator's list is one unit with its evidence beside it, and gets one answer: a label
of the form, or, for `facts`, marks in the text; `check_response` takes no other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from factmark.campaign_model import Campaign, EvidenceSpan, Marking, PersonResponse, Shown, Span
from factmark.errors import InputError
from factmark.label_values import label_values
from factmark.model import SHARE, Measure, Scale
from factmark.replies.rubric import Rubric

if TYPE_CHECKING:  # with numpy, which asking people does without
    from factmark.stats.coefficients import Metric
    from factmark.stats.comparison import Per


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What people are asked.

    Attributes:
        minutes: for a document and for each of its rows: for `coarse` as the guidelines suggest
            (with three summaries), for the others a guess to plan by.
        metric: how far apart labels are, where that does not follow from their values; see `scale`.
        per: `item` for the mean of the documents' means; `unit` for the mean over all units, as the
            scores of graphs are.
        pace: what is done with a document one after the other, and how many minutes are suggested.
    """

    name: str
    kind: str  # of the units that it is for; `noun` is what one is called
    noun: str
    title: str  # what a campaign of this form is called where people see it
    values: Mapping[str, float]  # label -> its value; empty where people mark a text
    meanings: Mapping[str, str]  # label -> what it stands for, in a few words
    question: str
    evidence: str  # the heading over what the unit is judged against
    measures: tuple[Measure, ...]  # the first is the one to go by; of marks, one of each score
    things: str  # what gets one value, several of them
    clusters: str = "documents"  # what is resampled
    minutes: tuple[float, float]
    metric: Metric | None = None
    per: Per = "item"
    pace: tuple[tuple[str, str], ...] = ()

    @property
    def scale(self) -> Metric:
        """How far apart labels are, wherever agreement on them is told: ordinal where three or more
        have values of their own, else nominal."""
        distinct = len(set(self.values.values()))
        return self.metric or ("ordinal" if 2 < distinct == len(self.values) else "nominal")

    @property
    def labels(self) -> tuple[str, ...]:
        """What may be answered, in the order shown."""
        return tuple(self.values)

    @property
    def keys(self) -> Mapping[str, str]:
        """Key on the keyboard -> label: digits for ratings, else 1, 2, ... in the order shown."""
        if all(label.isdigit() for label in self.labels):
            return {label: label for label in self.labels}
        return {str(number): label for number, label in enumerate(self.labels, 1)}

    @property
    def ranked(self) -> tuple[str, ...]:
        """The labels from the least to the greatest value."""
        return tuple(sorted(self.values, key=lambda label: self.values[label]))

    @property
    def bounds(self) -> Scale:
        """The least and the greatest value of a label; 0 to 1 where people mark a text."""
        return scale_of_values(self.values.values())

    @property
    def rubric(self) -> str:
        """The form's name and version, as signatures tell it."""
        return f"{self.name}@1"


def scale_of_values(values: Collection[float]) -> Scale:
    """Returns the scale from the least of some labels' values to the greatest, from 0 where they
    are all one; 0 to 1 of none."""
    if not values:
        return SHARE
    low = min(values)
    high = max(values)
    return Scale(low if low < high else 0.0, high)


def _forms() -> Iterator[Form]:
    """Yields the forms as `forms.toml` has them."""
    text = files("factmark.people.core").joinpath("forms.toml").read_text("utf-8")
    for name, form in tomllib.loads(text).items():
        shared = form.pop("values_of", "")
        yield Form(
            name=name,
            values=label_values(shared) if shared else form.pop("values", {}),
            meanings=form.pop("meanings", {}),
            measures=tuple(map(_measure, form.pop("measures"))),
            minutes=tuple(form.pop("minutes")),
            pace=tuple(map(tuple, form.pop("pace", ()))),
            **form,
        )


def _measure(fields: Mapping[str, Any]) -> Measure:
    """Returns a measure as `forms.toml` has it."""
    scale = Scale(*fields.get("scale", SHARE))
    return Measure(**{**fields, "scale": scale})


FORMS: Mapping[str, Form] = {form.name: form for form in _forms()}
COARSE, FINE, SUPPORT, VALIDITY, GRAPHRAG, FACTS = (
    FORMS[name] for name in ("coarse", "fine", "support", "validity", "graphrag", "facts")
)
KINDS: Mapping[str, Mapping[str, float]] = {
    **{form.kind: form.values for form in FORMS.values() if form.values},
    "claim": SUPPORT.values,
}
"""Kind of unit -> label -> value, of all that people give a label."""


def form_named(name: str) -> Form:
    """The form of that name. InputError: there is none."""
    if name not in FORMS:
        raise InputError(
            f"--form {name}: there is none such to ask people by; take one of {', '.join(FORMS)}."
        )
    return FORMS[name]


def is_whole(campaign: Campaign) -> bool:
    """Whether the units of a document are asked together."""
    return campaign.form in (COARSE.name, FINE.name)


_GAP = re.compile(r"\{\{(\w+)\}\}")


def title_of(campaign: Campaign) -> str:
    """Returns what people see a campaign called; of one that an earlier version made its form's
    title."""
    return str(campaign.settings.get("title") or form_named(campaign.form).title)


def fill_guidelines(
    template: str, common: str, form: Form, *, batch: int, together: int, title: str = ""
) -> str:
    """Returns the guidelines of a form, as Markdown: the template with its gaps filled in.

    Gaps are `{{scale}}` (labels with their meanings), `{{batch}}` (the documents of a batch),
    `{{together}}` (the units of a document), `{{rows}}` (of a batch), `{{title}}` and `{{common}}`.

    Args:
        common: what all forms share.
        title: of the campaign; the form's where empty.

    Raises:
        KeyError: there is a gap of another name.
    """
    fillings: Mapping[str, str] = {
        "scale": _labels_as_list(form),
        "batch": str(batch),
        "together": str(together),
        "rows": str(batch * together),
        "title": title or form.title,
    }
    text = template.replace("{{common}}", common.strip())
    return _GAP.sub(lambda gap: fillings[gap[1]], text).strip() + "\n"


def markdown_html(text: str) -> str:
    """Returns guidelines (CommonMark with tables) as HTML; links, images and HTML in them stay
    text.

    Tags have no attributes, and every character of the text that HTML would read is escaped.
    """
    from markdown_it import MarkdownIt  # here, since few commands show guidelines

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.disable(["link", "image", "autolink"])
    tokens = reader.parse(text)
    for token in tokens:
        token.attrs = {}
        token.info = ""
    html: str = reader.renderer.render(tokens, reader.options, {})
    return html


def _labels_as_list(form: Form) -> str:
    """Returns the labels of a form with keys and meanings, as a Markdown list."""
    keys = {label: key for key, label in form.keys.items()}
    lines = []
    for label, meaning in form.meanings.items():
        key = ""
        if keys[label] != label:
            key = f" (key {keys[label]})"
        lines.append(f"- **{label}**{key}: {meaning}")
    return "\n".join(lines)


_ERROR = (
    "A factual error is a statement that contradicts the source, or that the source neither states "
    "nor strongly implies and that does not follow from it. What is true but stands not in "
    "the source is an error too. Style, length and what is left out do not count."
)

COARSE_SUMMARY = Rubric(
    name="summary-correctness",
    version=1,
    values=COARSE.values,
    evidence_name="SOURCE",
    claim_name="SUMMARY",
    criterion=(
        "Rate how correct the summary is, from 0 to 5, by the source alone; what you know besides "
        f"does not count. {_ERROR}\n"
        + "\n".join(f"{label}: {meaning}." for label, meaning in COARSE.meanings.items())
    ),
)

FINE_SUMMARY = Rubric(
    name="clause-support",
    version=1,
    values=FINE.values,
    evidence_name="SOURCE",
    claim_name="CLAUSE",
    criterion=(
        "Decide whether the source supports the clause that is marked off in its summary. Judge "
        "the marked clause only; the rest of the summary tells what it speaks of. Go by the source "
        f"alone; what you know besides does not count. {_ERROR}\n"
        "YES: the source states it or strongly implies it, or it follows from the source.\n"
        "NO: the source contradicts it or does not tell it."
    ),
)


def clause_claim(summary: str, start: int, end: int) -> str:
    """Returns the text of a clause with that of its summary, as models are shown them by
    `FINE_SUMMARY`."""
    return f"Clause: {summary[start:end]}\nIts summary: {summary}"


MOST_COMMENT = 10_000  # characters
MOST_EVIDENCE = 100  # stretches of one rating
_FIELDS = {"label", "comment", "marking", "evidence"}
_MARKS = {"grounded", "ungrounded", "covered", "verdict", "absence"}


def check_response(form: Form, shown: Shown, given: object) -> PersonResponse:
    """Returns what a person answered, from JSON values with `label` or `marking`, maybe `comment`.

    Raises:
        ValueError: it is no answer to this task; the message is one sentence.
    """
    if not isinstance(given, Mapping):
        raise ValueError("it is no object")
    unknown = sorted(str(name) for name in given.keys() - _FIELDS)
    if unknown:
        raise ValueError(f"it has the unknown field {unknown[0]!r:.60}")
    comment = given.get("comment") or ""
    if not isinstance(comment, str):
        raise ValueError("its comment is no text")
    if len(comment) > MOST_COMMENT:
        raise ValueError(f"its comment is longer than {MOST_COMMENT} characters")
    comment = comment.encode("utf-8", "replace").decode().replace("\0", "�")
    label = given.get("label")
    marking = given.get("marking")
    if shown.options:
        numbers = {}
        for number in range(1, len(shown.options) + 1):
            numbers[str(number)] = 0.0
        form = replace(form, values=numbers)
    if form.values:
        if marking is not None:
            raise ValueError("it has marks where a label is asked for")
        if not isinstance(label, str) or label not in form.values:
            label_given = "no label"
            if label is not None:
                label_given = f"the label {label!r:.60}"
            raise ValueError(f"it has {label_given}, not one of {', '.join(form.labels)}")
        evidence = _read_evidence(shown, given.get("evidence"))
        return PersonResponse(label=label, comment=comment, evidence=evidence)
    if label is not None:
        raise ValueError("it has a label where marks are asked for")
    return PersonResponse(marking=_read_marking(shown, marking), comment=comment)


def check_seconds(given: object) -> float | None:
    """Returns the seconds that a client told, or None where no such time can have passed."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    # Compared as it came: an integer may be larger than any float, and NaN is in no range.
    if 0 <= given <= 31_536_000:
        return float(given)
    return None


def _read_evidence(shown: Shown, given: object) -> tuple[EvidenceSpan, ...]:
    """Returns the stretches that decided a rating from JSON values, in order; ValueError where
    these are no stretches of what was shown."""
    if given is None:
        return ()
    if not isinstance(given, list) or len(given) > MOST_EVIDENCE:
        raise ValueError(f"its evidence is no list of at most {MOST_EVIDENCE} stretches")
    lengths = {"source": len(shown.evidence), "text": len(shown.text)}
    spans = []
    for stretch in given:
        if not (isinstance(stretch, list) and len(stretch) == 3):
            raise ValueError("a stretch of its evidence is not where, start and end")
        where, *ends = stretch
        if not isinstance(where, str) or where not in lengths:
            raise ValueError("its evidence stands neither in the source nor in the text")
        ((start, end),) = _read_spans([ends], lengths[where])
        spans.append((where, start, end))
    return tuple(sorted(spans))


def _read_marking(shown: Shown, given: object) -> Marking:
    """Returns the marks in an answer from JSON values; ValueError where these are no marks of this
    answer."""
    if not isinstance(given, Mapping):
        raise ValueError("it has no marks")
    unknown = sorted(str(name) for name in given.keys() - _MARKS)
    if unknown:
        raise ValueError(f"its marks have the unknown field {unknown[0]!r:.60}")
    grounded = _read_spans(given.get("grounded", []), len(shown.text))
    ungrounded = _read_spans(given.get("ungrounded", []), len(shown.text))
    for (_, end), (start, _) in pairwise(sorted((*grounded, *ungrounded))):
        if start < end:
            raise ValueError("two of its marks overlap")
    covered = given.get("covered", [])
    if not isinstance(covered, list) or any(element not in shown.elements for element in covered):
        raise ValueError("it names what is no element of the ground truth")
    verdict = given.get("verdict")
    absence = given.get("absence", False)
    if verdict not in ("yes", "no", None):
        raise ValueError("its verdict is not yes, no or none")
    if not isinstance(absence, bool):
        raise ValueError("its absence is not true or false")
    return Marking(
        grounded=grounded,
        ungrounded=ungrounded,
        covered=tuple(element for element in shown.elements if element in covered),
        verdict=verdict,
        absence=absence,
    )


def _read_spans(given: object, size: int) -> tuple[Span, ...]:
    """Returns sorted spans from JSON values; ValueError where one does not lie in a text of that
    size."""
    if not isinstance(given, list):
        raise ValueError("its marks are no list")
    out = []
    for span in given:
        if (
            not isinstance(span, list)
            or len(span) != 2
            or not all(isinstance(end, int) and not isinstance(end, bool) for end in span)
            or not 0 <= span[0] < span[1] <= size
        ):
            raise ValueError(f"the mark {span!r:.60} is no part of the text")
        out.append((span[0], span[1]))
    return tuple(sorted(out))
