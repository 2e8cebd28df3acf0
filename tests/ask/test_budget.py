"""What two accounts spent together, and what one spent since an earlier look."""

from __future__ import annotations

import asyncio

import pytest

from factmark.ask.budget import Account, Budget, Reserved, Spend
from factmark.ask.chat import Usage
from factmark.ask.prices import Price


def test_counts_are_added_and_failures_by_reason() -> None:
    one = Spend(calls=3, judged_before=2, cost=0.5, failures={"timeout": 2, "429": 1})
    other = Spend(calls=4, judged_before=5, cost=0.25, failures={"429": 3}, stopped="the budget")
    both = one + other
    assert (both.calls, both.judged_before, both.cost) == (7, 7, 0.75)
    assert both.failures == {"429": 4, "timeout": 2}
    assert both.stopped == "the budget"
    assert (other + one).failures == both.failures


def test_nothing_is_what_an_account_begins_with() -> None:
    told = Spend().as_json()
    assert set(told.values()) == {0, "", None}, told
    assert told["estimated_usage"] is False
    assert Spend() + Spend() == Spend()


def test_an_unknown_price_and_an_estimate_stay_so() -> None:
    assert (Spend(cost=None) + Spend(cost=1.0)).cost is None
    assert (Spend(cost=1.0) + Spend(cost=None)).cost is None
    assert (Spend(estimated_usage=True) + Spend()).estimated_usage
    assert not (Spend() + Spend()).estimated_usage


def test_what_earlier_runs_took_is_added_where_both_tell_it() -> None:
    kept = Spend(calls=2)
    assert (Spend(kept=kept) + Spend(kept=kept)).kept == Spend(calls=4)
    assert (Spend(kept=kept) + Spend()).kept == kept
    assert (Spend() + Spend(kept=kept)).kept == kept


def test_notes_stand_once() -> None:
    assert (Spend(notes=("a", "b")) + Spend(notes=("b", "c"))).notes == ("a", "b", "c")


def test_since_an_earlier_look() -> None:
    before = Spend(calls=2, input_tokens=10, cost=0.5)
    now = Spend(calls=5, input_tokens=30, cost=2.0, failures={"x": 1})
    later = now.since(before)
    assert (later.calls, later.input_tokens, later.failures) == (3, 20, {"x": 1})
    assert later.cost == pytest.approx(1.5)
    assert now.since(Spend(cost=None)).cost == 2.0
    assert Spend(cost=None).since(before).cost is None


def test_a_call_that_is_turned_away_is_no_call_and_frees_what_was_set_aside() -> None:
    budget = Budget(max_calls=2, max_cost=1.0)
    budget.take(0.6)
    assert not budget.fits(0.6), "beside the one in flight"
    budget.give_back(0.6, 0.0, calls=0)
    assert budget.fits(0.6)
    for _ in range(2):
        assert budget.has_calls_left()
        budget.take(0.1)
        budget.give_back(0.1, 0.2)
    assert not budget.has_calls_left()
    assert budget.exhausted == "--max-calls 2 reached"


async def test_money_is_waited_for_only_while_a_call_may_give_some_back() -> None:
    budget = Budget(max_cost=1.0)
    budget.take(1.0)
    waiting = asyncio.create_task(budget.wait())
    await asyncio.sleep(0)
    assert not waiting.done()
    budget.give_back(1.0, 0.3)
    await asyncio.wait_for(waiting, 1)
    assert budget.exhausted == ""
    assert budget.fits(0.7)
    assert not budget.fits(0.8)
    await asyncio.wait_for(budget.wait(), 1)
    assert budget.exhausted == "--max-cost 1 reached"


def test_an_account_counts_replies_of_which_the_price_is_known() -> None:
    """One reply without a price makes the cost unknown; a failed call takes nothing of it."""
    account = Account(price=None)
    failed = account.settle(account.take(Reserved()), None)
    assert (failed, account.spend.calls, account.spend.replies) == (None, 1, 0)
    priced = Usage(input=10, output=2, cost=0.5)
    assert account.settle(account.take(Reserved(prompt=10)), priced) == 0.5
    assert (account.spend.cost, account.spend.replies, account.in_flight) == (0.5, 1, 0)
    account.settle(account.take(Reserved(prompt=10)), Usage(input=10, output=4))
    assert account.spend.cost is None
    assert (account.spend.calls, account.usual_output) == (3, 3)


def test_what_was_used_says_what_the_next_call_is_taken_to_cost() -> None:
    """A dollar a token: a prompt counted as 10 tokens took 20, and the reply had 4. Of the next
    prompt of 10 tokens 20 + 4 dollars are set aside, and half of that in a batch."""
    account = Account(price=Price(input=1e6, output=1e6), budget=Budget(max_cost=100))
    assert account.spend.cost == 0.0
    assert Account(price=None).spend.cost is None, "nothing was asked, and nothing is known"
    account.settle(account.take(Reserved(prompt=10)), Usage(input=20, output=4))
    assert account.spend.cost == 24.0
    reserved = asyncio.run(account.admit(10, 100))
    assert reserved is not None
    assert reserved.cost == 24.0
    batched = account.admit_batched(10, 100)
    assert batched is not None
    assert batched.cost == 12.0
    shorter = account.admit_batched(10, 2)
    assert shorter is not None
    assert shorter.cost == 11.0, "a reply is not longer than it may be"
    assert account.admit_batched(40, 100) is None, (
        "24 are spent and 47 set aside: 42 more do not fit"
    )


async def test_who_waits_for_money_again_waits_for_the_next_call_to_end() -> None:
    budget = Budget(max_cost=2.0)
    budget.take(1.0)
    budget.take(1.0)
    budget.give_back(1.0, 1.0)
    waiting = asyncio.create_task(budget.wait())
    await asyncio.sleep(0)
    assert not waiting.done(), "the call that ended before is not what is waited for"
    budget.give_back(1.0, 0.5)
    await asyncio.wait_for(waiting, 1)


async def test_only_where_money_is_bounded_others_wait_for_what_the_first_reply_costs() -> None:
    price = Price(input=1e6, output=1e6)
    free, bounded = (Account(price=price, budget=Budget(max_cost=most)) for most in (None, 1_000.0))
    for account, waits in ((free, False), (bounded, True)):
        assert await account.admit(10, 10) is not None
        second = asyncio.create_task(account.admit(10, 10))
        await asyncio.sleep(0)
        assert second.done() != waits
        second.cancel()
