"""What the ledger tells of a judge's newest verdicts: what they took, and the replies they rest
on."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmark.ask.chat import Reply
from factmark.errors import LedgerError
from factmark.ledger.calls import Call, add_calls
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import cost_of_verdict, kept_replies
from factmark.model import Item, Judge, Unit, Verdict

JUDGE = Judge.create("model", "m")
ITEM = Item(id="i", cluster="c", strata={}, data={})


def ledger_of(path: Path, calls: list[tuple[str, str, float, float | None]], units: int) -> Ledger:
    """A ledger with a verdict of each unit, and calls: key, time, latency, cost."""
    ledger = Ledger(path / "l.db")
    rows = [
        (
            Unit(id=f"u{n}", item="i", kind="pair", text=f"claim {n}", data={"passage": "P"}),
            Verdict(unit=f"u{n}", judge=JUDGE.id, label="YES", value=1.0, call=f"k{n // 2}"),
        )
        for n in range(units)
    ]
    ledger.record(JUDGE, [ITEM], rows, {})
    for key, at, latency, cost in calls:
        reply = Reply(text=f"reply to {key}", finish_reason="stop", latency=latency)
        call = Call(key=key, judge=JUDGE.id, sample=0, outcome=reply, cost=cost)
        with ledger.writing():
            add_calls(ledger, [call])
            ledger.connection.execute("UPDATE calls SET time = ? WHERE key = ?", (at, key))
    return ledger


def test_calls_side_by_side_take_their_time_once_and_pauses_none(tmp_path: Path) -> None:
    """0 to 10 s, 4 to 12 s (2 s more), 5 to 6 s (none more), and after a pause 60 to 63 s: 15 s
    for four verdicts."""
    times = [("k0", "10", 10.0), ("k1", "12", 8.0), ("k2", "06", 1.0)]
    calls = [(key, f"2026-01-01T00:00:{end}", took, 0.5) for key, end, took in times]
    calls.append(("k3", "2026-01-01T00:01:03", 3.0, 0.5))
    with ledger_of(tmp_path, calls, units=4) as ledger:
        cost, seconds = cost_of_verdict(ledger, JUDGE.id)
    assert cost == pytest.approx(2.0 / 4)
    assert seconds == pytest.approx(15 / 4, abs=1e-4)


def test_what_no_call_was_made_for_costs_nothing(tmp_path: Path) -> None:
    with ledger_of(tmp_path, [], units=2) as ledger:
        assert cost_of_verdict(ledger, JUDGE.id) == (0.0, 0.0)
    (tmp_path / "b").mkdir()
    calls = [("k0", "2026-01-01T00:00:10", 2.0, None)]
    with ledger_of(tmp_path / "b", calls, units=1) as ledger:
        cost, seconds = cost_of_verdict(ledger, JUDGE.id)
    assert cost is None, "of a call the price is not known"
    assert seconds == pytest.approx(2, abs=1e-4)


def test_a_reply_brings_its_claims_and_verdicts_in_their_order(tmp_path: Path) -> None:
    calls = [(f"k{n}", "2026-01-01T00:00:10", 1.0, None) for n in range(2)]
    with ledger_of(tmp_path, calls, units=4) as ledger:
        replies = kept_replies(ledger, JUDGE.id)
    assert [reply.text for reply in replies] == ["reply to k0", "reply to k1"]
    assert [reply.claims for reply in replies] == [["claim 0", "claim 1"], ["claim 2", "claim 3"]]
    units = [[verdict.unit for verdict in reply.verdicts] for reply in replies]
    assert units == [["u0", "u1"], ["u2", "u3"]]
    assert [reply.passages for reply in replies] == [["P", "P"], ["P", "P"]]
    assert not any(reply.cut for reply in replies)


def test_newest_verdicts_are_the_same_however_many_are_asked_for(tmp_path: Path) -> None:
    """Of few units each is looked up, of many all that the judge said is read."""
    other = Judge.create("model", "other")
    with ledger_of(tmp_path, [], units=40) as ledger:
        with ledger.writing():
            ledger.add_judge(other)
            for judge, label, every in ((JUDGE, "NO", 3), (other, "MAYBE", 1)):
                for n in range(0, 40, every):
                    verdict = Verdict(unit=f"u{n}", judge=judge.id, label=label, value=0.0)
                    ledger.add_verdict(verdict, "now")
        ids = [f"u{n}" for n in range(50)]
        together = ledger.newest(JUDGE.id, ids)
        assert together == {key: v for n in ids for key, v in ledger.newest(JUDGE.id, [n]).items()}
        assert [together[f"u{n}"].label for n in range(4)] == ["NO", "YES", "YES", "NO"]
        assert ledger.statuses(JUDGE.id, ids) == dict.fromkeys(ids[:40], "ok")
        labels = ledger.labels(JUDGE.id, ids)
        assert labels == {
            unit: (given.status, given.label, given.reason) for unit, given in together.items()
        }
        assert ledger.labels(JUDGE.id, ["u1"]) == {"u1": labels["u1"]}


def test_a_status_that_no_ledger_has_is_told_with_its_unit(tmp_path: Path) -> None:
    with ledger_of(tmp_path, [], units=3) as ledger:
        ledger.connection.execute("UPDATE verdicts SET status = 'perhaps' WHERE unit = 'u1'")
        with pytest.raises(LedgerError, match="status 'perhaps'"):
            ledger.labels(JUDGE.id, ["u0", "u1", "u2"])
