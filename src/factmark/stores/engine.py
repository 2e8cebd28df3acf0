"""Running one query on pyoxigraph: the result as a JSON value, and back.

It is `{"variables": [name, ...], "rows": [[cell, ...], ...], "truncated": bool}`; or
`{"boolean": bool}`; or `{"error": kind, "message": text}` with the kind `refused` (by the guard),
`query` (the query is wrong), `memory` (it needs too much) or `engine` (the store failed). A cell is
None where unbound, else `[kind, value, datatype, language]`, the fields of `Term`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyoxigraph

from factmark.errors import QueryError, QueryMemoryError, StoreError
from factmark.stores.guard import check_query, prefix_advice
from factmark.stores.terms import PLAIN_TYPES, Rows, Term

Message = dict[str, Any]


def run_query(
    store: pyoxigraph.Store,
    query: str,
    *,
    union: bool,
    max_rows: int,
    max_bytes: int,
    default_graphs: Sequence[str] | None = None,
    named_graphs: Sequence[str] | None = None,
) -> Message:
    """Returns the result of a query as a JSON value; never raises for a query that fails.

    Args:
        union: whether patterns outside GRAPH match all graphs, where the query has no FROM.
        max_rows: rows after which the result ends, marked as truncated.
        max_bytes: the same for the sum of the lengths of its terms.
        default_graphs: the graphs that patterns outside GRAPH match; with `named_graphs` they
            override the query's FROM. `union` must then be false.
    """
    try:
        dataset = check_query(query)
        result = store.query(
            query,
            use_default_graph_as_union=union and not dataset,  # it would ignore FROM
            default_graph=_names(default_graphs),
            named_graphs=_names(named_graphs),
        )
        if isinstance(result, pyoxigraph.QueryBoolean):
            return {"boolean": bool(result)}
        if isinstance(result, pyoxigraph.QuerySolutions):
            return _solutions(result, max_rows, max_bytes)
        return {"error": "query", "message": "only SELECT and ASK give rows"}
    except QueryError as error:
        return {"error": "refused", "message": str(error)}
    except SyntaxError as error:
        message = prefix_advice(query) or " ".join(str(error).split())[:300]
        return {"error": "query", "message": message}
    except MemoryError:
        return {"error": "memory", "message": "the query needs more memory than it may use"}
    except Exception as error:  # the engine raises OSError, RuntimeError and ValueError
        kind = "engine"
        if "custom function" in str(error):
            kind = "query"
        return {"error": kind, "message": f"{type(error).__name__}: {str(error)[:300]}"}


def _names(graphs: Sequence[str] | None) -> list[Any] | None:
    """Returns IRIs as the engine's names of graphs; None stays None."""
    if graphs is None:
        return None
    return [pyoxigraph.NamedNode(iri) for iri in graphs]


def _solutions(solutions: pyoxigraph.QuerySolutions, max_rows: int, max_bytes: int) -> Message:
    """The rows up to the limits. The engine works row by row, so to stop reading is a limit."""
    rows: list[list[list[str | None] | None]] = []
    size = 0
    truncated = False
    for solution in solutions:
        truncated = len(rows) >= max_rows or size >= max_bytes
        if truncated:
            break
        row = [_cell(term) for term in solution]
        length = sum(len(text) for cell in row if cell for text in cell if text)
        if length > max_bytes:
            raise ValueError(f"one row of the result is longer than {max_bytes:,} characters")
        size += length
        rows.append(row)
    names = [variable.value for variable in solutions.variables]
    return {"variables": names, "rows": rows, "truncated": truncated}


def _cell(term: object) -> list[str | None] | None:
    """Returns an RDF term as a cell of a message; None where the variable is unbound."""
    if term is None:
        return None
    if isinstance(term, pyoxigraph.NamedNode):
        return ["iri", term.value, None, None]
    if isinstance(term, pyoxigraph.BlankNode):
        return ["bnode", term.value, None, None]
    if isinstance(term, pyoxigraph.Literal):
        datatype = term.datatype.value
        return ["literal", term.value, None if datatype in PLAIN_TYPES else datatype, term.language]
    raise SyntaxError("its result holds a triple term; select its subject, predicate and object")


def rows_of(message: Message, where: str) -> Rows:
    """Returns the result that a message of `run_query` stands for, or raises its error.

    Args:
        where: the store, for error messages.

    Raises:
        QueryError: the query was refused, or the engine found it wrong.
        QueryMemoryError: it ran out of memory.
        StoreError: the engine failed.
    """
    kind = message.get("error")
    if kind == "refused":
        raise QueryError(message["message"])
    if kind == "query":
        raise QueryError(f"the engine does not take the query: {message['message']}")
    if kind == "memory":
        raise QueryMemoryError(f"{where}: {message['message']}; make it narrower")
    if kind is not None:
        raise StoreError(f"{where}: the query failed: {message['message']}")
    if "boolean" in message:
        return Rows(boolean=message["boolean"])
    return Rows(
        variables=tuple(message["variables"]),
        rows=tuple(tuple(map(_term, row)) for row in message["rows"]),
        truncated=message["truncated"],
    )


def _term(cell: list[Any] | None) -> Term | None:
    """Returns the term that a cell of a message stands for."""
    if cell is None:
        return None
    kind, value, datatype, language = cell
    return Term(kind=kind, value=value, datatype=datatype, language=language)
