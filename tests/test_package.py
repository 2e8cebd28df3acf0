"""What the package as a whole promises: public names, pure folders, a light import."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import factmark

SOURCE = Path(factmark.__file__).parent
PURE = (
    "answers/core",
    "answers/results.py",
    "ehds/replica",
    "graph_answers/core",
    "graphs/core",
    "graphs/profile/core",
    "people/core",
    "people/ratings",
    "people/results.py",
    "people/tables",
    "replies",
    "stats",
    "text",
)
# Network, disk, clock, processes, global randomness.
IMPURE = frozenset(
    "os io socket ssl http urllib.request asyncio aiohttp sqlite3 subprocess multiprocessing "
    "threading time datetime random secrets tempfile shutil pathlib pyoxigraph duckdb "
    "factmark.files factmark.http factmark.ledger factmark.ask factmark.stores "
    "factmark.passages factmark.cli".split()
)
# A buffer in memory, a generator with its own seed, arithmetic on given dates, plain records.
ALLOWED = {
    "io.StringIO",
    "random.Random",
    "factmark.ask.budget.Spend",
    "datetime.date",
    "datetime.datetime",
    "datetime.timedelta",
    "factmark.files.flat_files.csv_writer",
    "factmark.files.flat_files.json_text",
    "factmark.files.flat_files.to_json_value",
    "factmark.files.text_files.without_surrogates",
    "factmark.stores.terms.Rows",
    "factmark.stores.terms.Term",
    "factmark.stores.terms.local_name",
}
CLOCKS = {"now", "today", "utcnow"}


def modules() -> list[str]:
    found = pkgutil.walk_packages([str(SOURCE)], "factmark.")
    return ["factmark", *(module.name for module in found if "__main__" not in module.name)]


def constants_then_classes_then_functions(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_all_is_sorted_and_true() -> None:
    for name in modules():
        module = importlib.import_module(name)
        public = getattr(module, "__all__", None)
        if public is not None:
            assert list(public) == sorted(public, key=constants_then_classes_then_functions), name
            assert all(hasattr(module, one) for one in public), name
    for package in ("factmark", "factmark.answers", "factmark.replies", "factmark.stats"):
        module = importlib.import_module(package)  # all its modules are loaded by now
        public = [getattr(module, name) for name in module.__all__]
        assert all(callable(each) for each in public if isinstance(each, ModuleType))


def test_public_names_of_answers() -> None:
    from factmark import answers

    assert answers.__all__ == [
        "AnswerScore",
        "Fact",
        "GivenAnswer",
        "Question",
        "Results",
        "ScoredAnswer",
        "Summary",
        "combined_score",
        "extract_facts",
        "ground_truth",
        "match_facts",
        "score_answer",
        "score_facts",
    ]


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_pure_folders_stay_pure() -> None:
    for path in sorted(
        path
        for place in PURE
        for path in (
            SOURCE.glob(place) if place.endswith(".py") else (SOURCE / place).rglob("*.py")
        )
    ):
        wrong = {
            name
            for name in imported(path) - ALLOWED
            if any(name == bad or name.startswith(bad + ".") for bad in IMPURE)
        }
        assert not wrong, f"{path} is in a pure folder and imports {sorted(wrong)}"
        tree = ast.walk(ast.parse(path.read_text("utf-8")))
        read = {node.attr for node in tree if isinstance(node, ast.Attribute)} & CLOCKS
        assert not read, f"{path} is in a pure folder and reads the clock"


def test_purity_test_sees_an_impure_import(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("from pathlib import Path\nimport os.path\n")
    assert imported(bad) == {"pathlib.Path", "os.path"}


def test_import_is_light_and_silent() -> None:
    code = "import sys, factmark; print(sorted({m.partition('.')[0] for m in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    heavy = {"numpy", "duckdb", "aiohttp", "pydantic", "pyoxigraph", "jinja2", "rich", "typer"}
    assert not heavy & set(ast.literal_eval(done.stdout))
    assert done.stderr == ""


NOT_IN_DEV = ("ray==",)
"""Extras that are pinned and that `dev` leaves out: too large for every test run."""


def test_ci_installs_the_pinned_versions_by_hash() -> None:
    root = Path(__file__).parent.parent
    rows = (root / ".ci" / "requirements.txt").read_text().splitlines()[1:]
    hashed = [re.fullmatch(r"(\S+==\S+) --hash=sha256:[0-9a-f]{64}", row) for row in rows]
    versions = {row[1].casefold() for row in hashed if row}
    assert len(versions) == len(rows), "a row without its hash, or twice"
    pinned = set((root / "constraints.txt").read_text().casefold().split())
    left_out = {row for row in pinned - versions if row.startswith(NOT_IN_DEV)}
    assert versions == pinned - left_out


def test_the_examples_in_docstrings_hold() -> None:
    """Nobody runs them otherwise, so that they went on showing what functions no longer gave."""
    wrong = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if ">>> " in path.read_text("utf-8"):
            name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
            failed, _ = doctest.testmod(importlib.import_module(name.removesuffix(".__init__")))
            wrong |= {name: failed} if failed else {}
    assert not wrong
