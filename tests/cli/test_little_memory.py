"""Commands under a limit of address space (`ulimit -v`): done, or one message and the status 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = (
    ("claims", "judge", "c.csv", "--out", "o"),
    ("graph", "factscore", "g.csv", "--out", "o"),
    ("score", "a.jsonl", "--benchmark", "q.jsonl", "--out", "o"),
)
GIB = 2**20  # in the unit of `ulimit -v`


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("limit", [2 * GIB, GIB // 2, GIB // 4])
def test_too_little_memory_is_told(tmp_path: Path, command: tuple[str, ...], limit: int) -> None:
    """2 GiB are enough for small files; what a library in C++ would die of is told before."""
    (tmp_path / "c.csv").write_text("claim,passage\nA is B.,A is B.\n")
    (tmp_path / "g.csv").write_text("head,relation,tail,passage\nA,isa,B,A is a B.\n")
    (tmp_path / "q.jsonl").write_text(
        '{"id": "q", "category": "x", "question": "Who?", "ground_truth": ["Ada"]}\n'
    )
    (tmp_path / "a.jsonl").write_text('{"query_id": "q", "answer": "It is Ada."}\n')
    program = f'ulimit -v {limit}; exec "$@"'
    run = ("bash", "-c", program, "bash", sys.executable, "-m", "factmark", *command)
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == (0 if limit == 2 * GIB else 2), done.stderr
    if done.returncode:
        assert "ulimit -v" in done.stderr
