"""An element of G as a thing: its names, its identifiers, and properties that are no name of it.

`PPT1 (UniProt:P50897)` is called *PPT1* and identified by *P50897*; `mupA (330 records)` is called
*mupA*, and the 330 records are no name. Only a bracket at the end that holds an identifier, a count
or what the name abbreviates is read so; any other element is its own only name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from factmark.answers.core.elements.nomenclature import abbreviates, other_spelling
from factmark.answers.core.records import Thing
from factmark.text.words import normalise

_IN_BRACKETS = re.compile(r"(?P<name>[^()\[\]]*\w[^()\[\]]*?)\s+[(\[](?P<inside>[^()\[\]]+)[)\]]")
_PARTS = re.compile(r"\s*[,;|]\s*|\s+and\s+(?=\d+\s+(?:other|more))")
_CURIE = re.compile(
    r"(?P<prefix>[A-Za-z][\w .-]{0,30}?)\s?:\s?(?P<local>[\w./-]*\d[\w./-]*|[A-Z]\w{2,})"
)
_ADDRESS = re.compile(r"(?:https?|ftp|urn):\S+")
_CODE = re.compile(r"(?=[A-Z_.-]*\d)(?=\d*[A-Z])[A-Z\d][\w.-]{3,}")
_QUANTITY = re.compile(
    r"(?:[<>≤≥~≈n=\s]{0,4})\d[\d,.\s]*(?:[-–]\s?\d+)?(?:%|\s?[^\W\d].*)?", re.DOTALL
)
_SYMBOL = re.compile(r"(?=\S*[A-Z\d])[^\W_][\w.-]{1,30}")
_NUMBER_ALONE = 5  # digits from which on a number by itself is an identifier and no count
_LONGEST = 300  # characters of an element with brackets
_MOST = 50  # writings of one element


@lru_cache(maxsize=65_536)
def thing_of(element: str) -> Thing:
    """Returns the names, identifiers and properties that the text of an element gives.

    >>> thing_of("PPT1 (UniProt:P50897)")
    Thing(names=('PPT1',), ids=('UniProt:P50897',), properties=())
    >>> thing_of("mupA (330 records)").properties, thing_of("Memel (Prussia)").names
    (('330 records',), ('Memel (Prussia)',))
    """
    match = None
    if len(element) <= _LONGEST:
        match = _IN_BRACKETS.fullmatch(element)
    if match is None:
        return Thing(names=(element,))
    name = match["name"]
    inside = match["inside"].strip()
    if abbreviates(name, inside) or abbreviates(inside, name):
        return Thing(names=(name, inside))
    parts = []
    for part in _PARTS.split(inside):
        if part:
            parts.append(part)
    ids = tuple(part for part in parts if is_identifier(part))
    counts = tuple(part for part in parts if part not in ids and _QUANTITY.fullmatch(part))
    rest = []
    for part in parts:
        if part not in ids and part not in counts:
            rest.append(part)
    if not ids and (rest or not counts):
        return Thing(names=(element,))
    names = tuple(part for part in rest if ids and _SYMBOL.fullmatch(part))
    others = tuple(part for part in rest if part not in names)
    return Thing(names=(name, *names), ids=ids, properties=(*counts, *others))


def is_identifier(text: str) -> bool:
    """Whether a text is a prefixed name, a web address or a code of letters and digits."""
    return any(form.fullmatch(text) for form in (_CURIE, _ADDRESS, _CODE))


def things_of(
    elements: Iterable[str], given: Mapping[str, Thing] | None = None
) -> dict[str, Thing]:
    """Returns each element of G as a thing: as the benchmark gives it, else as its text says."""
    known = given or {}
    return {element: known.get(element) or thing_of(element) for element in elements}


def whole_writings(thing: Thing) -> tuple[str, ...]:
    """Returns the texts that say an element only as a whole: its identifiers with and without their
    prefix, and names with the digits written apart or joined (`Siglec-7`, `SIGLEC7`)."""
    return tuple(dict.fromkeys(islice(_whole_writings(thing), _MOST)))


def _whole_writings(thing: Thing) -> Iterator[str]:
    """Yields `whole_writings`, the identifiers first."""
    for identifier in thing.ids:
        yield identifier
        local = local_part(identifier)
        if not local.isdigit() or len(local) >= _NUMBER_ALONE:
            yield local
    for name in thing.names:
        other = other_spelling(name)
        if other is not None:
            yield other


def local_part(identifier: str) -> str:
    """Returns an identifier without its prefix or the path before it."""
    if _ADDRESS.fullmatch(identifier):
        return re.split(r"[/#:]", identifier.rstrip("/#"))[-1] or identifier
    match = _CURIE.fullmatch(identifier)
    if match:
        return match["local"]
    return identifier


def property_words(thing: Thing) -> Iterator[tuple[str, ...]]:
    """Yields the words by which an answer says a property: all of it, and its number alone."""
    for text in thing.properties:
        words = normalise(text)
        yield words
        if words and words[0][0].isdigit():
            yield words[:1]


def things_to_show(elements: Sequence[str], given: Mapping[str, Thing]) -> dict[str, Thing]:
    """Returns the elements that are more than one name, which `groundtruth show` lists."""
    things = things_of(elements, given)
    return {name: thing for name, thing in things.items() if thing != Thing(names=(name,))}
