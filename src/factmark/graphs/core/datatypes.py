"""Values that are texts: which of XML Schema's datatypes, and of schema.org's, a text is of. Pure.

A text that reads otherwise than XML Schema writes it (`May 1990` for a date, `about 42` for a
number) is neither: people write so, and it may well be such a value.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from datetime import date

from factmark.graphs.core.iri_names import OWL, RDF, RDFS

XSD = "http://www.w3.org/2001/XMLSchema#"
LITERAL = f"{RDFS}Literal"
_SCHEMA = ("http://schema.org/", "https://schema.org/")

_TEXTS = frozenset(
    {
        *(f"{XSD}{name}" for name in ("string", "normalizedString", "token", "anySimpleType")),
        *(f"{XSD}{name}" for name in ("anyAtomicType", "anyType")),
        *(f"{RDF}{name}" for name in ("langString", "dirLangString", "PlainLiteral", "XMLLiteral")),
        *(LITERAL, f"{RDF}HTML", f"{RDF}JSON"),
    }
)
_OF_SCHEMA: Mapping[str, str] = {
    **dict.fromkeys(("Text", "DataType", "PronounceableText", "CssSelectorType"), "string"),
    **{"XPathType": "string", "URL": "anyURI", "Boolean": "boolean", "Number": "double"},
    **{"Integer": "integer", "Float": "double", "Date": "date", "DateTime": "dateTime"},
    "Time": "time",
}
_BOUNDS: Mapping[str, tuple[float, float]] = {
    "integer": (float("-inf"), float("inf")),
    "nonNegativeInteger": (0, float("inf")),
    "positiveInteger": (1, float("inf")),
    "nonPositiveInteger": (float("-inf"), 0),
    "negativeInteger": (float("-inf"), -1),
    **{name: (-(2**n), 2**n - 1) for name, n in (("long", 63), ("int", 31), ("short", 15))},
    **{f"unsigned{name}": (0, 2**n - 1) for name, n in (("Long", 64), ("Int", 32), ("Short", 16))},
    "byte": (-128, 127),
    "unsignedByte": (0, 255),
}
_ZONE = r"(?:Z|[+-]\d\d:\d\d)?"
_YEAR = r"-?\d{4,}"
_MONTH = r"(?:0[1-9]|1[0-2])"
_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_CLOCK = r"(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00)"
_DECIMAL = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)"
_NUMBERS = {
    **dict.fromkeys(_BOUNDS, r"[+-]?\d+"),
    "decimal": _DECIMAL,
    **dict.fromkeys(("double", "float"), rf"{_DECIMAL}(?:[eE][+-]?\d+)?|[+-]?INF|NaN"),
}
_TIMES = {
    "date": rf"{_YEAR}-{_MONTH}-{_DAY}{_ZONE}",
    "dateTime": rf"{_YEAR}-{_MONTH}-{_DAY}T{_CLOCK}{_ZONE}",
    "dateTimeStamp": rf"{_YEAR}-{_MONTH}-{_DAY}T{_CLOCK}(?:Z|[+-]\d\d:\d\d)",
    "time": rf"{_CLOCK}{_ZONE}",
    "gYear": rf"{_YEAR}{_ZONE}",
    "gYearMonth": rf"{_YEAR}-{_MONTH}{_ZONE}",
    "gMonth": rf"--{_MONTH}{_ZONE}",
    "gMonthDay": rf"--{_MONTH}-{_DAY}{_ZONE}",
    "gDay": rf"---{_DAY}{_ZONE}",
    "duration": r"-?P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?"
    r"(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?",
}
_FORMS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(form, re.ASCII)
    for name, form in {
        **_NUMBERS,
        **_TIMES,
        "boolean": "true|false|0|1",
        "anyURI": r"[A-Za-z][\w+.-]*:\S+",
        "language": r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*",
    }.items()
}
_FACETS: Mapping[str, Callable[[float, float], bool]] = {
    f"{XSD}minInclusive": operator.ge,
    f"{XSD}maxInclusive": operator.le,
    f"{XSD}minExclusive": operator.gt,
    f"{XSD}maxExclusive": operator.lt,
}
_LONGEST = 300  # characters of a number or a date


def is_datatype(iri: str) -> bool:
    """Whether an IRI is one of the usual datatypes."""
    return iri in _TEXTS or iri.startswith(XSD) or bool(_name_of(iri))


def is_of_datatype(text: str, iri: str) -> bool | None:
    """Whether a text is a value of a datatype; None where that cannot be told, as for a datatype
    that is not known here.

    >>> is_of_datatype("42", f"{XSD}integer"), is_of_datatype("blue", f"{XSD}integer")
    (True, False)
    >>> is_of_datatype("1990", f"{XSD}date"), is_of_datatype("May 1990", f"{XSD}date")
    (None, None)
    """
    if iri in _TEXTS or (name := _name_of(iri)) == "string":
        return True
    if name not in _FORMS:
        return None
    text = text.strip()
    if _has_form(text, name):
        return True
    if name == "anyURI":
        if " " in text:
            return False
        return None
    if name == "boolean":
        if text.casefold() in ("yes", "no", "true", "false"):
            return None
        return False
    if name in _TIMES:
        family, other = (_TIMES, _NUMBERS)
    else:
        family, other = (_NUMBERS, _TIMES)
    if any(_has_form(text, form) for form in family):
        if family is _TIMES:
            return None
        return False
    is_other = any(_has_form(text, form) for form in other)
    if any(map(str.isdigit, text)) and not is_other and name != "language":
        return None
    return False


def in_bounds(text: str, facet: str, bound: str) -> bool | None:
    """Whether a value keeps to a facet of XML Schema, such as `minInclusive`; None for a facet that
    is no bound of numbers."""
    try:
        return _FACETS[facet](float(text), float(bound))
    except (KeyError, ValueError):
        return None


def _name_of(iri: str) -> str:
    """Returns the name of a datatype in XML Schema, of one of schema.org's the name of its like;
    empty for another IRI."""
    for start in _SCHEMA:
        if iri.startswith(start):
            return _OF_SCHEMA.get(iri.removeprefix(start), "")
    if iri in (f"{OWL}real", f"{OWL}rational"):
        return "decimal"
    if iri.startswith(XSD):
        return iri.removeprefix(XSD)
    return ""


def _has_form(text: str, name: str) -> bool:
    """Whether a text is written as the values of a datatype are, and lies within its bounds."""
    if len(text) > _LONGEST or not _FORMS[name].fullmatch(text):
        return False
    if name in _BOUNDS:
        low, high = _BOUNDS[name]
        return low <= int(text) <= high
    if name in ("date", "dateTime", "dateTimeStamp") and text[0] != "-" and text[4] == "-":
        try:
            date.fromisoformat(text[:10])
        except ValueError:
            return text[:4] == "0000"
    return True
