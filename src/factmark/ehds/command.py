"""`factmark dataspace`: the replica of the EHDS portal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from factmark.cli.console import say

app = typer.Typer(help="The embedded health data space.", no_args_is_help=True)


class Format(StrEnum):
    """What is built."""

    STORE = "store"
    NQUADS = "nquads"
    TRIG = "trig"


@app.callback()
def _group() -> None:
    """The embedded health data space."""


@app.command()
def build(
    path: Annotated[Path, typer.Argument(help="The store's folder, or the file, to make.")],
    scale: Annotated[
        float, typer.Option(help="Size of the clinical records: 1 is full, 21 million triples.")
    ] = 0.01,
    seed: Annotated[int, typer.Option(min=0, help="Of what no published figure fixes.")] = 0,
    form: Annotated[Format, typer.Option("--format", help="What to build.")] = Format.STORE,
    replace: Annotated[bool, typer.Option("--replace", help="Replace what is there.")] = False,
) -> None:
    """Build the replica of the EHDS portal, from its published figures.

    It is generated data, not the portal's. The published figures hold at every scale.
    """
    from factmark.ehds.write import build_store, write_nquads, write_trig

    make = {Format.STORE: build_store, Format.NQUADS: write_nquads, Format.TRIG: write_trig}[form]
    begun = time.monotonic()
    with _bar() as progress:
        triples = make(path, scale=scale, seed=seed, replace=replace, progress=progress)
    say(f"wrote {path}: {triples:,} triples in {time.monotonic() - begun:.1f} s")


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("data space", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
