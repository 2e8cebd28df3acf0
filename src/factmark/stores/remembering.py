"""Answers of a store that are remembered."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from factmark.http.async_tools import Closing
from factmark.stores.store import Graphs, Store
from factmark.stores.terms import Rows

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
