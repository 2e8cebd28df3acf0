"""What `factmark graph graphrag` does, step by step, with progress on stderr."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.cli.asking import tell_embedding, tell_spend
from factmark.cli.console import judging, print_json, print_table, progress, reading, say, stages
from factmark.files.temporary import temporary_folder
from factmark.graphrag.commands.orders import (
    RULES,
    Orders,
    check,
    check_written,
    judging_of,
    subject_of,
    wanted_of,
    with_judge_placed,
)

if TYPE_CHECKING:
    from factmark.ask.spend import Spend
    from factmark.graphrag.core.results import GraphRagResults
    from factmark.graphrag.judging import Judging
    from factmark.graphrag.setup import Prepared, Wanted
    from factmark.graphrag.study import GraphragRun, Plan
    from factmark.passages.embedders import Search
    from factmark.runs.running import Subject

LEDGER = Path("factmark.db")  # where a model's answers go when no place is named


async def run_orders(orders: Orders) -> bool:
    """Runs it and tells what came of it; returns whether nothing is missing."""
    from factmark.files.problems import Problems
    from factmark.graphrag.study import Watch, run_graphrag
    from factmark.graphs.ontologies.opening import open_ontology
    from factmark.passages.embedders import open_search
    from factmark.passages.embedders_http import HttpEmbedder

    check(orders)
    placed = with_judge_placed(orders)
    if placed is not orders:
        say("note: the judge is asked at --base-url too; --judge-base-url names another server")
        orders = placed
    subject, judge = subject_of(orders), judging_of(orders)  # a missing key is told at once
    if orders.repeats > 1 and orders.asked.temperature == 0:
        say("note: at --temperature 0 repeats differ by their seed alone, if at all")
    with ExitStack() as stack:
        terms, identity = stack.enter_context(
            open_ontology(
                orders.ontology, Problems(), index=orders.ontology_index, progress=reading
            )
        )
        if not orders.dry_run:
            check_written(orders)
        search = open_search(
            orders.embedder, base_url=orders.embedder_base_url, key_env=orders.embedder_key_env
        )
        try:
            costly = isinstance(search.embedder, HttpEmbedder)
            ledger, index = _places(orders, stack, costly=costly)
            if costly and orders.dry_run:
                say(f"note: looked up by words here, not by {orders.embedder}: that may cost")
                index = stack.enter_context(temporary_folder())
            kept_in = ledger if costly and not orders.dry_run else None
            wanted = wanted_of(orders, (terms, identity), index, kept_in)
            used = open_search() if costly and orders.dry_run else search
            prepared = await _prepared(wanted, used)
        finally:
            await search.close()
            tell_embedding(search)
        plan = _plan(orders, wanted, prepared, ledger, subject, judge, identity)
        if not orders.dry_run:
            orders.asked.free(ledger)
        if orders.dry_run:
            await _tell_forecast(orders, plan)
            return True
        watch = Watch(answers=partial(progress, "answers"), verdicts=judging)
        run = await run_graphrag(plan, watch)
        results = _results(orders, plan, prepared, run)
        if not orders.by_rules:
            say(f"replies and verdicts are kept in {ledger}; the same command goes on from there")
    _tell(orders, wanted, run, results)
    return run.complete


def show_answers(out: Path) -> None:
    """Answers the bundled questions by rule, prints the scores and writes them into a folder."""
    asyncio.run(run_orders(Orders(out=out, brief=True)))


def _places(orders: Orders, stack: ExitStack, *, costly: bool) -> tuple[Path, Path]:
    """Where the ledger and the indexes are kept; what costs nothing leaves nothing behind unasked.

    Args:
        costly: whether the embedder is behind a server.
    """

    def temporary() -> Path:
        return stack.enter_context(temporary_folder())

    out = orders.out
    ledger = orders.ledger or (out / "ledger.db" if out is not None else None)
    if ledger is None:
        ledger = temporary() / "l.db" if orders.by_rules and not costly else LEDGER
    if orders.index is not None:
        return ledger, orders.index
    if out is not None:
        return ledger, out / "index"
    return ledger, ledger.with_name(f"{ledger.stem}-index") if costly else temporary()


async def _prepared(wanted: Wanted, search: Search) -> Prepared:
    from factmark.graphrag.setup import prepare

    with stages() as tell:
        return await prepare(wanted, search, progress=tell)


def _plan(
    orders: Orders,
    wanted: Wanted,
    prepared: Prepared,
    ledger: Path,
    subject: Subject | None,
    judge: Judging | None,
    ontology: str,
) -> Plan:
    from factmark.graphrag.study import Plan

    return Plan(
        questions=prepared.questions,
        systems=prepared.systems,
        ledger=ledger,
        subject=subject,
        judging=judge,
        made={
            "limit": wanted.limit,
            "sampling_seed": wanted.seed,
            "retrieval": asdict(wanted.limits),
            "ontology": ontology,
        },
    )


def _results(orders: Orders, plan: Plan, prepared: Prepared, run: GraphragRun) -> GraphRagResults:
    from factmark.graphrag.core.results import UNIT, summarise
    from factmark.ledger.ledger import Ledger
    from factmark.ledger.verdicts import people_values

    with Ledger(plan.ledger) as opened:
        people, annotators = people_values(opened, UNIT)
    return summarise(
        run.outcomes,
        systems=[one.name for one in plan.systems],
        model=run.model,
        judge=RULES if plan.judging is None else run.judge.name,
        level=orders.level,
        seed=orders.seed,
        rubric=str(run.judge.parameters.get("rubric_name") or run.judge.name),
        people=people,
        annotators=annotators,
        answering=run.answering,
        judging=run.judging + run.retrieval if run.judging and run.retrieval else run.judging,
        settings=plan.made,
        problems=(*prepared.problems, *run.problems),
        signature=run.signature,
    )


async def _tell_forecast(orders: Orders, plan: Plan) -> None:
    from factmark.graphrag.forecast import forecast_graphrag
    from factmark.runs.forecast_table import JUDGED_BY_RULE, forecast_rows, forecast_table

    prices = tuple(
        None if who is None else who.client.account.price for who in (plan.subject, plan.judging)
    )
    forecasts = await forecast_graphrag(plan, (prices[0], prices[1]))
    if orders.json:
        print_json(forecast_rows(forecasts))
        return
    print_table(forecast_table(forecasts, JUDGED_BY_RULE))
    say("Nothing was asked.")


def _tell(orders: Orders, wanted: Wanted, run: GraphragRun, results: GraphRagResults) -> None:
    """The files that were asked for, the tables on stdout, what it took on stderr."""
    from factmark.graphrag.context_passages import with_passages
    from factmark.graphrag.contexts_file import write_contexts
    from factmark.graphrag.report.tables import answer_tables
    from factmark.graphrag.results import graphrag_json, write_graphrag_results

    if orders.contexts is not None:
        told = with_passages(
            run.outcomes,
            wanted.graphs,
            passages=wanted.passages,
            columns=wanted.columns,
            encoding=wanted.encoding,
        )
        write_contexts(orders.contexts, told)
        say(f"wrote {orders.contexts}")
    if orders.out is not None:
        write_graphrag_results(results, orders.out)
        say(f"wrote {orders.out / 'graphrag.html'} and the results beside it")
    if orders.json:
        print_json(graphrag_json(results))
    else:
        tables = answer_tables(results)
        by_stratum = any(scores.strata for scores in results.scores.values())
        for table in tables[:-1] if orders.brief and by_stratum else tables:
            print_table(table)
    for problem in results.problems:
        say(f"note: {problem}")
    _tell_spend(run.model, run.answering)
    _tell_spend(f"the judge {run.judge.name}", run.judging)
    _tell_spend(f"the judge {run.judge.name}, of retrieval", run.retrieval)


def _tell_spend(name: str, spend: Spend | None) -> None:
    from factmark.graphs.report import kept_words

    if spend is not None:
        tell_spend(name, spend)
        if spend.kept is not None and spend.kept.replies > spend.calls:
            say(f"{name}: kept in the ledger: {kept_words(spend.kept)}")
