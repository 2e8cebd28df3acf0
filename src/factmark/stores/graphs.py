"""Which graphs a query may see, named outside of the query (SPARQL 1.1 Protocol, 2.1.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

import pyoxigraph

from factmark.errors import QueryError

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
            _check(iri)

    @classmethod
    def only(cls, iri: str) -> Self:
        """One graph, with GRAPH and without."""
        return cls(default=(iri,), named=(iri,))

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """The protocol's parameters, in order."""
        return (
            *(("default-graph-uri", iri) for iri in self.default),
            *(("named-graph-uri", iri) for iri in self.named),
        )


def _check(iri: str) -> None:
    try:
        pyoxigraph.NamedNode(iri)
    except ValueError as error:
        raise QueryError(f"{iri[:200]!r} is no name of a graph: {error}") from error
    if not _SCHEME.match(iri):
        raise QueryError(
            f"{iri[:200]!r} is refused as a graph: only http, https and urn names are allowed"
        )
