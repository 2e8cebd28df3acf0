"""What `pyproject.toml` takes, what `constraints.txt` pins, what CI installs, and which holes
`SECURITY.md` says are excluded: four files, one truth."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINNED = re.compile(r"^([\w.-]+)==(\S+)", re.M)


def pins(name: str) -> dict[str, Version]:
    text = (ROOT / name).read_text("utf-8")
    return {canonicalize_name(package): Version(pin) for package, pin in PINNED.findall(text)}


def requirements() -> list[Requirement]:
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    every = [Requirement(line) for group in groups for line in group]
    return [requirement for requirement in every if requirement.name != "factmark"]


def lower_bounds() -> dict[str, Version]:
    return {
        canonicalize_name(requirement.name): Version(specifier.version)
        for requirement in requirements()
        for specifier in requirement.specifier
        if specifier.operator == ">="
    }


def excluded_holes() -> dict[str, Version]:
    rows = re.findall(
        r"^\| ([a-z][\w.-]*) \| ([\d.]+) \| ", (ROOT / "SECURITY.md").read_text(), re.M
    )
    return {canonicalize_name(package): Version(fixed) for package, fixed in rows}


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_what_is_pinned_is_what_the_project_takes(requirement: Requirement) -> None:
    pin = pins("constraints.txt").get(canonicalize_name(requirement.name))
    assert pin is not None, f"constraints.txt pins no {requirement.name}"
    assert requirement.specifier.contains(pin)
    assert lower_bounds()[canonicalize_name(requirement.name)] <= pin


def test_ci_installs_what_is_pinned() -> None:
    pinned, installed = pins("constraints.txt"), pins(".ci/requirements.txt")
    assert {name: pinned.get(name) for name in installed} == installed


def test_no_release_with_a_known_hole_is_taken() -> None:
    bounds, holes = lower_bounds(), excluded_holes()
    assert len(holes) >= 7
    assert {name for name, fixed in holes.items() if bounds[name] < fixed} == set()
