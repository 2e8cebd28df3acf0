"""The seam between who judges and all else: units in, verdicts out.

Rules, a function of the user's own, an entailment model and a model that is asked are judges alike,
and so is a machine elsewhere: each is handed batches of units and gives a verdict for each unit as
it comes, in any order. What was judged before, how many batches are under way, the ledger, the
budget and the progress are no business of a judge: `ask/runner` sees to them.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Literal

from factmark.ask.budget import Spend
from factmark.evaluated.words import field_label
from factmark.files.own_columns import FOREIGN
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Judge, Unit, Verdict
from factmark.text.shown_text import count, some

JudgeUnits = Callable[[Sequence[Unit]], AsyncIterator[Verdict]]
"""`async def judge(units)`, which yields a verdict for each unit that it has judged.

A unit without one stays to be judged, as where a budget has no room. What goes wrong with one unit
is a verdict with the status `failed`; an EndpointError says that nothing more can be judged, and
any other exception is a bug.
"""

_RULE_BATCH = 2_000  # units that rules are handed
KEPT_TOGETHER = 20_000
"""Verdicts that are kept together, where nothing was paid for them. Ids are hashes: a transaction
writes most pages of their index, however few verdicts it has."""
KEPT_WITHIN = 5.0
"""Seconds after which verdicts are kept that took time, however few they are: what a kill takes is
judged again in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitJudge:
    """A judge at work: who it is, what it does with units, and how it wants them.

    Attributes:
        identity: as the ledger knows it; its id is in every verdict.
        judge: the work itself.
        batch: units that are handed over at once, at most.
        group: only neighbours of the same group are handed over together, such as a passage's.
        at_once: batches that may be under way at a time.
        kept_together: verdicts that wait for each other to be kept; of what costs money none
            waits.
        kept_within: seconds that they wait, at most, while verdicts come.
        spend: what was asked for it so far, and why units failed.
    """

    identity: Judge
    judge: JudgeUnits
    batch: int = 1
    group: Callable[[Unit], object] = lambda unit: None
    at_once: int = 1
    kept_together: int = 1
    kept_within: float = math.inf
    spend: Callable[[], Spend] = Spend


OpenJudge = Callable[[Ledger, LedgerWriter], AbstractAsyncContextManager[UnitJudge]]
"""Opens a judge, and closes what it holds at the end: connections, weights, a place for replies.

It is given the ledger to look up what a model replied before, and its writer to keep what is new.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedJudge:
    """An `OpenJudge` of which is known who it is before it is opened.

    Attributes:
        at_hand: the judge itself, where nothing needs to be opened.
    """

    identity: Judge
    opening: OpenJudge
    at_hand: UnitJudge | None = None

    def __call__(
        self, ledger: Ledger, writer: LedgerWriter
    ) -> AbstractAsyncContextManager[UnitJudge]:
        """Opens the judge."""
        return self.opening(ledger, writer)


def ready(judge: UnitJudge) -> NamedJudge:
    """Returns how a judge is opened that needs nothing opened, such as rules."""
    return NamedJudge(
        identity=judge.identity, opening=lambda ledger, writer: nullcontext(judge), at_hand=judge
    )


def rule_judge(
    identity: Judge,
    decide: Callable[[Unit], tuple[str | None, str]],
    values: Mapping[str, float],
) -> UnitJudge:
    """Returns a judge that decides each unit by a pure function.

    Args:
        decide: the label and the reason for it; no label where the rules know too little.
        values: label -> value.
    """

    async def judge(units: Sequence[Unit]) -> AsyncIterator[Verdict]:
        for unit in units:
            label, reason = decide(unit)
            yield verdict_by(identity, unit, label, reason, values)

    return UnitJudge(identity=identity, judge=judge, batch=_RULE_BATCH, kept_together=KEPT_TOGETHER)


def foreign_judge(
    name: str,
    given: Mapping[str, Sequence[object]],
    values: Mapping[str, float],
    kind: Literal["foreign", "person"] = "foreign",
) -> UnitJudge:
    """Returns another program as a judge, whose verdicts were brought along; a unit without one
    stays to be judged, unless the ledger has its verdict.

    Args:
        given: unit -> what the program said of it, in each row about it. What is none of the
            labels is `unparsed`, and so is a unit on which rows differ.
        values: label -> value.
        kind: of the judge: people's labels may be brought along, too.
    """
    identity = Judge.create(kind, name)

    async def judge(units: Sequence[Unit]) -> AsyncIterator[Verdict]:
        for unit in units:
            cells = given.get(unit.id)
            if cells:
                labels = {field_label(cell, values) for cell in cells}
                label = None
                if len(labels) == 1:
                    label = next(iter(labels))
                if label is not None:
                    yield verdict_by(identity, unit, label, "", values)
                    continue
                reason = " / ".join(dict.fromkeys(str(cell)[:200] for cell in cells))
                yield Verdict(unit=unit.id, judge=identity.id, status="unparsed", reason=reason)

    return UnitJudge(identity=identity, judge=judge, batch=_RULE_BATCH, kept_together=KEPT_TOGETHER)


def contrary_note(name: str, labels: Iterable[tuple[str, str, str | None]]) -> Iterator[str]:
    """Yields a note where another program's rows on one unit contradict each other: how many units,
    and where the first one's rows stand.

    Args:
        labels: of each row the unit, its place and its label; None where there is none.
    """
    places: dict[str, dict[str, str]] = {}
    for unit, place, label in labels:
        if label is not None:
            places.setdefault(unit, {}).setdefault(label, place)
    contrary = []
    for by_label in places.values():
        if len(by_label) > 1:
            contrary.append(by_label)
    if contrary:
        units = len(contrary)
        first = some([*contrary[0].values()])
        yield (
            f"{count(units, 'unit has rows', 'units have rows')} with contrary verdicts in the "
            f"column {FOREIGN}{name}; none is taken (the first: {first})"
        )


def judge_noun(judge: Judge) -> str:
    """Returns what a judge is called at the beginning of a sentence, by what it is."""
    if judge.kind != "rule":
        if judge.kind == "model":
            return "The model"
        return judge.name
    if "source" in judge.parameters:
        return "The function"
    return "The rules"


def verdict_by(
    judge: Judge, unit: Unit, label: str | None, reason: str, values: Mapping[str, float]
) -> Verdict:
    """Returns the verdict for a label, with its value; `undecided` without a label."""
    if label is None:
        return Verdict(unit=unit.id, judge=judge.id, status="undecided", reason=reason)
    return Verdict(unit=unit.id, judge=judge.id, label=label, value=values[label], reason=reason)
