"""Parts by processes of this machine; one that is killed begins again where its ledger is."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process
from multiprocessing.managers import BaseManager
from threading import Thread
from typing import Any, cast

from factmark.cli.circles import look_rarely_for_circles
from factmark.engine.desk import PartsDesk
from factmark.engine.work import VERSIONS, PartTask, do_part, lacking
from factmark.errors import FactmarkError, InputError

_TRIES = 6  # of a part whose process is killed
_LOOK = 0.2  # seconds between two looks at the desk
_SPAWN = get_context("spawn")


class _Manager(BaseManager):
    """Holds the desk in a process of its own."""


_Manager.register("PartsDesk", PartsDesk)


class LocalWorkers:
    """Processes of this machine, which take one part after another."""

    def __init__(self, count: int) -> None:
        self.count = count

    def check(self, files: Mapping[str, int], program: str) -> None:
        """Raises InputError where this machine lacks something."""
        lack = lacking(VERSIONS, files, program)
        if lack:
            raise InputError(f"--engine local: this machine cannot help: {lack}.")

    @contextmanager
    def desk(self, **bounds: Any) -> Iterator[PartsDesk]:
        """Opens the desk of a run."""
        manager = _Manager(ctx=_SPAWN)
        manager.start(_follow_parent)
        try:
            yield cast("PartsDesk", manager.PartsDesk(**bounds))  # type: ignore[attr-defined]  # registered
        finally:
            manager.shutdown()

    def run(self, tasks: Sequence[PartTask], desk: PartsDesk) -> Generator[PartTask | None]:
        """Yields each part when it is judged; None once all workers have one, and then again and
        again.

        Raises:
            FactmarkError: the process of a part is killed time and again.
        """
        waiting = [(task, 1) for task in reversed(tasks)]
        free = [_Worker(desk, place) for place in range(min(self.count, len(tasks)))]
        working: dict[Any, tuple[_Worker, PartTask, int]] = {}
        try:
            while waiting or working:
                while waiting and free:
                    worker = free.pop()
                    task, attempt = waiting.pop()
                    with suppress(OSError):  # of one that was killed meanwhile there is no answer
                        worker.pipe.send(task)
                    working[worker.pipe] = worker, task, attempt
                yield None
                for pipe in connection.wait(list(working), _LOOK):
                    worker, task, attempt = working.pop(pipe)
                    was_done = worker.answer()
                    if was_done is None:
                        if attempt == _TRIES:
                            raise FactmarkError(
                                f"{task.name}: its process ended {_TRIES} times, last with the "
                                f"status {worker.process.exitcode}. {task.part} keeps "
                                "what came in."
                            )
                        waiting.append((task, attempt + 1))
                        worker = _Worker(desk, worker.place)
                    elif was_done:
                        yield task
                    free.append(worker)
        finally:
            for worker in (*free, *(worker for worker, _, _ in working.values())):
                worker.process.terminate()
                worker.process.join()


class _Worker:
    """A process that takes parts by a pipe and sends whether each was judged."""

    def __init__(self, desk: PartsDesk, place: int) -> None:
        self.place = place
        self.pipe, there = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_work, args=(there, desk, place), daemon=True)
        self.process.start()
        there.close()

    def answer(self) -> bool | None:
        """Returns whether the part was judged; None where the process ended in place of that."""
        with suppress(EOFError, OSError):
            return bool(self.pipe.recv())
        self.process.join()
        return None


def _work(pipe: Any, desk: PartsDesk, place: int) -> None:
    """Judges parts until the parent ends this process, or ends itself."""
    _follow_parent()
    devices = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    os.environ["CUDA_VISIBLE_DEVICES"] = devices[place % len(devices)]
    while True:
        pipe.send(do_part(pipe.recv(), desk))


def _follow_parent() -> None:
    """Leaves Ctrl-C to the parent, and ends this process when that one ends, however it does."""
    look_rarely_for_circles()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """Ends this process when that of a sentinel has ended."""
    connection.wait([sentinel])
    os._exit(1)
