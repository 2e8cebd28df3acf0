"""Where SPARQL queries are answered: one interface over stores on disk, in memory, over HTTP."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Protocol, Self

from factmark.errors import InputError
from factmark.http.retries import RetryPolicy
from factmark.stores.endpoint import HttpEndpoint
from factmark.stores.folder import FolderStore
from factmark.stores.graphs import Graphs
from factmark.stores.guard import check_query
from factmark.stores.memory import MemoryStore
from factmark.stores.terms import Rows

__all__ = [
    "FolderStore",
    "Graphs",
    "HttpEndpoint",
    "MemoryStore",
    "RetryPolicy",
    "Store",
    "check_query",
    "open_store",
]


class Store(Protocol):
    """Answers SELECT and ASK queries. Every query ends, in time, with rows or with an error."""

    @property
    def identity(self) -> str:
        """What was asked, for signatures: never a credential, never a path on this machine."""

    async def query(
        self,
        sparql: str,
        *,
        timeout: float = 30.0,
        max_rows: int = 100_000,
        graphs: Graphs | None = None,
    ) -> Rows:
        """The rows of a SELECT, or the boolean of an ASK; raises a FactmarkError.

        Args:
            timeout: seconds.
            max_rows: rows after which the result ends with `truncated` set.
            graphs: all that the query may see; without them all that the store holds.
        """

    async def close(self) -> None:
        """Gives back processes and connections; may be called twice."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def open_store(
    *,
    path: str | os.PathLike[str] | None = None,
    url: str | None = None,
    workers: int = 1,
    union_default_graph: bool = True,
    user_env: str | None = None,
    password_env: str | None = None,
) -> Store:
    """A store for the folder or RDF file at `path`, or for the endpoint at `url`.

    Args:
        workers: of a path, how many queries run at once.
        union_default_graph: of a path, see `FolderStore`.
        user_env: of a URL, see `HttpEndpoint`; `password_env` too.

    Raises:
        InputError: not exactly one of `path` and `url` is given, or the URL is none.
        StoreError: the path is missing or is no store.
    """
    if (path is None) == (url is None):
        raise InputError("name either a store on disk or an endpoint's URL")
    if url is not None:
        return HttpEndpoint(url, user_env=user_env, password_env=password_env)
    if path is None:  # said above; for the type checker
        raise AssertionError
    return FolderStore(path, workers=workers, union_default_graph=union_default_graph)
