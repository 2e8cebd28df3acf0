"""A store in this process, for the small data and the queries that come with the package."""

from __future__ import annotations

import asyncio
import threading

import pyoxigraph

from factmark.ask.closing import Closing
from factmark.errors import QueryTimeoutError, StoreError
from factmark.stores.engine import run_query
from factmark.stores.folder import MAX_RESULT_BYTES
from factmark.stores.graphs import Graphs
from factmark.stores.messages import RowCollector
from factmark.stores.terms import Rows


class MemoryStore(Closing):
    """A pyoxigraph store in memory. For queries that are trusted, on data that is small.

    Nothing can end a query inside this process: past its time limit the caller gets the error at
    once, but a thread goes on until the engine yields its next row. For queries that a model or a
    stranger wrote use `FolderStore`, which also reads RDF files.

    Args:
        store: the data; an empty store when None.
        name: what it holds, for `identity`.
        union_default_graph: as in `FolderStore`, and true for the same reason.
    """

    def __init__(
        self,
        store: pyoxigraph.Store | None = None,
        *,
        name: str = "memory",
        union_default_graph: bool = True,
    ) -> None:
        self._store = pyoxigraph.Store() if store is None else store
        self._name = name
        self._union = union_default_graph
        self._closed = False

    @property
    def identity(self) -> str:
        """The name and the number of quads."""
        return f"memory:{self._name}@{len(self._store)}"

    async def query(
        self,
        sparql: str,
        *,
        timeout: float = 30.0,
        max_rows: int = 100_000,
        graphs: Graphs | None = None,
    ) -> Rows:
        """The rows of a SELECT, or the boolean of an ASK; raises as `FolderStore.query` does."""
        if self._closed:
            raise StoreError(f"the store {self._name} is closed")
        union = self._union and graphs is None
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Rows] = loop.create_future()
        left = threading.Event()

        def work() -> None:
            rows: Rows | None = None
            failure: BaseException | None = None
            try:
                rows = self._run(sparql, union, max_rows, graphs, left)
            except Exception as error:
                failure = error
            if not left.is_set() and not loop.is_closed():
                loop.call_soon_threadsafe(_settle, answer, rows, failure)

        threading.Thread(target=work, daemon=True, name="factmark-query").start()
        try:
            async with asyncio.timeout(timeout):
                return await answer
        except TimeoutError as error:
            raise QueryTimeoutError(
                f"the query on {self._name} ran past its {timeout:g} s"
            ) from error
        finally:
            left.set()

    async def close(self) -> None:
        """Refuses further queries; the data belongs to the caller."""
        self._closed = True

    def _run(
        self,
        sparql: str,
        union: bool,
        max_rows: int,
        graphs: Graphs | None,
        left: threading.Event,
    ) -> Rows | None:
        """The result, in a thread; None when nobody waits for it any more."""
        collector = RowCollector(f"the store {self._name}")
        for message in run_query(
            self._store,
            sparql,
            union=union,
            max_rows=max_rows,
            max_bytes=MAX_RESULT_BYTES,
            default_graphs=None if graphs is None else graphs.default,
            named_graphs=None if graphs is None else graphs.named,
        ):
            rows = collector.add(message)
            if rows is not None:
                return rows
            if left.is_set():
                break
        return None


def _settle(answer: asyncio.Future[Rows], rows: Rows | None, failure: BaseException | None) -> None:
    if answer.done():
        return
    if failure is not None:
        answer.set_exception(failure)
    elif rows is not None:
        answer.set_result(rows)
    else:
        answer.cancel()
