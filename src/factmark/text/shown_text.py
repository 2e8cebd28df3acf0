"""Text and numbers as a report shows them: nothing invisible, nothing that cannot be encoded."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from factmark.model import Estimate
from factmark.redaction import redacted

NO_VALUE = "–"
LONGEST_NAME = 200  # characters of a name or a title
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")

# Control characters except tab and line breaks, line and paragraph separators, the bidirectional
# embeddings, overrides and isolates, lone surrogates, non-characters, and the invisible tags.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """The text without secrets, with every unsafe character spelled out as `[U+202E]`; line breaks
    become `\\n`.

    Tabs and line breaks stay. What is spelled out could move or hide the text around it, drive a
    terminal, or not be written as UTF-8 at all.

    >>> visible("a\\x00b\\r\\nc")
    'a[U+0000]b\\nc'
    """
    lines = redacted(text).replace("\r\n", "\n").replace("\r", "\n")
    return _UNSAFE.sub(lambda match: f"[U+{ord(match[0]):04X}]", lines)


def json_escaped(text: str) -> str:
    """Returns a JSON text with every unsafe character in it as an escape; its value stays the same.

    >>> json_escaped('"\\x9b"')
    '"\\\\u009b"'
    """
    return _UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text)


def ascii_json(text: str) -> str:
    """Returns a JSON text with every letter beyond ASCII as an escape; its value stays the same.

    >>> ascii_json('"± 1"')
    '"\\\\u00b1 1"'
    """
    return _BEYOND_ASCII.sub(lambda match: json.dumps(match[0])[1:-1], text)


def one_line(text: str) -> str:
    """Returns `visible` text with each run of white space as one blank."""
    return " ".join(visible(text).split())


def named(text: str) -> str:
    """Returns a name as `one_line`, or `–` where it is empty."""
    return one_line(text) or NO_VALUE


def number(value: float | None) -> str:
    """Returns a number with two decimals, `–` for none; what rounds to zero has no sign.

    >>> number(2 / 3), number(None), number(-0.004)
    ('0.67', '–', '0.00')
    """
    if value is None or not math.isfinite(value):
        return NO_VALUE
    return f"{value:z.2f}"


def interval(estimate: Estimate) -> str:
    """Returns the bounds as `[0.31–0.78]`; empty where there is no value or no interval."""
    bounds = (estimate.value, estimate.low, estimate.high)
    if any(bound is None or not math.isfinite(bound) for bound in bounds):
        return ""
    return f"[{number(estimate.low)}–{number(estimate.high)}]"


def count(n: int, singular: str, many: str) -> str:
    """Returns a number, with commas between thousands, and its noun.

    >>> count(1, "answer", "answers"), count(2000, "answer", "answers")
    ('1 answer', '2,000 answers')
    """
    return f"{n:,} {singular if n == 1 else many}"


def listed(parts: Sequence[str]) -> str:
    """Returns parts of a sentence in a row.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def some(parts: Sequence[str], most: int = 4) -> str:
    """Returns parts of a sentence in a row: all, or the first ones and how many more there are.

    >>> some(["a", "b", "c"]), some(["a", "b", "c"], 2)
    ('a, b and c', 'a, b and 1 more')
    """
    if len(parts) <= most:
        return listed(parts)
    return listed([*parts[:most], f"{len(parts) - most:,} more"])


def some_long(parts: Sequence[str], most: int) -> str:
    """Returns the same of parts that hold commas.

    >>> some_long(["a, b", "c", "d"], 2)
    'a, b; c; and 1 more'
    """
    if len(parts) <= most:
        return "; ".join(parts)
    return "; ".join([*parts[:most], f"and {len(parts) - most:,} more"])


def first_names(names: Iterable[object]) -> str:
    """Returns the names of what is there: the first twelve, and how many more there are.

    >>> first_names(["id", "text"]), first_names([]), first_names(range(15))[-14:]
    ('id, text', 'nothing', ' 11 and 3 more')
    """
    shown = [str(name) for name in names]
    more = ""
    if len(shown) > 12:
        more = f" and {len(shown) - 12:,} more"
    return f"{', '.join(shown[:12])}{more}" or "nothing"


def shorten_name(name: str) -> str:
    """Returns a name or title, cut with `…` where it is longer than `LONGEST_NAME`."""
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME]}…"


def name_counts(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Each name once, shortened, with how often it occurs; in the order of first occurrence."""
    return tuple(Counter(map(shorten_name, names)).items())
