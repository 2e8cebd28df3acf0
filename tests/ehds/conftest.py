"""The replica on disk, built once for all tests of a process that only read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmark.ehds.write import build_store


@pytest.fixture(scope="session")
def replica(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replica") / "ehds"
    build_store(path, scale=0.002)
    return path
