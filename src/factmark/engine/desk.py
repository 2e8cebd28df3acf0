"""The one place that all workers speak to: it lends calls and money, hears how far they are, and
keeps verdicts for those that share a ledger."""

from __future__ import annotations

from pathlib import Path

from factmark.ask.leased_budget import Bank
from factmark.ledger.keeper import Block, LedgerKeeper

Counts = tuple[int, int, int]
"""Units with a verdict, those that had one before among them, and those that failed."""


class PartsDesk(Bank):
    """A bank that also keeps what workers report. It stands in a process of its own; others call it
    by what stands for it there.

    Args:
        max_calls, max_cost, processes: as of `Bank`.
        ledger: which workers share; None where each part has its own.
    """

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
        self._keeper = LedgerKeeper(ledger) if ledger else None

    def report(self, part: int, counts: Counts) -> None:
        """Keeps how far a part is."""
        self._reports[part] = counts

    def fail(self, part: int, why: str) -> None:
        """Keeps why a part cannot be judged; the first reason stays."""
        self._error = self._error or f"part {part}: {why}"

    def keep(self, block: Block) -> None:
        """Has verdicts written to the shared ledger."""
        if self._keeper is not None:
            self._keeper.keep(block)

    def state(self, *, at_the_end: bool = False) -> tuple[Counts, str]:
        """Returns the sums of what was reported, and why a part cannot be judged, if one cannot.

        Args:
            at_the_end: whether to wait until all verdicts are written.
        """
        error = self._error
        if self._keeper is not None:
            if at_the_end:
                self._keeper.finish()
            error = error or self._keeper.error
        done, before, failed = (
            sum(counts[place] for counts in self._reports.values()) for place in range(3)
        )
        return (done, before, failed), error
