"""The sentences of a biomedical text, also of one in lower case.

`answers/core/extraction/sentences.py` works on tokens that an answer's markup was taken from; the
published PubMed summaries have no capital after a full stop, and name species (`e. coli`),
references (`ignored.1 the`) and drugs by weight (`i.v.`) in between.

Where it is wrong: after an abbreviation that does end its sentence (`at 8 a.m. the patient`), and
after a single letter that ends one, unless the letter is mostly a name's last word (`vitamin c.`)
or a word follows that mostly begins a sentence: those are left in one.

A sentence that lost the blank after its full stop (`in the bath.objectives: we asked`) ends where
the name of a part of an abstract follows, or a word that mostly begins sentences. Before any other
word it goes on, since `node.js`, `dct.title` and `example.org` have such full stops too.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from factmark.text import lexicon
from factmark.text.lexicon import ENGLISH, word_set
from factmark.text.patterns import late_pattern

# A run of marks is looked at from its first one only: time in proportion to the text. One in
# brackets (`[?]`, `[...]`) ends none.
_STOP = late_pattern(
    r"(?<![.!?…\[])[.!?…]++[\"')\]}»”’]*+(?=\s|\Z)(?:\s++[.!?…]++[\"')\]}»”’]*+(?=\s|\Z))*+"
    r"|\n\s*\n\s*"
)
# A reference set high, as in `was ignored.1 the` or `(20%).3 secondly`.
_REFERENCE = late_pattern(
    r"(?<=[a-z\d)%][a-z)%]{2})\.\d{1,3}(?:[,\u2013-] ?\d{1,3}){0,9}(?=\s+[A-Za-z])"
)
_PARTS = "|".join(ENGLISH["abstract_parts"])
ANY_PART = rf"(?:{_PARTS}|patients|participants|subjects)"
"""A pattern of the name of a part of an abstract, in lower case."""
_GLUED_STARTS = "|".join(sorted(word for word in lexicon.SENTENCE_STARTERS if len(word) > 2))
_SHORT_STARTS = "we|it|he|in|at|on|to|by"  # `example.no, where` is an address

# A full stop with no blank after it. No part's name is asked to end: `methodswe searched` has lost
# more than one blank.
_GLUED_PART = late_pattern(
    rf"[.?!](?<=[a-z\d)\]%][.?!])(?=(?:{_PARTS})[a-z\d:\s]|{ANY_PART}:)", re.IGNORECASE
)
_GLUED = late_pattern(
    rf"[.?!](?<=[a-z\d)\]%][a-z\d)\]%][.?!])(?=(?:{_GLUED_STARTS}),?\s|(?:{_SHORT_STARTS})\s"
    r"|a\s(?:total\s|\d|[a-z]{4}))",
    re.IGNORECASE,
)
_ADDRESS = late_pattern(r"(?:://|www\.|@)\S*\Z|[a-z-]\.[\w-]+\Z|\bwww\Z", re.IGNORECASE)
_END = late_pattern(
    r"(?=[.!?…\n])"  # of most characters one look is enough
    f"(?:{_STOP.pattern}|{_REFERENCE.pattern}|(?i:{_GLUED_PART.pattern}|{_GLUED.pattern}))"
)
_LONGEST_WORD = 25  # characters that `_LAST_WORD` looks at, with a line break
_LAST_WORD = late_pattern(r"[\w.-]{1,24}$")
_INITIALS = late_pattern(r"\s*(?:[A-Z]\.[ -]?){1,4}[A-Z][a-z]")
_NEXT_WORD = late_pattern(r"[\s\"'(\[]*([\w-]{1,24})")

# Not an end although a capital follows: a name or a number belongs to them.
_NEVER_LAST = word_set("vs cf dr mr mrs ms prof e.g i.e eg ie fig figs ref refs eq eqs approx ca")
_MAY_GO_ON = _NEVER_LAST | lexicon.ABBREVIATIONS | {"no", "nos"}
"""After which a full stop ends a sentence or does not; `_ends_after` knows."""
_BEFORE_LETTER = word_set(ENGLISH["before_letters"])


class Span(NamedTuple):
    """The characters from `start` up to `end`; a tuple, since a long text has many."""

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
            out.append(trimmed(text, start, match.end()))
            start = match.end()
    out.append(trimmed(text, start, len(text)))
    return tuple(piece for piece in out if piece.start < piece.end)


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends; empty if there is nothing else."""
    piece = text[start:end]
    inside = piece.strip()
    start += piece.find(inside)
    return Span(start, start + len(inside))


def _ends(text: str, match: re.Match[str]) -> bool:
    """Whether a full stop (or another mark) ends its sentence."""
    if match[0][0] != ".":
        return True
    at, end = match.span()
    before = text[max(0, at - 49) : at]
    if text[end : end + 1].isalpha():
        if _ADDRESS.search(before):
            return False
        if _GLUED_PART.match(text, at):
            return True
    if match[0] != "." and match[0][1].isdigit() and _before_number(before):
        return False
    if at and text[at - 1].isspace():  # as tokenisers put it
        return not _torn_number(text, at)
    last = _LAST_WORD.search(before, max(0, len(before) - _LONGEST_WORD))
    if last is None:  # after a bracket
        return True
    word = last[0].lower().lstrip(".")
    if len(word) > 1 and word not in _MAY_GO_ON:
        return True
    return _ends_after(before, text[end : end + 40])


@lru_cache(maxsize=4_096)
def _ends_after(before: str, after: str) -> bool:
    """Whether a full stop between these texts ends a sentence, after a letter or a word that may
    be shortened."""
    last = _LAST_WORD.search(before, max(0, len(before) - _LONGEST_WORD))
    following = _NEXT_WORD.match(after)
    if last is None or following is None:  # after a bracket, or at the end
        return True
    word = last[0].lower().lstrip(".")
    opening = following[1]
    if len(word) == 1 and word.isalpha():
        if last[0].isupper() and _INITIALS.match(after):
            return False  # `N. A. Armstrong`
        return _ends_in_letter(before[: last.start()].rstrip(), opening)
    if word in _NEVER_LAST:
        return False
    if word in ("no", "nos"):
        return not opening[0].isdigit()
    if word in lexicon.ABBREVIATIONS:
        if word in ("min", "sec") and before[: last.start()].rstrip()[-1:].isdigit():
            return opening.lower() not in lexicon.PREPOSITIONS  # `20-40 min. 244 parents`
        return opening[0].isupper() or opening in ("we", "the", "this", "these")
    return True


def _ends_in_letter(before: str, following: str) -> bool:
    """`vitamin c. patients`, `5 g. then` and `mg/l. then` end; `e. coli` and `J. Smith` do not."""
    if before[-1:] in ("/", "%", "°", ")") or before[-1:].isdigit():
        return True
    named = _LAST_WORD.search(before)
    if named is not None and named[0].lower() in _BEFORE_LETTER:
        return True
    return following.lower() in lexicon.SENTENCE_STARTERS


def _before_number(before: str) -> bool:
    """Whether a number, and no reference, follows: `higher than.35 with`."""
    last = _LAST_WORD.search(before)
    return last is not None and last[0].lower() in lexicon.PREPOSITIONS | lexicon.AUXILIARIES


def _torn_number(text: str, at: int) -> bool:
    """Whether a full stop stands between blanks and digits, as in `3 . 5`."""
    digit_before = at > 1 and text[at - 1] == " " and text[at - 2].isdigit()
    return digit_before and text[at + 1 : at + 2] == " " and text[at + 2 : at + 3].isdigit()
