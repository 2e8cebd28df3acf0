"""`factmark demo`: the main job on what comes with the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from factmark.cli.console import say


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("demo"),
) -> None:
    """Build the data space, derive 50 ground truths, score sample answers, write a report.

    The answers were written by hand to show three grounding conditions; they are no model's.
    """
    from factmark.cli.dataspace import Format, build
    from factmark.cli.score import score

    store = out / "dataspace"
    build(path=store, scale=0.01, seed=0, form=Format.STORE, replace=True)
    with as_file(files("factmark.data") / "ehds" / "sample_answers.jsonl") as answers:
        score(answers=answers, benchmark="ehds", store=store, out=out)
    say(f"open {out / 'report.html'} in a browser")
