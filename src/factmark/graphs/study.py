"""A graph judged from end to end: triples in, verdicts in the ledger, scores out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.ask.budget import report_spend
from factmark.ask.judges.recipe import Recipe
from factmark.ask.runner import JudgingLine, JudgingProgress, Keep, no_judging_line, run
from factmark.cli.asking import JudgedPart, check_whole
from factmark.cli.console import judging_line_if
from factmark.cli.judge_recipes import open_judge
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.files.frames import Rows, as_file, as_files
from factmark.files.problems import Problems
from factmark.files.temporary import temporary_folder
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.judges import (
    foreign_cells,
    foreign_notes,
    graph_model_task,
    graph_openers,
)
from factmark.graphs.ontologies.opening import open_ontology
from factmark.graphs.options import FactscoreOptions, GraphOptions, ValidityOptions
from factmark.graphs.reading import KINDS, GraphUnits, Source
from factmark.graphs.report import graph_report
from factmark.graphs.results import GraphResults, graph_results
from factmark.graphs.side_by_side import begin_graph, engine_of
from factmark.graphs.triples.graphrag import graph_files
from factmark.graphs.verdicts import judged_pairs, user_rows, with_empty_cells
from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import keep_rows, note_shared_ids
from factmark.ledger.verdicts import people_values
from factmark.report.files import check_result_files
from factmark.report.result import Result

if TYPE_CHECKING:  # what only some need is loaded by those
    from factmark.ask.client import ChatClient
    from factmark.ask.forecast import Forecast

_MOST_PROFILED = 20_000  # rows: a larger graph is profiled by `graph profile`


@python_function(FactscoreOptions)
def factscore(
    triples: Rows | Sequence[str | Path] | None = None,
    passages: Rows | Mapping[str, str] | None = None,
    *,
    judge: str | Callable[..., Any] = "rules",
    progress: bool = False,
    **options: Any,
) -> Result:
    """FActScore*: which triples does their passage support? `factmark graph factscore`.

    Args:
        triples: with head, relation, tail and a passage or its id; several files make one graph;
            the bundled example if None. A frame is kept in a ledger by a hash of its rows: those
            of two frames never mix.
        passages: a file, rows or a frame with id and text, or a mapping of ids to texts.
        judge: `rules`, a function of yours or its name "module:function", an entailment model of
            yours: "nli:FOLDER", or a model: "openai:MODEL".
        progress: whether a line on stderr shows how far judging is.
        options: those of the command.

    Returns:
        The average "FActScore*" over pairs; a row per row given, with its id and other columns.

    Raises:
        FactmarkError: what cannot be read, asked or written, and options that there are none of.
    """
    with as_file(passages, "passages") as texts:
        given = {"passages": texts, "judge": judge, **options}
        return _judge_triples(FactscoreOptions, triples, given, progress)


@python_function(ValidityOptions)
def validity(
    triples: Rows | Sequence[str | Path] | None = None,
    *,
    judge: str | Callable[..., Any] = "rules",
    progress: bool = False,
    **options: Any,
) -> Result:
    """ValidityScore: which triples use their relation as the ontology allows? `factmark graph
    validity`; arguments and results as of `factscore`."""
    return _judge_triples(ValidityOptions, triples, {"judge": judge, **options}, progress)


def _judge_triples(
    record: type[GraphOptions],
    triples: Rows | Sequence[str | Path] | None,
    given: Mapping[str, Any],
    progress: bool,
) -> Result:
    """Judges triples as the command of those options would; returns the result."""
    judging = judging_line_if(progress)
    with as_files(triples) as paths:
        options = options_of(record, {"triples": paths, **given})
        return graph_report(judge_graph(options, judging=judging))


def judge_graph(
    given: GraphOptions,
    *,
    reading: Callable[[str, int, int], None] = lambda name, done, size: None,
    judging: JudgingLine = no_judging_line,
    say: Callable[[str], None] = lambda text: None,
) -> GraphResults:
    """Reads a graph, has all units judged that are not yet, and returns its scores.

    Args:
        reading: called with the name of a large file, the bytes read and the bytes in all.
        judging: shows progress while units are judged.
        say: called with what the user should know at once.

    Raises:
        InputError: a file cannot be read, or a result would take the place of something else.
        EndpointError: no call to the model can work; what came in is kept.
        LedgerError: the ledger cannot be read or written.
    """
    check_whole(given.shard)
    with ExitStack() as stack:
        study = _judge_units(given, stack, reading, judging, say)
        graph = study.graph
        recipe = study.recipe
        done = study.done
        path = study.ledger
        source = graph.source
        ontology = study.ontology
        judge = done.judge
        spent = done.spend
        if recipe.by not in ("rules", "foreign"):
            report_spend(say, spent, path)
        failures = spent.failure_notes(*(() if recipe.by == "model" else ("unit", "units")))
        by_weights = spent.notes if recipe.by == "weights" else ()
        unused = foreign_notes(given.foreign, graph) if given.foreign else ()
        notes = (
            *study.problems.sentences(),
            *by_weights,
            *failures,
            *unused,
            *graph.problems.sentences(),
        )
        with Ledger(path) as ledger:
            verdicts = done.known or ledger.labels(judge.id, graph.unit_ids())
            if given.foreign:
                verdicts = with_empty_cells(graph, verdicts, given.foreign)
            if given.kept_in is not None:
                notes += _keep_user_rows(ledger, graph)
            judged = judged_pairs(
                graph,
                verdicts,
                ledger,
                ontology[0],
                with_marks=given.out is not None,
                with_types=given.ontology is not None,
            )
            people = people_values(ledger, KINDS[source.measure])
        results = graph_results(
            graph,
            judge,
            judged,
            people,
            level=given.level,
            target=given.target,
            spent=spent,
            problems=notes,
        )
    return _with_profile(given, results)


def _keep_user_rows(ledger: Ledger, graph: GraphUnits) -> tuple[str, ...]:
    """Keeps the rows of the file beside their units; returns what is to be said of their ids."""
    rows = user_rows(graph)
    problems = Problems()
    keep_rows(ledger, KINDS[graph.source.measure], rows, whole=graph.drawn is None)
    note_shared_ids(rows, problems)
    return problems.sentences()


def _with_profile(given: GraphOptions, results: GraphResults) -> GraphResults:
    """Returns results, where there is no score with what the graph is like."""
    has_score = results.scores.main.estimate.value is not None
    if has_score or results.left or not 0 < len(results.rows) <= _MOST_PROFILED:
        return results
    from factmark.graphs.profile.report import profile_report
    from factmark.graphs.profile.study import profile_graph

    return replace(results, profile=profile_report(profile_graph(given.as_profile())))


def judge_graph_part(
    given: GraphOptions,
    *,
    reading: Callable[[str, int, int], None] = lambda name, done, size: None,
    judging: JudgingLine = no_judging_line,
    judge_id: str = "",
    keep: bool | Keep = True,
) -> JudgedPart:
    """Judges the part of a graph that `--shard` names into its ledger, and keeps its rows there;
    arguments and errors as of `judge_graph`.

    Args:
        judge_id: who is to judge, where another process says so.
        keep: takes the verdicts, where another process keeps them, and the rows.
    """
    with ExitStack() as stack:
        study = _judge_units(given, stack, reading, judging, judge_id=judge_id, keep=keep)
        graph = study.graph
        done = study.done
        if keep is True:
            with Ledger(study.ledger) as ledger:
                keep_rows(ledger, KINDS[graph.source.measure], user_rows(graph))
        problems = (*study.problems.sentences(), *graph.problems.sentences())
        return JudgedPart.of_progress(given.part, study.ledger, done, problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgedUnits:
    """A graph whose units are judged, with what judged them."""

    graph: GraphUnits
    ontology: tuple[Ontology, str]
    recipe: Recipe
    done: JudgingProgress
    ledger: Path
    problems: Problems


def _judge_units(
    given: GraphOptions,
    stack: ExitStack,
    reading: Callable[[str, int, int], None],
    judging: JudgingLine,
    say: Callable[[str], None] = lambda text: None,
    judge_id: str = "",
    keep: bool | Keep = True,
) -> _JudgedUnits:
    """Reads a graph and has its units judged that are not yet; see `judge_graph`.

    Args:
        stack: closes what was opened.
        judge_id: who is to judge; any where empty.
        keep: as of `run`.
        say: called with what the user should know before anything is paid.
    """
    problems = Problems()
    recipe = given.judge_recipe()  # a missing function raises here, and so does a missing key
    source = given.source()
    opened = open_ontology(given.ontology, problems, index=given.ontology_index, progress=reading)
    ontology = stack.enter_context(opened)
    _check_files(given, source)
    path = given.kept_in or stack.enter_context(temporary_folder()) / "ledger.db"
    recipe = replace(recipe, judge=judge_id)
    openers = graph_openers(recipe, ontology, source.wordings)
    given = replace(given, engine=engine_of(given, source))
    wait = None
    if given.by_rules:  # workers read the graph while this process does
        judge = open_judge(recipe, openers)
        wait = begin_graph(given, judge_graph_part, recipe, judge.identity, path, stack)
    graph = GraphUnits(source)
    if given.ontology is None:
        _note_unreadable(graph, problems, say)
    with judging(graph.size) as progress:
        if given.foreign:
            recipe = replace(recipe, material=foreign_cells(given.foreign, graph))
        judge = open_judge(recipe, openers, budget=given.asking.budget)
        wait = wait or begin_graph(
            given, judge_graph_part, recipe, judge.identity, path, stack, graph
        )
        if wait is not None:
            judge = open_judge(recipe, openers, budget=wait(progress))
        judged = run(
            graph.jobs(),
            judge,
            path,
            ids=graph.unit_ids,
            group=graph.call_of if given.asks_model else None,
            again=given.anew,
            keep=keep,
            progress=progress,
        )
        done = asyncio.run(judged)
    return _JudgedUnits(
        graph=graph,
        ontology=ontology,
        recipe=recipe,
        done=done,
        ledger=path,
        problems=problems,
    )


def _check_files(given: GraphOptions, source: Source) -> None:
    """Raises InputError where a result would take the place of what is read."""
    files = [pair for path in source.triples for pair in graph_files("the triples", path)]
    named = (("--passages", source.passages), ("--ontology", given.ontology))
    check_result_files(given.out, [*files, *named])


def _note_unreadable(graph: GraphUnits, problems: Problems, say: Callable[[str], None]) -> None:
    """Notes, and says at once, where only a database can read what is to be judged."""
    sentence = graph.unreadable()
    if sentence:
        problems.remarks.append(sentence)
        say(sentence)


def forecast_graph(given: GraphOptions, client: ChatClient, ledger: Path) -> Forecast:
    """Returns what `judge_graph` would ask a model, and what that costs; asks nothing. What the
    ledger has a reply to is not counted."""
    from factmark.ask.forecast import forecast_units

    with open_ontology(given.ontology, Problems(), index=given.ontology_index) as ontology:
        graph = GraphUnits(given.source())
        return forecast_units(
            graph.jobs(),
            graph_model_task(
                client.spec, given.mode, ontology, batch=given.batch, samples=given.samples
            ),
            client.spec,
            client.price,
            ledger,
            batch=given.batch,
            samples=given.samples,
            group=graph.call_of,
        )
