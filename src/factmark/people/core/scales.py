"""The scale of ratings that people gave elsewhere, and the form that it makes. Pure.

The labels say which scale it is: whole numbers are taken with all between the least and the
greatest, yes and no in any of their writings, other numbers as they are. Labels in words have no
order unless their owner says one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from factmark.campaign_model import Campaign
from factmark.errors import InputError
from factmark.evaluated.words import number_of, worth_of_word
from factmark.model import Measure
from factmark.people.core.forms import FORMS, Form, form_named, scale_of_values
from factmark.text.shell import quote

if TYPE_CHECKING:
    from factmark.stats.coefficients import Metric

SCALE = "scale"  # under which a campaign's settings keep the form of its ratings
MOST_STEPS = 11  # labels up to which whole numbers are taken as steps, with those nobody gave
_MOST_LABELS = 101
_MOST_NUMBERS = 1_001  # with fractions, such as means of what several gave
_PAIRS = (
    ("yes", "no"),
    ("true", "false"),
    ("supported", "unsupported"),
    ("supported", "not supported"),
    ("consistent", "inconsistent"),
    ("correct", "incorrect"),
    ("factual", "nonfactual"),
    ("faithful", "unfaithful"),
    ("accept", "reject"),
    ("1", "0"),
)
_RANGE = re.compile(r"\s*(-?\d+)\s*(?:-|–|to)\s*(-?\d+)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingScale:
    """What ratings are given on.

    Attributes:
        values: label -> what it is worth, in the order shown.
    """

    values: Mapping[str, float]
    metric: Metric


def number_label(label: str) -> str:
    """A label as it is compared: where it is a number, one number is one label."""
    text = label.strip()
    value = number_of(text)
    if value is None:
        return text
    return f"{value:.12g}"


_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|\d{1,3},\d{1,2})")
_WORDED = re.compile(r"(\d+)\s*(?:[-–—:=.)(]|\s)\s*\D.*")  # 4 - good
_YES_NO = {"yes": "yes", "y": "yes", "no": "no", "n": "no"}
_NOTHING = frozenset("na n/a nan null none - – — . ?".split())


def plain_labels(labels: Collection[str], keep: Collection[str] = ()) -> dict[str, str]:
    """Label of a dimension as it was written -> as it is compared: a decimal comma is a point, `Y`
    is yes, `4 - good` is 4, and `NA` and its like are nothing among numbers, yes and no, or labels
    of a known scale.

    Args:
        keep: the labels of the scale, where it is known.
    """
    nothing = set()
    for label in labels:
        if label.casefold() in _NOTHING and label not in keep:
            nothing.add(label)
    rest = set(labels) - nothing
    worded = {label: match[1] for label in rest if (match := _WORDED.fullmatch(label))}
    if rest and len(set(worded.values())) == len(worded) == len(rest):
        plain = worded
    elif rest and all(map(_NUMBER.fullmatch, rest)):
        plain = {}
        for label in rest:
            plain[label] = number_label(label.replace(",", "."))
    elif rest and {label.casefold() for label in rest} <= _YES_NO.keys():
        plain = {label: _YES_NO[label.casefold()] for label in rest}
    elif rest and rest <= set(keep):
        plain = {label: label for label in rest}
    else:
        return {label: label for label in labels}
    return plain | dict.fromkeys(nothing, "")


def scales_of(labels: Mapping[str, Mapping[str, str]]) -> dict[str, RatingScale]:
    """Dimension -> the scale of the labels that were given by it, each with its first place.

    Dimensions rated in small whole numbers share the range of all of them, since they were rated on
    one sheet: that nobody gave a 2 for fluency does not say that nobody could. 0 and 1 alone are a
    no and a yes. A scale with numbers below 0 is one of its own, as far up as down.

    Raises:
        InputError: labels in words without an order, or too many numbers.
    """
    steps = {name: offered for name, offered in labels.items() if _are_steps(offered)}
    shared = []
    for offered in steps.values():
        for label in offered:
            shared.append(int(label))
    return {
        name: (
            _steps(range(min(shared), max(shared) + 1))
            if name in steps
            else _scale(name or "label", given)
        )
        for name, given in labels.items()
    }


_USUAL = ((0, 5), (1, 5), (1, 7), (0, 10), (1, 10))  # the shortest that fits is told first


def scale_doubt(labels: Collection[str]) -> str:
    """A sentence where numbers are taken for a whole scale, and an end of the usual one was given
    to nothing; empty where there is no such doubt.

    >>> scale_doubt(["1", "2", "4"]), scale_doubt(["1", "5"])
    ('1 to 4 is taken for the whole scale; if it was 1-5 or 0-5, say --labels 1-5', '')
    """
    numbers = []
    for label in labels:
        if _is_number(label):
            numbers.append(float(label))
    if len(numbers) < len(labels) or not 1 < max(numbers, default=0) < MOST_STEPS:
        return ""
    least = min(numbers)
    most = max(numbers)
    if (least, most) in _USUAL:
        return ""
    wider = []
    for low, high in _USUAL:
        if low <= least and most <= high:
            wider.append(f"{low}-{high}")
    likely = [scale for scale in ("1-5", "0-5", *wider) if scale in wider][:2]
    if not likely or any(number != int(number) for number in numbers):
        return ""
    return (
        f"{least:g} to {most:g} is taken for the whole scale; if it was "
        f"{' or '.join(dict.fromkeys(likely))}, say --labels {likely[0]}"
    )


def scale_given(text: str) -> RatingScale:
    """The scale that its owner writes: `0-5`, `poor,fair,good` from the least, or `no=0,yes=1`;
    labels with a comma in them are parted by `|`.

    InputError: it is none of these.
    """
    bounds = _RANGE.fullmatch(text)
    if bounds:
        low, high = map(int, bounds.groups())
        if not low < high <= low + _MOST_LABELS:
            raise InputError(f"--labels {text}: is no range of up to {_MOST_LABELS} whole numbers.")
        return _steps(range(low, high + 1))
    sign = "|" if "|" in text else ","
    parts = [part.partition("=") for part in text.split(sign)]
    values: dict[str, float] = {}
    for place, (label, sign, worth) in enumerate(parts):
        try:
            values[number_label(label)] = float(worth) if sign else float(place)
        except ValueError as error:
            raise InputError(f"--labels {text}: {worth!r} is no number.") from error
    if len(values) < max(2, len(parts)) or "" in values:
        raise InputError(
            f"--labels {text}: name two or more different labels: 0-5, or poor,fair,good from the "
            "least to the greatest, or no=0,maybe=0.5,yes=1."
        )
    if not all(map(math.isfinite, values.values())) or not any(values.values()):
        raise InputError(f"--labels {text}: values are finite, and one of them is not 0.")
    ordered = 2 < len(values) == len(set(values.values()))
    return RatingScale(values=values, metric="ordinal" if ordered else "nominal")


def _are_steps(labels: Collection[str]) -> bool:
    """Whether labels are small whole numbers, and not only 0 and 1."""
    return (
        all(label.isdecimal() and label.isascii() for label in labels)
        and max(map(int, labels)) < MOST_STEPS
        and not set(labels) <= {"0", "1"}
    )


def _steps(numbers: range) -> RatingScale:
    """Returns the scale of whole numbers in a row."""
    values = {str(number): float(number) for number in numbers}
    metric: Metric = "ordinal"
    if len(values) > MOST_STEPS:
        metric = "interval"
    return RatingScale(values=values, metric=metric if len(values) > 2 else "nominal")


def _scale(dimension: str, labels: Mapping[str, str]) -> RatingScale:
    """Returns the scale of the labels of a dimension, given with their places. InputError: they are
    words without an order, or numbers that make no scale."""
    verdicts = _yes_and_no(labels)
    if verdicts:
        return RatingScale(values=verdicts, metric="nominal")
    shown = ", ".join(sorted(labels)[:6])
    if len(labels) > 6:
        shown += ", …"
    numbers = {}
    for label in labels:
        if _is_number(label):
            numbers[label] = float(label)
    words = sorted(label for label in labels if label not in numbers)
    sign = "|" if any("," in word for word in words) else ","
    in_order = quote(sign.join(_in_usual_order(words)))
    if words and numbers:
        raise InputError(
            f"{labels[words[0]]}: {words[0]!r} is no number, as others of the labels of "
            f"{dimension} are ({shown}). Correct it, say all of them with --labels, from the least "
            "to the greatest, or name another column with --column label=NAME."
        )
    if words:
        raise InputError(
            f"{labels[words[0]]}: the labels of {dimension} ({shown}) are words without an order. "
            "Say it with --labels, from the least to the greatest: --labels "
            f"{in_order}; or name another column with --column label=NAME."
        )
    least = min(numbers.values())
    most = max(numbers.values())
    whole = all(number == int(number) for number in numbers.values())
    if whole and least < 0 and max(most, -least) < MOST_STEPS:
        furthest = int(max(most, -least))
        return _steps(range(-furthest, furthest + 1))
    ends: set[float] = set()
    if least >= 0 and whole and MOST_STEPS <= most <= 100:
        ends = {0.0, 100.0}
    elif least >= 0 and most <= 1:
        ends = {0.0, 1.0}
    every = sorted({*numbers.values(), *ends})
    if len(every) > _MOST_NUMBERS:
        raise InputError(
            f"{dimension} has {len(every)} different numbers; agreement on more than "
            f"{_MOST_NUMBERS} is not measured. Round them."
        )
    return RatingScale(values={f"{n:.12g}": n for n in every}, metric="interval")


def _yes_and_no(labels: Collection[str]) -> dict[str, float]:
    """Returns what a yes and a no are worth, of which a label may be lacking that nobody gave: by
    the usual pairs, or where the words of verdicts know two; nothing of other labels.

    >>> _yes_and_no(["hallucinated", "faithful"]), _yes_and_no(["no"])
    ({'faithful': 1.0, 'hallucinated': 0.0}, {'yes': 1.0, 'no': 0.0})
    >>> _yes_and_no(["faithful", "unsure"])
    {}
    """
    folded = {label.casefold(): label for label in sorted(labels)}
    for yes, no in _PAIRS:
        if folded.keys() <= {yes, no} and len(folded) == len(labels):
            return {folded.get(yes, yes): 1.0, folded.get(no, no): 0.0}
    by_worth = {worth_of_word(label): label for label in labels}
    if len(labels) != 2 or by_worth.keys() != {0.0, 1.0}:
        return {}
    return {by_worth[1.0]: 1.0, by_worth[0.0]: 0.0}


_ORDERS = tuple(
    tuple(order.split(","))
    for order in (
        "strongly disagree,disagree,somewhat disagree,neutral,somewhat agree,agree,strongly agree",
        "very poor,poor,fair,good,very good,excellent",
        "very bad,bad,ok,okay,good,very good",
        "never,rarely,sometimes,often,always",
        "not at all,slightly,somewhat,moderately,mostly,very,extremely,completely",
        "none,low,medium,high",
    )
)


def _in_usual_order(words: list[str]) -> list[str]:
    """Returns words from the least to the greatest where they are usual ones, else as they are."""
    for order in _ORDERS:
        if {word.casefold() for word in words} <= set(order):
            return sorted(words, key=lambda word: order.index(word.casefold()))
    return words


def _is_number(label: str) -> bool:
    """Whether a label is a finite number, written as one is compared."""
    return number_of(label) is not None and number_label(label) == label


def kind_of_dimension(dimension: str) -> str:
    """The kind of unit that a dimension's ratings are of, as `factmark agree --kind` takes it."""
    slug = re.sub(r"\W+", "-", dimension.strip().casefold()).strip("-") or "rating"
    taken = {form.kind for form in FORMS.values()} | set(FORMS) | {"fact", "element", "retrieval"}
    if slug in taken:
        return f"{slug}-rating"
    return slug


def imported_form(dimension: str, scale: RatingScale, *, parts: bool) -> Form:
    """The form of ratings by a dimension.

    Args:
        parts: whether sentences or clauses were rated, of which a summary has several.
    """
    name = dimension or "rating"
    noun = "summary"
    if parts:
        noun = "sentence"
    return Form(
        name=kind_of_dimension(name),
        kind=kind_of_dimension(name),
        noun=noun,
        title=f"Ratings: {name}",
        values=scale.values,
        meanings=dict.fromkeys(scale.values, ""),
        question=f"{name[:1].upper()}{name[1:]}?",
        evidence="Source",
        measures=(
            Measure(
                key=kind_of_dimension(name),
                symbol=name,
                name="mean rating" if name == "rating" else f"mean {name}",
                scale=scale_of_values(scale.values.values()),
            ),
        ),
        things="summaries",
        minutes=(0.0, 0.0),
        metric=scale.metric,
    )


def is_wider(form: Form, kept: Form) -> bool:
    """Whether a form of ratings is one that was read from the labels before, with the labels that
    nobody had given."""
    return (
        bool(scale_doubt(kept.labels))
        and (form.name, form.measures[0].key) == (kept.name, kept.measures[0].key)
        and kept.values.items() <= form.values.items()
    )


def settings_of(form: Form, *, dimension: str, parts: bool) -> dict[str, Any]:
    """What a campaign keeps of the form of its ratings, for `form_of`."""
    if form.name in FORMS:
        return {}
    kept = {"dimension": dimension, "parts": parts, "metric": form.metric}
    return {SCALE: {**kept, "values": [[label, value] for label, value in form.values.items()]}}


def form_of(campaign: Campaign) -> Form:
    """The form of a campaign: one of ours, or that of the ratings it was imported with."""
    kept: Any = campaign.settings.get(SCALE)
    if not isinstance(kept, Mapping):
        return form_named(campaign.form)
    scale = RatingScale(values={k: float(v) for k, v in kept["values"]}, metric=kept["metric"])
    return imported_form(str(kept["dimension"]), scale, parts=bool(kept["parts"]))


def forms_by_kind(campaigns: Iterable[Campaign] = ()) -> dict[str, Form]:
    """Kind of unit -> the form that people rate it by: ours, and those of imported ratings."""
    forms = {}
    for form in FORMS.values():
        if form.values:
            forms[form.kind] = form
    return forms | {form.kind: form for form in map(form_of, campaigns) if form.values}
