"""Stores in this process: small data that are trusted, and answers that are remembered."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from functools import partial

import pyoxigraph

from factmark.errors import QueryTimeoutError, StoreError
from factmark.http.async_tools import Closing
from factmark.stores.engine import Message, RowCollector, run_query
from factmark.stores.folder import MAX_RESULT_BYTES
from factmark.stores.store import Graphs, Store
from factmark.stores.terms import Rows

MOST_CELLS = 1_000_000


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
        answer: Future[Rows] = Future()
        left = threading.Event()

        run = partial(  # in the thread: what the engine gives stays in one
            run_query,
            self._store,
            sparql,
            union=self._union and graphs is None,
            max_rows=max_rows,
            max_bytes=MAX_RESULT_BYTES,
            default_graphs=None if graphs is None else graphs.default,
            named_graphs=None if graphs is None else graphs.named,
        )

        def work() -> None:
            answer.set_running_or_notify_cancel()
            try:
                answer.set_result(self._collected(run, left))
            except Exception as error:
                answer.set_exception(error)

        threading.Thread(target=work, daemon=True, name="factmark-query").start()
        try:
            async with asyncio.timeout(timeout):
                return await asyncio.wrap_future(answer)
        except TimeoutError as error:
            raise QueryTimeoutError(
                f"the query on {self._name} ran past its {timeout:g} s"
            ) from error
        finally:
            left.set()

    async def close(self) -> None:
        """Refuses further queries; the data belongs to the caller."""
        self._closed = True

    def _collected(self, run: Callable[[], Iterable[Message]], left: threading.Event) -> Rows:
        """The result; ends early when nobody waits for it any more."""
        collector = RowCollector(f"the store {self._name}")
        for message in run():
            rows = collector.add(message)
            if rows is not None:
                return rows
            if left.is_set():
                break
        raise StoreError(f"nobody waits for the query on {self._name}")


def is_settled(store: Store) -> bool:
    """Whether the same identity means the same data; behind a URL or in memory it may change."""
    return store.identity.startswith(("folder:", "file:"))


class RememberingStore(Closing):
    """Asks another store each query once, also when many ask it at the same moment.

    Models under test ask the same of the same tools over and over. Failures are not remembered.

    Args:
        store: whose data does not change; it is not closed here.
        cells: of results that are remembered; those that were asked for longest ago go first.
    """

    def __init__(self, store: Store, *, cells: int = MOST_CELLS) -> None:
        self._store = store
        self._room = cells
        self._asked: OrderedDict[tuple[str, int, Graphs | None], asyncio.Task[Rows]] = OrderedDict()

    @property
    def identity(self) -> str:
        """The store's."""
        return self._store.identity

    @property
    def workers(self) -> int | None:
        """How many queries run at once, where the store says."""
        return getattr(self._store, "workers", None)

    async def query(
        self,
        sparql: str,
        *,
        timeout: float = 30.0,
        max_rows: int = 100_000,
        graphs: Graphs | None = None,
    ) -> Rows:
        """As the store answers it; a query that is being asked keeps its first asker's time."""
        key = (sparql, max_rows, graphs)
        if key not in self._asked:
            asking = self._store.query(sparql, timeout=timeout, max_rows=max_rows, graphs=graphs)
            self._asked[key] = asyncio.create_task(asking)
            self._asked[key].add_done_callback(lambda done: self._settle(key, done))
        self._asked.move_to_end(key)
        return await asyncio.shield(self._asked[key])

    async def close(self) -> None:
        """Forgets; queries that nobody waits for any more are ended."""
        for task in self._asked.values():
            task.cancel()
        self._asked.clear()

    def _settle(self, key: tuple[str, int, Graphs | None], done: asyncio.Task[Rows]) -> None:
        if self._asked.get(key) is not done:
            return
        if done.cancelled() or done.exception() is not None:
            del self._asked[key]
            return
        self._room -= _cells(done)
        while self._room < 0:
            oldest = next(key for key, task in self._asked.items() if task.done())
            self._room += _cells(self._asked.pop(oldest))


def _cells(task: asyncio.Task[Rows]) -> int:
    rows = task.result()
    return 1 + len(rows.rows) * len(rows.variables)
