"""The other ways in which an answer may write an element of the ground truth.

A benchmark gives aliases, and the unit of a number: 258 s is 4:18, 4 min 18 s, and 0.625 is 62.5 %.
Only what is exactly the same: 4.3 min and 63 % are other values. Units have one name, so that
*2,980 m* and *2980 metres* are one quantity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from factmark.answers.core.elements.things import thing_of
from factmark.answers.core.records import Question
from factmark.text.lexicon import ENGLISH
from factmark.text.words import SCALES, normalise

ALL = "*"
"""In place of an element: the unit of every number in the ground truth."""

_FAMILIES = (  # units that are powers of ten apart, by their size in the first
    {"mm": 1, "cm": 10, "m": 1_000, "km": 1_000_000},
    {"mg": 1, "g": 1_000, "kg": 1_000_000, "t": 1_000_000_000},
    {"share": 100, "%": 1},
)
_MILLISECONDS = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000}
_TIMES = (("h", "hours"), ("min", "minutes"), ("s", "seconds"))
UNITS = (*_MILLISECONDS, *(unit for family in _FAMILIES for unit in family))
"""Units that are written in several ways; others stand behind their number as they are."""


def writings(question: Question) -> dict[str, tuple[str, ...]]:
    """Element of G -> its other writings, for those that have any."""
    known = {}
    for element in question.ground_truth or ():
        unit = question.units.get(element, question.units.get(ALL, ""))
        thing = question.things.get(element) or thing_of(element)
        others = (*question.aliases.get(element, ()), *(with_unit(element, unit) if unit else ()))
        others += tuple(name for name in (*thing.names, *thing.ids) if name != element)
        if others:
            known[element] = tuple(dict.fromkeys(others))
    return known


def stray_names(question: Question) -> list[str]:
    """The elements that have aliases, a unit or names, and are not in the ground truth."""
    given = dict.fromkeys((*question.aliases, *question.units, *question.things))
    names = []
    for name in given:
        if name not in {ALL, *(question.ground_truth or ())}:
            names.append(name)
    return names


def with_unit(element: str, unit: str) -> tuple[str, ...]:
    """The writings of a number with its unit; none for an element that is no number.

    >>> with_unit("258", "s")[:4]
    ('258 s', '4:18', '4 min 18 s', '4 minutes 18 seconds')
    >>> with_unit("0.625", "share"), with_unit("2980", "m")[-1]
    (('62.5 %',), '2.98 km')
    """
    try:
        number = Decimal(element)
    except InvalidOperation:
        return ()
    if not number.is_finite() or not -9 <= number.adjusted() <= 15:
        return ()
    return tuple(_number_writings(number, unit))


def _number_writings(number: Decimal, unit: str) -> Iterator[str]:
    """A number with its unit, and the same amount in the other units of its kind."""
    family = next((family for family in _FAMILIES if unit in family), {unit: 1})
    if unit != "share":
        yield f"{number:f} {unit}"
    if unit in _MILLISECONDS:
        yield from _time_writings(number * _MILLISECONDS[unit])
        return
    for other in family:
        if other != unit:
            value = _shortest_decimal(number * family[unit] / family[other])
            if other == "share":
                yield value
            else:
                yield f"{value} {other}"


def _time_writings(milliseconds: Decimal) -> Iterator[str]:
    """Yields a time of whole seconds as a clock shows it, in words, and in seconds; nothing for one
    of less than a minute."""
    if milliseconds < 60_000 or milliseconds % 1_000:
        return
    minutes, seconds = divmod(int(milliseconds) // 1_000, 60)
    hours, rest = divmod(minutes, 60)
    if hours:
        yield f"{hours}:{rest:02}:{seconds:02}"
    else:
        yield f"{minutes}:{seconds:02}"
    for parts in ((hours, rest, seconds), (0, minutes, seconds)):
        for place in (0, 1):
            names = []
            for n, t in zip(parts, _TIMES, strict=True):
                if n:
                    names.append(f"{n} {t[place]}")
            yield " ".join(names)
            if place and len(names) > 1:
                yield f"{' '.join(names[:-1])} and {names[-1]}"
        if not hours:
            break
    yield f"{_shortest_decimal(milliseconds / 1_000)} s"


def _shortest_decimal(value: Decimal) -> str:
    """A number without exponent and without zeros at its end."""
    text = f"{value:f}"
    if "." in text:
        return text.rstrip("0").rstrip(".")
    return text


_UNIT = {unit: unit for unit in ENGLISH["unit_names"]} | {
    stem: unit
    for unit, names in ENGLISH["unit_names"].items()
    for name in names.split()
    for stem in normalise(name)
}
_AMOUNT = re.compile(r"((?=\.?\d)\d{0,38}\.?\d{0,38}(?![\d.]))?(.*)", re.ASCII | re.DOTALL)


def quantity_of(words: tuple[str, ...]) -> tuple[Decimal, str] | None:
    """The value and the unit of a number with one unit, in either order; None for anything else.

    Args:
        words: as `normalise` gives them; `5mg` is a number and its unit.

    >>> quantity_of(("2980", "metr")) == quantity_of(("2980", "m")), quantity_of(("7", "lake"))
    (True, None)
    """
    value = None
    unit = ""
    for word in words:
        number, letters = _AMOUNT.findall(word)[0]
        if number:
            if value is not None:
                return None
            value = Decimal(number)
        elif word in SCALES and value is not None:
            value *= SCALES[word]
        if letters and word not in SCALES:
            if unit or letters not in _UNIT:
                return None
            unit = _UNIT[letters]
    if value is None or not unit:
        return None
    return (value.normalize(), unit)
