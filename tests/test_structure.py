"""How large the package is and which way its imports point; each figure may only fall.

When a change makes a figure smaller, put the new one into `MOST`. CONTRIBUTING shows the bands.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import factmark

SOURCE = Path(factmark.__file__).parent
TESTS = Path(__file__).parent

MOST = {
    "lines": 66_250,
    "files": 372,
    "test lines": 42_774,
    "files in a folder": 20,
    "lines of a file": 400,
    "lines of a function": 59,
    "parameters": 10,
    "class names used twice": 26,
    "imports against the bands": 15,
    "files with SQL outside of ledger/": 0,
    "files that import aiohttp": 2,
}

# From the ground up. A folder imports only from bands below its own; in its own band only itself
# or, for the kernel, its neighbours. Of the slices, two build on others.
BANDS = (
    ("model", "campaign_model", "errors", "lazily"),
    ("text", "stats", "replies", "tables", "files"),
    ("http", "ledger", "ask", "stores", "passages"),
    ("cli",),  # the frame of commands: console, options
    ("ehds",),
    ("answers", "runs", "people", "graphs", "graphrag"),
    ("analysis", "interop"),  # over what the slices made
    ("main", "demo", "api", "__init__"),  # cli/main.py, cli/demo.py, the public functions
)
KERNEL = 3
ALSO = {
    ("graphrag", "graphs"),
    ("graphrag", "runs"),
    ("runs", "answers"),
    ("main", "demo"),
    ("__init__", "api"),
}

SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|BEGIN|COMMIT)\b(?! ?[?{])")


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}", node


def n_lines(paths: Iterator[Path]) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in paths)


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len([name for name in names if name not in {"self", "cls"}])


def n_of_body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without its signature and docstring."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return (node.end_lineno or 0) - body[0].lineno + 1 if body else 0


def is_command(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether typer reads the command's options from the function's parameters."""
    return "typer." in "".join(map(ast.unparse, [*node.decorator_list, node.args]))


def part(module: str) -> str:
    """The folder of a module, as `BANDS` name it."""
    first, *rest = module.split(".")
    return rest[0] if first == "cli" and rest and rest[0] in {"main", "demo"} else first


def band(name: str) -> int:
    return next((level for level, names in enumerate(BANDS) if name in names), len(BANDS))


def imports() -> Iterator[tuple[str, str, Path]]:
    """Who imports whom, folder by folder, once per file."""
    for path, tree in trees().items():
        here = part(".".join(path.relative_to(SOURCE).with_suffix("").parts))
        there = {
            part(f"{node.module}.{name.name}".removeprefix("factmark."))
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("factmark")
            for name in node.names
            if not (node.module == "factmark" and name.name.startswith("__"))
        }
        yield from ((here, other, path) for other in there if other != here)


def against_the_bands() -> list[str]:
    return [
        f"{path.relative_to(SOURCE)} imports {other}"
        for here, other, path in imports()
        if band(other) > band(here)
        or (band(other) == band(here) >= KERNEL and (here, other) not in ALSO)
    ]


def class_names() -> Counter[str]:
    return Counter(
        node.name
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    )


def texts(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def with_sql() -> list[Path]:
    """Files that read or write the ledger by statements of their own."""
    return [
        path
        for path, tree in trees().items()
        if "factmark.ledger" in path.read_text("utf-8")
        and part(".".join(path.relative_to(SOURCE).parts)) != "ledger"
        and any(SQL.match(text) for text in texts(tree))
    ]


def with_aiohttp() -> list[Path]:
    return [
        path
        for path, tree in trees().items()
        if any(
            "aiohttp" in ast.unparse(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
        )
    ]


@cache
def largest() -> dict[str, tuple[int, object]]:
    """Figure -> how much of it there is, and where."""
    folders = Counter(path.parent for path in trees())
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in trees()}
    calls = {name: node for name, node in functions() if not is_command(node)}
    long = {name: n_of_body(node) for name, node in functions()}
    wide = {name: parameters(node) for name, node in calls.items()}
    twice = sorted(name for name, n in class_names().items() if n > 1)
    wrong = against_the_bands()
    return {
        "lines": (sum(lengths.values()), ""),
        "files": (len(lengths), ""),
        "test lines": (n_lines(TESTS.rglob("*.py")), ""),
        "files in a folder": (max(folders.values()), folders.most_common(4)),
        "lines of a file": (max(lengths.values()), max(lengths, key=lengths.__getitem__)),
        "lines of a function": (max(long.values()), sorted(long, key=long.__getitem__)[-4:]),
        "parameters": (max(wide.values()), sorted(wide, key=wide.__getitem__)[-4:]),
        "class names used twice": (len(twice), twice),
        "imports against the bands": (len(wrong), wrong),
        "files with SQL outside of ledger/": (len(with_sql()), with_sql()),
        "files that import aiohttp": (len(with_aiohttp()), with_aiohttp()),
    }


@pytest.mark.parametrize("name", MOST)
def test_no_figure_grows(name: str) -> None:
    amount, where = largest()[name]
    assert amount <= MOST[name], f"{name}: {amount}, and {MOST[name]} before ({where})"


def test_every_folder_has_its_band() -> None:
    names = {part(".".join(path.relative_to(SOURCE).with_suffix("").parts)) for path in trees()}
    assert {name for name in names if band(name) == len(BANDS)} <= {"data"}


if __name__ == "__main__":  # the figures, to put into MOST
    for name, (amount, where) in largest().items():
        print(f"{name}: {amount}   {str(where)[:2000]}")
