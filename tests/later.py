"""Modules that take long to import: `stats = later("scipy.stats")` imports it at its first use.

Without, collecting all tests, and so every run of pytest, waits for them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class _Later:
    """Stands for a module until somebody wants anything of it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest")):  # pytest looks whether the module is a test
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


def later(name: str) -> Any:
    """A module, by its whole name; it is imported when something of it is used."""
    return _Later(name)
