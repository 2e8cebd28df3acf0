"""`factmark graph questions`: what a question set asks of a graph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from factmark.cli import options
from factmark.cli.console import print_json, print_table, say


def questions(
    file: Annotated[
        Path | None, typer.Argument(help="Questions, as for graphrag. The bundled ones where none.")
    ] = None,
    triples: Annotated[
        Path | None, typer.Option(help="The graph, to tell how much of it the questions touch.")
    ] = None,
    by: Annotated[
        str, typer.Option(help="The stratum that groups them; `level` is read as difficulty.")
    ] = "topic",
    first_option: Annotated[
        int | None, typer.Option(min=0, max=1, help="Which number the first option has.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of questions and triples.")] = "utf-8",
    json: options.Json = False,
) -> None:
    """Show what a question set covers: kinds, hops, what can be answered, by topic.

    Rows that cannot be used are told with their line: a check of a file before a model is asked.
    """
    from factmark.graphs.coverage import coverage
    from factmark.io.graph_questions import read_graph_questions
    from factmark.io.ontology_data import example_graph, example_questions
    from factmark.io.problems import Problems
    from factmark.io.triples import read_triples
    from factmark.report.coverage_table import coverage_table
    from factmark.report.text import visible

    odd = Problems()
    found = read_graph_questions(
        file or example_questions(), odd, first_option=first_option, encoding=encoding
    )
    path = triples or (example_graph() / "triples.csv" if file is None else None)
    graph = () if path is None else read_triples(path, odd, encoding=encoding)
    table = coverage_table(coverage(found, graph, by=by))
    if json:
        print_json([dict(zip(table.record_names, row, strict=True)) for row in table.records])
    else:
        print_table(table)
    for sentence in odd.sentences():
        say(f"note: {visible(sentence)}")
