"""A graph judged from end to end: triples in, verdicts in the ledger, scores out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.ask.runner import Progress, run
from factmark.ask.spend import Spend
from factmark.files.overwriting import check_files
from factmark.files.problems import Problems
from factmark.files.temporary import temporary_folder
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.results import GraphResults
from factmark.graphs.judges import ModelAsking, RuleJudge
from factmark.graphs.ontologies.opening import open_ontology
from factmark.graphs.reading import Graph, Source
from factmark.graphs.scoring import KINDS, judged_pairs, notes, scored
from factmark.graphs.triples.graphrag import graph_files
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import people_values
from factmark.model import Judge

if TYPE_CHECKING:  # what only some need is loaded by those
    from factmark.ask.forecast import Forecast


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOptions:
    """What is judged, by whom, and where the results go.

    Attributes:
        model: how a model is asked; None for the rules.
        ontology: the bundled one where None.
        ontology_index: where the index of UMLS goes; beside its files where None.
        ledger: where verdicts are kept; None for a judge by rule whose verdicts nobody keeps.
        out: the folder of the report, None for none.
        level: of the intervals.
    """

    source: Source
    model: ModelAsking | None = None
    ontology: Path | None = None
    ontology_index: Path | None = None
    ledger: Path | None = None
    out: Path | None = None
    level: float = 0.95


def _shows_nothing(_total: int) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """What is shown while a study goes on; nothing by default.

    Attributes:
        reading: is told a large file, the bytes read and the bytes in all.
        units: opens a bar over so many units, which rules judge.
        judging: opens a line over so many units, which a model judges.
        say: is told what the user should know at once.
    """

    reading: Callable[[str, int, int], None] = lambda name, done, size: None
    units: Callable[[int], AbstractContextManager[Callable[[int], None] | None]] = _shows_nothing
    judging: Callable[[int], AbstractContextManager[Callable[[Progress], None] | None]] = (
        _shows_nothing
    )
    say: Callable[[str], None] = lambda text: None


def judge_graph(
    options: GraphOptions,
    screen: Screen = Screen(),
) -> GraphResults:
    """Reads a graph, judges all units that are not judged yet, and scores it.

    Raises:
        InputError: a file cannot be read, or a result would take the place of something else.
        EndpointError: no call to the model can work; what came in is kept.
        LedgerError: the ledger cannot be read or written.
    """
    problems = Problems()
    with ExitStack() as stack:
        ontology, identity = stack.enter_context(
            open_ontology(
                options.ontology, problems, index=options.ontology_index, progress=screen.reading
            )
        )
        graph = stack.enter_context(Graph(options.source))
        _check_outputs(options)
        ledger = options.ledger or stack.enter_context(temporary_folder()) / "ledger.db"
        judge, spend = _judge(graph, options.model, ontology, identity, ledger, screen)
        failures = [f"{count} calls failed: {why}" for why, count in spend.failures.items()]
        wrong = (*problems.sentences(), *failures, *graph.problems.sentences())
        with Ledger(ledger) as opened:
            verdicts = judged_pairs(
                graph, judge, opened, ontology, with_marks=options.out is not None
            )
            people = people_values(opened, KINDS[options.source.measure])
        results = scored(graph, judge, verdicts, people, level=options.level)
        told = notes(graph, verdicts, results, wrong)
        return replace(results, spent=spend, problems=tuple(told))


def forecast_graph(options: GraphOptions) -> Forecast:
    """What `judge_graph` would ask a model; asks nothing.

    Raises:
        ValueError: no model is to be asked, or there is no ledger.
    """
    from factmark.ask.forecast import forecast_units

    asking, ledger = options.model, options.ledger
    if asking is None or ledger is None:
        raise ValueError("only what a model is asked, and kept in a ledger, can be forecast")
    with (
        open_ontology(options.ontology, Problems(), index=options.ontology_index) as opened,
        Graph(options.source) as graph,
    ):
        return forecast_units(
            graph.jobs(by_passage=asking.batch > 1),
            asking.task(*opened),
            asking.client.spec,
            asking.client.account.price,
            ledger,
            batch=asking.batch,
            samples=asking.samples,
        )


def _judge(
    graph: Graph,
    asking: ModelAsking | None,
    ontology: Ontology,
    identity: str,
    ledger: Path,
    screen: Screen,
) -> tuple[Judge, Spend]:
    """Judges what is not judged yet: who did, and what it took."""
    if asking is None:
        source = graph.source
        rules = RuleJudge.of(source.measure, ontology, identity, source.wordings)
        with screen.units(graph.size) as step, Ledger(ledger) as opened:
            done = rules.run(graph.jobs(), opened, step or (lambda count: None))
        return rules.judge, Spend(judged_before=done)
    task = asking.task(ontology, identity)

    async def ask(progress: Callable[[Progress], None] | None) -> Progress:
        jobs = graph.jobs(by_passage=asking.batch > 1)
        async with asking.client as client:
            return await run(
                jobs, task, client, ledger, batch=asking.batch, samples=asking.samples,
                again=asking.again, progress=progress,
            )  # fmt: skip

    with screen.judging(graph.size) as progress:
        spend = asyncio.run(ask(progress)).spend
    for note in (*spend.notes, *filter(None, [spend.stopped])):
        screen.say(f"note: {note}")
    screen.say(f"verdicts and replies are kept in {ledger}; the same command goes on from there")
    return task.judge, spend


def _check_outputs(options: GraphOptions) -> None:
    """Tells, before anything is judged, a result that would take the place of something else."""
    source = options.source
    if options.out is not None:
        names = [f"{source.measure}.{end}" for end in ("json", "csv", "parquet", "html")]
        named = {"--passages": source.passages, "--ontology": options.ontology}
        inputs = [(option, path) for option, path in named.items() if path is not None]
        check_files(options.out, names, [*graph_files("the triples", source.triples), *inputs])
