from __future__ import annotations

import ast
from pathlib import Path

import pytest

import factmark.graphs

FOLDER = Path(factmark.graphs.__file__).parent
IMPURE = {"os", "pathlib", "io", "sqlite3", "socket", "urllib", "random", "time", "datetime",
          "subprocess", "tempfile", "aiohttp", "duckdb", "pyoxigraph", "importlib"}  # fmt: skip


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_graphs_touch_nothing_outside(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            assert name.split(".")[0] not in IMPURE, name
            assert not name.startswith("factmark.io"), name


def test_exports_are_sorted_and_there():
    exported = factmark.graphs.__all__
    assert exported == sorted(exported, key=lambda n: (not n.isupper(), n[0].islower(), n))
    assert all(hasattr(factmark.graphs, name) for name in exported)
