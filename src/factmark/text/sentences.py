"""The sentences of a biomedical text, also of one in lower case.

`answers/clauses.py` works on tokens that an answer's markup was taken from, `graphs/mentions.py`
needs a capital after the full stop; the published PubMed summaries have none, and name species
(`e. coli`), references (`ignored.1 the`) and drugs by weight (`i.v.`) in between.

Where it is wrong: after an abbreviation that does end its sentence (`at 8 a.m. the patient`), and
after a single letter that ends one, unless the letter is mostly a name's last word (`vitamin c.`)
or a word follows that mostly begins a sentence: those are left in one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from factmark.text.lexicon import word_set

# A run of marks is looked at from its first one only: time in proportion to the text.
_STOP = re.compile(r"(?<![.!?…])[.!?…]++[\"')\]}»”’]*+(?=\s|\Z)|\n\s*\n\s*")
# A reference set high, as in `was ignored.1 the` or `(20%).3 secondly`.
_REFERENCE = re.compile(
    r"(?<=[a-z\d)%][a-z)%]{2})\.\d{1,3}(?:[,\u2013-] ?\d{1,3}){0,9}(?=\s+[A-Za-z])"
)
_END = re.compile(f"{_STOP.pattern}|{_REFERENCE.pattern}")
_LAST_WORD = re.compile(r"[\w.-]{1,24}$")
_NEXT_WORD = re.compile(r"[\s\"'(\[]*([\w-]{1,24})")

_ABBREVIATIONS = word_set(
    "vs cf dr mr mrs ms prof st e.g i.e eg ie al approx ca fig figs ref refs eq eqs no nos vol "
    "dept inc ltd co spp sp subsp var ssp resp incl i.v i.p i.m s.c p.o i.d b.i.d t.i.d q.d a.m "
    "p.m u.s u.k st sect ed eds min max avg est sec suppl tab jan feb mar apr jun jul aug sept oct "
    "nov dec"
)
# Not an end although a capital follows: a name or a number belongs to them.
_NEVER_LAST = word_set("vs cf dr mr mrs ms prof e.g i.e eg ie fig figs ref refs eq eqs approx ca")
_BEFORE_LETTER = word_set(
    "vitamin vitamins hepatitis type types group groups protein factor class grade stage phase arm "
    "cohort table figure panel appendix case patient category child-pugh influenza complex"
)
_STARTERS = word_set(
    "the a an this these that those we our it its they there he she his her their in on at of to "
    "for from by with after before during both all most some many no one two three four patients "
    "however moreover furthermore therefore thus although while when if as since because results "
    "conclusion conclusions methods background objective here finally overall additionally further"
)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Span:
    """The characters from `start` up to `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The piece itself.

        >>> Span(start=2, end=5).of("a few words")
        'few'
        """
        return text[self.start : self.end]


def sentences(text: str) -> tuple[Span, ...]:
    """The sentences in order, each with its final marks, without white space around.

    Everything but white space is in exactly one. A line break ends none, since those of PubMed's
    articles stand anywhere; a blank line does.
    """
    out: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if _ends(text, match):
            _add(out, text, start, match.end())
            start = match.end()
    _add(out, text, start, len(text))
    return tuple(out)


def _add(out: list[Span], text: str, start: int, end: int) -> None:
    piece = trimmed(text, start, end)
    if piece.start < piece.end:
        out.append(piece)


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends; empty if there is nothing else."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return Span(start=start, end=start + len(piece.strip()))


def _ends(text: str, match: re.Match[str]) -> bool:
    """Whether a full stop (or another mark) ends its sentence."""
    if match[0][0] != ".":
        return True
    at = match.start()
    before = _LAST_WORD.search(text, max(0, at - 24), at)
    if before is None:  # after a blank, as tokenisers put it, or after a bracket
        return not _torn_number(text, at)
    after = _NEXT_WORD.match(text, match.end())
    if after is None:
        return True
    word, following = before[0].lower().lstrip("."), after[1]
    if len(word) == 1 and word.isalpha():
        return _ends_in_letter(text, before.start(), following)
    if word in _NEVER_LAST:
        return False
    if word in ("no", "nos"):
        return not following[0].isdigit()
    if word in _ABBREVIATIONS:
        return following[0].isupper() or following in ("we", "the", "this", "these")
    return True


def _ends_in_letter(text: str, start: int, following: str) -> bool:
    """`vitamin c. patients`, `5 g. then` and `mg/l. then` end; `e. coli` and `J. Smith` do not."""
    before = text[max(0, start - 25) : start].rstrip()
    if before[-1:] in ("/", "%") or before[-1:].isdigit():
        return True
    named = _LAST_WORD.search(before)
    if named is not None and named[0].lower() in _BEFORE_LETTER:
        return True
    return following.lower() in _STARTERS


def _torn_number(text: str, at: int) -> bool:
    """Whether a full stop stands between blanks and digits, as in `3 . 5`."""
    digit_before = at > 1 and text[at - 1] == " " and text[at - 2].isdigit()
    return digit_before and text[at + 1 : at + 2] == " " and text[at + 2 : at + 3].isdigit()
