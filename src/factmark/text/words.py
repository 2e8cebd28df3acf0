"""Rule M1: a text as a sequence of normalised words.

NFKC, case-folded, camelCase and hyphens split, punctuation and digit grouping dropped, number
words as digits, dates as in ISO 8601, inflection stemmed. No synonyms, no derivations: the
stemmer takes off plural, past and -ing endings only. (A Porter stemmer is too strong here: it
makes `distribution` and `distribute` one word, which M1 forbids.)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from factmark.text.lexicon import ENGLISH
from factmark.text.patterns import late_pattern

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_APOSTROPHE = re.compile(r"(?<=\w)['’ʼ](?=\w)")
_DASH = re.compile(r"(?<=[\d%])\s?[–—]\s?(?=\d)|(?<!\d-)(?<=\d)-(?=\d+\b(?!-))")
_GROUPING = re.compile(r"(?<=\d)[,\u202f\u00a0' ](?=\d{3}(?!\d))")
_CODES = {"€": "eur", "$": "usd", "£": "gbp"}
_CURRENCY = re.compile(r"[€$£](?=\s?\d)|(?<=\d)\s?[€$£]")
_ACCENT = re.compile(r"([A-Za-z])[\u0300-\u036f]+")
_WORD = re.compile(
    r"\d+(?:\.\d+)*\s?(?:%|percent\b|per\s+cent\b)"  # one word: 2% is not 2, 20 mg not 20
    r"|\d+(?:\.\d+)*\s?(?:mg|mcg|[uµ]g|g|kg|ml|l|hr|iu|meq|mmol)\b"
    r"|\d+(?:\.\d+)+|\d+(?=[a-z]{1,3}\b)|[^\W_]+"
)
_PERCENT = re.compile(r"\s?(?:%|per\s?cent)$")

UNITS = {word: value for value, word in enumerate(ENGLISH["ones"].split())}
TENS = {word: 10 * value for value, word in enumerate(ENGLISH["tens"].split(), start=2)}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
NUMBER_WORDS = frozenset(UNITS) | frozenset(TENS) | frozenset(SCALES)

MONTHS = {
    name: month for month, names in enumerate(ENGLISH["months"], start=1) for name in names.split()
}
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATES = (
    late_pattern(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[\s-]+(?P<m>{_MONTH})\b\.?,?[\s-]+(?P<y>\d{{4}})\b"
    ),
    late_pattern(
        rf"\b(?P<m>{_MONTH})\b\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})\b"
    ),
    late_pattern(rf"\b(?P<m>{_MONTH})\b\.?,?\s+(?P<y>\d{{4}})\b"),
    re.compile(r"\b(?P<d>\d{1,2})(?P<s>[/.-])(?P<m>\d{1,2})(?P=s)(?P<y>\d{4})\b"),
    re.compile(r"\b(?P<y>\d{4})(?P<s>[/.-])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})(?:t[\d:.]+z?)?\b"),
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{2})\b(?!-)"),
)
_MONTH_WORD = late_pattern(rf"\d\D{{0,6}}\b(?:{_MONTH})\b|\b(?:{_MONTH})\b\D{{0,3}}\d")
_MAY_BE_DATE = re.compile(r"\d{4}")

_LONGEST_NOTHING = 200
_NOTHING = re.compile(
    r"(?:[\W_]|(?<!\w)(?:nan|NaN|NAN|null|NULL|Null|none|None|NONE|NA|NaT|n/a|N/A|nil|undefined)"
    r"(?!\w))*"
)
"""Punctuation, and the words for an empty cell as pandas, JSON, SQL, R and others spell them."""

IRREGULAR: Mapping[str, str] = ENGLISH["irregular_stems"]


def says_nothing(text: str) -> bool:
    """Whether a text is empty but for what programs write into empty cells and around them.

    >>> [says_nothing(text) for text in ("", "nan", "['', None]", "<NA>", "…")]
    [True, True, True, True, True]
    >>> [says_nothing(text) for text in ("None of them.", "5", "Na", "NAN is a gene.")]
    [False, False, False, False]
    """
    return len(text) <= _LONGEST_NOTHING and bool(_NOTHING.fullmatch(text))


@lru_cache(maxsize=65_536)
def normalise(text: str) -> tuple[str, ...]:
    """The normalised words of a text, in order.

    >>> normalise("Re-identifying 1,916 patients")
    ('re', 'identify', '1916', 'patient')
    >>> normalise("31 December 2023") == normalise("2023-12-31")
    True
    """
    if text.isascii() and text.replace(" ", "").isalpha() and (text.islower() or text.istitle()):
        plain = text.casefold()  # words and blanks alone, as most names: the rest changes nothing
        return _numbers_joined(list(map(_normal_word, plain.split())))
    plain = unicodedata.normalize("NFKC", text)
    if not plain.isascii():
        plain = _without_marks(plain)
    plain = _CURRENCY.sub(_code, plain)
    plain = _CAMEL.sub(" ", _APOSTROPHE.sub("", plain)).casefold()
    plain = _GROUPING.sub("", plain)
    if _MAY_BE_DATE.search(plain):
        for pattern in _DATES:
            plain = pattern.sub(_iso_date, plain)
    if _MONTH_WORD.search(plain):
        plain = _ORDINAL_DAY.sub(r"\1 \2", _MONTH_FIRST.sub(r"\2 \1", plain))
    plain = _DASH.sub(" to ", plain)
    return _numbers_joined(list(map(_normal_word, _WORD.findall(plain))))


def _code(sign: re.Match[str]) -> str:
    """Returns the word that a sign stands for."""
    return f" {_CODES[sign[0].strip()]} "


def _without_marks(text: str) -> str:
    """Latin letters without their accents (*Malmö* is *Malmo*); other scripts as they are."""
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", _ACCENT.sub(r"\1", parts))


@lru_cache(maxsize=65_536)
def _normal_word(word: str) -> str:
    """Returns a number without blanks, or the stem of a word."""
    if word[0].isdigit():
        return _PERCENT.sub("percent", word).replace(" ", "")
    return stem(word)


_NAMED = "|".join(name for name in MONTHS if name != "may")  # *may 5 people*
_MONTH_FIRST = late_pattern(rf"\b({_NAMED})\b\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*,?\s*\d)")
_ORDINAL_DAY = late_pattern(rf"\b(\d{{1,2}})(?:st|nd|rd|th)(?:\s+of)?\s+({_MONTH})\b")


def _iso_date(match: re.Match[str]) -> str:
    """Returns a date as numbers; what is no date as it is."""
    parts = match.groupdict()
    month = MONTHS.get(parts["m"]) or int(parts["m"])
    day = parts.get("d")
    if day is not None and month > 12 >= int(day):  # month first, as in 12/31/2023
        month, day = int(day), str(month)
    if not 1 <= month <= 12 or (day is not None and not 1 <= int(day) <= 31):
        return match[0]
    return f"{parts['y']} {month:02d}" + (f" {int(day):02d}" if day is not None else "")


def _numbers_joined(words: list[str]) -> tuple[str, ...]:
    """Returns words with runs of number words as one number in digits: `twenty five` -> 25."""
    if NUMBER_WORDS.isdisjoint(words):
        return tuple(words)
    out: list[str] = []
    position = 0
    while position < len(words):
        value, length = _number_at(words, position)
        if length:
            out.append(str(value))
            position += length
        else:
            out.append(words[position])
            position += 1
    return tuple(out)


def _number_at(words: list[str], start: int) -> tuple[int, int]:
    """The value of the number words from `start` on, and how many words they are (0: none)."""
    total = current = 0
    limit = 10**12  # each of thousand, million, billion stands once, the larger one first
    position = start
    last = ""  # the sort of word that came before
    while position < len(words):
        word = words[position]
        if word in UNITS and (last in ("", "scale") or (last == "tens" and 0 < UNITS[word] < 10)):
            current = current + UNITS[word]
            last = "unit"
        elif word in TENS and last in ("", "scale"):
            current = current + TENS[word]
            last = "tens"
        elif word == "hundred" and last in ("unit", "tens") and current < 100:
            current = current * 100
            last = "scale"
        elif word in SCALES and word != "hundred" and last and current and SCALES[word] < limit:
            limit = SCALES[word]
            total = total + current * limit
            current = 0
            last = "scale"
        elif not (word == "and" and last == "scale" and _goes_on(words, position + 1)):
            break
        position += 1
    return total + current, position - start


def _goes_on(words: list[str], position: int) -> bool:
    """Whether there is a further word of a number."""
    return position < len(words) and (words[position] in UNITS or words[position] in TENS)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Takes off an inflectional ending (plural, past, -ing), never a derivational one.

    >>> stem("identifying"), stem("prohibited"), stem("studies"), stem("reproduction")
    ('identify', 'prohibit', 'study', 'reproduction')
    """
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 3 or word in NUMBER_WORDS:
        return word
    if word.endswith("ing") and _has_vowel(word[:-3]):
        return _repair(word[:-3], word)
    if word.endswith(("ied", "ies")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ed") and not word.endswith("eed") and _has_vowel(word[:-2]):
        return _repair(word[:-2], word)
    if word.endswith(("sses", "ches", "shes", "xes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if word.endswith("e") and len(word) > 4:
        return word[:-1]
    return word


def _has_vowel(stump: str) -> bool:
    """Whether a word's beginning has a vowel."""
    return any(letter in "aeiouy" for letter in stump)


def _repair(stump: str, word: str) -> str:
    """The stump of an -ed or -ing form in the form that `stem` gives the base."""
    if len(stump) <= 2:
        if stump + "e" in ("use", "age"):
            return stump + "e"
        return word
    if stump[-1] == stump[-2] and stump[-1] not in "lsz" and len(stump) > 3:
        return stump[:-1]
    if len(stump) == 3 and stump[-1] not in "wxy" and stump[-2] in "aeiouy":
        return stump + "e"  # base, code, type: an e that `stem` leaves on words of four letters
    if stump.endswith("e") and len(stump) > 4:
        return stump[:-1]
    return stump
