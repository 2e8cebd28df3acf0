"""Reading a store of any shape: each subject with its labels and properties."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from factmark.ehds.passages.describe import TYPE, Field, heading, key, value, words
from factmark.ehds.passages.reading import Reader, anywhere
from factmark.stores.terms import Term

_PAGE = 100
_SUBJECTS = anywhere("?thing ?property ?value")
_PROPERTIES = (
    "SELECT DISTINCT ?thing ?property ?value WHERE { VALUES ?thing { %s } "
    + _SUBJECTS
    + " FILTER(!isBlank(?value)) }"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A thing and what is said of it."""

    iri: str
    title: str
    fields: tuple[Field, ...]


async def subjects(reader: Reader, *, most: int) -> AsyncIterator[tuple[list[Subject], int]]:
    """The first subjects in the order of their IRIs, page by page, with how many there will be.

    What was left out is noted.
    """
    rows = await reader.rows(
        f"SELECT DISTINCT ?thing WHERE {{ {_SUBJECTS} FILTER(isIRI(?thing)) }} "
        f"ORDER BY STR(?thing) LIMIT {most + 1}",
        most=most + 1,
    )
    found = [row[0].value for row in rows.rows if row[0] is not None]
    if len(found) > most:
        reader.notes.append(
            f"the store holds neither datasets nor patients; the first {most:,} of its subjects "
            "are indexed"
        )
    wanted = found[:most]
    for start in range(0, len(wanted), _PAGE):
        yield await _page(reader, wanted[start : start + _PAGE]), len(wanted)


async def _page(reader: Reader, page: list[str]) -> list[Subject]:
    properties: dict[str, dict[str, list[Term]]] = {one: {} for one in page}
    async for thing, name, term in reader.about(page, _PROPERTIES):
        if thing is not None and name is not None and term is not None:
            properties[thing.value].setdefault(name.value, []).append(term)
    used = [t.value for one in properties.values() for ts in one.values() for t in ts]
    names = await reader.names([*page, *(text for text in used if "://" in text)])
    return [_subject(one, told, names) for one, told in properties.items()]


def _subject(iri: str, properties: dict[str, list[Term]], names: dict[str, str]) -> Subject:
    def told(term: Term) -> str:
        if term.kind != "iri":
            return value(term.value)
        return value(names.get(term.value) or key(term.value))

    order = sorted(properties, key=lambda name: (name != TYPE, name))
    return Subject(
        iri=iri,
        title=heading(names.get(iri) or key(iri)),
        fields=tuple(
            Field(
                label="Type" if name == TYPE else words(key(name)).capitalize(),
                values=tuple(sorted(set(map(told, properties[name])))),
            )
            for name in order
        ),
    )
