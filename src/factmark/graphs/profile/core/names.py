"""Names that are nearly the same and are nodes of their own. Pure."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

_WORD = re.compile(r"[^\W_]+")
_LEAST = 8  # letters of a name in which one letter may differ
_LEAST_WORD = 5  # and of the word in which it does
_MOST_ALIKE = 40  # names that share half of their letters; more of them are a family of names


class NamePair(NamedTuple):
    """Two nodes with nearly the same name, and in what these differ: `writing` or `a letter`."""

    first: int
    second: int
    differs: str


def near_duplicates(names: Sequence[str]) -> list[NamePair]:
    """Returns the pairs of nodes whose names differ in case, punctuation, blanks, plural, the order
    of words or one letter of a long word; the same pairs in whichever order the nodes stand.

    A digit that differs makes other names (`type 1`, `type 2`), and so does a short word.
    """
    order = sorted(range(len(names)), key=lambda place: (names[place].casefold(), names[place]))
    pairs = _pairs_in_order([names[place] for place in order])
    return [NamePair(order[first], order[second], differs) for first, second, differs in pairs]


def _pairs_in_order(names: Sequence[str]) -> list[NamePair]:
    """Returns the pairs among sorted names: of those that differ in writing the first with each
    other, and those one letter apart."""
    firsts: dict[str, int] = {}
    joined: dict[str, int] = {}
    places: dict[str, int] = {}
    pairs: list[NamePair] = []
    for place, name in enumerate(names):
        words = _WORD.findall(name.casefold())
        if words:
            first = firsts.setdefault(_key(words), place)
        else:
            first = place
        if first == place and words:
            first = joined.setdefault(_without_gaps(words), place)
        if first != place:
            pairs.append(NamePair(first, place, "writing"))
        places.setdefault(" ".join(words), place)
    known = {(first, second) for first, second, _ in pairs}
    return [*pairs, *(pair for pair in _one_letter_apart(places) if pair[:2] not in known)]


def _key(words: Sequence[str]) -> str:
    """Returns words in the singular, in alphabetical order: what names share that differ in writing
    only.

    >>> _key(["beta", "cells", "pancreatic"]) == _key(["pancreatic", "beta", "cell"])
    True
    """
    return " ".join(sorted(map(_singular, words)))


def _without_gaps(words: Sequence[str]) -> str:
    """Returns words without what stands between them, except between digits (`1-10` is not `110`).

    >>> _without_gaps(["il", "6"]), _without_gaps(["1", "10"])
    ('il6', '1 10')
    """
    text = _singular(words[0])
    for word in map(_singular, words[1:]):
        if text[-1].isdigit() and word[0].isdigit():
            text += f" {word}"
        else:
            text += word
    return text


def _singular(word: str) -> str:
    """Returns a word without its plural's s."""
    if len(word) > 3 and word[-1] == "s" and word[-2] not in "sui":
        return word[:-1]
    return word


def _one_letter_apart(places: dict[str, int]) -> list[NamePair]:
    """Pairs of keys with one letter changed, more or less: half of them is then the same."""
    keys = []
    for key in places:
        if len(key) >= _LEAST:
            keys.append(key)
    pairs = set()
    for half in (_beginnings, _endings):
        for longer in (0, 1):  # whether the other name has a letter more
            pairs |= set(_alike(keys, half, longer))
    return sorted(
        NamePair(min(ends), max(ends), "a letter")
        for ends in ((places[keys[a]], places[keys[b]]) for a, b in pairs)
    )


def _beginnings(key: str, length: int) -> str:
    """Returns the first half of a key, counted in a word of that length."""
    return key[: length // 2]


def _endings(key: str, length: int) -> str:
    """Returns the last half of a key, counted in a word of that length."""
    return key[len(key) - (length - length // 2) :]


def _alike(
    keys: Sequence[str], half: Callable[[str, int], str], longer: int
) -> Iterator[tuple[int, int]]:
    """Pairs of keys of which that half is the same and one letter of the other half differs.

    Args:
        longer: 1 compares names with those that have a letter more, 0 names of one length.
    """
    marks = array("q", (hash((half(key, len(key)), len(key))) for key in keys))
    if longer:
        marks.extend(hash((half(key, len(key) + 1), len(key) + 1)) for key in keys)
    hashes = np.asarray(marks)
    order = np.argsort(hashes, kind="stable")
    starts = np.flatnonzero(np.diff(hashes[order], prepend=hashes[order[:1]] - 1))
    sizes = np.diff(starts, append=len(order))
    wanted = (sizes > 1) & (sizes <= _MOST_ALIKE)
    for start, size in zip(starts[wanted].tolist(), sizes[wanted].tolist(), strict=True):
        group = order[start : start + size].tolist()
        for a, b in combinations(group, 2):
            if (a >= len(keys)) != (b >= len(keys)) if longer else True:
                first, second = sorted((a % len(keys), b % len(keys)))
                if differ_in_a_letter(keys[first], keys[second]):
                    yield first, second


def differ_in_a_letter(a: str, b: str) -> bool:
    """Whether two keys differ in one letter of a word of five or more.

    >>> differ_in_a_letter("diabetes mellitus", "diabetis mellitus")
    True
    >>> differ_in_a_letter("interleukin 6", "interleukin 8")
    False
    """
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    start = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), -1)
    if start < 0:
        start = min(len(a), len(b))
    rest_a = a[start:]
    rest_b = b[start:]
    changed = rest_a[1:] == rest_b[1:]
    if not (changed or rest_a[1:] == rest_b or rest_a == rest_b[1:]):
        return False
    if changed:
        letters = rest_a[:1] + rest_b[:1]
    else:
        letters = (rest_a if len(a) > len(b) else rest_b)[:1]
    word = a[a.rfind(" ", 0, start) + 1 :].partition(" ")[0]
    return letters.isalpha() and len(word) >= _LEAST_WORD and not any(map(str.isdigit, word))
