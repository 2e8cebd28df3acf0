"""The one place that all workers speak to: it lends calls and money, hears how far they are, and
keeps verdicts for those that share a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

from factmark.ask.leased_budget import Bank
from factmark.ask.runner import Judged
from factmark.errors import LedgerError
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Unit, Verdict

Counts = tuple[int, int, int]
"""Units with a verdict, those that had one before among them, and those that failed."""

Block = list[list[tuple[Any, ...]]]
"""Verdicts with their items and units, the fields of each as a tuple: records take three times as
long to another process."""

_FIELDS = (
    (Item, ("id", "cluster", "strata", "data")),
    (Unit, ("id", "item", "kind", "text", "data")),
    (Verdict, ("unit", "judge", "status", "label", "value", "reason", "call")),
)
_WAITING = 8  # blocks that may wait to be written


class PartsDesk(Bank):
    """A bank that also keeps what workers report. It stands in a process of its own; others call it
    by what stands for it there."""

    def __init__(
        self,
        *,
        max_calls: int | None = None,
        max_cost: float | None = None,
        processes: int = 1,
        ledger: Path | None = None,
    ) -> None:
        super().__init__(max_calls=max_calls, max_cost=max_cost, processes=processes)
        self._reports: dict[int, Counts] = {}
        self._error = ""
        self._blocks: Queue[Block] = Queue(_WAITING)
        if ledger is not None:
            Thread(target=self._write, args=(ledger,), daemon=True).start()

    def report(self, part: int, counts: Counts) -> None:
        """Keeps how far a part is."""
        self._reports[part] = counts

    def fail(self, part: int, why: str) -> None:
        """Keeps why a part cannot be judged; the first reason stays."""
        self._error = self._error or f"part {part}: {why}"

    def state(self) -> tuple[Counts, str]:
        """Returns the sums of what was reported, and why a part cannot be judged, if one cannot."""
        done, before, failed = (
            sum(counts[place] for counts in self._reports.values()) for place in range(3)
        )
        return (done, before, failed), self._error

    def keep(self, block: Block) -> None:
        """Has verdicts written to the shared ledger; waits while many are to be written."""
        self._blocks.put(block)

    def finish(self) -> None:
        """Returns when all verdicts are written; why one cannot be is in `state`."""
        self._blocks.join()

    def _write(self, path: Path) -> None:
        """Writes blocks as they come."""
        while True:
            block = self._blocks.get()
            try:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                with Ledger(path) as ledger, ledger.writing():
                    ledger.add_judged(_rows_of(block), now)
            except LedgerError as error:
                self._error = self._error or str(error)
            finally:
                self._blocks.task_done()


def block_of(rows: Sequence[Judged]) -> Block:
    """Returns verdicts as the desk takes them."""
    block = []
    for (_, names), records in zip(_FIELDS, zip(*rows, strict=True), strict=True):
        block.append([*map(attrgetter(*names), records)])
    return block


def _rows_of(block: Block) -> list[Judged]:
    """Returns what `block_of` was given."""
    columns = []
    for (record, names), cells in zip(_FIELDS, block, strict=True):
        columns.append([record(**dict(zip(names, row, strict=True))) for row in cells])
    return list(zip(*columns, strict=True))
