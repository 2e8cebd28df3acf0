"""What a worker does: one part of a study, from the options that its command was given."""

from __future__ import annotations

import asyncio
import inspect
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
from factmark.engine.desk import PartsDesk
from factmark.engine.vllm import keep_server
from factmark.errors import FactmarkError
from factmark.ledger.shards.upkeep import back_up
from factmark.version import __version__

VERSIONS = f"factmark {__version__} and Python {sys.version_info[0]}.{sys.version_info[1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartTask:
    """One part, as it goes to another process.

    Attributes:
        options: the record of the command, with `--shard` and the ledger of the part.
        judge_part: a function of a module, given the options, `judging` and `judge_id`.
        judge: the id of who is to judge.
        folder: from which relative paths count.
        seed: the ledger whose verdicts and replies the part begins with, if there is one.
        serves: the model for which the worker keeps a vLLM server; empty for none.
    """

    number: int
    name: str  # as Ray's dashboard shows it
    options: Any
    judge_part: Callable[..., Any]
    judge: str
    folder: Path
    seed: Path | None = None
    serves: str = ""


def do_part(task: PartTask, desk: PartsDesk) -> bool:
    """Judges a part into its ledger, where one that was killed goes on; returns whether that could
    be done. Why not is reported to the desk."""
    asking = task.options.asking
    ledger = task.options.ledger
    budget = LeasedBudget(desk, max_calls=asking.max_calls, max_cost=asking.max_cost)

    def tell(now: JudgingProgress) -> None:
        failed = now.verdicts.get("failed", 0)
        desk.report(task.number, (now.done, now.spend.judged_before, failed))

    @contextmanager
    def judging(_total: int) -> Iterator[Callable[[JudgingProgress], None]]:
        yield tell

    os.chdir(task.folder)
    try:
        if task.seed is not None and not ledger.exists():
            begun = ledger.with_name(f"{ledger.name}.begun")  # one that was cut short is no ledger
            begun.unlink(missing_ok=True)
            back_up(task.seed, begun)
            begun.replace(ledger)
        if task.serves:
            keep_server(task.serves, ledger.parent)
        options = replace(task.options, asking=replace(asking, budget=budget))
        judged = task.judge_part(options, judging=judging, judge_id=task.judge)
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
