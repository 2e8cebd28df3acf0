"""In which order somebody gets what they are asked, and in which batches: by a keyed hash, so that
it follows from seed, annotator and document alone. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TypeVar

from factmark.campaign_model import Annotator, Campaign
from factmark.errors import InputError

Row = TypeVar("Row")


def annotator_named(campaign: Campaign, name: str, option: str) -> Annotator:
    """Returns the annotator with that name or code.

    Raises:
        InputError: there is none; the message begins with `option`, where the name was given.
    """
    people = campaign.annotators
    matches = []
    for person in people:
        if name in (person.code, person.name):
            matches.append(person)
    if len(matches) != 1:
        names = ", ".join(f"{person.name} ({person.code})" for person in people)
        raise InputError(f"{option}: no annotator of {campaign.name!r}; it has {names}.")
    return matches[0]


def cut_into_batches(names: Sequence[Row], most: int) -> Iterator[Sequence[Row]]:
    """Yields a list in as few pieces as can be, of `most` names at most and of nearly the same
    size."""
    if not names:
        return
    pieces = -(-len(names) // most)
    size, longer = divmod(len(names), pieces)
    start = 0
    for piece in range(pieces):
        end = start + size + (piece < longer)
        yield names[start:end]
        start = end


def shuffle_units(
    units: Sequence[str], parts: Mapping[str, str], seed: int, code: str, document: str
) -> Iterator[str]:
    """Yields a document's units for one annotator: parts in a random order of that annotator's own,
    the units of a part as they stand."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for unit in units:
        groups[parts.get(unit, unit)].append(unit)
    for part in sorted(groups, key=lambda part: keyed_hash(seed, "order", code, document, part)):
        yield from groups[part]


def keyed_hash(seed: int, *parts: str) -> bytes:
    """Returns the key that things are shuffled by: random, but the same for the same seed and
    parts."""
    text = "\x1f".join((str(seed), *parts))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
