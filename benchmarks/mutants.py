"""Would the tests notice? `python benchmarks/mutants.py [FILE ...]` (`make mutants`).

Each mutant is one small change of one file: another comparison, sign, number or word of logic, a
condition turned round, a statement left out. It lies in a copy of the package, on which the tests
that belong to the file are run, the nearest first: a mutant is killed where one of them fails that
passes without it, or where they do not end. 60 are drawn by a seed from every place of every file
that can be changed, so that the share is an estimate for the whole package; it is printed with its
interval (Wilson). Exits with 1 where it is below 90 of 100.

A FILE (`ledger/ratings`) has 14 mutants of its own, a line of it (`ledger/ratings:123`) all that it
can have; `--each N` gives N to every file that is named, or to all. `--seed N` draws others,
`--tests FILE` prints which tests belong to a file.

A few survivors are no fault of the tests: what is changed shows nowhere (a shortcut, a bound that
is never met). The line and the change of each are printed, and the tests that missed it.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from compileall import compile_dir
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from py_compile import PycInvalidationMode
from queue import SimpleQueue
from typing import Any, NamedTuple

from belonging import MOST, ROOT, SOURCE, belonging_tests
from factmark.stats.intervals import wilson

BAR, SEED, DRAWN, EACH = 0.9, 23, 60, 14
BATCHES = (0, 4, 12, MOST)  # of the tests that belong to a file, the nearest first
LONGEST = 240  # seconds of a batch
CHECKED = PycInvalidationMode.CHECKED_HASH  # a changed file is seen within the same second, too
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
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?: - .*)?$", re.M)


class Mutant(NamedTuple):
    """A changed file."""

    file: str
    line: int
    change: str
    text: str


def places(tree: ast.Module) -> Iterator[tuple[ast.AST, str, Any]]:
    """What can be changed: a node, a field of it, and its new value; no field: the node itself.

    Annotations stay, and decorators: that records are frozen is a test of the whole package.
    """
    kept = {id(part) for root in _untouched(tree) for part in ast.walk(root)}
    for node in ast.walk(tree):
        if id(node) in kept or _is_for_types(node):
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
            case ast.Return(value=value) if value is not None and not _is_like_none(value):
                yield node, "value", ast.Constant(value=None)


def _is_type(node: ast.BinOp) -> bool:
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str)
        for part in (node.left, node.right)
    )


def _is_like_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _untouched(tree: ast.Module) -> Iterator[ast.AST]:
    """What no test of behaviour can notice."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(decorator_list=decorators):
                yield from decorators
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from node.decorator_list
                yield from filter(None, [node.returns])
            case ast.arg(annotation=annotation) if annotation:
                yield annotation
            case ast.AnnAssign(annotation=annotation):
                yield annotation
            case ast.If(test=test) if _is_for_types(node):
                yield test


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def files_with_code() -> list[str]:
    """The files of the package, but those that only name data."""
    paths = sorted(SOURCE.rglob("*.py"))
    return [
        path.relative_to(SOURCE).with_suffix("").as_posix()
        for path in paths
        if any(
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
        )
    ]


def drawn(files: Mapping[str, int], each: int | None, seed: int) -> list[tuple[str, int]]:
    """Which places of which files: so many of each file, or `DRAWN` of all of them alike.

    A place has its lot from its file and number, so that an edit of one file redraws no other.
    Those of all files come in the order of their lots: what is known before the end is a fair draw.

    Args:
        files: file -> the only line of it that is changed; 0 for all.
    """
    lots = [
        (hash_of(f"{seed} {file} {at}"), file, at)
        for file, line in files.items()
        for at, (node, *_) in enumerate(places(ast.parse(_text_of(file))))
        if line in (0, getattr(node, "lineno", 0))
    ]
    of_file: Counter[str] = Counter()
    chosen = []
    for _, file, at in sorted(lots):
        of_file[file] += 1
        if each is None or files[file] or of_file[file] <= each:
            chosen.append((file, at))
    return chosen[:DRAWN] if each is None else sorted(chosen)


def hash_of(text: str) -> str:
    """A number that is drawn by the text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _text_of(file: str) -> str:
    return (SOURCE / f"{file}.py").read_text("utf-8")


def mutant_at(file: str, at: int) -> Mutant:
    """A file, changed at a place."""
    tree = ast.parse(_text_of(file))
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
    return Mutant(file, node.lineno, " -> ".join(first), text)  # type: ignore[attr-defined]


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


def first_failure(copy: Path, tests: Sequence[str | Path]) -> str | None:
    """The first test that fails with a copy of the package; none where all pass.

    Raises:
        subprocess.TimeoutExpired: they do not end.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-rfE"]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(
        [*command, *map(str, tests)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        timeout=LONGEST,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode in (0, 5):  # 5: there is none
        return None
    failed = FAILED.search(done.stdout)
    return failed[1] if failed else str(tests[0])


def survives(mutant: Mutant, mutated: Path, clean: Path) -> bool:
    """Whether no test notices a mutant: none fails that passes without it.

    Args:
        mutated, clean: copies of the package.
    """
    path = mutated / "factmark" / f"{mutant.file}.py"
    good = path.read_text("utf-8")
    path.write_text(mutant.text, "utf-8")
    tests = belonging_tests(mutant.file)
    try:
        batches = (tests[start:end] for start, end in pairwise(BATCHES))
        return not any(_notice(batch, mutated, clean) for batch in batches if batch)
    finally:
        path.write_text(good, "utf-8")


def _notice(batch: Sequence[Path], mutated: Path, clean: Path) -> bool:
    """Whether one of these tests fails with the mutant, and passes without it."""
    tests: list[str | Path] = list(batch)
    while tests:
        failed = _failure(mutated, tests)
        if failed is None:
            return False
        if _failure(clean, failed) is None:
            return True
        if failed == tests:
            tests = tests[: len(tests) // 2]  # they take too long
            continue
        print(f"    fails without a mutant: {' '.join(map(str, failed))}", flush=True)
        tests += [f"--deselect={test}" for test in failed]
    return False


def _failure(copy: Path, tests: Sequence[str | Path]) -> Sequence[str | Path] | None:
    """What fails: the first such test, or all tests where they do not end."""
    try:
        failed = first_failure(copy, tests)
    except subprocess.TimeoutExpired:
        return tests
    return None if failed is None else [failed]


def main() -> int:
    """Tries mutants of all files, or of those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="ledger/ratings, or a line of it: ledger/ratings:123",
    )
    parser.add_argument("--each", type=int, help=f"of each file; {EACH} where files are named")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--tests", action="store_true", help="print which tests belong to a file")
    options = parser.parse_args()
    known = files_with_code()
    files: dict[str, int] = {}
    for place in options.files:
        file, _, line = place.removeprefix("src/factmark/").partition(":")
        file = file.removesuffix(".py")
        if file not in known or (line and not line.isdigit()):
            parser.error(f"{place}: no file of code in {SOURCE}, or no line of it")
        files[file] = int(line or 0)
    if options.tests:
        for file in files or known:
            print(file, *(path.relative_to(ROOT) for path in belonging_tests(file)), sep="\n    ")
        return 0
    each = options.each or (EACH if files else None)
    mutants = [
        mutant_at(*place) for place in drawn(files or dict.fromkeys(known, 0), each, options.seed)
    ]
    alive = sum(tried(mutants, options.processes))
    share = 1 - alive / len(mutants)
    low, high = wilson(share, len(mutants))
    print(f"{len(mutants) - alive} of {len(mutants)} killed, ", end="")
    print(f"{share:.1%} [{low:.1%}, {high:.1%}]; at least {BAR:.0%} should be")
    return int(share < BAR)


def tried(mutants: Sequence[Mutant], processes: int) -> list[bool]:
    """Whether each survives; prints a line for each as it is known."""
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        clean = Path(folder) / "clean"
        for copy in (clean, *(Path(folder) / str(number) for number in range(processes))):
            shutil.copytree(SOURCE.parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
            compile_dir(copy, quiet=1, invalidation_mode=CHECKED)  # once for all mutants
            if copy != clean:
                copies.put(copy)

        def is_alive(mutant: Mutant) -> bool:
            copy, begun = copies.get(), time.monotonic()
            try:
                alive = survives(mutant, copy, clean)
            finally:
                copies.put(copy)
            word = "SURVIVED" if alive else "killed"
            place = f"{mutant.file}:{mutant.line}"
            seconds = f"{time.monotonic() - begun:4.0f} s"
            print(f"{word:8} {seconds} {place}: {mutant.change}", flush=True)
            if alive:
                nearest = belonging_tests(mutant.file)[: BATCHES[2]]
                names = (path.relative_to(ROOT / "tests") for path in nearest)
                print("    not noticed by", *names, "and others", flush=True)
            return alive

        with ThreadPoolExecutor(processes) as pool:
            return list(pool.map(is_alive, mutants))


if __name__ == "__main__":
    raise SystemExit(main())
