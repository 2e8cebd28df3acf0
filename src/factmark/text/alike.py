"""Texts written alike, so that the same words are found however a file wrote them.

A hyphen is a hyphen, whether it is a dash, stands between blanks, or at the end of a line; quotes,
blanks and ligatures are one each; what cannot be seen is not there. The page's search folds texts
in the same way (`people/desk/static/alike.js`); a test holds the two against each other, code point
by code point.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_APOSTROPHES = "'`´‘’‚‛′ʹʻʼʽˈ"
_QUOTES = '"“”„‟″«»〝〞'
_BEFORE = str.maketrans("`´″", "''\"")  # which NFKC would take apart
_MINUS = "−⁃˗"
# What Unicode calls default ignorable, as in `blinding`.
_IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_BLANKS = re.compile(r"[\s\x1c-\x1f\x85]+")
_SPACED_HYPHEN = re.compile(r"(?<=[^\W_])(?: -|- | - )(?=[^\W_])")

_LINE_END = r"[ \t]*(?:\r\n|[\n\r])[ \t]*"
# `pre-\nand post-operative` lacks the rest of a word, and is not broken.
_SUSPENDED = "(?!(?:and|or|nor|to|versus|vs)\\b)"
# From the beginning of a word and never back: else a long word is gone through once a letter.
BROKEN_WORD = re.compile(rf"(?<![^\W\d_])([^\W\d_]++)[-‐\u00ad]{_LINE_END}{_SUSPENDED}([^\W\d_]+)")
"""A word that goes on in the next line: its two parts."""
_WORD = re.compile(r"[^\W\d_]+")


def write_alike(text: str) -> str:
    """Returns a text by NFKC, with one sign for each kind of hyphen, quote and blank, hyphens
    between words without blanks, and nothing invisible; case stays.

    >>> write_alike("the x - ray of a “ﬁne”\\u2009cat")
    'the x-ray of a "fine" cat'
    """
    plain = text.translate(_BEFORE)
    if not plain.isascii():
        plain = _IGNORED.sub("", unicodedata.normalize("NFKC", _IGNORED.sub("", plain)))
        plain = "".join(map(_sign, plain))
    return _SPACED_HYPHEN.sub("-", _BLANKS.sub(" ", plain))


def whole_word(text: str) -> Callable[[re.Match[str]], str]:
    """Returns what writes a match of `BROKEN_WORD` in a text as one word: without the hyphen where
    the text has that word elsewhere, else with it, for it may be the word's own."""
    whole = ""
    if BROKEN_WORD.search(text):
        whole = BROKEN_WORD.sub(" ", text)
    known = {word.casefold() for word in _WORD.findall(whole)}

    def write(match: re.Match[str]) -> str:
        joined = match[1] + match[2]
        if joined.casefold() in known:
            return joined
        return f"{match[1]}-{match[2]}"

    return write


def _sign(letter: str) -> str:
    """Returns what stands for a sign of its kind."""
    if letter in _APOSTROPHES:
        return "'"
    if letter in _QUOTES:
        return '"'
    if letter in _MINUS or unicodedata.category(letter) == "Pd":
        return "-"
    return letter
