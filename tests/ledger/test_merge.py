"""Ledgers merged by the ids of their contents: in any order, again, and not where they contradict
each other."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns import campaign_in, summaries
from factmark.ask.chat import Reply, Usage
from factmark.errors import InputError, LedgerError
from factmark.ledger.calls import Call, add_calls, call_totals, find_reply
from factmark.ledger.campaigns import campaigns_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.shards.histories import History, joined_history
from factmark.ledger.shards.merge import merge_ledgers
from factmark.model import Item, Judge, Unit, Verdict
from shell import kept_ledger

JUDGE = Judge.create("rule", "words", version=1)
HOUR = "2026-11-28T{:02}:00:00+00:00"


def ledger_with(path: Path, said: Sequence[tuple[str, str, int]]) -> Path:
    """A ledger in which a judge said of units, by their names, a label at an hour."""
    with Ledger(path) as ledger:
        for name, label, hour in said:
            item = Item(id=f"i {name}", cluster="c")
            text = f"The claim {name}."
            data = {"passage": f"A passage of {name}." * 9, "where": name}
            unit = Unit(id=name, item=item.id, kind="claim", text=text, data=data)
            failed = label == "failed"
            verdict = Verdict(
                unit=name,
                judge=JUDGE.id,
                status="failed" if failed else "ok",
                label=None if failed else label,
                reason="no reply" if failed else "it says so",
            )
            with ledger.writing():
                ledger.add_judge(JUDGE)
                ledger.add_judged([(item, unit, verdict)], HOUR.format(hour))
    return path


def newest(path: Path) -> dict[str, str | None]:
    """Unit -> its newest label."""
    with Ledger(path, read_only=True) as ledger:
        rows = ledger.rows("SELECT unit, label FROM newest_verdicts ORDER BY unit")
        return dict(rows.fetchall())


def contents(path: Path) -> list[list[tuple[object, ...]]]:
    """All that a reader sees of a ledger, but the numbers."""
    queries = (
        "SELECT * FROM items ORDER BY id",
        "SELECT id, item, kind, text, data FROM whole_units ORDER BY id",
        "SELECT unit, judge, status, label, value, reason, time, call FROM verdicts "
        "ORDER BY unit, judge, number",
        "SELECT key, text, cost, time FROM calls ORDER BY key, number",
    )
    with Ledger(path, read_only=True) as ledger:
        return [ledger.rows(query).fetchall() for query in queries]


def test_the_newest_verdict_counts_in_whatever_order_ledgers_are_merged(tmp_path: Path) -> None:
    parts = [
        ledger_with(tmp_path / "a.db", [("u", "yes", 1), ("v", "yes", 5), ("w", "no", 3)]),
        ledger_with(tmp_path / "b.db", [("u", "no", 2), ("v", "no", 4)]),
        ledger_with(tmp_path / "c.db", [("u", "maybe", 1), ("x", "yes", 1)]),
    ]
    merged = []
    for number, order in enumerate(permutations(parts)):
        out = tmp_path / f"all {number}.db"
        merge_ledgers(order, out)
        merged.append(contents(out))
        assert newest(out) == {"u": "no", "v": "yes", "w": "no", "x": "yes"}
    assert all(content == merged[0] for content in merged)


def test_merged_again_or_one_after_another_nothing_is_added(tmp_path: Path) -> None:
    a = ledger_with(tmp_path / "a.db", [("u", "yes", 1), ("u", "no", 2), ("u", "yes", 3)])
    b = ledger_with(tmp_path / "b.db", [("u", "no", 4), ("v", "no", 4)])
    merge_ledgers([a, b], tmp_path / "all.db")
    merge_ledgers([b], tmp_path / "steps.db")
    merge_ledgers([a], tmp_path / "steps.db")
    again = merge_ledgers([a, b, tmp_path / "steps.db"], tmp_path / "all.db")
    assert {n for part in again for n in part.new.values()} == {0}
    assert contents(tmp_path / "all.db") == contents(tmp_path / "steps.db")
    with Ledger(tmp_path / "all.db") as ledger:
        (said,) = ledger.rows("SELECT group_concat(label) FROM verdicts WHERE unit = 'u'")
    assert said == ("yes,no,yes,no",)


def test_a_call_that_failed_later_takes_no_verdict_back(tmp_path: Path) -> None:
    a = ledger_with(tmp_path / "a.db", [("u", "yes", 1)])
    b = ledger_with(tmp_path / "b.db", [("u", "failed", 2)])
    merge_ledgers([a, b], tmp_path / "all.db")
    assert newest(tmp_path / "all.db") == {"u": "yes"}


_ROWS = st.lists(st.tuples(st.sampled_from(["ok", "failed"]), st.integers(0, 3).map(str)))
_HISTORY = History(shared="", of_whole="", of_part="", delete="", insert="", time=1, status=0)


@given(_ROWS, _ROWS)
def test_two_histories_are_the_same_either_way_and_keep_every_row(
    one: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    a = [(*row, f"a{n}") for n, row in enumerate(sorted(one, reverse=True))]  # failures first
    b = [(*row, f"b{n}") for n, row in enumerate(sorted(other))]
    joined = joined_history(a, b, _HISTORY)
    assert sorted(joined) == sorted([*a, *b])
    if a and b:
        assert joined == joined_history(b, a, _HISTORY)
    assert joined_history(joined, b, _HISTORY) == joined


def test_calls_stand_once_and_the_first_reply_to_a_question_counts(tmp_path: Path) -> None:
    def asked(path: Path, text: str, cost: float, time: str) -> Path:
        with Ledger(path) as ledger, ledger.writing() as db:
            ledger.add_judge(JUDGE)
            usage = Usage(input=10, output=2)
            reply = Reply(text=text, usage=usage)
            call = Call(key="k" * 64, judge=JUDGE.id, sample=0, outcome=reply, cost=cost)
            add_calls(ledger, [call])
            db.execute("UPDATE calls SET time = ?", (time,))
        return path

    late = asked(tmp_path / "late.db", "late", 0.5, "2026-11-28T11:00:00.000+00:00")
    early = asked(tmp_path / "early.db", "early", 0.25, "2026-11-28T10:00:00.000+00:00")
    for number, order in enumerate(([late, early, late], [early, late])):
        out = tmp_path / f"all {number}.db"
        merge_ledgers(order, out)
        with Ledger(out) as ledger:
            reply = find_reply(ledger, "k" * 64)
            assert reply is not None
            assert reply.text == "early"
            totals = call_totals(ledger)
        assert (totals["replies"], totals["cost"]) == (2, 0.75)  # both were paid


def test_one_id_with_two_contents_is_an_error_that_names_both(tmp_path: Path) -> None:
    a = ledger_with(tmp_path / "a.db", [("u", "yes", 1)])
    b = ledger_with(tmp_path / "b.db", [("v", "yes", 1), ("u", "no", 2)])
    with Ledger(b) as ledger, ledger.writing() as db:
        db.execute("UPDATE kept_units SET text = 'Another claim.' WHERE id = 'u'")
    with pytest.raises(LedgerError) as error:
        merge_ledgers([a, b], tmp_path / "all.db")
    for text in ("all.db", "b.db", "the unit u", "The claim u.", "Another claim."):
        assert text in str(error.value)
    assert newest(tmp_path / "all.db") == {"u": "yes"}  # nothing of b, all of a


def test_a_campaign_is_merged_as_it_is_and_two_guidelines_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Ledger(path) as ledger:
        campaign = campaign_in(ledger, summaries(2))
        before = ledger.rows("SELECT * FROM assignments ORDER BY key").fetchall()
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    merge_ledgers([path, copy], tmp_path / "all.db")
    with Ledger(tmp_path / "all.db") as ledger:
        assert campaigns_of(ledger) == [campaign]
        assert ledger.rows("SELECT * FROM assignments ORDER BY key").fetchall() == before
    with Ledger(copy) as ledger, ledger.writing() as db:
        db.execute("UPDATE campaigns SET guidelines = 'Be kind.'")
    with pytest.raises(LedgerError, match=r"all\.db and .*copy\.db.*campaign.*Be kind"):
        merge_ledgers([copy], tmp_path / "all.db")


def test_what_is_no_ledger_stops_before_anything_is_merged(tmp_path: Path) -> None:
    a = ledger_with(tmp_path / "a.db", [("u", "yes", 1)])
    with closing(sqlite3.connect(tmp_path / "other.db")) as db:
        db.execute("CREATE TABLE t (x)")
    for bad in (tmp_path / "other.db", tmp_path / "none.db", tmp_path / "z*.db"):
        with pytest.raises(LedgerError, match=bad.name.replace("*", r"\*")):
            merge_ledgers([a, bad], tmp_path / "all.db")
        assert not (tmp_path / "all.db").exists()
    with pytest.raises(InputError, match="one of the ledgers"):
        merge_ledgers([a], a)


def test_a_ledger_of_an_earlier_version_is_merged_and_left_as_it_is(tmp_path: Path) -> None:
    earlier = kept_ledger("measured", tmp_path / "earlier.db")
    before = earlier.read_bytes()
    (brought,) = merge_ledgers([earlier], tmp_path / "all.db")
    assert brought.new["verdicts"] == 95  # as many as test_earlier_ledgers has exported
    assert earlier.read_bytes() == before
    assert contents(tmp_path / "all.db") == contents(earlier)
