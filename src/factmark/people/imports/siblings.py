"""Columns side by side that all hold ratings: what their names tell apart. Pure.

`rater_1`, `rater_2` are people, `fluency`, `coherence` are dimensions, and the items of a form
stand in its questions: `How faithful is it? [doc0 / bart]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from math import prod

from factmark.intake.columns import folded
from factmark.intake.tools import role_names

Parts = tuple[str, ...]

_STRONG = re.compile(r"\s*(?:[\[\]()/|;]|,\s|:{2,}|_{2,}|\s[-–—:]\s|:\s)\s*")
_GRID = 4  # columns, at least, that names of two parts make
_FILLED = 0.6  # of such a grid
_MAIL = re.compile(r"\S+@\S+\.\S+")
_ID = re.compile(r"(?=.*\d)(?=.*[a-zA-Z])[\w-]{8,}|[A-Z]{1,2}\d{1,4}")


@lru_cache(maxsize=64)
def parts_of_names(names: tuple[str, ...]) -> tuple[Parts, ...]:
    """Returns of each name the parts in which the names differ; a name as it is where it has no
    parts.

    >>> parts_of_names(("Good? [d1 / a]", "Good? [d1 / b]", "Good? [d2 / a]", "Good? [d2 / b]"))
    (('d1', 'a'), ('d1', 'b'), ('d2', 'a'), ('d2', 'b'))
    >>> parts_of_names(("rater_1", "rater_2"))
    (('rater_1',), ('rater_2',))
    """
    for split in _splits():
        parts = [split(name) for name in names]
        if len({len(part) for part in parts}) != 1 or len(parts[0]) == 1:
            continue
        varying = _varying(parts)
        if len(varying[0]) > 1 and _is_grid(varying):
            return tuple(varying)
        if len(varying[0]) == 1 and split is _strong_parts:
            return tuple(varying)
    return tuple((_without_path(name, names),) for name in names)


def _splits() -> Iterator[Callable[[str], Parts]]:
    """Yields the ways to take a name apart, the surest first."""
    yield _strong_parts
    for sign in ("_", "-", ".", " "):
        for most, from_right in ((-1, False), (1, False), (1, True)):
            yield partial(_parts_at, sign, most, from_right)


def _strong_parts(name: str) -> Parts:
    """Returns the parts of a name between brackets, slashes and dashes with blanks."""
    return tuple(filter(None, _STRONG.split(name)))


def _parts_at(sign: str, most: int, from_right: bool, name: str) -> Parts:
    """Returns the parts of a name between signs, of which the first or last `most` are taken."""
    if from_right:
        return tuple(name.rsplit(sign, most))
    return tuple(name.split(sign, most))


def _varying(parts: Sequence[Parts]) -> list[Parts]:
    """Returns the parts without those that are equal in all names."""
    places = []
    for place in range(len(parts[0])):
        if len({part[place] for part in parts}) > 1:
            places.append(place)
    columns = [_without_shared_words([part[place] for part in parts]) for place in places]
    return list(zip(*columns, strict=True)) or [() for _ in parts]


def _without_shared_words(texts: Sequence[str]) -> list[str]:
    """Returns texts without the words that all begin with; as they are where numbers would be
    left."""
    words = [text.split(" ") for text in texts]
    most = min(map(len, words)) - 1
    start = 0
    while start < most and len({text[start] for text in words}) == 1:
        start += 1
    shorter = [" ".join(text[start:]) for text in words]
    if any(text.isdecimal() for text in shorter):
        return list(texts)
    return shorter


def _is_grid(parts: Sequence[Parts]) -> bool:
    """Whether most of what parts can make together is there, each once."""
    sizes = [len({part[place] for part in parts}) for place in range(len(parts[0]))]
    is_full = len(parts) >= _FILLED * prod(sizes)
    return len(parts) >= _GRID and len(set(parts)) == len(parts) and is_full


def _without_path(name: str, names: Sequence[str]) -> str:
    """Returns a name without the path that several names share, and without what comes after the
    step that tells them apart."""
    steps = [other.split(".") for other in names]
    if len(names) == 1:
        return name.removeprefix("Answer.")
    start = 0
    while all(len(s) > start + 1 for s in steps) and len({s[start] for s in steps}) == 1:
        start += 1
    own = [".".join(step[start:]) for step in steps]
    if len({step[start] for step in steps}) == len(names):
        own = [step[start] for step in steps]
    return _without_shared_end(own)[names.index(name)]


def _without_shared_end(names: Sequence[str]) -> list[str]:
    """Returns names without the words that all end in: of `a_score`, `b_score` what is before."""
    words = [re.split(r"([-_ ])", name) for name in names]
    end = 0
    while min(map(len, words)) > end + 2 and len({word[-1 - end] for word in words}) == 1:
        end += 2
    return ["".join(word[: len(word) - end]) for word in words]


def are_dimensions(names: Sequence[str]) -> bool:
    """Whether half of the names or more say what is rated, such as `fluency`."""
    known = set(role_names("ratings", "words")["dimension"])
    return 2 * sum(bool(_words(name) & known) for name in names) >= len(names)


def are_people(names: Sequence[str]) -> bool:
    """Whether names say who rated: `rater_1`, an address, an id."""
    return bool(names) and all(is_person(name) or _ID.fullmatch(name) for name in names)


def is_person(name: str) -> bool:
    """Whether a name says that it is a person's: `rater_1`, or an address."""
    known = set(role_names("ratings", "words")["person"])
    return bool(_words(name) & known) or bool(_MAIL.search(name))


def _words(name: str) -> set[str]:
    """Returns the words of a name without numbers."""
    return {re.sub(r"\d+$", "", word) for word in folded(name).split("_")}
