"""The package's names, each from the part that has it."""

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest

import factmark.report


def test_every_name_is_there_whatever_was_imported_before() -> None:
    for part in iter_modules(factmark.report.__path__):
        import_module(f"factmark.report.{part.name}")  # which sets the package's attribute
    for name in factmark.report.__all__:
        assert not isinstance(getattr(factmark.report, name), ModuleType), name


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        factmark.report.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_one_name_does_not_load_all_parts() -> None:
    code = "import sys; from factmark.report import visible; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert "factmark.report.text" in loaded
    assert {"numpy", "factmark.report.html", "factmark.report.layouts"}.isdisjoint(loaded)
