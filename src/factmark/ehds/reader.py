"""Asking a store of the data space: prefixes, values that are safe to stand in a query, pages."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress

from pyoxigraph import Literal, NamedNode

from factmark.ehds.replica.writing import NAMESPACES
from factmark.errors import InputError, QueryError
from factmark.stores.store import Store
from factmark.stores.terms import Rows, Term

MOST_ROWS = 100_000
PREFIXES = " ".join(f"PREFIX {name}: <{iri}>" for name, iri in NAMESPACES.items())
"""On one line, so that the engine's line numbers are those of the text that follows."""
_LABELS = "(rdfs:label|foaf:name|dct:title|<http://www.w3.org/2004/02/skos/core#prefLabel>)"
_FIRST_LINE = re.compile(r"\bat 1:(\d+)")

Row = tuple[Term | None, ...]
Described = dict[str, dict[str, list[Term]]]
"""The IRI of a thing -> the IRI of a property -> its values."""


class StoreReader:
    """Asks a store.

    Args:
        timeout: seconds for one query.
        notes: gets a sentence for what is left out.
        most: rows of one result.
    """

    def __init__(
        self, store: Store, *, timeout: float, notes: list[str], most: int = MOST_ROWS
    ) -> None:
        self._store = store
        self._timeout = timeout
        self._most = most
        self.notes = notes

    async def rows(self, query: str, *, most: int | None = None) -> Rows:
        """The result of a SELECT or an ASK that may use all prefixes of the data space."""
        return await self._store.query(
            f"{PREFIXES} {query}", timeout=self._timeout, max_rows=most or self._most
        )

    async def number(self, query: str) -> int:
        """The one number that a query counts; 0 where there is none."""
        rows = (await self.rows(query)).rows
        if rows and rows[0]:
            return cell_number(rows[0][0])
        return 0

    async def about(self, iris: Sequence[str], query: str) -> AsyncIterator[Row]:
        """The rows of a query about some things, `%s` in it being their list.

        A result that is too long is asked for again in halves; of a single thing with more rows
        than are read, the rest is left out and told.
        """
        if not iris:
            return
        result = await self.rows(query.replace("%s", values_block(iris)))
        if result.truncated and len(iris) > 1:
            middle = len(iris) // 2
            for half in (iris[:middle], iris[middle:]):
                async for row in self.about(half, query):
                    yield row
            return
        if result.truncated:
            self.notes.append(f"of {iris[0]} only {self._most:,} values were read")
        for row in result.rows:
            yield row

    async def pages(self, pattern: str, size: int) -> AsyncIterator[list[str]]:
        """The IRIs that `?thing` takes in a pattern, in their order, page by page."""
        last = ""
        while True:
            after = ""
            if last:
                after = f" && STR(?thing) > {query_literal(last)}"
            rows = await self.rows(
                f"SELECT DISTINCT ?thing WHERE {{ {pattern} FILTER(isIRI(?thing){after}) }} "
                f"ORDER BY STR(?thing) LIMIT {size}"
            )
            page = []
            for row in rows.rows:
                if row[0] is not None:
                    page.append(row[0].value)
            if page:
                yield page
            if len(page) < size or page[-1] <= last:  # an order of its own would never end
                return
            last = page[-1]

    async def properties(self, iris: Sequence[str]) -> Described:
        """What is said of some things; blank nodes are left out."""
        described: Described = {iri: {} for iri in iris}
        query = (
            "SELECT DISTINCT ?thing ?property ?value WHERE { VALUES ?thing { %s } "
            f"{anywhere('?thing ?property ?value')} FILTER(!isBlank(?value)) }}"
        )
        async for thing, name, term in self.about(iris, query):
            if thing is not None and name is not None and term is not None:
                described[thing.value].setdefault(name.value, []).append(term)
        return described

    async def names(self, iris: Iterable[str]) -> dict[str, str]:
        """What the store calls some things; the first label of each."""
        query = "SELECT DISTINCT ?thing ?name WHERE { VALUES ?thing { %s } " + anywhere(
            f"?thing {_LABELS} ?name"
        )
        names: dict[str, str] = {}
        async for thing, name in self.about(sorted(set(iris)), query + " }"):
            if thing is not None and name is not None and name.kind == "literal":
                names[thing.value] = min(names.get(thing.value, name.value), name.value)
        return names


def values_of(described: Described) -> Iterator[Term]:
    """Yields all values of all properties of some things."""
    for properties in described.values():
        for terms in properties.values():
            yield from terms


def anywhere(pattern: str) -> str:
    """Returns a pattern that matches in the default graph or in any named one."""
    return f"{{ {pattern} }} UNION {{ GRAPH ?anywhere {{ {pattern} }} }}"


def within(graph: str | None, pattern: str) -> str:
    """Returns a pattern that matches in one graph; in the default graph where None."""
    if graph is None:
        return f"{{ {pattern} }}"
    return f"GRAPH {query_iri(graph)} {{ {pattern} }}"


def query_iri(text: str) -> str:
    """Returns an IRI as it stands in a query; raises InputError for what is none."""
    try:
        return str(NamedNode(text))
    except ValueError as error:
        raise InputError(f"{text[:200]!r} is no IRI: {error}") from error


def query_literal(text: str) -> str:
    """Returns a string as it stands in a query."""
    return str(Literal(text))


def values_block(iris: Iterable[str]) -> str:
    """Returns IRIs as a VALUES block lists them; those that no query could name are left out."""
    names = []
    for text in iris:
        with suppress(InputError):
            names.append(query_iri(text))
    return " ".join(names)


def cell_number(cell: Term | None) -> int:
    """Returns the number in a cell; 0 for anything else."""
    try:
        if cell is not None:
            return max(0, int(cell.value))
        return 0
    except ValueError:
        return 0


def without_prefixes(error: QueryError) -> QueryError:
    """Returns the error with its column in the first line counted without the prefixes
    before it.
    """

    def column(place: re.Match[str]) -> str:
        return f"at 1:{max(1, int(place[1]) - len(PREFIXES) - 1)}"

    return QueryError(_FIRST_LINE.sub(column, str(error)))
