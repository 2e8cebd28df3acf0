"""A graph judged from end to end: triples in, verdicts in the ledger, scores out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.ask.runner import JudgingProgress, run
from factmark.ask.spend import Spend
from factmark.files.overwriting import check_files
from factmark.files.problems import Problems
from factmark.files.temporary import temporary_folder
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.judges import ModelAsking, RuleJudge
from factmark.graphs.ontologies.bundled import open_ontology
from factmark.graphs.reading import KINDS, GraphUnits, Source
from factmark.graphs.results import GraphResults, graph_results, judged_pairs
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
    judging: Callable[[int], AbstractContextManager[Callable[[JudgingProgress], None] | None]] = (
        _shows_nothing
    )
    say: Callable[[str], None] = lambda text: None


def judge_graph(options: GraphOptions, screen: Screen = Screen()) -> GraphResults:
    """Reads a graph, judges all units that are not judged yet, and scores it.

    Raises:
        InputError: a file cannot be read, or a result would take the place of something else.
        EndpointError: no call to the model can work; what came in is kept.
        LedgerError: the ledger cannot be read or written.
    """
    problems = Problems()
    with ExitStack() as stack:
        opened = open_ontology(
            options.ontology, problems, index=options.ontology_index, progress=screen.reading
        )
        ontology, identity = stack.enter_context(opened)
        graph = stack.enter_context(GraphUnits(options.source))
        _check_outputs(options)
        path = options.ledger or stack.enter_context(temporary_folder()) / "ledger.db"
        if options.model is None:
            judge, spent = _judge_by_rule(graph, ontology, identity, path, screen)
        else:
            judge, spent = _ask(graph, options.model, ontology, identity, path, screen)
        failures = (f"{count} calls failed: {why}" for why, count in spent.failures.items())
        with Ledger(path) as ledger:
            with_marks = options.out is not None
            verdicts = judged_pairs(graph, judge, ledger, ontology, with_marks=with_marks)
            people = people_values(ledger, KINDS[options.source.measure])
        return graph_results(
            graph,
            judge,
            verdicts,
            people,
            level=options.level,
            spent=spent,
            problems=(*problems.sentences(), *failures, *graph.problems.sentences()),
        )


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
        GraphUnits(options.source) as graph,
    ):
        return forecast_units(
            graph.jobs(by_passage=asking.batch > 1),
            asking.task(*opened),
            asking.client.spec,
            asking.client.price,
            ledger,
            batch=asking.batch,
            samples=asking.samples,
        )


def _judge_by_rule(
    graph: GraphUnits, ontology: Ontology, identity: str, path: Path, screen: Screen
) -> tuple[Judge, Spend]:
    """Judges what is not judged yet: who did, and what it took."""
    source = graph.source
    rules = RuleJudge.of(source.measure, ontology, identity, source.wordings)
    with screen.units(graph.size) as step, Ledger(path) as ledger:
        judged_before = rules.run(graph.jobs(), ledger, step or (lambda count: None))
    return rules.judge, Spend(judged_before=judged_before)


def _ask(
    graph: GraphUnits,
    asking: ModelAsking,
    ontology: Ontology,
    identity: str,
    ledger: Path,
    screen: Screen,
) -> tuple[Judge, Spend]:
    """Has a model judge what is not judged yet: who did, and what it took."""
    task = asking.task(ontology, identity)

    async def ask(progress: Callable[[JudgingProgress], None] | None) -> JudgingProgress:
        jobs = graph.jobs(by_passage=asking.batch > 1)
        async with asking.client as client:
            return await run(
                jobs, task, client, ledger, batch=asking.batch, samples=asking.samples,
                again=asking.again, progress=progress,
            )  # fmt: skip

    with screen.judging(graph.size) as progress:
        spent = asyncio.run(ask(progress)).spend
    for note in (*spent.notes, *filter(None, [spent.stopped])):
        screen.say(f"note: {note}")
    screen.say(f"verdicts and replies are kept in {ledger}; the same command goes on from there")
    return task.judge, spent


def _check_outputs(options: GraphOptions) -> None:
    """Tells, before anything is judged, a result that would take the place of something else."""
    source = options.source
    if options.out is not None:
        names = [f"{source.measure}.{end}" for end in ("json", "csv", "parquet", "html")]
        named = {"--passages": source.passages, "--ontology": options.ontology}
        inputs = [(option, path) for option, path in named.items() if path is not None]
        check_files(options.out, names, [*graph_files("the triples", source.triples), *inputs])
