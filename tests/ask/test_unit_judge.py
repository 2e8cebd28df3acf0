"""The seam: what a judge is handed, what it may give back, and what the runner sees to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from factmark.ask.judges.unit_judge import UnitJudge, ready, rule_judge, verdict_by
from factmark.ask.runner import run, run_at_hand
from factmark.errors import EndpointError
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Judge, Unit, Verdict
from judging_setup import VALUES, jobs, rows

ENTAILMENT = Judge.create("model", "entailment", weights="abc")
LABELS = "SELECT text, label FROM newest_verdicts JOIN units ON id = unit"


class Entailment:
    """A judge as a local model would be one: opened, handed batches, closed."""

    def __init__(self, *, leaves: str = "", breaks_at: int = 10**9) -> None:
        self.batches: list[list[str]] = []
        self.is_open = False
        self._leaves, self._breaks_at = leaves, breaks_at

    @asynccontextmanager
    async def opened(self, _ledger: Ledger, _writer: LedgerWriter) -> AsyncIterator[UnitJudge]:
        self.is_open = True
        yield UnitJudge(
            identity=ENTAILMENT, judge=self.judge, batch=4, group=lambda unit: unit.item, at_once=2
        )
        self.is_open = False

    async def judge(self, units: Sequence[Unit]) -> AsyncIterator[Verdict]:
        assert self.is_open
        self.batches.append([unit.text for unit in units])
        for unit in reversed(units):  # in any order
            if len(self.batches) > self._breaks_at:
                raise EndpointError("out of memory")
            if unit.text != self._leaves:
                yield verdict_by(ENTAILMENT, unit, "SUPPORTED", "", VALUES)


async def test_batches_keep_to_their_group_and_verdicts_come_in_any_order(ledger: Path) -> None:
    judge = Entailment()
    done = await run(jobs(23), judge.opened, ledger)
    assert (done.judge, done.verdicts, done.left) == (ENTAILMENT, {"ok": 23}, 0)
    assert [len(batch) for batch in judge.batches] == [4, 4, 2, 4, 4, 2, 3]
    assert dict(rows(ledger, LABELS)) == {unit.text: "SUPPORTED" for _, unit in jobs(23)}
    assert not judge.is_open


async def test_a_unit_without_a_verdict_stays_to_be_judged(ledger: Path) -> None:
    left = [unit.text for _, unit in jobs(10)][5]
    first = await run(jobs(10), Entailment(leaves=left).opened, ledger)
    assert (first.verdicts, first.left) == ({"ok": 9}, 1)
    judge = Entailment()
    again = await run(jobs(10), judge.opened, ledger)
    assert judge.batches == [[left]]
    assert (again.verdicts, again.spend.judged_before) == ({"ok": 10}, 9)


async def test_no_job_is_read_where_all_are_judged(ledger: Path) -> None:
    """As the same command again: the ids of its units are enough."""
    ids = [unit.id for _, unit in jobs(10)]
    item, left = list(jobs(10))[5]
    await run(jobs(10), Entailment(leaves=left.text).opened, ledger, ids=lambda: ids)
    with Ledger(ledger) as opened, opened.writing():  # a call that failed is made again
        failed = Verdict(unit=left.id, judge=ENTAILMENT.id, status="failed")
        opened.add_judged([(item, left, failed)], "now")
    judge = Entailment()
    again = await run(jobs(10), judge.opened, ledger, ids=lambda: ids)
    assert (judge.batches, again.verdicts) == ([[left.text]], {"ok": 10})
    last = await run(iter([None]), judge.opened, ledger, ids=lambda: ids)  # type: ignore[list-item]
    assert (last.verdicts, last.spend.judged_before, last.left) == ({"ok": 10}, 10, 0)


async def test_what_was_judged_before_the_judge_broke_is_kept(ledger: Path) -> None:
    with pytest.raises(EndpointError, match="out of memory"):
        await run(jobs(40), Entailment(breaks_at=3).opened, ledger)
    assert len(rows(ledger, LABELS)) == 4 + 4 + 2
    judge = Entailment()
    await run(jobs(40), judge.opened, ledger)
    assert sum(map(len, judge.batches)) == 30


async def test_rules_know_too_little_or_give_a_label(ledger: Path) -> None:
    identity = Judge.create("rule", "words", version="1")

    def decide(unit: Unit) -> tuple[str | None, str]:
        return ("SUPPORTED", "odd") if unit.text.endswith("1") else (None, "no words")

    done = await run(jobs(8), ready(rule_judge(identity, decide, VALUES)), ledger)
    assert done.verdicts == {"undecided": 7, "ok": 1}


async def test_a_judge_at_hand_goes_through_all_units_and_keeps_nothing(ledger: Path) -> None:
    """Whoever calls keeps what came of them: answers have scores of many verdicts."""
    seen: list[str] = []

    def decide(unit: Unit) -> tuple[str | None, str]:
        seen.append(unit.text)
        return "SUPPORTED", ""

    judge = rule_judge(Judge.create("rule", "words"), decide, VALUES)
    for _ in range(2):
        done = await run_at_hand(jobs(5), judge)
        assert (done.verdicts, done.left, done.spend.judged_before) == ({"ok": 5}, 0, 0)
    assert len(seen) == 10
    kept = await run(jobs(5), Entailment().opened, ledger, keep=False)
    assert kept.verdicts == {"ok": 5}
    with Ledger(ledger) as opened:
        assert (opened.counts()["verdicts"], opened.counts()["judges"]) == (0, 1)


async def test_a_unit_that_a_batch_names_twice_is_judged_once(ledger: Path) -> None:
    three = list(jobs(3))
    judge = Entailment()
    done = await run([three[0], three[1], three[0], three[2]], judge.opened, ledger)
    texts = [unit.text for _, unit in three]
    assert judge.batches == [texts]
    assert (done.verdicts, done.left) == ({"ok": 3}, 0)
    assert sorted(rows(ledger, LABELS)) == sorted((text, "SUPPORTED") for text in texts)


async def test_judged_again_where_that_is_asked_for(ledger: Path) -> None:
    await run(jobs(4), Entailment().opened, ledger)
    judge = Entailment()
    done = await run(jobs(4), judge.opened, ledger, again=True)
    assert (len(judge.batches), done.spend.judged_before) == (1, 0)
