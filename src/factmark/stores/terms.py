"""RDF terms and the rows of a query's result. Pure, so that a protocol's core may use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
PLAIN_TYPES = frozenset(
    {
        "http://www.w3.org/2001/XMLSchema#string",
        f"{_RDF}langString",
        f"{_RDF}dirLangString",
    }
)
"""Datatypes that a `Term` does not name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """An RDF term of a query result.

    Attributes:
        kind: `iri`, `literal` or `bnode`.
        value: the IRI, the lexical form, or the label.
        datatype: of a literal, as an IRI; None for plain and language-tagged ones.
        language: of a literal, or None.
    """

    kind: Literal["iri", "literal", "bnode"]
    value: str
    datatype: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The result of a SELECT, or of an ASK (`boolean` is set, there are no rows).

    Attributes:
        variables: names without the question mark, in the order of the query.
        rows: one tuple per solution, as long as `variables`; None where unbound.
        truncated: whether a row limit ended the result early.
    """

    variables: tuple[str, ...] = ()
    rows: tuple[tuple[Term | None, ...], ...] = ()
    boolean: bool | None = None
    truncated: bool = False


def local_name(iri: str) -> str:
    """Returns the part of an IRI after the last `#`, `/` or `:`, percent-decoded; a sign at its
    very end is passed over.

    >>> local_name("https://creativecommons.org/licenses/by/4.0/")
    '4.0'
    """
    tail = iri.rstrip("/#")
    for separator in ("#", "/", ":"):
        head, mark, name = tail.rpartition(separator)
        if mark and head and name:
            return unquote(name)
    return unquote(tail)
