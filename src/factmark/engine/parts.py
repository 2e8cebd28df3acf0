"""A study in parts: handed to workers, merged as they come."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
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
from factmark.files.text_files import write_text
from factmark.ledger.opening import open_connection
from factmark.ledger.shards.merge import merge_ledgers
from factmark.model import Judge, content_hash

Workers = LocalWorkers | RayWorkers
_FORM = re.compile(r"local:([1-9]\d{0,3})|ray(://\S+)?")
_EACH = 4  # parts a worker: who is done early takes another
_MANY = 50_000  # units that rules judge side by side without being asked to
_LEAST, _MOST = 4, 8  # processes that they take then; two save a tenth of the time and no more
_NOT_OF_STUDY = {"ledger": None, "out": None, "json": False, "show_all": False, "engine": ""}


@contextmanager
def judged_in_parts(
    options: Any,
    judge_part: Callable[..., Any],
    recipe: Recipe,
    judge: Judge,
    ledger: Path | None,
    *,
    files: Sequence[Path | None] = (),
    progress: Callable[[JudgingProgress], None] | None = None,
) -> Iterator[Budget]:
    """Has workers judge a study into its ledger; yields the budget for what is left to ask, for the
    block that computes the results from the ledger.

    Parts of a study that was interrupted go on.

    Args:
        options: of the command, with `engine` and `asking`.
        judge_part: a function of a module, given such options with a shard, `judging` and
            `judge_id`; it may be a coroutine's.
        files: what every worker has to see, beside the files of the recipe.

    Raises:
        InputError: there are no such workers, one lacks something, the judge is of this process
            alone, or the parts that lie beside the ledger are of another study. Nothing was asked.
        FactmarkError: a part cannot be judged, or its worker is lost time and again.
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
    asking = options.asking
    serves = ""
    if recipe.name.startswith("vllm:") and asking.base_url is None:
        serves = recipe.name.partition(":")[2]
    workers = workers_of(options.engine, serve=bool(serves))
    workers.count = min(workers.count, asking.rpm or workers.count)
    seen = [Path(file.path) for file in recipe.files.values()]
    seen += [path for path in files if path is not None]
    folder = _folder(ledger)
    workers.check(_sizes([*seen, Path.cwd(), folder]), "vllm" if serves else "")
    of = workers.count
    if judge.kind != "rule":  # rules read all of the files each time
        of *= _EACH
    _take_up(options, ledger, folder, of)
    tasks = _tasks(options, judge_part, judge, ledger, of, workers.count, serves)
    bounds = {"max_calls": asking.max_calls, "max_cost": asking.max_cost}
    with workers.desk(**bounds, processes=workers.count) as desk:
        _run(tasks, workers, desk, ledger, judge, progress)
        shutil.rmtree(folder)
        if serves:
            yield _NoServer()
        else:
            yield LeasedBudget(desk, **bounds)


class _NoServer(Budget):
    """The budget where the servers of the workers have ended: nobody is left to ask."""

    def has_calls_left(self) -> bool:
        """Whether one more call may be made."""
        self.exhausted = "the workers' servers have ended"
        return False


def workers_of(engine: str, *, serve: bool = False) -> Workers:
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


def engine_for_rules(units: int) -> str:
    """Returns the engine by which rules judge so many units where none is named: processes of this
    machine, where units are many and processors have nothing to do; else empty."""
    if units <= _MANY or not hasattr(os, "sched_getaffinity"):
        return ""
    free = len(os.sched_getaffinity(0)) - round(os.getloadavg()[0])
    if free < _LEAST:
        return ""
    return f"local:{min(free, _MOST)}"


def _run(
    tasks: Sequence[PartTask],
    workers: Workers,
    desk: PartsDesk,
    ledger: Path,
    judge: Judge,
    progress: Callable[[JudgingProgress], None] | None,
) -> None:
    """Runs all parts and merges each when it is judged."""
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

    for task in workers.run(tasks, desk, look):
        if task.options.ledger.exists():
            merge_ledgers([task.options.ledger], ledger)
    look()


def _folder(ledger: Path) -> Path:
    """Returns where the parts of a ledger are judged, which is made."""
    folder = ledger.absolute().with_name(f"{ledger.name}.parts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _sizes(files: Sequence[Path]) -> dict[str, int]:
    """Returns each file by its whole path, with its size."""
    return {str(path.absolute()): path.stat().st_size for path in files if path.exists()}


def _take_up(options: Any, ledger: Path, folder: Path, of: int) -> None:
    """Leaves the parts of this study that lie there; merges them where they are another number.

    Raises:
        InputError: they are of another study.
        LedgerError: one cannot be read.
    """
    asking = replace(options.asking, budget=None)
    study = content_hash(repr(replace(options, asking=asking, **_NOT_OF_STUDY)))
    named = folder / "study"
    parts = sorted(folder.glob("*.db"))
    before = [study, str(of)]
    if named.exists():
        before = named.read_text("utf-8").split()
    elif parts:
        before = []
    if before[:1] != [study]:
        raise InputError(
            f"{folder}: holds parts of another study. `factmark ledger merge '{folder}/*.db' "
            f"--out {ledger}` keeps them; then delete the folder."
        )
    for part in parts:
        open_connection(part, read_only=True).close()
    if before[1:] != [str(of)] and parts:
        merge_ledgers(parts, ledger)
        shutil.rmtree(folder)
        folder.mkdir()
    write_text(named, f"{study} {of}\n")


def _tasks(
    options: Any,
    judge_part: Callable[..., Any],
    judge: Judge,
    ledger: Path,
    of: int,
    count: int,
    serves: str,
) -> list[PartTask]:
    """Returns the parts of a study; what the ledger has, each begins with."""
    shared = {}
    for name in ("rpm", "tpm", "concurrency"):
        n = getattr(options.asking, name)
        if isinstance(n, int):
            shared[name] = max(1, n // count)
    given = {"out": None, "engine": "", "asking": replace(options.asking, **shared, budget=None)}
    seed = None
    if ledger.exists():
        seed = ledger.absolute()
    tasks = []
    for number in range(1, of + 1):
        part = _folder(ledger) / f"{number}-of-{of}.db"
        shard = replace(options, **given, shard=f"{number}/{of}", ledger=part)
        task = PartTask(
            number=number,
            name=f"factmark {number}/{of}",
            options=shard,
            judge_part=judge_part,
            judge=judge.id,
            folder=Path.cwd(),
            seed=seed,
            serves=serves,
        )
        tasks.append(task)
    return tasks
