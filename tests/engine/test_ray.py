"""`--engine ray` on a real cluster of two nodes on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ray = pytest.importorskip("ray")


DIES = """
import os, pathlib, signal

def judge(unit):
    mark = pathlib.Path(__file__).with_name("died")
    if unit["head"] == "Drug 20" and mark.exists():
        mark.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return "SUPPORTED" if unit["tail"] in unit["evidence"] else "NOT_SUPPORTED"
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of two nodes with one processor each."""
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    nodes = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    yield nodes.address
    nodes.shutdown()


def judged(folder: Path, *more: object, **environment: str) -> subprocess.CompletedProcess[str]:
    names = ("graph", "factscore", "t.csv", "--json", *more)
    return subprocess.run(
        [sys.executable, "-m", "factmark", *map(str, names)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"Drug {n},treats,illness {n},Drug {n} treats illness {n}." for n in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["head,relation,tail,passage", *rows]) + "\n")
    (tmp_path / "dies.py").write_text(DIES)
    return tmp_path


@pytest.mark.parametrize("judge", [(), ("--judge", "dies:judge")], ids=["rules", "killed"])
def test_two_nodes_come_to_what_one_process_comes_to(
    cluster: str, folder: Path, judge: tuple[str, ...]
) -> None:
    one = judged(folder, "--ledger", "one.db", *judge)
    (folder / "died").touch()  # the function kills its worker once
    two = judged(folder, "--ledger", "two.db", "--engine", "ray", *judge, RAY_ADDRESS=cluster)
    assert two.returncode == one.returncode == 0, two.stderr
    assert bool(judge) != (folder / "died").exists()
    figures = [json.loads(done.stdout) for done in (one, two)]
    for given in figures:
        del given["spent"]
    assert figures[0] == figures[1]


def test_no_cluster_is_bad_input(folder: Path) -> None:
    done = judged(folder, "--ledger", "two.db", "--engine", "ray", RAY_ADDRESS="127.0.0.1:1")
    assert done.returncode == 2, done.stderr
    assert "there is no cluster" in done.stderr
    assert not (folder / "two.db").exists()
