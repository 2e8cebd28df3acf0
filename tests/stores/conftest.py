"""A store on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from servers.stores import write_store


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_store(tmp_path_factory.mktemp("store") / "demo")
