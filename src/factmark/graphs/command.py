"""`factmark graph`: FActScore*, ValidityScore and GraphRAG of a knowledge graph."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.asking import Asking, tell_forecast
from factmark.cli.console import judging, print_graph, reading, say, units_bar
from factmark.files.temporary import temporary_folder
from factmark.graphrag.commands.graphrag import graphrag
from factmark.graphrag.commands.lookup import lookup
from factmark.graphrag.commands.questions import questions

if TYPE_CHECKING:
    from factmark.graphs.core.ontology import Ontology
    from factmark.graphs.core.results import GraphResults
    from factmark.graphs.reading import Graph, Source
    from factmark.graphs.study import ModelAsking

app = typer.Typer(help="Measure a knowledge graph.", no_args_is_help=True)

LEDGER = Path("factmark.db")  # where a model's verdicts go when no place is named


class SampleDesign(StrEnum):
    """How a sample is drawn."""

    RANDOM = "random"
    RELATION = "relation"
    TWCS = "twcs"


Triples = Annotated[
    Path | None,
    typer.Argument(
        help="Triples: .csv, .tsv, .jsonl, .parquet, or RDF. The bundled example where none."
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", help="FIELD=NAME: which column holds a field; may be repeated."),
]
Wordings = Annotated[
    Path | None, typer.Option(help="TOML with wordings of relations, over the built-in ones.")
]
OntologyPath = Annotated[
    Path | None,
    typer.Option(
        help="A folder with UMLS's RRF files, or an RDF or OBO file; the bundled one where none."
    ),
]
Index = Annotated[
    Path | None, typer.Option(help="Where the index of UMLS goes; a folder beside its files.")
]
JudgeName = Annotated[
    str,
    typer.Option(help="`rules`, or a model: openai:MODEL, anthropic:MODEL, ollama:MODEL."),
]
Limit = Annotated[int | None, typer.Option(min=1, help="Judge a random sample of so many.")]
Sampling = Annotated[
    SampleDesign,
    typer.Option(
        help="How --limit draws: at random, by relation in proportion, or heads by size and of "
        "each at most five triples (TWCS), where --limit counts draws of a head."
    ),
]
Again = Annotated[
    bool, typer.Option("--reparse", help="Read the kept replies anew; calls nothing twice.")
]


class SupportMode(StrEnum):
    """What a claim is held against."""

    CONTEXT = "context"
    GENERAL = "general"
    ALIGNED = "aligned"


class ValidityMode(StrEnum):
    """What a model is shown of the ontology."""

    ONTOLOGY = "ontology"
    PLAIN = "plain"


@app.command()
def factscore(
    triples: Triples = None,
    passages: Annotated[
        Path | None, typer.Option(help="Passages with id and text: .jsonl, .csv, .tsv, .parquet.")
    ] = None,
    mode: Annotated[
        SupportMode,
        typer.Option(help="The passage alone; with general truth; with the paper's alignment."),
    ] = SupportMode.CONTEXT,
    judge: JudgeName = "rules",
    base_url: options.BaseUrl = None,
    key_env: options.KeyEnv = None,
    concurrency: options.Concurrency = 64,
    batch: options.Batch = 1,
    samples: options.Samples = 1,
    temperature: options.Temperature = 0.0,
    max_tokens: options.MaxTokens = 1024,
    max_calls: options.MaxCalls = None,
    max_cost: options.MaxCost = None,
    max_failures: options.MaxFailures = 20,
    take_over: options.TakeOver = False,
    prices: options.PriceTable = None,
    dry_run: options.DryRun = False,
    reparse: Again = False,
    limit: Limit = None,
    sample: Sampling = SampleDesign.RANDOM,
    seed: Annotated[int, typer.Option(min=0, help="Of the sample and of the model.")] = 0,
    column: Columns = None,
    wordings: Wordings = None,
    ontology: OntologyPath = None,
    ontology_index: Index = None,
    encoding: Annotated[str, typer.Option(help="Of the triples and passages.")] = "utf-8",
    ledger: options.Ledger = None,
    out: options.Out = None,
    level: options.Level = 0.95,
    json: options.Json = False,
) -> None:
    """FActScore*: which triples does their passage support?

    Without a model the rule judge looks for a sentence of the passage that says it in words of the
    relation, and leaves the rest undecided: there is a score only where little is left.
    """
    source = _source(
        "factscore", triples, passages, column, wordings, limit, seed, encoding, sample
    )
    asked = Asking(
        base_url=base_url, key_env=key_env, temperature=temperature, max_tokens=max_tokens,
        seed=seed, concurrency=concurrency, max_calls=max_calls, max_cost=max_cost, prices=prices,
        max_failures=max_failures, take_over=take_over,
    )  # fmt: skip
    asking = _asking(judge, asked, mode.value, batch, samples, again=reparse)
    if asking is not None and not dry_run:
        asked.free(_place(ledger, out))
    _judge(source, asking, ontology, ontology_index, ledger, out, dry_run, level, json)


@app.command()
def validity(
    triples: Triples = None,
    mode: Annotated[
        ValidityMode, typer.Option(help="Whether a model is shown definition and types.")
    ] = ValidityMode.ONTOLOGY,
    judge: JudgeName = "rules",
    base_url: options.BaseUrl = None,
    key_env: options.KeyEnv = None,
    concurrency: options.Concurrency = 64,
    batch: options.Batch = 1,
    samples: options.Samples = 1,
    temperature: options.Temperature = 0.0,
    max_tokens: options.MaxTokens = 1024,
    max_calls: options.MaxCalls = None,
    max_cost: options.MaxCost = None,
    max_failures: options.MaxFailures = 20,
    take_over: options.TakeOver = False,
    prices: options.PriceTable = None,
    dry_run: options.DryRun = False,
    reparse: Again = False,
    limit: Limit = None,
    sample: Sampling = SampleDesign.RANDOM,
    seed: Annotated[int, typer.Option(min=0, help="Of the sample and of the model.")] = 0,
    column: Columns = None,
    wordings: Wordings = None,
    ontology: OntologyPath = None,
    ontology_index: Index = None,
    encoding: Annotated[str, typer.Option(help="Of the triples.")] = "utf-8",
    ledger: options.Ledger = None,
    out: options.Out = None,
    level: options.Level = 0.95,
    json: options.Json = False,
) -> None:
    """ValidityScore: which triples use their relation as the ontology allows?

    Without a model the rule judge compares the semantic types of head and tail with those that the
    relation may join. What it does not know is left undecided.
    """
    source = _source("validity", triples, None, column, wordings, limit, seed, encoding, sample)
    asked = Asking(
        base_url=base_url, key_env=key_env, temperature=temperature, max_tokens=max_tokens,
        seed=seed, concurrency=concurrency, max_calls=max_calls, max_cost=max_cost, prices=prices,
        max_failures=max_failures, take_over=take_over,
    )  # fmt: skip
    asking = _asking(judge, asked, mode.value, batch, samples, again=reparse)
    if asking is not None and not dry_run:
        asked.free(_place(ledger, out))
    _judge(source, asking, ontology, ontology_index, ledger, out, dry_run, level, json)


def _source(
    measure: str,
    triples: Path | None,
    passages: Path | None,
    columns: list[str] | None,
    wordings: Path | None,
    limit: int | None,
    seed: int,
    encoding: str,
    sample: SampleDesign = SampleDesign.RANDOM,
) -> Source:
    from factmark.graphs.core.claims import WORDINGS
    from factmark.graphs.ontologies.bundled import example_graph, read_wordings
    from factmark.graphs.reading import Source

    if triples is None:
        triples = example_graph() / "triples.csv"
        passages = example_graph() / "passages.jsonl" if measure == "factscore" else None
    return Source(
        measure="factscore" if measure == "factscore" else "validity",
        triples=triples,
        passages=passages,
        columns=options.named_columns(columns or ()),
        wordings=WORDINGS if wordings is None else read_wordings(wordings),
        limit=limit,
        design=sample.value,
        seed=seed,
        encoding=encoding,
    )


def _asking(
    judge: str, asked: Asking, mode: str, batch: int, samples: int, *, again: bool
) -> ModelAsking | None:
    """How a model is asked, or None for the rules."""
    if judge == "rules":
        return None
    from factmark.graphs.study import ModelAsking

    spec = asked.spec(judge)
    return ModelAsking(
        client=asked.client(spec),
        mode=mode,
        batch=batch,
        samples=samples,
        concurrency=asked.concurrency,
        again=again,
    )


def _judge(
    source: Source,
    asking: ModelAsking | None,
    ontology: Path | None,
    index: Path | None,
    ledger: Path | None,
    out: Path | None,
    dry_run: bool,
    level: float,
    json: bool,
    brief: bool = False,
) -> None:
    from factmark.files.overwriting import check_files, graph_files
    from factmark.files.problems import Problems
    from factmark.graphs.ontologies.opening import open_ontology
    from factmark.graphs.reading import Graph

    problems = Problems()
    with ExitStack() as stack:
        terms, identity = stack.enter_context(
            open_ontology(ontology, problems, index=index, progress=reading)
        )
        graph = stack.enter_context(Graph(source))
        if dry_run:
            _forecast(graph, asking, terms, identity, ledger, out, json)
            return
        if out is not None:
            names = [f"{source.measure}.{end}" for end in ("json", "csv", "parquet", "html")]
            named = {"--passages": source.passages, "--ontology": ontology}
            inputs = [*graph_files("the triples", source.triples)]
            inputs += [(option, path) for option, path in named.items() if path is not None]
            check_files(out, names, inputs)
        if asking is None:
            found = _by_rule(graph, terms, identity, ledger, out, problems.sentences(), level)
        else:
            found = _by_model(
                graph, asking, terms, identity, ledger, out, problems.sentences(), level
            )
    if out is not None:
        _write(found, out)
    print_graph(found, json=json, brief=brief)
    if not found.rows:
        say(f"nothing was judged: {source.triples} holds no triple that can be used")
    elif not (judged := any(row.status == "ok" for row in found.rows)):
        say(f"none of {len(found.rows)} units has a verdict")
    if found.spent.stopped or not found.rows or (asking is not None and not judged):
        raise typer.Exit(1)


def show_example(measure: str, out: Path) -> None:
    """Judges the bundled graph by rule, prints its scores and writes them into a folder."""
    source = _source(measure, None, None, None, None, None, 0, "utf-8")
    _judge(source, None, None, None, None, out, dry_run=False, level=0.95, json=False, brief=True)


def _place(ledger: Path | None, out: Path | None) -> Path:
    return ledger or (out / "ledger.db" if out is not None else LEDGER)


def _by_rule(
    graph: Graph,
    ontology: Ontology,
    identity: str,
    ledger: Path | None,
    out: Path | None,
    told: tuple[str, ...],
    level: float,
) -> GraphResults:
    from factmark.graphs.judges import RuleJudge
    from factmark.graphs.study import judge_by_rule, results

    source = graph.source
    judge = RuleJudge.of(source.measure, ontology, identity, source.wordings)
    with ExitStack() as stack:
        if ledger is None and out is None:  # rules cost nothing: nothing is left behind unasked
            ledger = stack.enter_context(temporary_folder()) / "l.db"
        place = _place(ledger, out)
        with units_bar("judging", graph.size) as step:
            spent = judge_by_rule(graph, judge, place, step)
        return results(graph, judge.judge, ontology, place, spent=spent, problems=told, level=level)


def _by_model(
    graph: Graph,
    asking: ModelAsking,
    ontology: Ontology,
    identity: str,
    ledger: Path | None,
    out: Path | None,
    told: tuple[str, ...],
    level: float,
) -> GraphResults:
    from factmark.graphs.study import judge_by_model, results

    place = _place(ledger, out)
    task = asking.task(ontology, identity)
    with judging(graph.size) as progress:
        spend = asyncio.run(judge_by_model(graph, asking, task, place, progress)).spend
    for note in (*spend.notes, *filter(None, [spend.stopped])):
        say(f"note: {note}")
    failures = [f"{count} calls failed: {why}" for why, count in spend.failures.items()]
    say(f"verdicts and replies are kept in {place}; the same command goes on from there")
    return results(
        graph,
        task.judge,
        ontology,
        place,
        spent=spend,
        problems=(*told, *failures),
        level=level,
    )


def _forecast(
    graph: Graph,
    asking: ModelAsking | None,
    ontology: Ontology,
    identity: str,
    ledger: Path | None,
    out: Path | None,
    json: bool,
) -> None:
    from factmark.ask.forecast import forecast_units
    from factmark.errors import InputError

    if asking is None:
        raise InputError("--dry-run forecasts calls; the rule judge makes none.")
    found = forecast_units(
        graph.grouped_jobs() if asking.batch > 1 else graph.jobs(),
        asking.task(ontology, identity),
        asking.spec,
        asking.price,
        _place(ledger, out),
        batch=asking.batch,
        samples=asking.samples,
    )
    tell_forecast(found, asking.spec, json=json)


def _write(results: GraphResults, out: Path) -> None:
    from factmark.graphs.report import write_graph_results

    write_graph_results(results, out)
    say(f"wrote {out / (results.measure + '.html')} and the results beside it")


app.command()(graphrag)
app.command()(lookup)
app.command()(questions)
