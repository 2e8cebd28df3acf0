"""From the messages of `store_engine` to the rows of a result."""

from __future__ import annotations

from typing import Any

from factmark.errors import QueryError, StoreError
from factmark.stores.engine import Message
from factmark.stores.terms import Rows, Term


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
    if len(cell) == 2:
        return Term(kind=cell[0], value=cell[1])
    return Term(kind="literal", value=cell[1], datatype=cell[2], language=cell[3])
