"""Would the tests notice? `python benchmarks/mutants.py [FILE ...] [--each N]` (`make mutants`).

Each mutant is one small change of one file: another comparison, sign, number or word of logic, a
condition turned round, a statement left out. It lies in a copy of the package, on which the tests
that belong to the file are run: a mutant is killed where one fails or they do not end. Printed are
the killed and the survivors of each file, with the line and the change of each survivor; exits
with 1 where fewer than 90 of 100 were killed. Which are drawn is settled by a seed. A few survivors
are no fault of the tests: what is changed shows nowhere (a message, a shortcut, a bound of a loop).
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TESTS = {
    "files/overwriting": "files/test_overwriting files/test_notes",
    "stores/guard": "stores/test_query_guard",
    "ledger/verdicts": "ledger/test_verdicts ledger/test_newest",
    "stats/agreement": "stats/test_agreement stats/test_agreement_properties",
    "stats/corrections": "stats/test_correction stats/test_published_corrections "
    "stats/test_judge_quality",
    "stats/intervals": "stats/test_bca stats/test_intervals stats/test_quantiles "
    "stats/test_resampling",
    "stats/cells": "stats/test_cells stats/test_correction stats/test_judge_quality",
    "ask/budget": "ask/test_budget ask/test_runner",
    "graphs/core/scores": "graphs/test_scores",
    "graphs/core/evidence": "graphs/test_evidence",
    "replies/label_of_reply": "replies",
    "answers/core/matching": "answers/test_matching answers/test_worked_examples",
}
"""Twelve core files, and the tests that belong to each."""

BAR, SEED, LONGEST = 0.9, 23, 120  # share, seed, seconds of a mutant's tests
COMPARED: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
SIGNS: dict[type, type] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """A changed file."""

    file: str
    line: int
    change: str
    text: str


def places(tree: ast.Module) -> Iterator[tuple[ast.AST, str, Any]]:
    """What can be changed: a node, a field of it, and its new value; no field: the node itself.

    Decorators stay: that records are frozen is a test of the whole package (`test_structure`).
    """
    decorators = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        for decorator in node.decorator_list
        for part in ast.walk(decorator)
    }
    for node in ast.walk(tree):
        if id(node) in decorators:
            continue
        match node:
            case ast.Compare(ops=[op]) if type(op) in COMPARED:
                yield node, "ops", [COMPARED[type(op)]()]
            case ast.BinOp(op=op) if type(op) in SIGNS and not _is_type(node):
                yield node, "op", SIGNS[type(op)]()
            case ast.BoolOp(op=op):
                yield node, "op", ast.Or() if isinstance(op, ast.And) else ast.And()
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield node, "", operand
            case ast.Constant(value=bool() as value):
                yield node, "value", not value
            case ast.Constant(value=int() | float() as value):
                yield node, "value", value + 1
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                yield node, "test", ast.UnaryOp(op=ast.Not(), operand=test)
            case ast.Call(func=ast.Name(id=name)) if name in CALLED:
                yield node, "func", ast.Name(id=CALLED[name], ctx=ast.Load())
            case ast.Expr(value=ast.Call() | ast.Yield()) | ast.AugAssign() | ast.Continue():
                yield node, "", ast.Pass()
            case ast.Return(value=value) if value is not None and not _is_none(value):
                yield node, "value", ast.Constant(value=None)


def _is_type(node: ast.BinOp) -> bool:
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str)
        for part in (node.left, node.right)
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def mutants_of(file: str, number: int, seed: int = SEED) -> list[Mutant]:
    """So many mutants of a file, or as many as it has."""
    source = (ROOT / "src" / "factmark" / f"{file}.py").read_text("utf-8")
    count = sum(1 for _ in places(ast.parse(source)))
    drawn = random.Random(f"{seed} {file}").sample(range(count), min(number, count))
    out = []
    for at in sorted(drawn):
        tree = ast.parse(source)
        node, field, value = list(places(tree))[at]
        before = ast.unparse(node)
        if field:
            setattr(node, field, value)
            after = ast.unparse(ast.fix_missing_locations(node))
        else:
            _put(*_place_of(tree, node), value)
            after = ast.unparse(value)
        first = (" ".join(text.split("\n")[0].split())[:70] for text in (before, after))
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        out.append(Mutant(file, node.lineno, " -> ".join(first), text))  # type: ignore[attr-defined]
    return out


def _place_of(tree: ast.AST, child: ast.AST) -> tuple[ast.AST, tuple[str, int | None]]:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is child:
                return parent, (name, None)
            if isinstance(value, list) and any(entry is child for entry in value):
                return parent, (name, next(n for n, e in enumerate(value) if e is child))
    raise AssertionError("it is in the tree")


def _put(parent: ast.AST, place: tuple[str, int | None], value: ast.AST) -> None:
    name, number = place
    if number is None:
        setattr(parent, name, value)
    else:
        getattr(parent, name)[number] = value


def passes(copy: Path, file: str) -> bool:
    """Whether the tests of a file pass with this copy of the package."""
    tests = [ROOT / "tests" / (n if "/" not in n else f"{n}.py") for n in TESTS[file].split()]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*command, *map(str, filter(Path.exists, tests))],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def survives(mutant: Mutant, copies: SimpleQueue[Path]) -> bool:
    """Whether no test notices it."""
    copy = copies.get()
    path = copy / "factmark" / f"{mutant.file}.py"
    good = path.read_text("utf-8")
    try:
        path.write_text(mutant.text, "utf-8")
        return passes(copy, mutant.file)
    finally:
        path.write_text(good, "utf-8")
        copies.put(copy)


def main() -> int:
    """Tries the mutants of all files, or of those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help=f"of {', '.join(TESTS)}")
    parser.add_argument("--each", type=int, default=14, help="mutants of a file")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    killed = total = 0
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(options.processes):
            shutil.copytree(
                ROOT / "src",
                Path(folder) / str(number),
                ignore=shutil.ignore_patterns("__pycache__"),
            )
            copies.put(Path(folder) / str(number))
        print(f"{'':24} killed survived seconds", flush=True)
        for file in options.files or TESTS:
            begun = time.monotonic()
            if not passes(Path(folder) / "0", file):
                print(f"{file}: its tests fail without a mutant")
                return 1
            mutants = mutants_of(file, options.each, options.seed)
            with ThreadPoolExecutor(options.processes) as pool:
                alive = list(pool.map(lambda mutant: survives(mutant, copies), mutants))
            killed, total = killed + alive.count(False), total + len(alive)
            seconds = time.monotonic() - begun
            counts = f"{alive.count(False):6} {alive.count(True):8} {seconds:7.0f}"
            print(f"{file:24} {counts}", flush=True)
            for mutant, is_alive in zip(mutants, alive, strict=True):
                if is_alive:
                    print(f"    line {mutant.line}: {mutant.change}", flush=True)
    print(f"{killed} of {total} killed ({killed / total:.1%}); at least {BAR:.0%} should be")
    return int(killed < BAR * total)


if __name__ == "__main__":
    raise SystemExit(main())
