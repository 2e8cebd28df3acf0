"""The simulations of benchmarks/coverage, for tests that run them in small."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parents[1] / "benchmarks" / "coverage"


def simulation(name: str) -> ModuleType:
    """A module of benchmarks/coverage."""
    spec = importlib.util.spec_from_file_location(f"coverage_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for it
    spec.loader.exec_module(module)
    return module
