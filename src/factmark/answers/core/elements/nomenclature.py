"""Names that follow rules: symbols of letters and digits, abbreviations, and names of persons."""

from __future__ import annotations

import re
from functools import lru_cache

from factmark.text.lexicon import word_set
from factmark.text.word_classes import CLOSED, is_head, word_class
from factmark.text.words import normalise

_SYMBOL = re.compile(r"(?P<letters>[A-Za-z]{2,8})(?P<gap>[- ]?)(?P<number>\d{1,3}[A-Za-z]{0,2})")
_SHORT = re.compile(r"(?=[^\W\d]*[A-Z])[A-Za-z][\w-]{1,9}")
_PARTICLES = word_set("de da do dos di du del della van von der den ten ter la le el al bin ibn y")
_BETWEEN_NAMES = word_set("and or with to")
_INITIAL = re.compile(r"(?:[A-Z]\.-?){1,4}|[A-Z]")
_PART = re.compile(r"[A-Z][^\W\d_]*(?:['’-][^\W\d_]+)*")
_MOST_PARTS = 6
_NO_FAMILY_NAMES = word_set(
    "university hospital clinic institute museum school college academy company bank society"
    " lake river mount mountain mountains sea ocean bay valley desert forest island islands park"
    " city town county state kingdom republic union empire street road bridge station airport"
    " church castle palace tower house party act law treaty prize award cup league orchestra"
    " museum library theatre theater times news disease syndrome virus"
)


@lru_cache(maxsize=65_536)
def other_spelling(name: str) -> str | None:
    """Returns a symbol with its number joined where it stands apart, and apart where it is joined.

    >>> other_spelling("SIGLEC7"), other_spelling("Siglec-7"), other_spelling("Siglec")
    ('SIGLEC 7', 'Siglec7', None)
    """
    match = _SYMBOL.fullmatch(name)
    if match is None:
        return None
    gap = " "
    if match["gap"]:
        gap = ""
    return f"{match['letters']}{gap}{match['number']}"


def is_symbol(name: str) -> bool:
    """Whether a name is one word of letters with a number, of which no part is a name."""
    match = _SYMBOL.fullmatch(name)
    return match is not None and match["gap"] == "-"


def abbreviates(short: str, name: str) -> bool:
    """Whether a short name is made of the letters of a longer one, in their order, and begins as
    it does; its digits have to stand in it.

    >>> abbreviates("CEP290", "centrosomal protein 290"), abbreviates("BioB", "biotin synthase")
    (True, False)
    """
    if not _SHORT.fullmatch(short) or (" " not in name.strip() and len(name) < 2 * len(short)):
        return False
    if not any(letter.isupper() for letter in short) or name[:1].casefold() != short[0].casefold():
        return False
    digits = re.findall(r"\d+", short)
    letters = re.sub(r"[\W\d_]", "", short).casefold()
    if len(letters) < 2 or any(number not in name for number in digits):
        return False
    return _in_order(letters, name.casefold())


def _in_order(letters: str, text: str) -> bool:
    """Whether each letter stands after the one before it: as the first of a word, or inside the
    word that the last one begins."""
    rest = iter(text)
    return all(letter in rest for letter in letters)


@lru_cache(maxsize=65_536)
def person_parts(name: str) -> tuple[str, ...]:
    """Returns the words of a name that is a person's by its form; none for any other.

    >>> person_parts("Neil Alden Armstrong"), person_parts("Oslo University Hospital")
    (('neil', 'alden', 'armstrong'), ())
    """
    parts = name.split()
    if not 2 <= len(parts) <= _MOST_PARTS or not _PART.fullmatch(parts[-1]):
        return ()
    for part in parts:
        if part in _PARTICLES or _INITIAL.fullmatch(part):
            continue
        word = part.casefold()
        no_name = word_class(part) in CLOSED or is_head(word) or word in _NO_FAMILY_NAMES
        if no_name or not _PART.fullmatch(part):
            return ()
    if all(_INITIAL.fullmatch(part) for part in parts[:-1]) and len(parts) == 2:
        return ()  # `A Armstrong`, `E. coli`
    return normalise(name)


def is_particle(word: str) -> bool:
    """Whether a small word may stand within a person's name (*de*, *van*)."""
    return word in _PARTICLES


def says_person(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether words are a person's name: both have the same last word and a first one that agrees,
    and what stands between them in the shorter stands in the longer, in its order.

    >>> says_person(("n", "a", "armstrong"), ("neil", "alden", "armstrong"))
    True
    >>> says_person(("lance", "armstrong"), ("neil", "alden", "armstrong"))
    False
    """
    if not _BETWEEN_NAMES.isdisjoint(words) or min(len(words), len(name)) < 2:
        return False
    if words[-1] != name[-1] or not _agree(words[0], name[0]):
        return False
    shorter, longer = sorted((words[1:-1], name[1:-1]), key=len)
    rest = iter(longer)
    return all(any(_agree(part, other) for other in rest) for part in shorter)


def _agree(part: str, other: str) -> bool:
    """Whether two parts of names are the same, or one is the initial of the other."""
    short, long = sorted((part, other), key=len)
    return part == other or (len(short) == 1 and long.startswith(short))
