"""The error tree. Each message says what is wrong, where, and what to do next.

    FactmarkError                 the base; ends a command with BAD_INPUT of cli/exit_status
    ├── InputError                a file or an option of the user's that cannot be read as meant
    ├── QueryError                a SPARQL query that is refused or wrong
    ├── EndpointError             a server that cannot be reached or does not speak the protocol
    │   └── QueryTimeoutError          a query that ran past its time limit
    ├── StoreError                an RDF store on disk that is missing, locked or damaged
    │   └── QueryMemoryError           a query that needed more memory than it may use
    └── LedgerError               a ledger that cannot be opened, migrated, read or written

The failure of one unit (one answer, one query of fifty) is data in a row, not an exception.
"""

from __future__ import annotations


class FactmarkError(Exception):
    """Base of all errors that factmark raises on purpose.

    What it quotes from a file may have any length; its text is shortened in the middle.
    """

    def __str__(self) -> str:
        text = super().__str__()
        return text if len(text) <= 2_000 else f"{text[:1_500]} [...] {text[-400:]}"


class InputError(FactmarkError):
    """A file or an option that cannot be read as meant; names the file and the line."""


class QueryError(FactmarkError):
    """A SPARQL query that is refused (an update, SERVICE, ...) or that does not parse."""


class EndpointError(FactmarkError):
    """A server that cannot be reached or does not answer in its protocol; names the URL."""


class QueryTimeoutError(EndpointError):
    """A query that ran past its time limit and was ended."""


class StoreError(FactmarkError):
    """An RDF store on disk that is missing, locked by another process, or damaged."""


class QueryMemoryError(StoreError):
    """A query that needed more memory than it may use and was ended."""


class LedgerError(FactmarkError):
    """A ledger that cannot be opened, migrated, read or written."""
