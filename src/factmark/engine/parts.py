"""A study in parts: handed to workers, whose verdicts come into one ledger."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
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
from factmark.cli.asking import share_of
from factmark.engine.desk import PartsDesk
from factmark.engine.local import LocalWorkers
from factmark.engine.on_ray import RayWorkers
from factmark.engine.work import PartTask
from factmark.errors import InputError
from factmark.ledger.shards.merge import merge_ledgers
from factmark.model import Judge

Wait = Callable[[Callable[[JudgingProgress], None] | None], Budget]
"""Waits until all is judged, given what is called with the progress; returns the budget for what
is left to ask."""

_FORM = re.compile(r"local:([1-9]\d{0,3})|ray(://\S+)?")
_EACH = 4  # parts a worker: who is done early takes another


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
) -> Iterator[Wait]:
    """Has workers begin to judge a study into its ledger. Yields what waits for them, for the block
    that computes the results from the ledger. What an interrupted study left is taken in.

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
    of = workers.count
    if judge.kind != "rule":  # rules read all of the files each time
        of *= _EACH
    task = PartTask(
        options=replace(options, out=None, engine="", asking=share_of(asking, workers.count)),
        judge_part=judge_part,
        judge=judge.id,
        ledger=whole,
        shares=share and isinstance(workers, LocalWorkers),
        serves=serves,
        of=of,
    )
    with _folder(task) as folder:
        seen = (*(Path(file.path) for file in recipe.files.values()), *files, Path.cwd(), folder)
        workers.check(_sizes(seen), "vllm" if serves else "")
        task = replace(task, is_begun=whole.exists())
        bounds = {"max_calls": asking.max_calls, "max_cost": asking.max_cost}
        kept = whole if task.shares else None
        with workers.desk(**bounds, processes=workers.count, ledger=kept) as desk:
            left = _NoServer() if serves else LeasedBudget(desk, **bounds)
            with closing(workers.run(task.parts(), desk)) as parts:
                next(parts)
                yield partial(_finish, parts, desk, judge, left)


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


def _sizes(files: Iterable[Path | None]) -> dict[str, int]:
    """Returns each file that is there by its whole path, with its size."""
    return {str(path.absolute()): path.stat().st_size for path in files if path and path.exists()}


def _finish(
    parts: Iterator[PartTask | None],
    desk: PartsDesk,
    judge: Judge,
    left: Budget,
    progress: Callable[[JudgingProgress], None] | None,
) -> Budget:
    """Takes each part in when it is judged; returns the budget for what is left then."""
    start = monotonic()

    def look(*, at_the_end: bool = False) -> None:
        (done, before, failed), error = desk.state(at_the_end=at_the_end)
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
    look(at_the_end=True)
    return left
