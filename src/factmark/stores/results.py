"""Results as SPARQL defines them on the wire: read from JSON, written as JSON, XML, CSV and TSV.

Sources: SPARQL 1.1 Query Results JSON Format, XML Format (second edition), CSV and TSV Formats.
Reading is strict, because a server that fails half-way still answers 200: what is not a complete
and valid result raises ValueError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeVar

import pyoxigraph
from pyoxigraph import QueryResultsFormat, parse_query_results

from factmark.stores.terms import PLAIN_TYPES, Rows, Term

Value = TypeVar("Value")
_KINDS: dict[object, Literal["iri", "literal", "bnode"]] = {
    "uri": "iri",
    "bnode": "bnode",
    "literal": "literal",
    "typed-literal": "literal",
}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parse_json(body: bytes, *, max_rows: int) -> Rows:
    """The result in a SPARQL JSON document; rows past `max_rows` are dropped and `truncated` set.

    Raises:
        ValueError: the document is cut off, is no JSON, or is no SPARQL result.
    """
    try:
        document = json.loads(body, parse_constant=_no_constant)
        if "boolean" in document:
            return Rows(boolean=_checked_type(document["boolean"], bool))
        names = [_checked_type(name, str) for name in document["head"]["vars"]]
        bindings = _checked_type(document["results"]["bindings"], list)
        known = frozenset(names)
        rows = tuple(_row(binding, names, known) for binding in bindings[:max_rows])
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"it is no SPARQL result: {error!r}") from error
    if len(set(names)) < len(names):
        raise ValueError("a variable is listed twice in 'vars'")
    return Rows(variables=tuple(names), rows=rows, truncated=len(bindings) > max_rows)


def _no_constant(name: str) -> Any:
    """Raises ValueError for NaN and Infinity, which Python's reader takes and JSON has not."""
    raise ValueError(f"{name} is no JSON")


def _checked_type(value: Any, kind: type[Value]) -> Value:
    """Returns the value; TypeError if it is of another type."""
    if not isinstance(value, kind):
        raise TypeError(f"{str(value)[:40]!r} is no {kind.__name__}")
    return value


def _row(
    binding: dict[str, Any], names: list[str], known: frozenset[str]
) -> tuple[Term | None, ...]:
    """Returns a binding as a row of terms, None where unbound."""
    if not binding.keys() <= known:
        raise ValueError("a binding has a variable that 'vars' does not list")
    return tuple(_term(binding[name]) if name in binding else None for name in names)


def _term(cell: dict[str, Any]) -> Term:
    """Returns the term in a SPARQL JSON document."""
    kind = cell["type"]
    value = cell.get("value")
    if kind not in _KINDS:
        raise ValueError(f"a term is of the type {str(kind)[:40]!r}, not an IRI, literal or bnode")
    more = {}
    if _KINDS[kind] == "literal":
        more = cell
    language = _checked_type(more.get("xml:lang") or "", str)
    datatype = _checked_type(more.get("datatype") or "", str)
    if language or datatype in PLAIN_TYPES:
        datatype = ""
    return Term(
        kind=_KINDS[kind],
        value=_checked_type(value, str),
        datatype=datatype or None,
        language=language or None,
    )


def to_json(rows: Rows) -> str:
    """Returns rows as SPARQL 1.1 Query Results JSON."""
    if rows.boolean is not None:
        return json.dumps({"head": {}, "boolean": rows.boolean})
    bindings = []
    for row in rows.rows:
        bindings.append(
            {name: _json_term(term) for name, term in zip(rows.variables, row, strict=True) if term}
        )
    document = {"head": {"vars": list(rows.variables)}, "results": {"bindings": bindings}}
    return json.dumps(document, ensure_ascii=True)


def _json_term(term: Term) -> dict[str, str]:
    """Returns a term as SPARQL JSON has it."""
    kind = "uri"
    if term.kind != "iri":
        kind = term.kind
    fields = {"type": kind, "value": term.value}
    if term.language:
        fields["xml:lang"] = term.language
    if term.datatype:
        fields["datatype"] = term.datatype
    return fields


def to_xml(rows: Rows) -> str:
    """Returns rows as SPARQL Query Results XML; characters that XML cannot hold become U+FFFD."""
    # A parser turns a raw carriage return into a line feed, so it is written as a reference.
    text = _by_engine(rows, QueryResultsFormat.XML)
    return _NOT_XML.sub("\ufffd", text).replace("\r", "&#13;")


def to_csv(rows: Rows) -> str:
    """Returns rows as SPARQL CSV: values without their kinds; unbound is empty; a boolean is one
    bare word.
    """
    return _by_engine(rows, QueryResultsFormat.CSV)


def to_tsv(rows: Rows) -> str:
    """Rows as SPARQL TSV: terms as in Turtle; unbound is empty; a boolean is one bare word."""
    return _by_engine(rows, QueryResultsFormat.TSV)


def _by_engine(rows: Rows, form: QueryResultsFormat) -> str:
    """Returns rows as pyoxigraph writes them; terms that it refuses are written as text."""
    try:
        parsed = parse_query_results(to_json(rows), format=QueryResultsFormat.JSON)
        return (parsed.serialize(format=form) or b"").decode()
    except SyntaxError:
        valid = tuple(tuple(term and _valid_term(term) for term in row) for row in rows.rows)
        if valid == rows.rows:
            raise
        return _by_engine(replace(rows, rows=valid), form)


def _valid_term(term: Term) -> Term:
    """Returns the term; its text as a literal where a store holds an IRI, label, datatype or
    language that is none.
    """
    try:
        if term.kind == "iri":
            pyoxigraph.NamedNode(term.value)
        elif term.kind == "bnode":
            pyoxigraph.BlankNode(term.value)
        elif term.language:
            pyoxigraph.Literal(term.value, language=term.language)
        elif term.datatype:
            pyoxigraph.NamedNode(term.datatype)
    except ValueError:
        return Term(kind="literal", value=term.value)
    return term


WRITERS: dict[str, Callable[[Rows], str]] = {
    "application/sparql-results+json": to_json,
    "application/json": to_json,
    "application/sparql-results+xml": to_xml,
    "application/xml": to_xml,
    "text/csv": to_csv,
    "text/tab-separated-values": to_tsv,
}
"""From a media type to the function that writes it; the first is the default."""
