"""What a worker does: one part of a study, from the options that its command was given."""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from factmark.ask.leased_budget import LeasedBudget
from factmark.ask.own_vllm import keep_server
from factmark.ask.runner import Judged, JudgingProgress
from factmark.cli.circles import look_rarely_for_circles
from factmark.engine.desk import PartsDesk
from factmark.errors import FactmarkError
from factmark.ledger.keeper import block_of
from factmark.ledger.shards.upkeep import back_up
from factmark.version import __version__

VERSIONS = f"factmark {__version__} and Python {sys.version_info[0]}.{sys.version_info[1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartTask:
    """One part, as it goes to another process.

    Attributes:
        options: the record of the command; the part and its ledger come into it.
        judge_part: a function of a module, given the options, `judging` and `judge_id`.
        judge: the id of who is to judge.
        ledger: of the whole study.
        shares: whether verdicts go into that by the desk; else a part has a ledger of its own.
        is_begun: whether there is that ledger already, and parts begin with what it has.
        serves: the model for which the worker keeps a vLLM server; empty for none.
        working: the folder from which relative paths count.
    """

    options: Any
    judge_part: Callable[..., Any]
    judge: str
    ledger: Path
    shares: bool = False
    is_begun: bool = False
    serves: str = ""
    working: Path = field(default_factory=Path.cwd)
    number: int = 1
    of: int = 1

    def parts(self) -> list[PartTask]:
        """Returns all parts of the study."""
        return [replace(self, number=number) for number in range(1, self.of + 1)]

    @property
    def name(self) -> str:
        """As messages and Ray's dashboard show it."""
        return f"factmark {self.number}/{self.of}"

    @property
    def folder(self) -> Path:
        """Where parts have their ledgers."""
        return self.ledger.with_name(f"{self.ledger.name}.parts")

    @property
    def part(self) -> Path:
        """The ledger into which this part is judged."""
        if self.shares:
            return self.ledger
        return self.folder / f"{self.number}-of-{self.of}.db"


def do_part(task: PartTask, desk: PartsDesk) -> bool:
    """Judges a part, where one that was killed goes on; returns whether that could be done. Why not
    is reported to the desk."""
    asking = task.options.asking
    budget = LeasedBudget(desk, max_calls=asking.max_calls, max_cost=asking.max_cost)

    def tell(now: JudgingProgress) -> None:
        failed = now.verdicts.get("failed", 0)
        desk.report(task.number, (now.done, now.spend.judged_before, failed))

    def judging(_total: int) -> AbstractContextManager[Callable[[JudgingProgress], None]]:
        return nullcontext(tell)

    def keep(rows: Sequence[Judged]) -> None:
        desk.keep(block_of(rows))

    given: dict[str, Any] = {"judging": judging, "judge_id": task.judge}
    if task.shares:
        given["keep"] = keep
    os.chdir(task.working)
    look_rarely_for_circles()
    try:
        if task.is_begun and not task.part.exists():
            back_up(task.ledger, task.part)
        if task.serves:
            keep_server(task.serves, task.folder)
        options = replace(
            task.options,
            shard=f"{task.number}/{task.of}",
            ledger=task.part,
            asking=replace(asking, budget=budget),
        )
        judged = task.judge_part(options, **given)
        if inspect.iscoroutine(judged):
            asyncio.run(judged)
    except FactmarkError as error:
        desk.fail(task.number, str(error))
        return False
    finally:
        budget.close()
    return True


def lacking(versions: str, files: Mapping[str, int], program: str) -> str:
    """Returns what this process lacks to do what another does; empty where it lacks nothing.

    Args:
        versions: of the other.
        files: path -> its size there.
        program: that has to be there; empty for none.
    """
    if versions != VERSIONS:
        return f"it has {VERSIONS}, not {versions}. Install the same everywhere"
    if program and shutil.which(program) is None:
        return f"it has no program {program!r}. Install it, or name a server by --base-url"
    for name, size in files.items():
        path = Path(name)
        if not path.exists():
            return f"it does not see {name}. Put it where every machine reads it by that path"
        if path.is_file() and path.stat().st_size != size:
            return f"{name} has another size there. Give every machine the same file"
    return ""
