"""`factmark graph`: FActScore*, ValidityScore and GraphRAG of a knowledge graph."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factmark.cli import console, options
from factmark.cli.asking import Asking, tell_forecast
from factmark.cli.console import print_json, print_line, print_table, say

if TYPE_CHECKING:
    from factmark.graphs.core.results import GraphResults
    from factmark.graphs.judges import ModelAsking
    from factmark.graphs.reading import Measure, Source
    from factmark.graphs.study import GraphOptions

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The options of one command."""

    source: Source
    asked: Asking = field(default_factory=Asking)
    judge: str = "rules"
    mode: str = ""
    batch: int = 1
    samples: int = 1
    reparse: bool = False
    dry_run: bool = False
    ontology: Path | None = None
    ontology_index: Path | None = None
    ledger: Path | None = None
    out: Path | None = None
    level: float = 0.95
    json: bool = False

    def options(self) -> GraphOptions:
        """What is judged, by whom and where to.

        Rules cost nothing: their verdicts are kept only where a place is named.
        """
        from factmark.graphs.study import GraphOptions

        model = None if self.judge == "rules" else self._model()
        ledger = self.ledger or (LEDGER if model and self.out is None else None)
        if ledger is None and self.out is not None:
            ledger = self.out / "ledger.db"
        return GraphOptions(
            source=self.source, model=model, ontology=self.ontology,
            ontology_index=self.ontology_index, ledger=ledger, out=self.out, level=self.level,
        )  # fmt: skip

    def _model(self) -> ModelAsking:
        from factmark.graphs.judges import ModelAsking

        return ModelAsking(
            client=self.asked.client(self.asked.spec(self.judge)), mode=self.mode,
            batch=self.batch, samples=self.samples, concurrency=self.asked.concurrency,
            again=self.reparse,
        )  # fmt: skip


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
    asked = Asking(
        base_url=base_url, key_env=key_env, temperature=temperature, max_tokens=max_tokens,
        seed=seed, concurrency=concurrency, max_calls=max_calls, max_cost=max_cost, prices=prices,
        max_failures=max_failures, take_over=take_over,
    )  # fmt: skip
    source = _source(
        "factscore", triples, passages, column=column, wordings=wordings,
        limit=limit, design=sample.value, seed=seed, encoding=encoding,
    )  # fmt: skip
    order = Order(
        source=source, asked=asked, judge=judge, mode=mode.value, batch=batch, samples=samples,
        reparse=reparse, dry_run=dry_run, ontology=ontology, ontology_index=ontology_index,
        ledger=ledger, out=out, level=level, json=json,
    )  # fmt: skip
    _run(order)


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
    asked = Asking(
        base_url=base_url, key_env=key_env, temperature=temperature, max_tokens=max_tokens,
        seed=seed, concurrency=concurrency, max_calls=max_calls, max_cost=max_cost, prices=prices,
        max_failures=max_failures, take_over=take_over,
    )  # fmt: skip
    source = _source(
        "validity", triples, column=column, wordings=wordings, limit=limit,
        design=sample.value, seed=seed, encoding=encoding,
    )  # fmt: skip
    order = Order(
        source=source, asked=asked, judge=judge, mode=mode.value, batch=batch, samples=samples,
        reparse=reparse, dry_run=dry_run, ontology=ontology, ontology_index=ontology_index,
        ledger=ledger, out=out, level=level, json=json,
    )  # fmt: skip
    _run(order)


def _source(
    measure: Measure,
    triples: Path | None,
    passages: Path | None = None,
    *,
    column: list[str] | None = None,
    wordings: Path | None = None,
    **drawing: Any,
) -> Source:
    """What is judged: the bundled example where no triples are named."""
    from factmark.graphs.core.claims import WORDINGS
    from factmark.graphs.ontologies.bundled import example_graph, read_wordings
    from factmark.graphs.reading import Source

    if triples is None:
        triples = example_graph() / "triples.csv"
        passages = example_graph() / "passages.jsonl" if measure == "factscore" else None
    return Source(
        measure=measure,
        triples=triples,
        passages=passages,
        columns=options.named_columns(column or ()),
        wordings=WORDINGS if wordings is None else read_wordings(wordings),
        **drawing,
    )


def _run(order: Order) -> None:
    """Tells what it would cost, or judges, writes the report and prints the scores."""
    options = order.options()
    if order.dry_run:
        from factmark.errors import InputError
        from factmark.graphs.study import forecast_graph

        if options.model is None:
            raise InputError("--dry-run forecasts calls; the rule judge makes none.")
        forecast = forecast_graph(options)
        tell_forecast(forecast, options.model.client.spec, json=order.json)
        return
    if options.model is not None:
        order.asked.free(options.ledger)
    _judge(options, json=order.json)


def _judge(options: GraphOptions, *, json: bool, brief: bool = False) -> None:
    from factmark.graphs.study import Screen, judge_graph

    screen = Screen(
        reading=console.reading,
        units=partial(console.units_bar, "judging"),
        judging=console.judging,
        say=say,
    )
    results = judge_graph(options, screen)
    if options.out is not None:
        from factmark.graphs.report import write_graph_results

        write_graph_results(results, options.out)
        say(f"wrote {options.out / (results.measure + '.html')} and the results beside it")
    _print(results, json=json, brief=brief)
    judged = any(row.status == "ok" for row in results.rows)
    if not results.rows:
        say(f"nothing was judged: {options.source.triples} holds no triple that can be used")
    elif not judged:
        say(f"none of {len(results.rows)} units has a verdict")
    by_model = options.model is not None
    if results.spent.stopped or not results.rows or (by_model and not judged):
        raise typer.Exit(1)


def show_example(measure: Measure, out: Path) -> None:
    """Judges the bundled graph by rule, prints its scores and writes them into a folder."""
    order = Order(source=_source(measure, None), out=out)
    _judge(order.options(), json=False, brief=True)


def _print(results: GraphResults, *, json: bool, brief: bool) -> None:
    """The scores of a graph on stdout; of the table only its first part where brief.

    Types of head stand in the report and the files only.
    """
    if json:
        from factmark.graphs.report import graph_json

        print_json(graph_json(results))
        return
    from factmark.graphs.tables import MEASURES, graph_table, published_table, without_range
    from factmark.tables.corrections import correction_table
    from factmark.tables.shown_text import interval, number

    if results.correction is not None:
        measure = MEASURES[results.measure]
        print_table(correction_table(measure, results.correction, results.annotators))
    if results.whole is not None:
        print_line(
            f"The whole graph, by the sample's design: {number(results.whole.value)} "
            f"{interval(results.whole)} ({results.whole.method}).\n"
        )
    table = graph_table(results)
    parts = ("overall",) if brief else ("overall", "relation")
    lines = tuple(line for line in table.lines if line.labels[0] in parts)
    shown = replace(table, lines=lines, notes=table.notes[:1])
    pairs = results.scores.pairs
    print_table(shown if pairs.missing.total else without_range(shown))
    if "score" in pairs.reasons:
        print_line(f"No score: {pairs.reasons['score']}.")
    if not brief:
        print_table(published_table())
    if results.agreement is not None:
        print_line(
            f"{results.agreement:.1%} of the judge's labels are those of the graph's author."
        )
    for problem in results.problems:
        say(f"note: {problem}")
