"""A finer rating that an annotator wrote into a comment, as "3.5"; only ever a column of its own.

Read conservatively: a rating that is not read is only a gap in that column, and a dose that is
read as a rating is an error in it. So the number must have a decimal part, lie from 0 to 5 and at
most 1 from the label, and stand where a rating stands: alone, at the beginning before a stop, over
5, or after words such as "I'd say".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_AWAY = 1.0

_NUMBER = r"(?<![\w.,/=<>+−–-])(?P<whole>[0-5])[.,](?P<part>\d{1,2})"
_OVER = r"(?:\s*(?:/|out\s+of|of)\s*5(?:[.,]0)?)"
_END = r"(?=\s*(?:$|[.!?;)\n]|,(?!\d)|[–—]|-\s|(?:but|because|since|as|overall|if)\b))"
_SOFT = r"(?:about|around|maybe|perhaps|probably|rather|roughly|more\s+like|closer\s+to|a|an|~|≈)"
_OPENING = (
    r"(?:(?:my\s+)?(?:rating|score)\s*(?:is|would\s+be)?\s*[:=]?\s*"
    r"|(?:it['’]s|it\s+is|this\s+is)\s+an?\s+)?"
)
_ALONE = re.compile(
    rf"^[\s(\[\"'“*]*{_OPENING}(?:{_SOFT}\s*)*{_NUMBER}{_OVER}?(?:\s*(?:points?|stars?))?"
    r"[\s)\].!?\"'”*]*$",
    re.IGNORECASE,
)
_FIRST = re.compile(
    rf"^[\s(\[]*{_OPENING}(?:{_SOFT}\s*)*{_NUMBER}{_OVER}?"
    r"(?:\s*[:;)\]\n]|,(?!\d)|\.(?!\d)|\s+[–—-]\s|\s+(?:because|since|but)\b)(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SAID = re.compile(
    r"\b(?:i['’]?d|i\s+would)\s+(?:say|(?:give|rate|call)(?:\s+(?:it|this(?:\s+one)?))?)\s+"
    rf"(?:{_SOFT}\s*)*{_NUMBER}{_OVER}?{_END}",
    re.IGNORECASE,
)
_OVER_FIVE = re.compile(rf"{_NUMBER}{_OVER}{_END}", re.IGNORECASE)


def finer_rating(label: str | None, comment: str) -> float | None:
    """The rating with a decimal part that a comment states, or None.

    Args:
        label: the rating that was chosen, `0` to `5`; without one nothing is read.

    >>> finer_rating("4", "3.5"), finer_rating("3", "I'd say 3,5"), finer_rating("3", "3.5 mg")
    (3.5, 3.5, None)
    """
    if label is None or not label.isdecimal():
        return None
    text = comment.strip().replace("½", ".5")
    found = {value for value in _stated(text) if 0 <= value <= 5}
    if len(found) != 1:
        return None
    value = found.pop()
    return value if abs(value - float(label)) <= MOST_AWAY else None


def _stated(text: str) -> Iterator[float]:
    if alone := _ALONE.match(text):
        yield _value(alone)
        return
    first = _FIRST.match(text)
    if first and not re.search(r"\d", first["rest"]):  # else it may be a figure beside another
        yield _value(first)
    for pattern in (_SAID, _OVER_FIVE):
        for found in pattern.finditer(text):
            yield _value(found)


def _value(found: re.Match[str]) -> float:
    return float(f"{found['whole']}.{found['part']}")
