"""Names of a package that are loaded when they are first used, so that a command starts fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
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
