"""`factmark graph lookup`: what a graph says about one question."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmark.cli import options
from factmark.cli.console import print_json, print_line, reading, say, stages
from factmark.files.temporary import temporary_folder
from factmark.graphrag.commands.orders import EXAMPLE

if TYPE_CHECKING:
    from factmark.graphrag.core.contexts import Context


def lookup(
    question: Annotated[str, typer.Argument(help="As people ask it.")],
    triples: Annotated[
        Path | None,
        typer.Argument(help="Triples, as for graphrag. The bundled example where none."),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="An option of a multiple-choice question; repeat it.")
    ] = None,
    top_k: Annotated[int, typer.Option(min=1, help="Triples.")] = 10,
    hops: Annotated[
        int, typer.Option(min=1, max=2, help="How far from the question's entities.")
    ] = 2,
    embedder: Annotated[
        str, typer.Option(help="Also search by vectors, as graphrag does.")
    ] = "lexical",
    embedder_base_url: Annotated[str | None, typer.Option(help="The embedder's server.")] = None,
    embedder_key_env: Annotated[
        str | None, typer.Option(help="The environment variable that holds its key.")
    ] = None,
    aliases: Annotated[Path | None, typer.Option(help="Other names of entities.")] = None,
    ontology: Annotated[
        Path | None, typer.Option(help="Whose synonyms count; the bundled one where none.")
    ] = None,
    index: Annotated[
        Path | None,
        typer.Option(
            help="A folder to keep indexes in, as of graphrag; made anew each time where none."
        ),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of the triples.")] = "utf-8",
    json: options.Json = False,
) -> None:
    """Show what a graph says about a question: the entities that it names, and the best triples.

    This is what a model is given by `graphrag`. No model is asked.
    """
    from factmark.errors import InputError
    from factmark.files.problems import Problems
    from factmark.graphrag.core.contexts import Limits
    from factmark.graphrag.index.building import GraphSource
    from factmark.graphrag.setup import graph_folder, name_of
    from factmark.graphs.ontologies.bundled import example_graph
    from factmark.graphs.ontologies.opening import open_ontology
    from factmark.passages.embedders import open_search

    if not question.strip():
        raise InputError("The question is empty.")
    if triples is None and _is_there(question):
        raise InputError(f"{question}: is a file. Name the question first, then the file.")
    search = open_search(embedder, base_url=embedder_base_url, key_env=embedder_key_env)
    with ExitStack() as stack:
        terms, identity = stack.enter_context(open_ontology(ontology, Problems(), progress=reading))
        folder = index or stack.enter_context(temporary_folder())
        name = EXAMPLE if triples is None else name_of(triples)
        source = GraphSource(
            path=triples or example_graph() / "triples.csv",
            encoding=encoding,
            aliases=aliases,
            ontology=terms,
            ontology_identity=identity,
        )

        async def found() -> Context:
            from factmark.graphrag.index.building import open_graph_index

            try:
                with stages() as tell:
                    graph = await open_graph_index(
                        source, graph_folder(folder, name), embedder=search.embedder,
                        limits=Limits(top_k=top_k, hops=hops), progress=tell,
                    )  # fmt: skip
                for note in graph.notes:
                    say(f"note: {note}")
                return await graph.context(question, tuple(option or ()))
            finally:
                await search.close()

        context = asyncio.run(found())
    if json:
        print_json(_plain(context))
    else:
        _show(question, context)


def _is_there(name: str) -> bool:
    try:
        return Path(name).exists()
    except OSError:  # too long for a name
        return False


def _show(question: str, context: Context) -> None:

    for one in context.linked:
        said = question[one.start : one.end] if one.how != "option" else "an option"
        say(f"{said}: {one.name} ({one.how})")
    if not context.linked:
        say("The graph has no entity that the question names.")
    for fact in context.facts:
        triple = fact.triple
        hops = f"{fact.hops} {'hop' if fact.hops == 1 else 'hops'}"
        path = f"{triple.head} | {triple.relation} | {triple.tail}"
        print_line(f"{fact.score:6.2f}  {hops}  {fact.text}  ({path})")


def _plain(context: Context) -> dict[str, Any]:
    return {
        "linked": [asdict(one) for one in context.linked],
        "reached": context.reached,
        "facts": [
            {
                "score": fact.score,
                "hops": fact.hops,
                "claim": fact.text,
                "head": fact.triple.head,
                "relation": fact.triple.relation,
                "tail": fact.triple.tail,
                "id": fact.triple.id,
                "passage_id": fact.triple.passage_id,
            }
            for fact in context.facts
        ],
    }
