"""Options as one record: read by typer from its fields."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from factmark.cli.records import takes_options


@dataclass(frozen=True, kw_only=True)
class Bounds:
    max_calls: Annotated[int | None, typer.Option(min=0, help="Stop after so many.")] = None
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Options:
    files: Annotated[list[Path], typer.Argument(help="What to read.")]
    names: Annotated[list[str], typer.Option("--name", help="Who.")] = field(default_factory=list)
    bounds: Bounds = field(default_factory=Bounds)
    seed: Annotated[int, typer.Option(help="The outer one.")] = 0


def run(*arguments: str) -> tuple[int, str]:
    app = typer.Typer()

    @app.command()
    @takes_options
    def read(options: Options) -> None:
        """Reads files."""
        typer.echo(repr(options))

    done = CliRunner().invoke(app, arguments)
    return done.exit_code, done.output


def test_fields_are_options_also_those_of_a_record_within() -> None:
    bounds = Bounds(max_calls=3, json=True, seed=0)
    assert run("a", "b", "--name", "x", "--max-calls", "3", "--json", "--seed", "7") == (
        0,
        f"{Options(files=[Path('a'), Path('b')], names=['x'], bounds=bounds, seed=7)!r}\n",
    )
    assert run("a")[1] == repr(Options(files=[Path("a")])) + "\n"


@pytest.mark.parametrize("wrong", [(), ("a", "--max-calls", "-1"), ("a", "--calls", "1")])
def test_what_does_not_fit_ends_with_status_2(wrong: tuple[str, ...]) -> None:
    assert run(*wrong)[0] == 2


def test_help_is_of_the_function_and_its_fields() -> None:
    text = run("--help")[1]
    assert all(part in text for part in ("Reads files.", "--max-calls", "Stop after so many."))
