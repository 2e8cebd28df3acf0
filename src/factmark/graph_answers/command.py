"""`factmark graph graphrag | lookup | questions`: is a knowledge graph of use for answering?"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.cli.asking import incomplete_exit, tell_spend, tell_what_is_kept
from factmark.cli.console import print_line, print_table, say
from factmark.cli.records import takes_options
from factmark.cli.showing import finish, show_outcome
from factmark.graph_answers.options import AskedOptions, GraphragOptions, QuestionsOptions
from factmark.graphs.command import app

if TYPE_CHECKING:
    from factmark.ask.budget import Spend
    from factmark.graph_answers.core.records import GraphContext
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
    from factmark.graph_answers.contexts import write_contexts
    from factmark.graph_answers.report import graphrag_report
    from factmark.graph_answers.study import ON_STDERR, open_plan, results_of, run_graphrag

    async with open_plan(given, ON_STDERR) as plan:
        if given.dry_run:
            await _print_forecast(plan, json=given.json)
            return True
        run = await run_graphrag(plan, ON_STDERR)
        results = results_of(plan, run, level=given.level, seed=given.seed)
        if not given.by_rules:
            say(f"replies and verdicts are kept in {plan.ledger}")
    if given.contexts_file is not None:
        write_contexts(given.contexts_file, run.answers)
        say(f"wrote {given.contexts_file}")
    finish(graphrag_report(results), given)
    _print_spend(run.model, run.answering)
    _print_spend(f"the judge {run.judge}", run.judging)
    _print_spend(f"the judge {run.judge}, of retrieval", run.retrieval)
    return run.complete


async def _print_forecast(plan: Plan, *, json: bool) -> None:
    """Prints what the study would ask and cost."""
    from factmark.graph_answers.forecast import forecast_graphrag
    from factmark.report.envelope import CommandOutcome
    from factmark.runs.report import JUDGED_BY_RULE, forecast_table

    table = forecast_table(await forecast_graphrag(plan), JUDGED_BY_RULE)
    if json:
        show_outcome(CommandOutcome(command="graph graphrag --dry-run", rows=tuple(table.rows())))
        return
    print_table(table)
    say("Nothing was asked.")


def _print_spend(name: str, spend: Spend | None) -> None:
    """Prints what a model was asked and what that took, on stderr; nothing for rules."""
    from factmark.report.page import kept_words

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
        _print_context_as_json(question, context)
        return
    for entity in context.linked:
        stretch = "an option"
        if entity.how != "option":
            stretch = question[entity.start : entity.end]
        say(f"{stretch}: {entity.name} ({entity.how})")
    if not context.linked:
        say("The graph has no entity that the question names.")
    for fact in context.facts:
        triple = fact.triple
        hops = f"{fact.hops} {'hop' if fact.hops == 1 else 'hops'}"
        path = f"{triple.head} | {triple.relation} | {triple.tail}"
        print_line(f"{fact.score:6.2f}  {hops}  {fact.text}  ({path})")


def _print_context_as_json(question: str, context: GraphContext) -> None:
    """Prints what a graph says of a question: a row per triple, by rank."""
    from factmark.graph_answers.contexts import context_values, looked_up
    from factmark.report.envelope import CommandOutcome

    show_outcome(
        CommandOutcome(
            command="graph lookup",
            subject=question,
            rows=tuple(context_values(looked_up(context.facts))),
            details={"linked": context.linked, "reached": context.reached},
        )
    )


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
    from factmark.report.envelope import CommandOutcome

    problems = Problems()
    asked = read_graph_questions(
        given.file or example_questions(),
        problems,
        first_option=given.first_option,
        encoding=given.encoding,
    )
    stratum = "difficulty"
    if given.by != "level":
        stratum = given.by or "topic"
    known = sorted({name for question in asked for name in question.strata})
    if given.by and stratum not in known:
        where = ""
        if given.file:
            where = f"{given.file}: "
        strata = ", ".join(known) or "no strata"
        raise InputError(f"{where}--by {given.by}: no question has it. They have {strata}.")
    table = coverage_table(asked, by=stratum)
    if given.json:
        show_outcome(
            CommandOutcome(
                command="graph questions",
                subject=str(given.file or ""),
                rows=tuple(table.rows()),
                problems=problems.sentences(),
            )
        )
    else:
        print_table(table)
    for sentence in problems.sentences():
        say(f"note: {sentence}")
