"""A study in parts: handed to workers, merged as they come."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from factmark.ask.budget import Spend
from factmark.ask.leased_budget import LeasedBudget
from factmark.ask.runner import JudgingProgress
from factmark.engine.desk import Reports
from factmark.engine.local import LocalWorkers
from factmark.engine.on_ray import RayWorkers
from factmark.engine.work import PartTask
from factmark.errors import InputError
from factmark.files.text_files import write_text
from factmark.ledger.shards.merge import merge_ledgers
from factmark.model import Judge, content_hash

_FORM = re.compile(r"local:([1-9]\d{0,3})|ray(://\S+)?")
_EACH = 4  # parts a worker: who is done early takes another
_NOT_OF_STUDY = {"ledger": None, "out": None, "json": False, "show_all": False, "engine": ""}


@contextmanager
def judged_in_parts(
    options: Any,
    judge_part: Callable[..., Any],
    judge: Judge,
    *,
    files: Sequence[Path] = (),
    progress: Callable[[JudgingProgress], None] | None = None,
) -> Iterator[LeasedBudget]:
    """Has workers judge a study into its ledger; yields the budget for what is left to ask, for the
    block that computes the results from the ledger.

    Parts of a study that was interrupted go on, where there are as many as before.

    Args:
        options: of the command, with `engine`, `kept_in` and `asking`.
        judge_part: a function of a module, given such options with a shard, and `judging`.
        files: what every worker has to see.

    Raises:
        InputError: there are no such workers, one lacks something, or the parts that lie beside the
            ledger are of another study. Nothing was asked.
        FactmarkError: a part cannot be judged, or its worker is lost time and again.
    """
    ledger = options.kept_in
    asking = options.asking
    if ledger is None:
        raise InputError("--engine: name the ledger, with --ledger or --out.")
    workers = workers_of(options.engine, judge)
    count = workers.count
    if asking.rpm is not None:
        count = workers.count = min(count, asking.rpm)
    workers.check([*files, Path.cwd(), _folder(ledger)])
    # rules read all of the files each time
    if judge.kind == "rule":
        of = count
    else:
        of = _EACH * count
    tasks = _tasks(options, judge_part, judge, ledger, of, count)
    with workers.desk(asking.max_calls, asking.max_cost) as desk:
        _run(tasks, workers, desk, ledger, judge, progress)
        shutil.rmtree(_folder(ledger))
        yield LeasedBudget(desk, max_calls=asking.max_calls, max_cost=asking.max_cost)


def workers_of(engine: str, judge: Judge) -> LocalWorkers | RayWorkers:
    """Returns the workers that `--engine` names.

    Raises:
        InputError: it names none, or there is no such cluster.
    """
    match = _FORM.fullmatch(engine.strip())
    if match is None:
        raise InputError(f"--engine {engine}: write local:8, ray, or ray://HOST:PORT.")
    if match[1]:
        return LocalWorkers(int(match[1]))
    return RayWorkers(engine.strip() if match[2] else "auto")


def _run(
    tasks: Sequence[PartTask],
    workers: LocalWorkers | RayWorkers,
    desk: Reports,
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
        if task.ledger.exists():
            merge_ledgers([task.ledger], ledger)
    look()


def _folder(ledger: Path) -> Path:
    """Returns where the parts of a ledger are judged, which is made."""
    folder = ledger.absolute().with_name(f"{ledger.name}.parts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _tasks(
    options: Any, judge_part: Callable[..., Any], judge: Judge, ledger: Path, of: int, count: int
) -> list[PartTask]:
    """Returns the parts of a study; raises InputError where those that lie there are not of it."""
    folder = _folder(ledger)
    study = content_hash(repr(replace(options, **_NOT_OF_STUDY)), of)
    named = folder / "study"
    before = ""
    if named.exists():
        before = named.read_text("utf-8")
    if before not in ("", study) or (not before and any(folder.iterdir())):
        raise InputError(
            f"{folder}: holds parts of another study, or as many as other workers had. `factmark "
            f"ledger merge '{folder}/*.db' --out {ledger}` keeps them; then delete the folder."
        )
    write_text(named, study)
    asking = _divided(options.asking, count)
    seed = None
    if ledger.exists():
        seed = ledger.absolute()
    return [
        PartTask(
            number=number,
            of=of,
            options=replace(
                options,
                shard=f"{number}/{of}",
                ledger=folder / f"{number}-of-{of}.db",
                out=None,
                engine="",
                asking=asking,
            ),
            judge_part=judge_part,
            judge=judge.id,
            folder=Path.cwd(),
            seed=seed,
        )
        for number in range(1, of + 1)
    ]


def _divided(asking: Any, count: int) -> Any:
    """Returns how a model is asked by each of so many workers: what they share is divided."""
    names = ("rpm", "tpm", "concurrency")
    shared = {name: getattr(asking, name) for name in names}
    parts = {}
    for name, n in shared.items():
        if isinstance(n, int):
            parts[name] = max(1, n // count)
    return replace(asking, **parts)
