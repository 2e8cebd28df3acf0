"""Parts by processes of this machine; one that is killed begins again where its ledger is."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import connection, get_context
from multiprocessing.managers import BaseManager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import cast

from factmark.engine.desk import PartsDesk, Reports
from factmark.engine.work import PartTask, do_part
from factmark.errors import FactmarkError

_TRIES = 4  # of a part whose process is killed
_LOOK = 0.2  # seconds between two looks at the desk
_CANNOT = 2  # the status of a process that reported why


class _Manager(BaseManager):
    """Holds the desk in a process of its own."""


_Manager.register("PartsDesk", PartsDesk)


class LocalWorkers:
    """Processes of this machine, so many at a time."""

    def __init__(self, count: int) -> None:
        self.count = count

    def check(self, files: Sequence[Path]) -> None:
        """Checks nothing: processes of one machine see the same."""

    @contextmanager
    def desk(self, max_calls: int | None, max_cost: float | None) -> Iterator[Reports]:
        """Opens the desk of a run."""
        manager = _Manager(ctx=get_context("spawn"))
        manager.start(_ignore_interrupts)
        try:
            bounds = {"max_calls": max_calls, "max_cost": max_cost, "processes": self.count}
            yield cast("Reports", manager.PartsDesk(**bounds))  # type: ignore[attr-defined]  # registered
        finally:
            manager.shutdown()

    def run(
        self, tasks: Sequence[PartTask], desk: Reports, look: Callable[[], None]
    ) -> Iterator[PartTask]:
        """Yields each part when it is judged; calls `look` again and again meanwhile.

        Raises:
            FactmarkError: the process of a part is killed time and again.
        """
        waiting = [(task, 1) for task in reversed(tasks)]
        running: dict[int, tuple[BaseProcess, PartTask, int]] = {}
        try:
            while waiting or running:
                while waiting and len(running) < self.count:
                    task, attempt = waiting.pop()
                    process = _start(task, desk)
                    running[process.sentinel] = process, task, attempt
                for ended in connection.wait(list(running), _LOOK):
                    process, task, attempt = running.pop(cast("int", ended))
                    process.join()
                    if process.exitcode == 0:
                        yield task
                    elif process.exitcode != _CANNOT and attempt < _TRIES:
                        waiting.append((task, attempt + 1))
                    elif process.exitcode != _CANNOT:
                        raise FactmarkError(
                            f"{task.name}: its process ended {_TRIES} times, last with the status "
                            f"{process.exitcode}. {task.ledger} keeps what came in."
                        )
                look()
        finally:
            for process, _, _ in running.values():
                process.terminate()
                process.join()


def _start(task: PartTask, desk: Reports) -> BaseProcess:
    """Starts the process of a part."""
    process = get_context("spawn").Process(target=_work, args=(task, desk), name=task.name)
    process.start()
    return process


def _work(task: PartTask, desk: Reports) -> None:
    """Judges a part and ends this process."""
    _ignore_interrupts()  # the parent ends it by SIGTERM
    sys.exit(0 if do_part(task, desk) else _CANNOT)


def _ignore_interrupts() -> None:
    """Leaves Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
