"""Units under one name, so that *2,980 m* and *2980 metres* are one quantity."""

from __future__ import annotations

from decimal import Decimal

from factmark.text.words import SCALES, normalise

_NAMES = """
m: metre meter
km: kilometre kilometer
cm: centimetre centimeter
mm: millimetre millimeter
mi: mile
ft: foot feet
in: inch
ha: hectare
g: gram gramme
kg: kilogram kilogramme
mg: milligram
t: tonne
l: litre liter
ml: millilitre milliliter
s: sec second
min: minute
h: hr hour
d: day
week: wk
month: mo
y: yr year
w: watt
kw: kilowatt
mw: megawatt
gw: gigawatt
hz: hertz
mhz: megahertz
c: celsius
f: fahrenheit
eur: euro
usd: dollar
gbp: pound
percent: pct
"""
_UNIT: dict[str, str] = {}
for _line in _NAMES.split("\n"):
    _short, _, _long = _line.partition(":")
    _UNIT |= {stem: _short for name in _long.split() for stem in normalise(name)}
_UNIT |= {unit: unit for unit in _UNIT.values()}


def quantity_of(words: tuple[str, ...]) -> tuple[Decimal, str] | None:
    """The value and the unit of a number with one unit, in either order; None for anything else.

    Args:
        words: as `normalise` gives them.

    >>> quantity_of(("2980", "metr")) == quantity_of(("2980", "m")), quantity_of(("7", "lake"))
    (True, None)
    """
    value, unit = None, ""
    for word in words:
        number, letters = _split(word)
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
    return None if value is None or not unit else (value.normalize(), unit)


def _split(word: str) -> tuple[str, str]:
    """The digits that a word begins with, and the letters after them; `5mg` is both."""
    end = 0
    while end < len(word) and (word[end].isdigit() or word[end] == "."):
        end += 1
    number, rest = word[:end], word[end:]
    usable = number.isascii() and number.count(".") <= 1 and any(c.isdigit() for c in number)
    return (number, rest) if usable and len(number) < 40 else ("", word)
