"""Where SPARQL queries are answered: one interface over stores on disk, in memory, over HTTP."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import Self

import pyoxigraph

from factmark.errors import QueryError
from factmark.http.async_tools import Closing
from factmark.stores.terms import Rows

_SCHEME = re.compile(r"(https?|urn):", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphs:
    """A query's dataset. It sees these graphs and no other, whatever FROM and GRAPH say.

    Attributes:
        default: IRIs of the graphs that patterns outside GRAPH match, merged.
        named: IRIs of the graphs that GRAPH may name.

    Raises:
        QueryError: there is no graph at all, or a name is no absolute http, https or urn IRI.
    """

    default: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.default and not self.named:
            raise QueryError("name at least one graph that the query may see")
        for iri in (*self.default, *self.named):
            try:
                pyoxigraph.NamedNode(iri)
            except ValueError as error:
                raise QueryError(f"{iri[:200]!r} is no name of a graph: {error}") from error
            if not _SCHEME.match(iri):
                raise QueryError(
                    f"{iri[:200]!r} is refused as a graph: only http, https and urn names are "
                    "allowed"
                )

    @classmethod
    def only(cls, iri: str) -> Self:
        """Returns a dataset of one graph, with GRAPH and without."""
        return cls(default=(iri,), named=(iri,))

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Name and value of each of the protocol's parameters, in order."""
        return (
            *(("default-graph-uri", iri) for iri in self.default),
            *(("named-graph-uri", iri) for iri in self.named),
        )


class Store(Closing):
    """Answers SELECT and ASK queries. Every query ends, in time, with rows or with an error.

    Attributes:
        is_settled: whether the same identity means the same data; behind a URL it may change.
    """

    is_settled = False

    @property
    @abstractmethod
    def identity(self) -> str:
        """The store's name for signatures: never a credential, never a path on this machine."""

    @abstractmethod
    async def query(
        self,
        sparql: str,
        *,
        timeout: float = 30.0,
        max_rows: int = 100_000,
        graphs: Graphs | None = None,
    ) -> Rows:
        """Returns the rows of a SELECT, or the boolean of an ASK; raises a FactmarkError.

        Args:
            timeout: seconds.
            max_rows: rows after which the result ends with `truncated` set.
            graphs: all that the query may see, whatever it says itself; without them all that the
                store holds.
        """
