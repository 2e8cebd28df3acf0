"""One budget over several workers: whatever they do at once, the sum keeps to the bounds."""

from __future__ import annotations

from random import Random

import pytest

from factmark.ask.leased_budget import Bank, LeasedBudget

USUAL = 0.01  # what a call is expected to cost
DEAREST = 0.03


class Worker:
    """A worker whose calls begin and end whenever its turn comes; so many are in flight at most."""

    def __init__(self, bank: Bank, bound: float | None, calls: int | None, at_once: int) -> None:
        self.budget = LeasedBudget(bank, max_calls=calls, max_cost=bound)
        self.at_once = at_once
        self.in_flight = 0
        self.calls = 0
        self.spent = 0.0

    def turn(self, random: Random) -> bool:
        """Begins or ends a call; returns whether it can go on."""
        may_begin = self.in_flight < self.at_once and self.budget.has_calls_left()
        if may_begin and random.random() < 0.6 and self.budget.fits(USUAL):
            self.budget.take(USUAL)
            self.in_flight += 1
            self.calls += 1
            return True
        if self.in_flight:
            cost = random.uniform(0.5 * USUAL, USUAL)
            if random.random() < 0.1:
                cost = random.uniform(USUAL, DEAREST)
            self.budget.give_back(USUAL, cost)
            self.in_flight -= 1
            self.spent += cost
            return True
        return self.budget.has_calls_left() and self.budget.fits(USUAL)


def played(seed: int, workers: int, bound: float | None, calls: int | None) -> list[Worker]:
    """Workers that took turns by chance until none could go on."""
    random = Random(seed)
    bank = Bank(max_calls=calls, max_cost=bound, processes=workers)
    playing = [Worker(bank, bound, calls, random.randint(1, 4)) for _ in range(workers)]
    left = list(playing)
    while left:
        worker = random.choice(left)
        if not worker.turn(random):
            worker.budget.close()
            left.remove(worker)
    return playing


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("seed", range(50))
def test_a_bound_on_cost_is_passed_by_no_more_than_a_call_of_each(seed: int, workers: int) -> None:
    bound = Random(seed).uniform(0.05, 2.0)
    done = played(seed, workers, bound, None)
    assert sum(worker.spent for worker in done) <= bound + workers * DEAREST
    assert sum(worker.spent for worker in done) >= bound - workers * 4 * DEAREST


@pytest.mark.parametrize("seed", range(20))
def test_a_bound_on_calls_is_reached_and_not_passed(seed: int) -> None:
    done = played(seed, 4, None, 101)
    assert sum(worker.calls for worker in done) == 101
