"""What is opened as a store, and that its worker outlives nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from factmark.errors import InputError, StoreError
from factmark.stores.folder import FolderStore
from factmark.stores.store import open_store
from servers.stores import RUNAWAY, gone, write_store


def test_workers_die_with_their_parent(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from factmark.stores.folder import FolderStore\n"
        "async def main():\n"
        "    store = FolderStore(sys.argv[1])\n"
        "    await store.query('ASK {}')\n"
        "    print(store.processes[0], flush=True)\n"
        "    await store.query(sys.argv[2], timeout=60)\n"
        "asyncio.run(main())\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code, str(write_store(tmp_path / "demo")), RUNAWAY],
        env=environment, stdout=subprocess.PIPE, text=True,
    ) as parent:  # fmt: skip
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        time.sleep(0.2)
        parent.kill()
    assert gone(worker)


def test_paths_that_are_no_store(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("")
    for name, reason in (("nowhere", "no store at"), ("empty", "no store"), ("notes.txt", "RDF")):
        with pytest.raises(StoreError, match=reason):
            FolderStore(tmp_path / name)
    assert not list((tmp_path / "empty").iterdir())


def test_open_store_wants_one_place() -> None:
    with pytest.raises(InputError):
        open_store()
    with pytest.raises(InputError):
        open_store(path="x", url="http://e/")
