"""Names of a package that are loaded when they are first used, so that a command starts fast; and
packages that are called as the function whose name they bear."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def loader(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Returns the `__getattr__` of a package. No module of it may bear the name of what is in it.

    Args:
        places: module -> the names that stand in it, between blanks.
    """
    homes = {name: module for module, names in places.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return load


def make_callable(package: str) -> None:
    """Makes a package callable that bears the name of a public function: once it is imported, it
    stands in the function's place, and passes calls on to it."""

    class Called(ModuleType):
        def __call__(self, *given: Any, **options: Any) -> Any:
            function = getattr(import_module("factmark.api"), package.rpartition(".")[2])
            return function(*given, **options)

    sys.modules[package].__class__ = Called
