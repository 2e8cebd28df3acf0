"""Parts by Ray: a task each, on whatever machines the cluster has.

Ray decides where a part runs, and runs it again where a worker is lost. Prompts, retries, replies
and verdicts stay ours: a task is `do_part`, as in any process.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from factmark.engine.desk import Counts, PartsDesk, Reports
from factmark.engine.work import PYTHON, PartTask, do_part, lacking
from factmark.errors import FactmarkError, InputError
from factmark.version import __version__

_LOOK = 0.5  # seconds between two looks at the desk
_REACH = 10.0  # seconds for a cluster to answer
_TRIES = 3  # of a part whose worker is lost, after the first


class RayDesk:
    """The desk, which is an actor, as workers and the driver reach it; see `Reports`."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def _ask(self, method: str, *values: object) -> Any:
        """Returns what the actor answers."""
        import ray

        return ray.get(getattr(self._actor, method).remote(*values))

    def lend_calls(self) -> int:
        """Returns how many calls more may be made."""
        return int(self._ask("lend_calls"))

    def lend_money(self, least: float) -> float:
        """Returns how much more may be spent."""
        return float(self._ask("lend_money", least))

    def take_back(self, calls: int, money: float) -> None:
        """Takes what was not used."""
        self._ask("take_back", calls, money)

    def report(self, part: int, counts: Counts) -> None:
        """Keeps how far a part is; nobody waits for it."""
        self._actor.report.remote(part, counts)

    def fail(self, part: int, why: str) -> None:
        """Keeps why a part cannot be judged."""
        self._ask("fail", part, why)

    def state(self) -> tuple[Counts, str]:
        """Returns the sums of what was reported, and why a part cannot be judged."""
        counts, error = self._ask("state")
        return counts, error


class RayWorkers:
    """The processors of a Ray cluster."""

    def __init__(self, address: str) -> None:
        self._ray = _connected(address)
        self.count = max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def check(self, files: Sequence[Path]) -> None:
        """Has every machine look for these files and for its versions.

        Raises:
            InputError: one lacks something.
        """
        ray = self._ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        sizes = {}
        for path in files:
            sizes[str(path.absolute())] = path.stat().st_size
        look = ray.remote(num_cpus=0)(lacking)
        for node in ray.nodes():
            if not node["Alive"]:
                continue
            at = NodeAffinitySchedulingStrategy(node_id=node["NodeID"], soft=False)
            try:
                lack = ray.get(
                    look.options(scheduling_strategy=at).remote(__version__, PYTHON, sizes),
                    timeout=120,
                )
            except ray.exceptions.RayError as error:
                lack = f"it cannot run factmark ({str(error).strip().splitlines()[-1]:.200})"
            if lack:
                name = node["NodeManagerHostname"]
                raise InputError(f"--engine ray: the machine {name} cannot help: {lack}.")

    @contextmanager
    def desk(self, max_calls: int | None, max_cost: float | None) -> Iterator[Reports]:
        """Opens the desk of a run."""
        actor_class = self._ray.remote(num_cpus=0)(PartsDesk)
        bounds = {"max_calls": max_calls, "max_cost": max_cost, "processes": self.count}
        actor = actor_class.options(name=f"factmark desk {os.getpid()}").remote(**bounds)
        try:
            with redirect_stdout(sys.stderr):  # where Ray tells of workers that were lost
                yield RayDesk(actor)
        finally:
            self._ray.kill(actor)
            self._ray.shutdown()

    def run(
        self, tasks: Sequence[PartTask], desk: Reports, look: Callable[[], None]
    ) -> Iterator[PartTask]:
        """Yields each part when it is judged; calls `look` again and again meanwhile.

        Raises:
            FactmarkError: the worker of a part is lost time and again.
        """
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=_TRIES)(do_part)
        running = {remote.options(name=task.name).remote(task, desk): task for task in tasks}
        try:
            while running:
                ended, _ = ray.wait(list(running), timeout=_LOOK)
                for reference in ended:
                    task = running.pop(reference)
                    if ray.get(reference):
                        yield task
                look()
        except ray.exceptions.RayError as error:
            why = str(error).strip().splitlines()[-1]
            raise FactmarkError(
                f"{why:.300}. The ledgers of the parts keep what came in."
            ) from error
        finally:
            for reference in running:
                ray.cancel(reference, force=True)


def _connected(address: str) -> Any:
    """Returns Ray, connected to a cluster.

    Raises:
        InputError: Ray is not installed, or there is no such cluster.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise InputError("--engine ray needs Ray: pip install 'factmark[ray]'.") from error
    try:
        _reach(address if address != "auto" else os.environ.get("RAY_ADDRESS", ""))
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, RuntimeError, ValueError, ImportError) as error:
        raise InputError(
            f"--engine ray: there is no cluster at {address} that takes this process "
            f"({str(error).strip().splitlines()[0]:.200}). `ray start --head` begins one; "
            "--engine local:8 needs none."
        ) from error
    return ray


def _reach(address: str) -> None:
    """Raises OSError where nothing answers at HOST:PORT, for which Ray would wait minutes."""
    host, colon, port = address.rpartition("/")[2].rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=_REACH).close()
