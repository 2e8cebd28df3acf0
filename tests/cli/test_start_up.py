"""What commands load: the packages that some command needs are loaded by that command alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from servers.model_server import Running

CHILD = """
import json, sys
from pathlib import Path
told, *sys.argv = sys.argv[1:]
from factmark.cli.main import main
try:
    main()
finally:
    Path(told).write_text(json.dumps(sorted(sys.modules)))
"""
HEAVY = """
    duckdb jinja2 mcp onnxruntime pandas polars psutil pyarrow pyoxigraph rdflib
    sentence_transformers starlette tantivy tokenizers torch transformers uvicorn xllamacpp
""".split()
"""Packages of 5 to 500 ms each."""
TRIPLES = "head,relation,tail,passage\nZorvex,treats,asthma,Zorvex treats asthma.\n"


def loaded(folder: Path, *arguments: object) -> set[str]:
    """Runs a command in a process of its own; returns the packages and modules that it loaded."""
    told = folder / "modules.json"
    command = [sys.executable, "-c", CHILD, str(told), "factmark", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    modules = json.loads(told.read_text())
    return {*modules, *(module.partition(".")[0] for module in modules)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TRIPLES)
    return tmp_path


def test_a_command_that_asks_loads_what_asks_and_no_more(folder: Path, server: Running) -> None:
    command = ("graph", "factscore", "t.csv", "--judge", "openai:m", "--ledger", "l.db")
    asked = loaded(folder, *command, "--base-url", server.base_url)
    assert "aiohttp" in asked
    assert not asked.intersection(HEAVY)
    rules = {"factmark.graphs.core.licence", "factmark.graphs.core.taken_back"}
    assert not asked & rules, "the patterns of the rules, which do not judge here"
    again = loaded(folder, *command, "--base-url", server.base_url)
    assert "aiohttp" not in again, "the ledger has the verdict: no server is asked"


def test_rules_load_nothing_that_asks(folder: Path) -> None:
    judged = loaded(folder, "graph", "factscore", "t.csv")
    assert not judged.intersection([*HEAVY, "aiohttp"])


def test_help_loads_no_arithmetic(folder: Path) -> None:
    helped = loaded(folder, "--help")
    assert not helped.intersection([*HEAVY, "aiohttp", "numpy"])
