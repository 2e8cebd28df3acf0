"""What a worker does: one part of a study, from the options that its command was given."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from factmark.ask.leased_budget import LeasedBudget
from factmark.ask.runner import JudgingProgress
from factmark.engine.desk import Reports
from factmark.errors import FactmarkError
from factmark.ledger.ledger import open_existing
from factmark.ledger.shards.upkeep import copy_to
from factmark.version import __version__

PYTHON = "{}.{}".format(*sys.version_info)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartTask:
    """One part, as it goes to another process.

    Attributes:
        options: the record of the command, with `--shard` and the ledger of the part.
        judge_part: a function of a module, given the options and `judging`.
        judge: the id of who is to judge.
        folder: from which relative paths count.
        seed: the ledger whose verdicts and replies the part begins with, if there is one.
        version: of factmark, where the task was made.
    """

    number: int
    of: int
    options: Any
    judge_part: Callable[..., Any]
    judge: str
    folder: Path
    seed: Path | None = None
    version: str = __version__

    @property
    def name(self) -> str:
        """As Ray's dashboard and `ps` show it."""
        return f"factmark {self.number}/{self.of}"

    @property
    def ledger(self) -> Path:
        """Where the part is judged."""
        return Path(self.options.ledger)


def do_part(task: PartTask, desk: Reports) -> bool:
    """Judges a part into its ledger, where one that was killed goes on; returns whether that could
    be done. Why not is reported to the desk."""
    asking = task.options.asking
    bounds = {"max_calls": asking.max_calls, "max_cost": asking.max_cost}
    budget = LeasedBudget(desk, **bounds)

    def tell(now: JudgingProgress) -> None:
        failed = now.verdicts.get("failed", 0)
        desk.report(task.number, (now.done, now.spend.judged_before, failed))

    @contextmanager
    def judging(_total: int) -> Iterator[Callable[[JudgingProgress], None]]:
        yield tell

    os.chdir(task.folder)
    try:
        if task.seed is not None and not task.ledger.exists():
            _begin_with(task.seed, task.ledger)
        options = replace(task.options, asking=replace(asking, budget=budget))
        task.judge_part(options, judging=judging, judge_id=task.judge)
    except FactmarkError as error:
        desk.fail(task.number, str(error))
        return False
    finally:
        budget.close()
    return True


def _begin_with(seed: Path, ledger: Path) -> None:
    """Copies a ledger to where a part is judged; a copy that was cut short does not count."""
    begun = ledger.with_name(f"{ledger.name}.begun")
    begun.unlink(missing_ok=True)
    with open_existing(seed, read_only=True) as opened:
        copy_to(opened, begun)
    shutil.move(begun, ledger)


def lacking(version: str, python: str, files: Mapping[str, int]) -> str:
    """Returns what this process lacks to do what another does; empty where it lacks nothing.

    Args:
        version, python: of the other.
        files: path -> its size there.
    """
    if (version, python) != (__version__, PYTHON):
        return (
            f"it has factmark {__version__} and Python {PYTHON}, not {version} and {python}. "
            "Install the same everywhere"
        )
    for name, size in files.items():
        path = Path(name)
        if not path.exists():
            return f"it does not see {name}. Put it where every machine reads it by that path"
        if path.is_file() and path.stat().st_size != size:
            return f"{name} has another size there. Give every machine the same file"
    return ""
