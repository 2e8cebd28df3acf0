"""Columns side by side that all hold ratings: what their names tell apart. Pure.

`rater_1`, `rater_2` are people, `fluency`, `coherence` are dimensions, and the items of a form
stand in its questions: `How faithful is it? [doc0 / bart]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations, product
from math import prod
from statistics import fmean

from factmark.intake.columns import TableColumn, folded, is_empty, words_of
from factmark.intake.tools import role_names
from factmark.people.core.scales import plain_labels
from factmark.people.imports.rating_rows import label_text

Parts = tuple[str, ...]

_STRONG = re.compile(r"\s*(?:[\[\]()/|;]|,\s|:{2,}|_{2,}|\s[-–—:]\s|:\s)\s*")
_GRID = 4  # columns, at least, that names of two parts make
_FILLED = 0.6  # of such a grid
_STEP = re.compile(r"\.(?! |$)")  # of a path; after a sentence's point stands a blank
_MAIL = re.compile(r"\S+@\S+\.\S+")
_PARTLY = 0.1  # of the rows, in which some columns are filled and others are not
_NEAR = 0.6  # of the distance that chance would give
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
    shorter = _without_shared_end(names)
    for split, of in product(_splits(), dict.fromkeys((names, tuple(shorter)))):
        parts = [split(name) for name in of]
        if len({len(part) for part in parts}) != 1 or len(parts[0]) == 1:
            continue
        varying = _varying(parts)
        if len(varying[0]) > 1 and _is_grid(varying):
            return tuple(varying)
        if len(varying[0]) == 1 and split is _strong_parts:
            return tuple(varying)
    own = _without_path(names)
    return tuple((name,) for name in own)


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


def _without_path(names: Sequence[str]) -> list[str]:
    """Returns names without the path that they share, and without what comes after the step that
    tells them apart."""
    if len(names) == 1:
        return [names[0].removeprefix("Answer.")]
    steps = [_STEP.split(name) for name in names]
    start = 0
    while all(len(s) > start + 1 for s in steps) and len({s[start] for s in steps}) == 1:
        start += 1
    own = [".".join(step[start:]) for step in steps]
    if len({step[start] for step in steps}) == len(names):
        own = [step[start] for step in steps]
    return _without_shared_end(own)


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
    if not names:
        return False
    return _are_numbered(names) or all(is_person(name) or _is_id(name) for name in names)


def are_names_of_people(column: TableColumn) -> bool:
    """Whether the cells of a column are people's by what they say, such as `annotator_1`."""
    names = set(column.texts)
    is_several = column.kind == "name" and 1 < len(names) < len(column.texts)
    return is_several and all(map(is_person, names))


def _are_numbered(names: Sequence[str]) -> bool:
    """Whether names are one word for a rating with numbers: `rating_1`, `rating_2`."""
    stems = {re.sub(r"\d+$", "", name) for name in names}
    word = folded(next(iter(stems))).rpartition("_")[2]
    return len(stems) == 1 and word in role_names("ratings")["label"]


def _is_id(name: str) -> bool:
    """Whether a name is an id, of letters and digits without a word in it."""
    words = re.findall(r"[a-z]{5,}", name)
    return bool(_ID.fullmatch(name)) and all(set(word) <= set("abcdef") for word in words)


def is_person(name: str) -> bool:
    """Whether a name says that it is a person's: `rater_1`, or an address."""
    known = set(role_names("ratings", "words")["person"])
    return bool(_words(name) & known) or bool(_MAIL.search(name))


def _words(name: str) -> set[str]:
    """Returns the words of a name without numbers."""
    return {re.sub(r"\d+$", "", word) for word in words_of(name)}


def is_one_scale(columns: Sequence[TableColumn]) -> bool:
    """Whether the labels of columns can be on one scale: all words, or numbers of a like range."""
    kinds = set()
    tops = []
    for column in columns:
        labels = set(plain_labels({label_text(cell) for cell in column.filled} - {""}).values())
        numbers = [float(label) for label in labels - {""} if _is_number(label)]
        kinds.add(bool(numbers))
        if numbers:
            tops.append(max(numbers))
    return len(kinds) == 1 and (not tops or max(tops) <= 2 * max(min(tops), 1))


def _is_number(label: str) -> bool:
    """Whether a label is a number."""
    try:
        float(label)
    except ValueError:
        return False
    return True


def do_agree(columns: Sequence[TableColumn]) -> bool:
    """Whether columns are filled as people's are, each for a part of the rows, and agree in the
    rows that two have filled: they differ much less than cells of different rows do."""
    rows = list(zip(*(column.cells for column in columns), strict=True))
    filled = [[label_text(cell) for cell in row if not is_empty(cell)] for row in rows]
    partly = [cells for cells in filled if 0 < len(cells) < len(columns)]
    if len(partly) < _PARTLY * len(rows):
        return False
    values = sorted({label for cells in filled for label in cells})
    are_numbers = all(map(_is_number, values))

    def distance(label: str, other: str) -> float:
        if are_numbers:
            return abs(float(label) - float(other))
        return float(label != other)

    within = [distance(*pair) for cells in filled for pair in combinations(cells, 2)]
    every = [label for cells in filled for label in cells][:400]
    between = [distance(*pair) for pair in combinations(every, 2)]
    if not within or not any(between):
        return False
    return fmean(within) <= _NEAR * fmean(between)
