"""`factmark graph questions`: what a question set asks of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.console import print_json, print_table, say

if TYPE_CHECKING:
    from factmark.graphrag.core.questions import GraphQuestion


def questions(
    file: Annotated[
        Path | None, typer.Argument(help="Questions, as for graphrag. The bundled ones where none.")
    ] = None,
    triples: Annotated[
        Path | None, typer.Option(help="The graph, to tell how much of it the questions touch.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            help="The stratum that groups them; by topic where none is named. A column `level` is "
            "the difficulty."
        ),
    ] = "",
    first_option: Annotated[
        int | None, typer.Option(min=0, max=1, help="Which number the first option has.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of questions and triples.")] = "utf-8",
    json: options.Json = False,
) -> None:
    """Show what a question set covers: kinds, hops, what can be answered, by topic.

    Rows that cannot be used are told with their line: a check of a file before a model is asked.
    """
    from factmark.files.problems import Problems
    from factmark.graphrag.core.coverage import coverage
    from factmark.graphrag.questions_file import read_graph_questions
    from factmark.graphrag.report.coverage_table import coverage_table
    from factmark.graphs.ontologies.bundled import example_graph, example_questions
    from factmark.graphs.triples.triples import read_triples

    odd = Problems()
    found = read_graph_questions(
        file or example_questions(), odd, first_option=first_option, encoding=encoding
    )
    path = triples or (example_graph() / "triples.csv" if file is None else None)
    graph = () if path is None else read_triples(path, odd, encoding=encoding)
    table = coverage_table(coverage(found, graph, by=_known_stratum(by, found, file)))
    if json:
        print_json([dict(zip(table.record_names, row, strict=True)) for row in table.records])
    else:
        print_table(table)
    for sentence in odd.sentences():
        say(f"note: {sentence}")


def _known_stratum(by: str, found: Sequence[GraphQuestion], file: Path | None) -> str:
    """The stratum that --by names.

    Raises:
        InputError: no question has it.
    """
    from factmark.errors import InputError

    name = "difficulty" if by == "level" else by or "topic"
    known = sorted({stratum for question in found for stratum in question.strata})
    if by and found and name not in known:
        where = f"{file}: " if file else ""
        raise InputError(
            f"{where}--by {by}: no question has it. They have {', '.join(known) or 'no strata'}."
        )
    return name
