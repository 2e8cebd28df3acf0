"""`factmark graph graphrag`: is a knowledge graph of use for answering questions?"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from factmark.cli import options
from factmark.cli.asking import Asking
from factmark.cli.console import say


class RetrievalBy(StrEnum):
    """Who decides whether what was retrieved holds the answer."""

    RULES = "rules"
    JUDGE = "judge"


class Preset(StrEnum):
    """A published setting of the retrieval."""

    PAPER = "paper"


def graphrag(
    triples: Annotated[
        Path | None,
        typer.Argument(
            help="Triples: .csv, .tsv, .jsonl, .parquet, .graphml, RDF, or a folder of GraphRAG or "
            "LightRAG. The bundled example where none."
        ),
    ] = None,
    graph: Annotated[
        list[str] | None,
        typer.Option(help="NAME=FILE: a graph to compare; repeat it for several."),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(help="Questions with their answers: .jsonl, .csv, .tsv, .parquet."),
    ] = None,
    first_option: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=1,
            help="The number of the first option, where answers are numbers.  "
            "[default: by the file]",
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(help="Who answers: `rules`, openai:MODEL, anthropic:MODEL, ollama:MODEL.")
    ] = "rules",
    judge: Annotated[
        str, typer.Option(help="Who judges free text: `rules`, or a model as above.")
    ] = "rules",
    control: Annotated[
        str | None,
        typer.Option(
            help="`none` (no graph), `text` (passages), both with a comma between, or `off`.  "
            "[default: both where they can be]"
        ),
    ] = None,
    passages: Annotated[
        Path | None,
        typer.Option(help="Passages with id and text for `text`: .jsonl, .csv, .tsv, .parquet."),
    ] = None,
    top_k: Annotated[
        int | None,
        typer.Option(min=1, help="Triples, and passages, for a question.  [default: 10]"),
    ] = None,
    hops: Annotated[
        int | None,
        typer.Option(min=1, max=2, help="How far from the question's entities.  [default: 2]"),
    ] = None,
    preset: Annotated[
        Preset | None,
        typer.Option(help="`paper`: 30 entities, 10 relations each, at most 12,000 tokens."),
    ] = None,
    embedder: Annotated[
        str,
        typer.Option(
            help="How graphs and passages are searched: lexical, openai:MODEL, "
            "sentence-transformers:NAME, model2vec:PATH, module:function, lexical+ANY."
        ),
    ] = "lexical",
    embedder_base_url: Annotated[
        str | None, typer.Option(help="The embedder's server, for openai:MODEL and ollama:MODEL.")
    ] = None,
    embedder_key_env: Annotated[
        str | None, typer.Option(help="The environment variable that holds its key.")
    ] = None,
    aliases: Annotated[
        Path | None, typer.Option(help="Other names of entities: a table with name and alias, RDF.")
    ] = None,
    ontology: Annotated[
        Path | None,
        typer.Option(
            help="Whose synonyms count: a folder with UMLS's RRF files, or an RDF or OBO file; the "
            "bundled one where none."
        ),
    ] = None,
    ontology_index: Annotated[
        Path | None, typer.Option(help="Where the index of UMLS goes; a folder beside its files.")
    ] = None,
    index: Annotated[
        Path | None,
        typer.Option(
            help="A folder to keep the indexes in.  [default: OUT/index; without --out none is "
            "kept, unless the embedder is behind a server]"
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, max=1_000, help="Answers to each question.")] = 1,
    retrieval_by: Annotated[
        RetrievalBy,
        typer.Option(help="Who decides whether what was retrieved holds the answer."),
    ] = RetrievalBy.RULES,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask a random sample of so many questions.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Of the sample, of the models and of the bootstrap.")
    ] = 0,
    base_url: options.BaseUrl = None,
    key_env: options.KeyEnv = None,
    judge_base_url: Annotated[
        str | None,
        typer.Option(
            help="The judge's server.  [default: --base-url, where both models are of one provider]"
        ),
    ] = None,
    judge_key_env: Annotated[
        str | None,
        typer.Option(
            help="The environment variable that holds its key.  [default: --key-env, where the "
            "judge is at --base-url]"
        ),
    ] = None,
    temperature: Annotated[
        float, typer.Option(min=0.0, max=2.0, help="Of the model; the judge's is 0.")
    ] = 0.0,
    max_tokens: options.MaxTokens = 1024,
    batch: Annotated[
        int, typer.Option(min=1, max=100, help="Answers to one question in one call of the judge.")
    ] = 1,
    samples: Annotated[
        int, typer.Option(min=1, help="The judge's votes for each answer; most win.")
    ] = 1,
    concurrency: options.Concurrency = 64,
    max_calls: options.MaxCalls = None,
    max_cost: options.MaxCost = None,
    max_failures: options.MaxFailures = 20,
    take_over: options.TakeOver = False,
    prices: options.PriceTable = None,
    dry_run: options.DryRun = False,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", help="FIELD=NAME: which column holds a field of the triples."),
    ] = None,
    wordings: Annotated[
        Path | None, typer.Option(help="TOML with wordings of relations, over the built-in ones.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of the triples, questions, passages.")] = "utf-8",
    contexts: Annotated[
        Path | None,
        typer.Option(help="Write what was retrieved to this file: .csv, .jsonl, .parquet."),
    ] = None,
    ledger: options.Ledger = None,
    out: options.Out = None,
    level: options.Level = 0.95,
    json: options.Json = False,
) -> None:
    """GraphRAG: are questions answered better with the graph?

    For each question the triples around its entities are looked up; a model answers from them
    alone, and a judge compares the answer with the reference. The controls answer the same
    questions without a graph, and from passages. Without a model, rules answer and judge.

    Replies and verdicts are kept in the ledger: a run that was killed goes on where it was, and one
    that is repeated asks nothing.
    """
    from factmark.ask.budget import Budget, Purse
    from factmark.graphrag.commands.orders import Orders
    from factmark.graphrag.commands.running import run_orders

    purse = Purse(Budget(max_calls=max_calls, max_cost=max_cost))
    orders = Orders(
        triples=triples,
        graphs=tuple(graph or ()),
        questions=questions,
        first_option=first_option,
        model=model,
        judge=judge,
        asked=Asking(
            base_url=base_url, key_env=key_env, temperature=temperature, max_tokens=max_tokens,
            seed=seed, concurrency=concurrency, prices=prices, purse=purse,
            max_failures=max_failures, take_over=take_over,
        ),
        judged=Asking(
            base_url=judge_base_url, key_env=judge_key_env, max_tokens=max_tokens, seed=seed,
            concurrency=concurrency, prices=prices, purse=purse,
            max_failures=max_failures, take_over=take_over,
        ),
        bounded=(max_calls, max_cost) != (None, None),
        control=control,
        passages=passages,
        top_k=top_k,
        hops=hops,
        paper=preset is not None,
        embedder=embedder,
        embedder_base_url=embedder_base_url,
        embedder_key_env=embedder_key_env,
        aliases=aliases,
        ontology=ontology,
        ontology_index=ontology_index,
        index=index,
        repeats=repeats,
        retrieval=retrieval_by == RetrievalBy.JUDGE,
        limit=limit,
        seed=seed,
        batch=batch,
        samples=samples,
        columns=tuple(column or ()),
        wordings=wordings,
        encoding=encoding,
        contexts=contexts,
        ledger=ledger,
        out=out,
        level=level,
        json=json,
        dry_run=dry_run,
    )  # fmt: skip
    try:
        complete = asyncio.run(run_orders(orders))
    except KeyboardInterrupt:
        say("Interrupted. What came in is kept; the same command goes on from there.")
        raise typer.Exit(130) from None
    if not complete:
        raise typer.Exit(1)
