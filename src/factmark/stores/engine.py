"""Running one query on pyoxigraph: the result as a stream of JSON-ready messages, and back.

Messages: `{"head": [name, ...]}`, any number of `{"rows": [[cell, ...], ...]}`, then
`{"end": truncated}`; or `{"boolean": bool}`; or `{"error": kind, "message": text}` with the kind
`refused` (by the guard), `query` (the query is wrong) or `engine` (the store failed). A cell is
None where unbound, else `[kind, value]` or `["literal", value, datatype, language]`, the fields of
`Term`.
This is used by the worker process and by the store in memory, so that both answer alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyoxigraph

from factmark.errors import QueryError, StoreError
from factmark.stores.guard import check_query
from factmark.stores.terms import PLAIN_TYPES, Rows, Term

Message = dict[str, Any]

_CHUNK_ROWS = 200
_CHUNK_BYTES = 64 * 1024


def run_query(
    store: pyoxigraph.Store,
    query: str,
    *,
    union: bool,
    max_rows: int,
    max_bytes: int,
    default_graphs: Sequence[str] | None = None,
    named_graphs: Sequence[str] | None = None,
) -> Iterator[Message]:
    """The messages of one query; never raises for a failing query.

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
            yield {"boolean": bool(result)}
        elif isinstance(result, pyoxigraph.QuerySolutions):
            yield {"head": [variable.value for variable in result.variables]}
            yield from _rows(result, max_rows, max_bytes)
        else:
            yield {"error": "query", "message": "only SELECT and ASK give rows"}
    except QueryError as error:
        yield {"error": "refused", "message": str(error)}
    except SyntaxError as error:
        yield {"error": "query", "message": " ".join(str(error).split())[:300]}
    except MemoryError:
        yield {"error": "engine", "message": "the query needs more memory than it may use"}
    except Exception as error:  # the engine raises OSError, RuntimeError and ValueError
        kind = "query" if "custom function" in str(error) else "engine"
        yield {"error": kind, "message": f"{type(error).__name__}: {str(error)[:300]}"}


def _names(graphs: Sequence[str] | None) -> list[Any] | None:
    return None if graphs is None else [pyoxigraph.NamedNode(iri) for iri in graphs]


def _rows(solutions: pyoxigraph.QuerySolutions, max_rows: int, max_bytes: int) -> Iterator[Message]:
    """Chunks of rows, then the end. The engine works row by row, so a limit is just stopping."""
    chunk: list[list[list[str | None] | None]] = []
    size = sent = 0
    truncated = False
    for rows, solution in enumerate(solutions):
        truncated = rows >= max_rows or size >= max_bytes
        if truncated:
            break
        row = [_cell(term) for term in solution]
        length = sum(len(text) for cell in row if cell for text in cell if text)
        if length > max_bytes:
            raise ValueError(f"one row of the result is longer than {max_bytes:,} characters")
        size += length
        chunk.append(row)
        if len(chunk) >= _CHUNK_ROWS or size - sent >= _CHUNK_BYTES:
            yield {"rows": chunk}
            chunk, sent = [], size
    yield {"rows": chunk}
    yield {"end": truncated}


def _cell(term: object) -> list[str | None] | None:
    if term is None:
        return None
    if isinstance(term, pyoxigraph.NamedNode):
        return ["iri", term.value]
    if isinstance(term, pyoxigraph.BlankNode):
        return ["bnode", term.value]
    if isinstance(term, pyoxigraph.Literal):
        datatype = term.datatype.value
        return ["literal", term.value, None if datatype in PLAIN_TYPES else datatype, term.language]
    raise SyntaxError("its result holds a triple term; select its subject, predicate and object")


class RowCollector:
    """Puts a result together, message by message.

    Args:
        where: the store, for error messages.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._variables: tuple[str, ...] = ()
        self._rows: list[tuple[Term | None, ...]] = []

    def add(self, message: Message) -> Rows | None:
        """The result when this message was its last, else None.

        Raises:
            QueryError: the engine found the query wrong.
            StoreError: the engine failed.
        """
        if "rows" in message:
            self._rows.extend(tuple(map(_term, row)) for row in message["rows"])
        elif "head" in message:
            self._variables = tuple(message["head"])
        elif "end" in message:
            return Rows(variables=self._variables, rows=tuple(self._rows), truncated=message["end"])
        elif "boolean" in message:
            return Rows(boolean=message["boolean"])
        elif message.get("error") == "refused":
            raise QueryError(message["message"])
        elif message.get("error") == "query":
            raise QueryError(f"the engine does not take the query: {message['message']}")
        else:
            raise StoreError(f"{self._where}: the query failed: {message.get('message')}")
        return None


def _term(cell: list[Any] | None) -> Term | None:
    if cell is None:
        return None
    kind, value, datatype, language = cell if len(cell) == 4 else (*cell, None, None)
    return Term(kind=kind, value=value, datatype=datatype, language=language)
