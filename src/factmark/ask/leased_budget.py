"""One budget over several processes: a bank lends calls and money in portions, and takes back what
a process did not use, so that their sum never passes the bounds of the run."""

from __future__ import annotations

from threading import Lock
from typing import Protocol

from factmark.ask.budget import Budget

_SHARES = 8  # portions that each process would get if all took as many


class Lender(Protocol):
    """A bank, or what stands for one in another process."""

    def lend_calls(self) -> int:
        """Returns how many calls more may be made; 0 where there are none left."""

    def lend_money(self, least: float) -> float:
        """Returns how much more may be spent, at least so much; 0.0 where there is not as much."""

    def take_back(self, calls: int, money: float) -> None:
        """Takes what was not used; less than nothing, where more was spent than lent."""


class Bank:
    """Lends the calls and the money of a run to its processes; safe to be called by many threads.

    Args:
        max_calls, max_cost: as of `Budget`; None is no bound.
        processes: how many share it.
    """

    def __init__(
        self, *, max_calls: int | None = None, max_cost: float | None = None, processes: int = 1
    ) -> None:
        self.max_calls = max_calls
        self.max_cost = max_cost
        self._calls = max_calls or 0
        self._money = max_cost or 0.0
        self._portions = _SHARES * processes
        self._lock = Lock()

    def lend_calls(self) -> int:
        """Returns how many calls more may be made; 0 where there are none left."""
        with self._lock:
            portion = max(1, self._calls // self._portions)
            lent = max(0, min(portion, self._calls))
            self._calls -= lent
            return lent

    def lend_money(self, least: float) -> float:
        """Returns how much more may be spent, at least so much; 0.0 where there is not as much."""
        with self._lock:
            lent = max(least, self._money / self._portions)
            if lent <= 0.0 or lent > self._money:
                return 0.0
            self._money -= lent
            return lent

    def take_back(self, calls: int, money: float) -> None:
        """Takes what was not used; less than nothing, where more was spent than lent."""
        with self._lock:
            self._calls += calls
            self._money += money


class LeasedBudget(Budget):
    """The budget of one process, which borrows from a bank as it needs.

    Args:
        bank: who lends.
        max_calls, max_cost: the bounds of the whole run.
    """

    def __init__(self, bank: Lender, *, max_calls: int | None, max_cost: float | None) -> None:
        super().__init__(
            max_calls=None if max_calls is None else 0,
            max_cost=None if max_cost is None else 0.0,
        )
        self._bank = bank
        self._bounds = (max_calls, max_cost)

    def has_calls_left(self) -> bool:
        """Whether one more call may be made; borrows where the portion is used up."""
        if self.max_calls is not None and self._calls >= self.max_calls:
            self.max_calls += self._bank.lend_calls()
            if self._calls >= self.max_calls:
                self.exhausted = f"--max-calls {self._bounds[0]} reached"
        return not self.exhausted

    def fits(self, expected: float) -> bool:
        """Whether a call that is expected to cost this has room; borrows where it has not."""
        if super().fits(expected) or self.max_cost is None:
            return True
        lacking = self._spent + self._reserved + expected - self.max_cost
        self.max_cost += self._bank.lend_money(max(lacking, 0.0))
        return super().fits(expected)

    async def wait(self) -> None:
        """Waits for a call in flight to end; without any, the money is at its end."""
        if not self._in_flight:
            self.exhausted = f"--max-cost {self._bounds[1]:g} reached"
            return
        await super().wait()

    def close(self) -> None:
        """Gives back what was borrowed and not used."""
        calls = 0
        if self.max_calls is not None:
            calls = self.max_calls - self._calls
            self.max_calls = self._calls
        money = 0.0
        if self.max_cost is not None:
            money = self.max_cost - self._spent
            self.max_cost = self._spent
        self._bank.take_back(calls, money)
