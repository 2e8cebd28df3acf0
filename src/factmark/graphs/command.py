"""`factmark graph`: FActScore*, ValidityScore and GraphRAG of a knowledge graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from factmark.cli import console
from factmark.cli.asking import check_judged, tell_forecast, tell_what_is_kept
from factmark.cli.console import print_json, print_line, print_opening, print_table, say
from factmark.cli.judging_options import LEDGER
from factmark.cli.records import takes_options
from factmark.graphs.options import FactscoreOptions, GraphOptions, ValidityOptions
from factmark.graphs.profile.command import profile

if TYPE_CHECKING:
    from factmark.graphs.results import GraphResults

_RELATIONS = 20  # that the terminal shows; page and files have all

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
    tell_forecast(forecast, client.spec, json=given.json)


def _judge_and_write(given: GraphOptions) -> None:
    """Judges a graph, writes its results to --out and prints them; exits with 3 where calls failed
    and with 1 where nothing has a verdict."""
    from factmark.graphs.result_files import graph_json, write_graph_results
    from factmark.graphs.study import judge_graph

    with tell_what_is_kept(given.kept_in):
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
        _print_scores(results)
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


def _print_scores(results: GraphResults) -> None:
    """Prints a graph's scores overall and by relation; those by type of head are in the report and
    the files only."""
    from factmark.graphs.tables import MEASURES, graph_opening, graph_table
    from factmark.report.correction_tables import correction_table
    from factmark.report.shown_text import interval, number

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
    table = graph_table(results, ("overall", "judged", "relation"), relations=_RELATIONS)
    print_table(replace(table, notes=table.notes[:1]))
    if (relations := len(results.scores.by_relation)) > _RELATIONS:
        print_line(
            f"Shown: the {_RELATIONS} of {relations} relations that have the most triples.\n"
        )
    if results.agreement is not None:
        print_line(
            f"{results.agreement:.1%} of the judge's labels are those of the graph's author."
        )
    for problem in opening.other(results.problems):
        say(f"note: {problem}")
