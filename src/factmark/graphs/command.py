"""`factmark graph`: FActScore*, ValidityScore and GraphRAG of a knowledge graph."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from factmark.cli import console, options
from factmark.cli.asking import Asking, incomplete_exit, tell_forecast, tell_how_to_resume
from factmark.cli.console import print_json, print_line, print_opening, print_table, say
from factmark.cli.records import takes_options
from factmark.graphs.profile.command import profile

if TYPE_CHECKING:
    from factmark.ask.client import ChatClient
    from factmark.ask.judges.own_function import OwnFunction
    from factmark.graphs.reading import Source
    from factmark.graphs.results import GraphResults

app = typer.Typer(help="Measure a knowledge graph.", no_args_is_help=True)

LEDGER = Path("factmark.db")  # where a model's verdicts go when no place is named


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions:
    """The options of the commands that judge a graph: what, by whom, and where to."""

    measure: ClassVar[Literal["factscore", "validity"]]

    triples: Annotated[
        Path | None,
        typer.Argument(
            help="Triples: .csv, .tsv, .jsonl, .parquet, or RDF. The bundled example where none."
        ),
    ] = None
    passages: Path | None = None
    mode: str = ""
    judge: Annotated[
        str,
        typer.Option(help=f"Who judges: {options.JUDGES}."),
    ] = "rules"
    asking: Asking = field(default_factory=Asking)
    batch: options.Batch = 1
    samples: options.Samples = 1
    dry_run: options.DryRun = False
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read the kept replies anew; calls nothing twice.")
    ] = False
    limit: Annotated[int | None, typer.Option(min=1, help="Judge a random sample of so many.")] = (
        None
    )
    sample: Annotated[
        Literal["random", "relation", "twcs"],
        typer.Option(
            help="How --limit draws: at random, by relation in proportion, or heads by size and of "
            "each at most five triples (TWCS), where --limit counts draws of a head."
        ),
    ] = "random"
    seed: Annotated[int, typer.Option(min=0, help="Of the sample and of the model.")] = 0
    column: Annotated[
        list[str] | None,
        typer.Option(help="FIELD=NAME: which column holds a field; may be repeated."),
    ] = None
    wordings: Annotated[
        Path | None, typer.Option(help="TOML with wordings of relations, over the built-in ones.")
    ] = None
    ontology: Annotated[
        Path | None,
        typer.Option(
            help="A folder with UMLS's RRF files, or an RDF or OBO file; the bundled one where "
            "none."
        ),
    ] = None
    ontology_index: Annotated[
        Path | None,
        typer.Option(help="Where the index of UMLS goes; a folder beside its files."),
    ] = None
    encoding: Annotated[str, typer.Option(help="Of the triples and passages.")] = "utf-8"
    ledger: options.Ledger = None
    out: options.Out = None
    level: options.Level = 0.95
    json: options.Json = False

    @property
    def by_rules(self) -> bool:
        """Whether the built-in rules judge."""
        return self.judge == "rules"

    @property
    def own_function(self) -> OwnFunction | None:
        """The user's function that judges; None where the rules or a model do.

        Raises:
            InputError: as `load_function`.
        """
        from factmark.ask.judges.own_function import judging_function

        return judging_function("--judge", self.judge)

    @property
    def kept_in(self) -> Path | None:
        """The ledger. Rules cost nothing: theirs is kept only where a place is named."""
        unnamed = None if self.by_rules else LEDGER
        return self.ledger or (self.out / "ledger.db" if self.out else unnamed)

    def client(self) -> ChatClient:
        """The model that judges."""
        asking = replace(self.asking, seed=self.seed)
        return asking.client(asking.spec(self.judge))

    def source(self) -> Source:
        """What is judged: the bundled example where no triples are named."""
        from factmark.graphs.core.claims import WORDINGS
        from factmark.graphs.ontologies.bundled import example_graph, read_wordings
        from factmark.graphs.reading import Source

        triples, passages = self.triples, self.passages
        if triples is None:
            triples = example_graph() / "triples.csv"
            passages = example_graph() / "passages.jsonl" if self.measure == "factscore" else None
        return Source(
            measure=self.measure,
            triples=triples,
            passages=passages,
            columns=options.named_columns(self.column or ()),
            wordings=WORDINGS if self.wordings is None else read_wordings(self.wordings),
            limit=self.limit,
            design=self.sample,
            seed=self.seed,
            encoding=self.encoding,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FactscoreOptions(GraphOptions):
    """The options of `factmark graph factscore`."""

    measure = "factscore"

    passages: Annotated[
        Path | None, typer.Option(help="Passages with id and text: .jsonl, .csv, .tsv, .parquet.")
    ] = None
    mode: Annotated[
        Literal["context", "general", "aligned"],
        typer.Option(help="The passage alone; with general truth; with the paper's alignment."),
    ] = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidityOptions(GraphOptions):
    """The options of `factmark graph validity`."""

    measure = "validity"

    mode: Annotated[
        Literal["ontology", "plain"],
        typer.Option(help="Whether a model is shown definition and types."),
    ] = "ontology"


@app.command()
@takes_options
def factscore(given: FactscoreOptions) -> None:
    """FActScore*: which triples does their passage support?

    Without a model the rule judge looks for a sentence of the passage that says it in words of the
    relation, and leaves the rest undecided: there is a score only where little is left.
    """
    _run(given)


@app.command()
@takes_options
def validity(given: ValidityOptions) -> None:
    """ValidityScore: which triples use their relation as the ontology allows?

    Without a model the rule judge compares the semantic types of head and tail with those that the
    relation may join. What it does not know is left undecided.
    """
    _run(given)


app.command()(takes_options(profile))


def _run(given: GraphOptions) -> None:
    """Tells what it would cost, or judges, writes the report and prints the scores."""
    if not given.dry_run:
        _judge(given)
        return
    from factmark.errors import InputError
    from factmark.graphs.study import forecast_graph

    if given.by_rules:
        raise InputError("--dry-run forecasts calls; the rule judge makes none.")
    if given.own_function:
        raise InputError("--dry-run forecasts calls of a model; --judge names a function.")
    client = given.client()
    forecast = forecast_graph(given, client, given.kept_in or LEDGER)
    tell_forecast(forecast, client.spec, json=given.json)


def _judge(given: GraphOptions) -> None:
    from factmark.graphs.report import graph_json, write_graph_results
    from factmark.graphs.study import judge_graph

    with tell_how_to_resume():
        results = judge_graph(
            given,
            reading=console.reading_line,
            judging=console.judging_line,
            say=say,
        )
    if given.out is not None:
        write_graph_results(results, given.out)
        say(f"wrote {given.out / (results.measure + '.html')} and the results beside it")
    if given.json:
        print_json(graph_json(results))
    else:
        _print(results)
    judged = any(row.status == "ok" for row in results.rows)
    if not results.rows:
        say(f"nothing was judged: {given.triples} holds no triple that can be used")
    elif not judged:
        say(f"none of {len(results.rows)} units has a verdict")
    if failed := sum(row.status == "failed" for row in results.rows) or results.spent.stopped:
        raise incomplete_exit(failed)
    if not results.rows or not (given.by_rules or judged):
        raise typer.Exit(1)


def _print(results: GraphResults) -> None:
    """The scores of a graph on stdout; types of head stand in the report and the files only."""
    from factmark.graphs.tables import MEASURES, graph_opening, graph_table
    from factmark.tables.correction_tables import correction_table
    from factmark.tables.shown_text import interval, number

    opening = graph_opening(results)
    print_opening(opening)
    if results.correction is not None:
        measure = MEASURES[results.measure]
        print_table(correction_table(measure, results.correction, results.annotators))
    if results.whole is not None:
        print_line(
            f"{'The judge alone, over the' if results.correction else 'The'} whole graph, by the "
            f"sample's design: {number(results.whole.value)} "
            f"{interval(results.whole)} ({results.whole.method}).\n"
        )
    table = graph_table(results, ("overall", "relation"))
    print_table(replace(table, notes=table.notes[:1]))
    if results.agreement is not None:
        print_line(
            f"{results.agreement:.1%} of the judge's labels are those of the graph's author."
        )
    for problem in opening.other(results.problems):
        say(f"note: {problem}")
