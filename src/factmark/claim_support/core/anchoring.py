"""Is a claim that a model cut out of a sentence in what it was cut from? Pure.

A model that splits may add what it knows besides. So a claim must share a word with its sentence,
and most of its words must be in the response, whose names stand for the sentence's pronouns. A form
of a word will do (`announcement` for `announced`). Measured on splits by GPT-3.5 (WiCE: 227) and by
Claude 2 (RefChecker's responses in prose: 8,480): 0.4 % and 0.6 % are not anchored, most of them
since they take words of the question. Of claims on the same question that come from another
response 51 % are not, of those on another question 99 %.

What is stated with words of the response alone (`was not opened in 1931`) is not found out, and
neither is what adds one word to many. Texts of two languages cannot be compared: there a claim is
taken as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from factmark.text.lexicon import ADVERBS, FUNCTION_WORDS
from factmark.text.words import normalise

_FUNCTION = frozenset(
    stem for word in (*FUNCTION_WORDS, *ADVERBS, "there") for stem in normalise(word)
)
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_YEARS = re.compile(r"\b(\d{4})\s?[-–—/]\s?(\d\d)\b")
_ROOT = 4  # first letters that forms of a word have in common
_LEAST_WORDS = 5  # a shorter text does not show its language
# shares of function words: from this on English; below, not
_ENGLISH = 0.2
_FOREIGN = 0.1


class _Text(NamedTuple):
    """What claims are compared with: the words of a text, their roots, and its numbers."""

    words: frozenset[str]
    roots: frozenset[str]
    numbers: frozenset[str]
    in_english: float

    def has(self, word: str) -> bool:
        """Whether the text has a word, or a form of it."""
        return word in self.words or _root(word) in self.roots


def is_anchored(claim: str, sentence: str, response: str) -> bool:
    """Returns whether a claim is in the sentence that it was cut from, with names and other words
    of the response.

    >>> response = "The Lindau bridge opened in 1931. It was sold in 1950 by the town."
    >>> sentence = "It was sold in 1950 by the town."
    >>> is_anchored("The Lindau bridge was sold in 1950.", sentence, response)
    True
    >>> is_anchored("The Lindau bridge is made of steel.", sentence, response)
    False
    >>> is_anchored("The Lindau bridge opened in 1931.", sentence, response)
    False
    """
    whole = _read(response)
    part = _read(sentence)
    words = _content(claim)
    if _in_another_language(claim, whole):
        return True
    if any(len(n) > 1 for n in _numbers(claim) - whole.numbers - whole.words):
        return False  # a number of one digit may be counted, as *two* is of a list
    if any(map(_is_content, part.words)) and not any(map(part.has, words)):
        return not words
    foreign = []
    for word in words:
        if not whole.has(word):
            foreign.append(word)
    if len(words) == 2 and foreign == words[:1]:
        return True  # `She died in 1918`, of `(1900-1918)`
    return 2 * len(foreign) < len(words) or not words


@lru_cache(maxsize=256)
def _read(text: str) -> _Text:
    """Returns a text as claims are compared with it."""
    words = _words(text)
    return _Text(
        words=frozenset(words),
        roots=frozenset(map(_root, words)),
        numbers=_numbers(text),
        in_english=_in_english(words),
    )


def _words(text: str) -> Sequence[str]:
    """Returns the words of a text; of writing without blanks between words its letters."""
    parts: list[str] = []
    for word in normalise(text):
        if _UNSPACED.search(word):
            parts += word
        else:
            parts += [word]
    return parts


def _content(text: str) -> list[str]:
    """Returns the words of a text that say something, each once."""
    return list(dict.fromkeys(filter(_is_content, _words(text))))


def _is_content(word: str) -> bool:
    """Whether a word says something by itself."""
    return word not in _FUNCTION and (len(word) > 1 or not word.isascii() or word.isdigit())


def _root(word: str) -> str:
    """Returns what forms of a word have in common; of a number all of it."""
    if word.isalpha():
        return word[:_ROOT]
    return word


def _numbers(text: str) -> frozenset[str]:
    """Returns the numbers of a text, without commas and leading zeros."""
    ends = (f"{first[:2]}{end}" for first, end in _YEARS.findall(text))  # `1508-12`
    numbers = (*_NUMBER.findall(text), *ends)
    return frozenset(number.replace(",", "").lstrip("0") for number in numbers)


def _in_english(words: Sequence[str]) -> float:
    """Returns the share of a text's words that are English ones without a meaning of their own."""
    return sum(word in _FUNCTION for word in words) / max(1, len(words))


def _in_another_language(claim: str, response: _Text) -> bool:
    """Whether a claim is English and the response is not, as far as their words show it."""
    if len(response.words) < _LEAST_WORDS or response.in_english >= _FOREIGN:
        return False
    return _in_english(_words(claim)) >= _ENGLISH
