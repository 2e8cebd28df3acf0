"""`factmark graph`: FActScore*, ValidityScore and GraphRAG of a knowledge graph."""

from __future__ import annotations

import typer

from factmark.cli import console
from factmark.cli.asking import check_judged, tell_forecast, tell_what_is_kept
from factmark.cli.console import say
from factmark.cli.judging_options import LEDGER
from factmark.cli.records import takes_options
from factmark.cli.showing import finish
from factmark.graphs.options import FactscoreOptions, GraphOptions, ValidityOptions
from factmark.graphs.profile.command import profile

app = typer.Typer(help="Measure a knowledge graph.", no_args_is_help=True)


@app.command()
@takes_options
def factscore(given: FactscoreOptions) -> None:
    """FActScore*: which triples does their passage support?

    Without a model the rule judge looks for a sentence of the passage that says it in words of the
    relation, and leaves the rest undecided: there is a score only where little is left.
    """
    _judge_or_forecast(given)


@app.command()
@takes_options
def validity(given: ValidityOptions) -> None:
    """ValidityScore: which triples use their relation as the ontology allows?

    Without a model the rule judge compares the semantic types of head and tail with those that the
    relation may join. What it does not know is left undecided.
    """
    _judge_or_forecast(given)


app.command()(takes_options(profile))


def _judge_or_forecast(given: GraphOptions) -> None:
    """Prints what a dry run would cost; otherwise judges, writes the report and prints the
    scores."""
    if not given.dry_run:
        _judge_and_write(given)
        return
    from factmark.errors import InputError
    from factmark.graphs.study import forecast_graph

    if not given.asks_model:
        raise InputError("--dry-run forecasts calls of a model; --judge names none that is asked.")
    client = given.client()
    forecast = forecast_graph(given, client, given.kept_in or LEDGER)
    tell_forecast(forecast, client.spec, json=given.json, at_once=given.asking.concurrency)


def _judge_and_write(given: GraphOptions) -> None:
    """Judges a graph, writes its results to --out and prints them; exits with 3 where calls failed
    and with 1 where nothing has a verdict."""
    from factmark.graphs.report import graph_report
    from factmark.graphs.study import judge_graph

    if given.shard:
        _judge_part(given)
        return
    with tell_what_is_kept(given.kept_in):
        results = judge_graph(
            given,
            reading=console.reading_line,
            judging=console.judging_line,
            say=say,
        )
    finish(graph_report(results), given)
    main = results.scores.main
    unnamed = any(problem.startswith("no passage of that id") for problem in results.problems)
    lacking = "; --passages FILE brings their texts"
    if given.passages is not None:
        lacking = f", which are not in {given.passages}"
    texts = f" without the passages that it names{lacking}" * unnamed
    check_judged(
        {"ok": main.n_labelled, **main.missing},
        results.spent.stopped,
        "units",
        given.why_nothing(", ".join(map(str, given.triples or ())), "triple", results.left) + texts,
        by_rules=given.by_rules,
    )


def _judge_part(given: GraphOptions) -> None:
    """Judges the part that --shard names, and prints counts."""
    from factmark.cli.asking import finish_part
    from factmark.graphs.study import judge_graph_part

    with tell_what_is_kept(given.kept_in):
        done = judge_graph_part(given, reading=console.reading_line, judging=console.judging_line)
    finish_part(done, command=f"graph {given.measure}", json=given.json)
