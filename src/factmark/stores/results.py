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
from typing import Any

from pyoxigraph import BlankNode, Literal, NamedNode, QueryResultsFormat, parse_query_results

from factmark.stores.terms import PLAIN_TYPES, Rows, Term

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def parse_json(body: bytes, *, max_rows: int) -> Rows:
    """The result in a SPARQL JSON document; rows past `max_rows` are dropped and marked.

    Raises:
        ValueError: the document is cut off, is no JSON, or is no SPARQL result.
    """
    try:
        document = json.loads(body, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    head = _object(document, "the document").get("head")
    if "boolean" in document:
        if not isinstance(document["boolean"], bool):
            raise ValueError("'boolean' is neither true nor false")
        return Rows(boolean=document["boolean"])
    names = _object(head, "'head'").get("vars")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("'head' has no list 'vars' of names")
    if len(set(names)) < len(names):
        raise ValueError("a variable is listed twice in 'vars'")
    bindings = _object(document.get("results"), "'results'").get("bindings")
    if not isinstance(bindings, list):
        raise ValueError("'results' has no list 'bindings'")
    known = frozenset(names)
    return Rows(
        variables=tuple(names),
        rows=tuple(_row(binding, names, known) for binding in bindings[:max_rows]),
        truncated=len(bindings) > max_rows,
    )


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is no JSON object")
    return value


def _row(binding: Any, names: list[str], known: frozenset[str]) -> tuple[Term | None, ...]:
    cells = _object(binding, "a binding")
    if not known.issuperset(cells):
        raise ValueError("a binding has a variable that 'vars' does not list")
    return tuple(_term(cells[name]) if name in cells else None for name in names)


def _term(cell: Any) -> Term:
    fields = _object(cell, "a term")
    kind, value = fields.get("type"), fields.get("value")
    if kind == "triple":
        raise ValueError("a term is a triple; select its subject, predicate and object")
    if not isinstance(value, str):
        raise ValueError("a term has no text 'value'")
    if kind == "uri":
        return Term(kind="iri", value=value)
    if kind == "bnode":
        return Term(kind="bnode", value=value)
    if kind not in ("literal", "typed-literal"):
        raise ValueError(f"a term has the unknown type {str(kind)[:40]!r}")
    datatype, language = fields.get("datatype"), fields.get("xml:lang")
    if not isinstance(datatype, str | None) or not isinstance(language, str | None):
        raise ValueError("a literal has a datatype or a language that is no text")
    plain = datatype is None or datatype in PLAIN_TYPES or bool(language)
    return Term(
        kind="literal", value=value, datatype=None if plain else datatype, language=language or None
    )


def to_json(rows: Rows) -> str:
    """SPARQL 1.1 Query Results JSON."""
    if rows.boolean is not None:
        return json.dumps({"head": {}, "boolean": rows.boolean})
    bindings = [
        {name: _json_term(term) for name, term in zip(rows.variables, row, strict=True) if term}
        for row in rows.rows
    ]
    document = {"head": {"vars": list(rows.variables)}, "results": {"bindings": bindings}}
    return json.dumps(document, ensure_ascii=True)


def _json_term(term: Term) -> dict[str, str]:
    kind = "uri" if term.kind == "iri" else term.kind
    fields = {"type": kind, "value": term.value}
    if term.language:
        fields["xml:lang"] = term.language
    if term.datatype:
        fields["datatype"] = term.datatype
    return fields


def to_xml(rows: Rows) -> str:
    """SPARQL Query Results XML; characters that XML cannot hold become U+FFFD."""
    # A parser turns a raw carriage return into a line feed, so it is written as a reference.
    text = _by_engine(rows, QueryResultsFormat.XML)
    return _NOT_XML.sub("\ufffd", text).replace("\r", "&#13;")


def to_csv(rows: Rows) -> str:
    """SPARQL CSV: values without their kinds; unbound is empty; a boolean is one bare word."""
    return _by_engine(rows, QueryResultsFormat.CSV)


def to_tsv(rows: Rows) -> str:
    """SPARQL TSV: terms as in Turtle; unbound is empty; a boolean is one bare word."""
    return _by_engine(rows, QueryResultsFormat.TSV)


def _by_engine(rows: Rows, form: QueryResultsFormat) -> str:
    try:
        parsed = parse_query_results(to_json(rows), format=QueryResultsFormat.JSON)
        return (parsed.serialize(format=form) or b"").decode()
    except SyntaxError:
        valid = tuple(tuple(term and _valid(term) for term in row) for row in rows.rows)
        if valid == rows.rows:
            raise
        return _by_engine(replace(rows, rows=valid), form)


def _valid(term: Term) -> Term:
    """The term; its text where a store holds what is no IRI, label, datatype or language."""
    try:
        if term.kind == "iri":
            NamedNode(term.value)
        elif term.kind == "bnode":
            BlankNode(term.value)
        elif term.language:
            Literal(term.value, language=term.language)
        elif term.datatype:
            NamedNode(term.datatype)
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
