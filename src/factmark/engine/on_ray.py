"""Parts by Ray: a task each, on whatever machines the cluster has.

Ray decides where a part runs, and runs it again where a worker is lost. Prompts, retries, replies
and verdicts stay ours: a task is `do_part`, as in any process.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any, cast

from factmark.engine.desk import PartsDesk
from factmark.engine.work import VERSIONS, PartTask, do_part, lacking
from factmark.errors import FactmarkError, InputError

_LOOK = 0.5  # seconds between two looks at the desk
_REACH = 10.0  # seconds for a cluster to answer
_TRIES = 5  # of a part whose worker is lost, after the first


class _RayDesk:
    """Stands for the desk, which is an actor: asks it and waits for the answer."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def __getattr__(self, name: str) -> Callable[..., Any]:
        import ray

        if name.startswith("_"):  # what pickle looks for
            raise AttributeError(name)
        method = getattr(self._actor, name)
        return lambda *values, **named: ray.get(method.remote(*values, **named))


class RayWorkers:
    """The processors of a Ray cluster; its GPUs, where each worker keeps a server on one."""

    def __init__(self, address: str, *, serve: bool) -> None:
        self._ray = _connected(address)
        resources = self._ray.cluster_resources()
        self._needs: dict[str, Any] = {"num_cpus": 1}
        if serve and resources.get("GPU"):
            self._needs["num_gpus"] = 1
        self.count = max(1, int(resources.get("GPU" if len(self._needs) > 1 else "CPU", 1)))

    def check(self, files: Mapping[str, int], program: str) -> None:
        """Has every machine look for these files, and for its versions and a program.

        Raises:
            InputError: one lacks something.
        """
        ray = self._ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        look = ray.remote(num_cpus=0)(lacking)
        for node in ray.nodes():
            if not node["Alive"]:
                continue
            at = NodeAffinitySchedulingStrategy(node_id=node["NodeID"], soft=False)
            asked = look.options(scheduling_strategy=at).remote(VERSIONS, files, program)
            try:
                lack = ray.get(asked, timeout=120)
            except ray.exceptions.RayError as error:
                lack = f"it cannot run factmark ({_last_line(error)})"
            if lack:
                name = node["NodeManagerHostname"]
                raise InputError(f"--engine ray: the machine {name} cannot help: {lack}.")

    @contextmanager
    def desk(self, **bounds: Any) -> Iterator[PartsDesk]:
        """Opens the desk of a run."""
        actor_class = self._ray.remote(num_cpus=0)(PartsDesk)
        actor = actor_class.options(name=f"factmark desk {os.getpid()}").remote(**bounds)
        try:
            with redirect_stdout(sys.stderr):  # where Ray tells of workers that were lost
                yield cast("PartsDesk", _RayDesk(actor))
        finally:
            self._ray.kill(actor)
            self._ray.shutdown()

    def run(self, tasks: Sequence[PartTask], desk: PartsDesk) -> Generator[PartTask | None]:
        """Yields each part when it is judged, and None before and again and again meanwhile.

        Raises:
            FactmarkError: the worker of a part is lost time and again.
        """
        ray = self._ray
        remote = ray.remote(max_retries=_TRIES, **self._needs)(do_part)
        running = {remote.options(name=task.name).remote(task, desk): task for task in tasks}
        try:
            while running:
                yield None
                ended, _ = ray.wait(list(running), timeout=_LOOK)
                for reference in ended:
                    task = running.pop(reference)
                    if ray.get(reference):
                        yield task
        except ray.exceptions.RayError as error:
            why = f"{_last_line(error)}. The ledgers of the parts keep what came in."
            raise FactmarkError(why) from error
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
    at = os.environ.get("RAY_ADDRESS", "") if address == "auto" else address
    host, colon, port = at.rpartition("/")[2].rpartition(":")
    try:
        if colon and port.isdecimal():  # where nothing answers, Ray would wait minutes
            socket.create_connection((host, int(port)), timeout=_REACH).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, RuntimeError, ValueError, ImportError) as error:
        raise InputError(
            f"--engine ray: there is no cluster at {address} that takes this process "
            f"({_last_line(error)}). `ray start --head` begins one; --engine local:8 needs none."
        ) from error
    return ray


def _last_line(error: Exception) -> str:
    """Returns the last line of what a library says."""
    return f"{str(error).strip().splitlines()[-1]:.300}"
