"""`factmark demo`: the main job on what comes with the package."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli.console import print_line, print_table

if TYPE_CHECKING:
    from factmark.measured import Measured


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("demo"),
) -> None:
    """Score sample answers and a small knowledge graph, without a model; write reports.

    Builds the data space, derives 50 ground truths by SPARQL and scores answers that were written
    by hand to show three grounding conditions; they are no model's. Then judges the bundled graph
    on diabetes by rule, tells how often the rules agree with its author's labels, and how many of
    142 questions rules can answer from it and from passages.
    """
    import factmark
    from factmark.ehds.command import build

    store, graph = out / "dataspace", out / "graph"
    build(path=store, scale=0.01, seed=0, form="store", replace=True)
    with as_file(files("factmark.data") / "ehds" / "sample_answers.jsonl") as answers:
        scored = factmark.score(answers, store=store, ledger=out / "ledger.db")
    _show(scored, out, "overall")
    print_line(f"Every answer with its facts, by category and compared: {out / 'report.html'}\n")
    kept = graph / "ledger.db"
    for measure in (factmark.factscore, factmark.validity):
        judged = measure(ledger=kept)
        _show(judged, graph, "overall")
        if "score" in (reasons := judged.details.scores.pairs.reasons):
            print_line(f"No score: {reasons['score']}. A model judges the rest (docs/judges.md).")
        agreed = judged.details.agreement
        print_line(f"{agreed:.1%} of the rules' labels are those of the graph's author.\n")
    _show(factmark.graphrag(ledger=kept), graph)
    print_line(f"Every triple and answer: {graph / 'factscore.html'}, {graph / 'graphrag.html'}")


def _show(measured: Measured, folder: Path, part: str = "") -> None:
    """Writes a report, and shows the first table: the lines of a part, without the notes."""
    measured.report(folder)
    table = next(iter(measured.tables.values()))
    lines = tuple(line for line in table.lines if not part or line.labels[0] == part)
    print_table(replace(table, lines=lines, notes=()))
