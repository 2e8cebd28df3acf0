"""The simulations of benchmarks/coverage, for tests that run them in small."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parents[1] / "benchmarks" / "coverage"


class Simulation:
    """A module of benchmarks/coverage, read (as is scipy) when a test first uses it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest")):  # pytest looks whether it is a test
            raise AttributeError(name)
        return getattr(simulation_module(self._name), name)


def simulation(name: str) -> Any:
    """A module of benchmarks/coverage."""
    return Simulation(name)


@cache
def simulation_module(name: str) -> ModuleType:
    """The module itself, for a test that runs it in small by changing its constants."""
    spec = importlib.util.spec_from_file_location(f"coverage_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for it
    spec.loader.exec_module(module)
    return module
