"""Which tests belong to a file of the package: those from which it is nearest by imports.

A test that imports the file is one step away; every import between them is one step more, whether
it stands at the head of a file, in a function, or as the name of a module in a table of what is
loaded late. A test in another folder than the file's counts as two steps further, one that shares a
word of its name with the file as one nearer; of those that are as near, the first import least.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE, TESTS = ROOT / "src" / "factmark", ROOT / "tests"
MOST = 36  # tests that belong to a file
ELSEWHERE = 2  # steps that a test in another folder is further away
NOT_OF_A_FILE = {
    *("test_structure", "test_package"),  # the source's text, which a mutant changes everywhere
    *("test_real_model", "test_real_server", "browser"),  # what not every machine has
}

Steps = dict[str, int]


def belonging_tests(file: str) -> tuple[Path, ...]:
    """The tests of `ledger/ratings`, the nearest first."""
    folder, module = file.partition("/")[0], _module_of(SOURCE / f"{file}.py")
    words = _words(module.replace(".", "_"))
    ranked = []
    for path in sorted(TESTS.rglob("test_*.py")):
        steps = _steps_from(path).get(module)
        top = path.relative_to(TESTS).parts[0]
        if steps is None or {top, path.stem} & NOT_OF_A_FILE:
            continue
        common = words & _words(path.stem)
        others = len(_imports()[_module_of(path)])
        ranked.append((steps + ELSEWHERE * (top != folder) - len(common), others, path))
    return tuple(path for *_, path in sorted(ranked)[:MOST])


def _words(name: str) -> set[str]:
    return {word.rstrip("s") for word in name.split("_")}


@cache
def _steps_from(test: Path) -> Steps:
    """Module -> by how many imports it is reached from a test."""
    steps: Steps = {_module_of(test): 0}
    waiting = [_module_of(test)]
    for module in waiting:  # grows on the way
        for imported in _imports().get(module, ()):
            if imported not in steps:
                steps[imported] = steps[module] + 1
                waiting.append(imported)
    return steps


@cache
def _trees() -> dict[str, ast.Module]:
    paths = [*SOURCE.rglob("*.py"), *TESTS.rglob("*.py")]
    return {_module_of(path): ast.parse(path.read_text("utf-8")) for path in paths}


@cache
def _imports() -> dict[str, frozenset[str]]:
    """Module -> what it imports of the package and of the tests."""
    return {module: frozenset(_imported(tree)) for module, tree in _trees().items()}


def _imported(tree: ast.Module) -> Iterator[str]:
    packages: dict[str, str] = {}  # an alias -> the package that it stands for
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names if alias.name in _trees())
                packages |= {alias.asname or alias.name: alias.name for alias in names}
            case ast.ImportFrom(module=str(package), names=names):
                yield from (_home(package, alias.name) for alias in names)
            case ast.Constant(value=str(place)):  # of what is loaded late: "module:function"
                yield from {place.partition(":")[0]} & _trees().keys()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=alias), attr=name) if alias in packages:
                yield _home(packages[alias], name)


def _home(package: str, name: str) -> str:
    """The module that a name of a package stands in."""
    if f"{package}.{name}" in _trees():
        return f"{package}.{name}"
    module = _loaded_late(package).get(name)
    return package if module in (None, package) else _home(module, name)


@cache
def _loaded_late(package: str) -> dict[str, str]:
    """Name -> its module, from a table `{"module": "name name"}` of a package."""
    if package not in _trees():
        return {}
    tables = (node for node in ast.walk(_trees()[package]) if isinstance(node, ast.Dict))
    homes: dict[str, str] = {}
    for table in tables:
        for key, value in zip(table.keys, table.values, strict=True):
            match key, value:
                case ast.Constant(value=str(module)), ast.Constant(value=str(names)):
                    homes |= dict.fromkeys(names.split(), module)
    return homes


def _module_of(path: Path) -> str:
    base = SOURCE.parent if path.is_relative_to(SOURCE) else TESTS
    parts = path.relative_to(base).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
