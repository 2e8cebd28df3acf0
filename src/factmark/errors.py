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

from factmark.redaction import redacted


class FactmarkError(Exception):
    """Base of all errors that factmark raises on purpose.

    What it quotes from a file may have any length; its text is shortened in the middle. What it
    quotes from a server or a library may hold a secret, which is struck out.
    """

    def __str__(self) -> str:
        text = redacted(super().__str__())
        if len(text) <= 2_000:
            return text
        return f"{text[:1_500]} [...] {text[-400:]}"


def library_words(error: BaseException) -> str:
    """Returns what an error of a library or the system says in the fields that are known, on one
    line and bounded; else its kind.

    Its whole text is for its library's users: aiohttp writes a proxy's password into it, pydantic
    what was read.
    """
    inner = getattr(error, "certificate_error", None) or getattr(error, "os_error", None) or error
    for field in ("verify_message", "strerror", "message", "msg"):
        words = getattr(inner, field, None)
        if isinstance(words, str) and words.strip():
            return " ".join(redacted(words).split())[:300]
    return type(inner).__name__


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
