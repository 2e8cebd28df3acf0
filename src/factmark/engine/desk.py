"""The one place that all workers speak to: it lends calls and money, and hears how far they are."""

from __future__ import annotations

from factmark.ask.leased_budget import Bank

Counts = tuple[int, int, int]
"""Units with a verdict, those that had one before among them, and those that failed."""


class PartsDesk(Bank):
    """A bank that also keeps what workers report. It stands in a process of its own; others call it
    by what stands for it there."""

    def __init__(
        self, *, max_calls: int | None = None, max_cost: float | None = None, processes: int = 1
    ) -> None:
        super().__init__(max_calls=max_calls, max_cost=max_cost, processes=processes)
        self._reports: dict[int, Counts] = {}
        self._error = ""

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
