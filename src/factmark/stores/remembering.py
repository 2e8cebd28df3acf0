"""A store that answers a query a second time from memory, for data that does not change."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from factmark.ask.closing import Closing
from factmark.stores.graphs import Graphs
from factmark.stores.store import Store
from factmark.stores.terms import Rows

_Key = tuple[str, int, Graphs | None]
MOST_CELLS = 1_000_000


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
        self._known: OrderedDict[_Key, Rows] = OrderedDict()
        self._flying: dict[_Key, asyncio.Task[Rows]] = {}

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
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        task = self._flying.get(key)
        if task is None:
            task = asyncio.create_task(
                self._store.query(sparql, timeout=timeout, max_rows=max_rows, graphs=graphs)
            )
            self._flying[key] = task
            task.add_done_callback(lambda done: self._settle(key, done))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Forgets; queries that nobody waits for any more are ended."""
        for task in self._flying.values():
            task.cancel()
        self._known.clear()

    def _settle(self, key: _Key, done: asyncio.Task[Rows]) -> None:
        del self._flying[key]
        if done.cancelled() or done.exception() is not None:
            return
        self._known[key] = done.result()
        self._room -= _cells(done.result())
        while self._room < 0:
            _, oldest = self._known.popitem(last=False)
            self._room += _cells(oldest)


def _cells(rows: Rows) -> int:
    return 1 + len(rows.rows) * len(rows.variables)
