"""A ledger's writer for other processes of this machine: they judge and hand over verdicts, it
writes. So they need no ledgers of their own to be merged, and none waits for another's lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

from factmark.errors import LedgerError
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Unit, Verdict

Block = list[list[tuple[Any, ...]]]
"""Verdicts with their items and units, the fields of each as a tuple: records take three times as
long to another process."""

_FIELDS = (
    (Item, ("id", "cluster", "strata", "data")),
    (Unit, ("id", "item", "kind", "text", "data")),
    (Verdict, ("unit", "judge", "status", "label", "value", "reason", "call")),
)
_WAITING = 8  # blocks that may wait to be written


class LedgerKeeper:
    """Writes blocks of verdicts as they come, in a thread of its own.

    Attributes:
        error: why they cannot be written; empty while they can.
    """

    def __init__(self, path: Path) -> None:
        self.error = ""
        self._path = path
        self._blocks: Queue[Block] = Queue(_WAITING)
        Thread(target=self._write_all, daemon=True).start()

    def keep(self, block: Block) -> None:
        """Takes verdicts to be written; waits while many are."""
        self._blocks.put(block)

    def finish(self) -> None:
        """Returns when all that was taken is written, or cannot be."""
        self._blocks.join()

    def _write_all(self) -> None:
        """Writes blocks as they come; what comes after an error goes nowhere."""
        while True:
            block = self._blocks.get()
            try:
                if not self.error:
                    self._write(block)
            except LedgerError as error:
                self.error = str(error)
            finally:
                self._blocks.task_done()

    def _write(self, block: Block) -> None:
        """Writes a block; a part of a study that begins again may bring what stands there."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with Ledger(self._path) as ledger, ledger.writing():
            ledger.add_judged(_rows_of(block), now)


def block_of(rows: Sequence[tuple[Item, Unit, Verdict]]) -> Block:
    """Returns verdicts as `LedgerKeeper` takes them."""
    block = []
    for (_, names), records in zip(_FIELDS, zip(*rows, strict=True), strict=True):
        block.append([*map(attrgetter(*names), records)])
    return block


def _rows_of(block: Block) -> list[tuple[Item, Unit, Verdict]]:
    """Returns what `block_of` was given."""
    columns = []
    for (record, names), cells in zip(_FIELDS, block, strict=True):
        columns.append([record(**dict(zip(names, row, strict=True))) for row in cells])
    return list(zip(*columns, strict=True))
