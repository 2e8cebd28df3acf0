"""`factmark demo`: the main job on what comes with the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli.console import print_line, print_sentence, print_table
from factmark.files.own_columns import FOREIGN
from factmark.label_values import SUPPORTED
from factmark.text.shell import quote_path

if TYPE_CHECKING:
    from factmark.report.result import Result

REPORT = "report.html"
JUDGE = "qwen2.5-coder-1.5b"  # whose verdicts stand beside the bundled graph
LABELS = 100  # of the graph's author that FActScore* is corrected by
SEED = 0  # of their drawing
ASK = "factmark run ehds --model ollama:MODEL --condition baseline,rag,mcp --dry-run"


def demo(
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("demo"),
) -> None:
    """Score sample answers and a small knowledge graph, without a model; write reports.

    Builds the data space, derives 50 ground truths by SPARQL and scores answers that were written
    by hand to show three grounding conditions; they are no model's. Then shows how far the bundled
    graph on diabetes is supported, by verdicts of a small model that come with it, alone and
    corrected by 100 labels of its author, drawn at random; judges by rule whether its relations are
    used as defined, and how many of 142 questions rules can answer from it and from passages.
    """
    import factmark
    from factmark.ehds.command import build

    store = out / "dataspace"
    graph = out / "graph"
    build(path=store, scale=0.01, seed=0, form="store", replace=True)
    with as_file(files("factmark.data") / "ehds" / "sample_answers.jsonl") as answers:
        scored = factmark.score(answers, store=store, ledger=out / "ledger.db")
    _show(scored, out)
    print_line(f"Every answer with its facts, by category and compared: {out / REPORT}\n")
    kept = graph / "ledger.db"
    _show_support(kept, graph / "factscore")
    judged = factmark.validity(ledger=kept)
    agreement = f"{judged.details.agreement:.1%}"
    note = f"The graph's author gives {agreement} of the triples the label that the rules give."
    _show(judged, graph / "validity", "overall", note)
    print_line("")
    _show(factmark.graphrag(ledger=kept), graph / "graphrag")
    reports = ", ".join(
        str(graph / name / REPORT) for name in ("factscore", "validity", "graphrag")
    )
    print_line(
        f"Every triple and answer: {reports}\n\n"
        "Next: `factmark score answers.jsonl --out results` scores answers of your own to the 50 "
        f"questions; `{ASK}` says what asking a model takes."
    )


def _show_support(ledger: Path, folder: Path) -> None:
    """Shows how far the triples of the bundled graph are supported, by the verdicts of small
    weights that stand beside it, alone and corrected by the author's labels of some pairs.
    """
    import factmark

    by_rule = factmark.factscore(ledger=ledger).details.rows
    decided = sum(row.label is not None for row in by_rule)
    people = _add_labels({row.id: row.truth for row in by_rule}, ledger)
    judged = factmark.factscore(judge=f"{FOREIGN}{JUDGE}", ledger=ledger)
    judged.write(folder)
    rows = judged.details.rows
    right = sum((row.label == SUPPORTED) == (row.truth == SUPPORTED) for row in rows)
    notes = (
        f"{JUDGE}, a small model that runs without a server, gave the verdicts that come with the "
        f"graph: of {right / len(rows):.0%} of the triples it says what the graph's author does, "
        "supported or not.",
        f"Labels: {LABELS} of the author's, drawn at random (seed {SEED}); they alone give "
        f"{people:.2f}.",
        f"The rules decide {decided} of {len(rows)}.",
    )
    print_sentence(judged.sentence)
    print_table(replace(judged.tables["corrected"], notes=notes))
    print_line(
        f"To judge anew: `factmark judge fetch {JUDGE}`, then `factmark graph factscore --judge "
        f"local --ledger {quote_path(ledger)}`\n"
    )


def _add_labels(author: Mapping[str, str], ledger: Path) -> float:
    """Adds the author's labels of `LABELS` pairs, drawn at random, to the ledger; returns the share
    of them that are supported.
    """
    from factmark.graphs.options import FactscoreOptions
    from factmark.graphs.reading import GraphUnits
    from factmark.label_values import SUPPORT_VALUES
    from factmark.ledger.ledger import Ledger
    from factmark.model import Judge, Verdict
    from factmark.stats.sampling import simple_random

    graph = GraphUnits(FactscoreOptions().source())
    labels = {unit: author[triple.id] for triple, unit, _ in graph.rows()}
    person = Judge.create("person", "the graph's author")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    drawn = simple_random(labels, LABELS, seed=SEED).keys
    with Ledger(ledger) as opened, opened.writing():
        opened.add_judge(person)
        for unit in drawn:
            label = labels[unit]
            value = SUPPORT_VALUES[label]
            opened.add_verdict(Verdict(unit=unit, judge=person.id, label=label, value=value), now)
        opened.add_import(person, {"labels": "the bundled graph"}, now)
    return sum(SUPPORT_VALUES[labels[unit]] for unit in drawn) / len(drawn)


def _show(result: Result, folder: Path, part: str = "", *notes: str) -> None:
    """Writes the files of a result and prints its first table: the lines of a part, with these
    notes in place of its own."""
    result.write(folder)
    print_sentence(result.sentence)
    table = next(iter(result.tables.values()))
    lines = tuple(line for line in table.lines if part in ("", line.labels[0]))
    print_table(replace(table, lines=lines, notes=notes))
