"""`factmark graph graphrag | lookup | questions`: is a knowledge graph of use for answering?"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.cli.asking import incomplete_exit, tell_spend, tell_what_is_kept
from factmark.cli.console import (
    judging_line,
    print_json,
    print_line,
    print_results,
    print_table,
    progress,
    say,
)
from factmark.cli.records import takes_options
from factmark.graph_answers.options import AskedOptions, GraphragOptions, QuestionsOptions
from factmark.graphs.command import app

if TYPE_CHECKING:
    from factmark.ask.budget import Spend
    from factmark.graph_answers.results import GraphRagResults
    from factmark.graph_answers.study import Plan


@app.command()
@takes_options
def graphrag(given: GraphragOptions) -> None:
    """GraphRAG: are questions answered better with the graph?

    For each question the triples around its entities are looked up; a model answers from them
    alone, and a judge compares the answer with the reference. The controls answer the same
    questions without a graph, and from passages. Without a model, rules answer and judge.

    Replies and verdicts are kept in the ledger: a run that was killed goes on where it was, and one
    that is repeated asks nothing.
    """
    with tell_what_is_kept(given.kept_in):
        complete = asyncio.run(_run_study(given))
    if not complete:
        raise incomplete_exit("answers or verdicts are missing")


async def _run_study(given: GraphragOptions) -> bool:
    """Runs the study, writes and prints its results; returns whether nothing is missing."""
    from factmark.graph_answers.result_files import write_contexts, write_graphrag_results
    from factmark.graph_answers.study import open_plan, results_of, run_graphrag

    async with open_plan(given) as plan:
        if given.dry_run:
            await _print_forecast(plan, json=given.json)
            return True
        run = await run_graphrag(plan, partial(progress, "answers"), judging_line)
        results = results_of(plan, run, level=given.level, seed=given.seed)
        if not given.by_rules:
            say(f"replies and verdicts are kept in {plan.ledger}")
    if given.contexts is not None:
        write_contexts(given.contexts, run.answers)
        say(f"wrote {given.contexts}")
    if given.out is not None:
        write_graphrag_results(results, given.out)
        say(f"wrote {given.out / 'graphrag.html'} and the results beside it")
    _print_results(results, json=given.json)
    return run.complete


async def _print_forecast(plan: Plan, *, json: bool) -> None:
    """Prints what the study would ask and cost."""
    from factmark.graph_answers.forecast import forecast_graphrag
    from factmark.runs.tables import JUDGED_BY_RULE, forecast_table

    table = forecast_table(await forecast_graphrag(plan), JUDGED_BY_RULE)
    if json:
        print_json(table.rows())
        return
    print_table(table)
    say("Nothing was asked.")


def _print_results(results: GraphRagResults, *, json: bool) -> None:
    """Prints the tables on stdout; what is to be noted, and what was spent, on stderr."""
    from factmark.graph_answers.result_files import graphrag_json
    from factmark.graph_answers.tables import answer_tables, graphrag_opening

    if json:
        print_json(graphrag_json(results))
        for problem in results.problems:
            say(f"note: {problem}")
    else:
        print_results(graphrag_opening(results), answer_tables(results), results.problems)
    run = results.run
    _print_spend(run.model, run.answering)
    _print_spend(f"the judge {run.judge}", run.judging)
    _print_spend(f"the judge {run.judge}, of retrieval", run.retrieval)


def _print_spend(name: str, spend: Spend | None) -> None:
    """Prints what a model was asked and what that took, on stderr; nothing for rules."""
    from factmark.report.spent import kept_words

    if spend is not None:
        tell_spend(name, spend)
        if spend.kept is not None and spend.kept.replies > spend.calls:
            say(f"{name}: kept in the ledger: {kept_words(spend.kept)}")


@app.command()
@takes_options
def lookup(given: AskedOptions) -> None:
    """Show what a graph says about a question: the entities that it names, and the best triples.

    This is what a model is given by `graphrag`. No model is asked.
    """
    from factmark.errors import InputError
    from factmark.graph_answers.result_files import context_json
    from factmark.graph_answers.study import look_up

    question = given.question
    if not question.strip():
        raise InputError("The question is empty.")
    if given.triples is None and len(question) < 250 and Path(question).exists():
        raise InputError(f"{question}: is a file. Name the question first, then the file.")
    context = asyncio.run(look_up(given))
    if given.triples is None:
        say("The bundled example is looked up; name a graph's file behind the question.")
    if given.json:
        print_json(context_json(context))
        return
    for entity in context.linked:
        stretch = question[entity.start : entity.end] if entity.how != "option" else "an option"
        say(f"{stretch}: {entity.name} ({entity.how})")
    if not context.linked:
        say("The graph has no entity that the question names.")
    for fact in context.facts:
        triple = fact.triple
        hops = f"{fact.hops} {'hop' if fact.hops == 1 else 'hops'}"
        path = f"{triple.head} | {triple.relation} | {triple.tail}"
        print_line(f"{fact.score:6.2f}  {hops}  {fact.text}  ({path})")


@app.command()
@takes_options
def questions(given: QuestionsOptions) -> None:
    """Show what a question set covers: kinds, hops, what can be answered, by topic.

    It names the line of each row that it cannot use: a check of a file before a model is asked.
    """
    from factmark.errors import InputError
    from factmark.files.problems import Problems
    from factmark.graph_answers.questions.coverage import coverage_table
    from factmark.graph_answers.questions.question_file import read_graph_questions
    from factmark.graphs.ontologies.bundled import example_questions

    problems = Problems()
    asked = read_graph_questions(
        given.file or example_questions(),
        problems,
        first_option=given.first_option,
        encoding=given.encoding,
    )
    stratum = "difficulty" if given.by == "level" else given.by or "topic"
    known = sorted({name for question in asked for name in question.strata})
    if given.by and stratum not in known:
        where = f"{given.file}: " if given.file else ""
        strata = ", ".join(known) or "no strata"
        raise InputError(f"{where}--by {given.by}: no question has it. They have {strata}.")
    table = coverage_table(asked, by=stratum)
    if given.json:
        print_json(table.rows())
    else:
        print_table(table)
    for sentence in problems.sentences():
        say(f"note: {sentence}")
