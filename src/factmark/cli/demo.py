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
    """Score sample answers and a small knowledge graph, without a model; write reports.

    Builds the data space, derives 50 ground truths by SPARQL and scores answers that were written
    by hand to show three grounding conditions; they are no model's. Then judges the bundled graph
    on diabetes by rule, tells how often the rules agree with its author's labels, and how many of
    142 questions rules can answer from it and from passages.
    """
    from factmark.answers.command import score_command
    from factmark.answers.options import Reach, ScoreOptions
    from factmark.ehds.command import Format, build
    from factmark.graphrag.command import show_answers
    from factmark.graphs.command import show_example
    from factmark.interop.reading import read_answers

    score = score_command(read_answers)
    store = out / "dataspace"
    build(path=store, scale=0.01, seed=0, form=Format.STORE, replace=True)
    with as_file(files("factmark.data") / "ehds" / "sample_answers.jsonl") as answers:
        score(ScoreOptions(answers=answers, reach=Reach(store=store), out=out))
    for measure in ("factscore", "validity"):
        show_example(measure, out / "graph")
    show_answers(out / "graph")
    graph = out / "graph" / "graphrag.html"
    say(f"open {out / 'report.html'}, {graph.with_name('factscore.html')} and {graph} in a browser")
