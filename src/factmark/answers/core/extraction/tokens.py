"""Tokens of a segment: words, numbers, dates, addresses, prefixed names, punctuation.

A number in words, a date in words and a percentage are one token each, so that later steps see
one thing where a reader sees one thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from factmark.text.words import MONTHS, NUMBER_WORDS, SCALES, normalise


class Kind:
    """What a token is by its form; plain numbers, since an enum's members are slow to look up."""

    WORD = 1
    NUMBER = 2
    DATE = 3
    URL = 4
    CURIE = 5
    MARK = 6  # punctuation
    EDGE = 7  # where emphasis or code begins or ends


FIGURES = (Kind.NUMBER, Kind.DATE)


@dataclass(slots=True)
class Token:
    """One token; `start` and `end` count from the begin of the answer."""

    kind: int
    text: str
    lower: str
    start: int
    end: int
    words: tuple[str, ...] = ()  # normalised (M1); for a prefixed name, those of its local part
    emphasised: bool = False  # stands in emphasis or code
    edge: bool = False  # emphasis or code begins or ends just before it
    gap: int = 0  # characters between it and the token before it


_NUMBERS = (*NUMBER_WORDS, *(f"{word}s" for word in SCALES), "dozens")
_NUMBER_WORD = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))


def _begins(words: Iterable[str]) -> str:
    """A look-ahead at the first two letters that some words have."""
    first, second, *_ = zip(*words, strict=False)
    return f"(?=[{''.join(sorted({*first}))}][{''.join(sorted({*second}))}])"


# Where the groups of a molecule stand (`1,2-dichloroethane`, `5S-hydroperoxy-6,8-...`): one word.
_PLACES = r"\d{1,2}[a-z]?'?(?:,\d{1,2}[a-z]?'?)+"
_CHEMICAL = rf"[a-z]{{2,}}\w*(?:-(?:{_PLACES}-)?\w+)*"
_CHEMICAL_WITH_PLACES = rf"\w++(?:-\w++){{0,4}}?-{_PLACES}-{_CHEMICAL}"

# The look-aheads before the rarer kinds cost one step where the kind cannot begin. A blank before
# a token is taken with it, so that none is tried as a token.
_TOKEN = re.compile(
    rf"""
    [ ]?+(?:(?P<url>(?=[hfw])(?:(?:https?|ftp)://|www\.)[^\s<>|"\x1f]+)
  | (?P<curie>(?=[a-z][\w-]{{0,40}}+:\w)
        (?:[\w-]+:[a-z_][\w.-]*\w|(?:sct|snomed(?:ct)?|loinc|rxnorm|icd\w*|mesh|umls):\d(?:[\w.-]*\w)?))
  | {_begins(MONTHS)}(?P<month>
        (?:{_MONTH})\b\.?(?:\s+\d{{1,2}}(?:st|nd|rd|th)?)?,?\s+\d{{4}}\b(?!-\d))
  | (?=\d)(?:(?P<date>
        \d{{4}}-\d{{2}}(?:-\d{{2}}(?:T[\d:.]+Z?)?|(?![\d-]))
      | \d{{1,2}}(?P<sep>[/.-])\d{{1,2}}(?P=sep)\d{{4}}
      | \d{{4}}/\d{{1,2}}/\d{{1,2}}
      | \d{{1,2}}(?:st|nd|rd|th)?(?:\s+of)?[\s-]+(?:{_MONTH})\b\.?,?[\s-]+\d{{4}}\b)
  | (?P<code>\d+(?:-\d+){{2,}}\b)
  | (?P<chemical>{_PLACES}-{_CHEMICAL}))
  | (?=[\d$€£cegu])(?P<number>
        \d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?[ap]m)?\b  # a time
      | \d+(?:\((?:\d{{1,2}}|[a-z]{{1,3}})\))+  # a paragraph
      | (?:[$€£]|(?:eur|usd|gbp|chf)\s)?
        (?:\d{{1,3}}(?:\ \d{{3}})+(?!\d)|\d+(?:[,\u202f\u00a0]\d{{3}})*)(?:\.\d+)*\+?
        (?:\s?%|\s(?:percent|per\ cent)\b|\s?°(?:\s?[cf]\b)?)?
        (?!\w|-[a-z]))
  | {_begins(_NUMBERS)}(?P<spelled>
        (?:{_NUMBER_WORD})(?:(?:-|\s+and\s+|\s+)(?:{_NUMBER_WORD})){{0,9}}
        (?:\s(?:percent|per\ cent)\b)?
        (?!\w|-[a-z]))
  | (?P<word>
        (?:[a-z]\.){{2,}}
      | {_CHEMICAL_WITH_PLACES}
      | \w+(?:(?:['’ʼ&+@]|[-–](?=\w)|\.(?=[a-z]{{1,5}}\b(?!\s[A-Z])|\d))\w+)*\+*)
  | (?P<edge>\x1f+)
  | (?P<mark>[^\s\w]))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_KINDS = {
    _TOKEN.groupindex[name]: kind
    for name, kind in {
        "url": Kind.URL,
        "curie": Kind.CURIE,
        "date": Kind.DATE,
        "month": Kind.DATE,
        "code": Kind.WORD,
        "chemical": Kind.WORD,
        "number": Kind.NUMBER,
        "spelled": Kind.NUMBER,
        "word": Kind.WORD,
        "edge": Kind.EDGE,
        "mark": Kind.MARK,
    }.items()
}
_SPELLED = _TOKEN.groupindex["spelled"]


def _in_name(word: str, after: str) -> bool:
    """Whether a number in words begins a name: `Nine Lanterns`, and not `Nine lakes`."""
    return word[0].isupper() and after[:1] == " " and after[1:].isupper()


@lru_cache(maxsize=65_536)
def _forms(word: str) -> tuple[str, str, tuple[str, ...]]:
    """A word, in lower case, and normalised; the same texts each time, quick to look up."""
    return word, word.casefold(), normalise(word)


def tokenise(text: str, start: int) -> list[Token]:
    """The words and signs that a reader sees of a masked segment that begins at `start` in the
    answer."""
    tokens: list[Token] = []
    inside = False
    edge = False
    end = 0
    for match in _TOKEN.finditer(text):
        group = match.lastindex or 0  # there is one
        kind = _KINDS[group]
        word = match[group]
        begin = start + match.start(group)
        if kind is Kind.EDGE:
            inside = not inside
            edge = True
            continue
        if group == _SPELLED and _in_name(word, text[match.end() : match.end() + 2]):
            kind = Kind.WORD
        if kind is Kind.WORD:
            word, lower, words = _forms(word)
        elif kind is Kind.MARK:
            lower = word
            words = ()
        else:
            if kind is Kind.URL:
                word = word.rstrip(".,;:!?)]'’”*")
            lower = word.casefold()
            words = normalise(word.partition(":")[2] if kind is Kind.CURIE else word)
        stop = begin + len(word)
        tokens.append(Token(kind, word, lower, begin, stop, words, inside, edge, begin - end))
        edge = False
        end = stop
    return tokens
