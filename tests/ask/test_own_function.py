"""A function of the user's own as a judge: what it may be, what it may return, what goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from factmark.ask.judges.own_function import (
    OwnFunction,
    function_judge,
    load_function,
    names_function,
)
from factmark.ask.judges.unit_judge import ready
from factmark.ask.runner import JudgingProgress, run
from factmark.errors import InputError
from judging_setup import VALUES, jobs, rows

NEWEST = "SELECT status, label, value, reason FROM newest_verdicts JOIN units ON id = unit"


class Killed(BaseException):
    """Ends a run at once, as an interrupt does."""


async def judged(call: Callable[..., Any], ledger: Path, number: int = 1) -> JudgingProgress:
    function = OwnFunction(name="mine:judge", call=call, source="1")
    judge = function_judge(function, lambda unit: {"claim": unit.text}, VALUES)
    return await run(jobs(number), ready(judge), ledger)


@pytest.mark.parametrize(
    ("returned", "row"),
    [
        ("SUPPORTED", ("ok", "SUPPORTED", 1.0, "")),
        (("NOT_SUPPORTED", "a reason"), ("ok", "NOT_SUPPORTED", 0.0, "a reason")),
        (None, ("undecided", None, None, "")),
        ((None, "too short"), ("undecided", None, None, "too short")),
    ],
)
async def test_what_it_may_return(returned: object, row: tuple[object, ...], ledger: Path) -> None:
    await judged(lambda unit: returned, ledger)
    assert rows(ledger, NEWEST) == [row]


@pytest.mark.parametrize(
    "returned", ["supported", "", 1, True, 0.5, ["SUPPORTED"], ("SUPPORTED", 1), ("a", "b", "c")]
)
async def test_anything_else_is_that_units_failure(returned: object, ledger: Path) -> None:
    """No near miss is taken for a label, and the other units are judged."""
    answers = iter([returned, "SUPPORTED"])
    done = await judged(lambda unit: next(answers), ledger, 2)
    assert done.verdicts == {"failed": 1, "ok": 1}
    (failed, label, value, reason), _ = sorted(rows(ledger, NEWEST))
    assert (failed, label, value) == ("failed", None, None)
    assert "SUPPORTED, NOT_SUPPORTED" in reason or "is no text" in reason
    assert list(done.spend.failures) == [reason]


async def test_digits_are_labels_of_a_rating(ledger: Path) -> None:
    function = OwnFunction(name="mine:rate", call=lambda unit: 4, source="1")
    judge = function_judge(function, lambda unit: {}, {"4": 4.0, "5": 5.0})
    await run(jobs(1), ready(judge), ledger)
    assert rows(ledger, NEWEST) == [("ok", "4", 4.0, "")]


async def test_what_it_raises_is_that_units_failure_and_is_asked_again(ledger: Path) -> None:
    asked: list[str] = []

    def judge(unit: dict[str, str]) -> str:
        asked.append(unit["claim"])
        if unit["claim"].startswith("substance 1 ") and len(asked) <= 3:
            raise KeyError("no such substance")
        if unit["claim"].startswith("substance 2 ") and len(asked) <= 3:
            raise SystemExit(1)
        return "SUPPORTED"

    first = await judged(judge, ledger, 3)
    assert first.verdicts == {"ok": 1, "failed": 2}
    assert set(first.spend.failures) == {"KeyError: 'no such substance'", "SystemExit: 1"}
    again = await judged(judge, ledger, 3)
    assert (again.verdicts, again.spend.judged_before) == ({"ok": 3}, 1)
    assert len(asked) == 5, "the two that failed are asked again, and no other"


async def test_what_it_raises_may_have_no_words_or_look_like_the_end_of_the_run(
    ledger: Path,
) -> None:
    """A cancellation that the function lets out is its own; that of the run ends the run."""

    class WordlessError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    async def judge(unit: dict[str, str]) -> str:
        if unit["claim"].startswith("substance 1 "):
            raise WordlessError
        raise asyncio.CancelledError

    done = await judged(judge, ledger, 3)
    assert (done.verdicts, done.left) == ({"failed": 3}, 0)

    async def slow(unit: dict[str, str]) -> str:
        await asyncio.sleep(60)
        return "SUPPORTED"

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await judged(slow, ledger, 3)
    assert {status for status, *_ in rows(ledger, NEWEST)} == {"failed"}


async def test_an_async_function_has_several_units_under_way(ledger: Path) -> None:
    under_way, most = 0, 0

    async def judge(unit: dict[str, str]) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return "SUPPORTED"

    done = await judged(judge, ledger, 40)
    assert done.verdicts == {"ok": 40}
    assert 1 < most <= 16


async def test_a_slow_judge_is_kept_as_it_goes(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is judged before a kill is kept, though its batch has not ended."""
    monkeypatch.setattr("factmark.ask.runner._KEEP_EVERY", 0.0)
    monkeypatch.setattr("factmark.ask.judges.own_function.KEPT_WITHIN", 0.0)
    kept = []

    def judge(unit: dict[str, str]) -> str:
        if unit["claim"].startswith("substance 7 "):
            kept.append(len(rows(ledger, NEWEST)))  # a kill now would leave these
            raise Killed
        return "SUPPORTED"

    with pytest.raises(Killed):
        await judged(judge, ledger, 20)
    assert kept == [7]


async def test_verdicts_of_a_fast_judge_are_written_together(ledger: Path) -> None:
    """A write touches most pages of an index: each batch by itself would write them many times."""
    kept = set()

    def judge(unit: dict[str, str]) -> str:
        kept.add(len(rows(ledger, NEWEST)))
        return "SUPPORTED"

    assert (await judged(judge, ledger, 200)).verdicts == {"ok": 200}
    assert kept == {0}
    assert len(rows(ledger, NEWEST)) == 200


async def test_a_change_of_the_source_is_another_judge(ledger: Path) -> None:
    for source in ("1", "2", "2"):
        function = OwnFunction(name="mine:judge", call=lambda unit: "SUPPORTED", source=source)
        judge = function_judge(function, lambda unit: {}, VALUES)
        last = await run(jobs(2), ready(judge), ledger)
    assert last.spend.judged_before == 2
    assert rows(ledger, "SELECT kind, name FROM judges") == [("rule", "mine:judge")] * 2


def module(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("nowhere_at_all:judge", "", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("own_a:other", "def judge(unit): ...", "has no attribute 'other'"),
        ("own_b:judge", "judge = 'SUPPORTED'", "is no function"),
        ("own_c:judge", "def judge(unit) ...", "SyntaxError"),
        ("own_d:judge", "raise SystemExit(3)", "SystemExit: 3"),
        ("own_e:judge", "import no_such_package_here", "No module named 'no_such_package_here'"),
    ],
)
def test_what_cannot_be_loaded_is_told(
    name: str, text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module(tmp_path, monkeypatch, name.partition(":")[0].replace("nowhere_at_all", "own_z"), text)
    with pytest.raises(InputError) as caught:
        load_function("--judge", name, "Write rules.")
    assert str(caught.value).startswith(f"--judge {name}: ")
    assert message in str(caught.value)


def test_a_module_in_the_folder_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module(tmp_path, monkeypatch, "own_fine", "def judge(unit): return unit")
    function = load_function("--judge", "own_fine:judge")
    assert function.call("a unit") == "a unit"
    assert len(function.source) == 32


@pytest.mark.parametrize(
    ("text", "is_function"),
    [
        ("mine:judge", True),
        ("my.package.judges:by_words", True),
        ("openai:gpt", False),
        ("ollama:llama", False),
        ("opnai:gpt-4o", False),  # a slip in a provider's name, no function
        ("rules", False),
        ("mine:", False),
        ("C:\\judges", False),
    ],
)
def test_what_is_meant_as_a_function(text: str, is_function: bool) -> None:
    assert names_function(text) is is_function
