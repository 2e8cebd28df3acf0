"""A study in parts: handed to workers, whose verdicts come into one ledger."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from factmark.ask.budget import Budget, Spend
from factmark.ask.judges.recipe import Recipe
from factmark.ask.leased_budget import LeasedBudget
from factmark.ask.runner import JudgingProgress
from factmark.engine.desk import PartsDesk
from factmark.engine.local import LocalWorkers
from factmark.engine.on_ray import RayWorkers
from factmark.engine.work import PartTask
from factmark.errors import InputError
from factmark.ledger.shards.merge import merge_ledgers
from factmark.model import Judge

Progress = Callable[[JudgingProgress], None]
_FORM = re.compile(r"local:([1-9]\d{0,3})|ray(://\S+)?")
_EACH = 4  # parts a worker: who is done early takes another
_MANY = 50_000  # lines of a graph that rules judge side by side without being asked to
_LEAST, _MOST = 2, 8  # processes that they take then


@contextmanager
def begin_parts(
    options: Any,
    judge_part: Callable[..., Any],
    recipe: Recipe,
    judge: Judge,
    ledger: Path | None,
    *,
    files: Iterable[Path | None] = (),
    share: bool = False,
) -> Iterator[Callable[[Progress | None], Budget]]:
    """Has workers begin to judge a study. Yields what waits until all is judged and in the ledger,
    given what is called with the progress, and returns the budget for what is left to ask: for the
    block that computes the results from the ledger. What an interrupted study left is taken in.

    Args:
        options: of the command, with `engine` and `asking`.
        judge_part: a function of a module, given such options with a shard, `judging` and
            `judge_id`; it may be a coroutine's.
        files: what every worker has to see, beside the files of the recipe.
        share: whether workers of this machine judge into one ledger; `judge_part` is given `keep`
            then, which takes verdicts.

    Raises:
        InputError: there are no such workers, one lacks something, or the judge is of this process
            alone. Nothing was asked.
        LedgerError: a part that lies beside the ledger cannot be read. Nothing was asked.
        FactmarkError: a part cannot be judged, or its worker is lost time and again.
    """
    whole = _checked(options, recipe, ledger)
    asking = options.asking
    serves = ""
    if recipe.name.startswith("vllm:") and asking.base_url is None:
        serves = recipe.name.partition(":")[2]
    workers = workers_of(options.engine, serve=bool(serves))
    workers.count = min(workers.count, asking.rpm or workers.count)
    task = PartTask(
        options=_options_of_part(options, workers.count),
        judge_part=judge_part,
        judge=judge.id,
        ledger=whole,
        shares=share and isinstance(workers, LocalWorkers),
        serves=serves,
    )
    seen = [Path(file.path) for file in recipe.files.values()]
    seen += [path for path in files if path is not None]
    of = workers.count
    if judge.kind != "rule":  # rules read all of the files each time
        of *= _EACH
    with _folder(task) as folder:
        workers.check(_sizes([*seen, Path.cwd(), folder]), "vllm" if serves else "")
        task = replace(task, is_begun=whole.exists())
        tasks = [replace(task, number=number, of=of) for number in range(1, of + 1)]
        bounds = {"max_calls": asking.max_calls, "max_cost": asking.max_cost}
        kept = whole if task.shares else None
        with (
            workers.desk(**bounds, processes=workers.count, ledger=kept) as desk,
            closing(workers.run(tasks, desk)) as parts,
        ):
            next(parts)
            budget = LeasedBudget(desk, **bounds)
            yield partial(_finish, parts, desk, judge, _NoServer() if serves else budget)


class _NoServer(Budget):
    """The budget where the servers of the workers have ended: nobody is left to ask."""

    def has_calls_left(self) -> bool:
        """Whether one more call may be made."""
        self.exhausted = "the workers' servers have ended"
        return False


def workers_of(engine: str, *, serve: bool = False) -> LocalWorkers | RayWorkers:
    """Returns the workers that `--engine` names.

    Args:
        serve: whether each keeps a server of a model.

    Raises:
        InputError: it names none, or there is no such cluster.
    """
    match = _FORM.fullmatch(engine.strip())
    if match is None:
        raise InputError(f"--engine {engine}: write local:8, ray, or ray://HOST:PORT.")
    if match[1]:
        return LocalWorkers(int(match[1]))
    return RayWorkers(engine.strip() if match[2] else "auto", serve=serve)


def engine_for_rules(files: Iterable[Path]) -> str:
    """Returns the engine by which rules judge a graph where none is named: processes of this
    machine, where its files have many lines and processors have nothing to do; else empty."""
    if not hasattr(os, "sched_getaffinity"):
        return ""
    free = len(os.sched_getaffinity(0)) - round(os.getloadavg()[0])
    if free < _LEAST or not _have_many_lines(files):
        return ""
    return f"local:{min(free, _MOST)}"


def _have_many_lines(files: Iterable[Path]) -> bool:
    """Whether files have many lines together; reads no further than that."""
    lines = 0
    for path in files:
        if path.is_file():
            with path.open("rb") as file:
                while (block := file.read(1 << 20)) and lines <= _MANY:
                    lines += block.count(b"\n")
    return lines > _MANY


def _checked(options: Any, recipe: Recipe, ledger: Path | None) -> Path:
    """Returns the whole path of the ledger.

    Raises:
        InputError: there is none, or other processes cannot judge so.
    """
    if ledger is None:
        raise InputError("--engine: name the ledger, with --ledger or --out.")
    is_anew = getattr(options, "reparse", False)  # not every command reads replies anew
    if is_anew or recipe.by in ("foreign", "marks"):
        raise InputError("--engine goes with neither --reparse nor verdicts of a column.")
    if recipe.by == "function" and not Path(recipe.file("function").path).is_file():
        raise InputError(
            f"--engine: {recipe.name} is a function of this process alone. Put it into a module "
            "and name it module:function."
        )
    return ledger.absolute()


def _options_of_part(options: Any, count: int) -> Any:
    """Returns the options of a part, with its share of what bounds how fast a model is asked."""
    shares = {}
    for name in ("rpm", "tpm", "concurrency"):
        n = getattr(options.asking, name)
        if isinstance(n, int):
            shares[name] = max(1, n // count)
    asking = replace(options.asking, **shares, budget=None)
    return replace(options, out=None, engine="", asking=asking)


@contextmanager
def _folder(task: PartTask) -> Iterator[Path]:
    """Makes the folder in which parts are judged, after what lies there was taken in."""
    folder = task.folder
    for part in sorted(folder.glob("*-of-*.db")):
        _take_in(part, task.ledger)
    if task.shares:
        yield folder
        return
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield folder
        shutil.rmtree(folder)
    finally:
        with suppress(OSError):  # parts are in it that are not judged to the end
            folder.rmdir()


def _take_in(part: Path, ledger: Path) -> None:
    """Merges the ledger of a part into the whole one, and deletes it."""
    if part.exists() and part.stat().st_size:
        merge_ledgers([part], ledger)
    for file in part.parent.glob(f"{part.name}*"):
        file.unlink()


def _sizes(files: Sequence[Path]) -> dict[str, int]:
    """Returns each file by its whole path, with its size."""
    return {str(path.absolute()): path.stat().st_size for path in files if path.exists()}


def _finish(
    parts: Generator[PartTask | None],
    desk: PartsDesk,
    judge: Judge,
    budget: Budget,
    progress: Progress | None,
) -> Budget:
    """Takes each part in when it is judged; returns the budget for what is left then."""
    start = monotonic()

    def look() -> None:
        (done, before, failed), error = desk.state()
        if error:
            raise InputError(error)
        if progress is not None:
            spend = Spend(judged_before=before, seconds=monotonic() - start)
            verdicts = {"ok": done - failed, "failed": failed}
            now = JudgingProgress(judge=judge, verdicts=verdicts, left=0, spend=spend)  # type: ignore[arg-type]  # of these names
            progress(now)

    for task in parts:
        look()
        if task is not None and not task.shares:
            _take_in(task.part, task.ledger)
    desk.finish()
    look()
    return budget
