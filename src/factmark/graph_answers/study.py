"""A GraphRAG study from end to end: options in, answers and verdicts in the ledger, results out."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    nullcontext,
)
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from factmark.ask.runner import JudgingLine, no_judging_line
from factmark.cli.asking import tell_embedding
from factmark.cli.console import judging_line, reading_line, say, stage_line
from factmark.cli.console import progress as progress_bar
from factmark.cli.judge_recipes import client_of
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.errors import InputError
from factmark.files.frames import Rows, as_file
from factmark.files.overwriting import check_files, check_outputs
from factmark.files.problems import Problems
from factmark.files.temporary import temporary_folder
from factmark.graph_answers.contexts import CONTEXT_ENDS
from factmark.graph_answers.core.records import GraphAnswer, GraphContext, GraphQuestion
from factmark.graph_answers.index.building import open_graph_index
from factmark.graph_answers.judges import answers_recipe
from factmark.graph_answers.options import (
    LEDGER,
    RULES,
    AskedOptions,
    GraphragOptions,
    named_graph_file,
    parse_graphs,
)
from factmark.graph_answers.reading import prepare
from factmark.graph_answers.report import graphrag_report
from factmark.graph_answers.results import UNIT, UNITS, GraphRagResults, GraphragRun, summarise
from factmark.graph_answers.systems import GraphRagSystem, answer_by_model, answer_by_rule
from factmark.graph_answers.verdicts import (
    ContextVerdicts,
    JudgedReplies,
    Judging,
    judge_contexts,
    judge_replies,
    keep_rule_verdicts,
    read_reply,
    with_judged_context,
)
from factmark.graphs.core.opaque_names import UNREADABLE
from factmark.graphs.ontologies.opening import open_ontology
from factmark.graphs.triples.graphrag import graph_files
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import people_values
from factmark.model import content_hash
from factmark.passages.embedders import Search, open_search
from factmark.passages.embedders_http import HttpEmbedder
from factmark.report.files import RESULT_FILES
from factmark.report.result import Result
from factmark.runs.running import Subject
from factmark.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """What shows how far a study is; by default nothing does.

    Attributes:
        say: called with what the user should know at once.
        reading: called with the name of a large file, the bytes read and the bytes in all.
        stage: opens what is called with what is being done, and how much of it is.
        answers: given the number of answers, opens what is called after each.
        verdicts: given the number of units, opens what is called with the progress.
        embedding: called with the search when it is closed: its embedder may have cost something.
    """

    say: Callable[[str], None]
    reading: Callable[[str, int, int], None]
    stage: Callable[[], AbstractContextManager[Callable[[str, int, int], None]]]
    answers: Callable[[int], AbstractContextManager[Callable[..., None]]]
    verdicts: JudgingLine
    embedding: Callable[[Search], None]


def _nothing(*_: object) -> None:
    """Shows nothing."""


def _no_bar(*_: object) -> AbstractContextManager[Callable[..., None]]:
    """Opens a bar that shows nothing."""
    return nullcontext(_nothing)


SILENT = Display(
    say=_nothing,
    reading=_nothing,
    stage=_no_bar,
    answers=_no_bar,
    verdicts=no_judging_line,
    embedding=_nothing,
)
ON_STDERR = Display(
    say=say,
    reading=reading_line,
    stage=stage_line,
    answers=partial(progress_bar, "answers"),
    verdicts=judging_line,
    embedding=tell_embedding,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A study that is ready to be run.

    Attributes:
        systems: graphs and controls, each with what it answers from.
        subject: the model that answers; None for the rules.
        judging: who judges the answers.
        ledger: where replies and verdicts are kept.
        settings: how it was set up, for the signature.
        problems: what was odd in what was read, one sentence each.
    """

    questions: Sequence[GraphQuestion]
    systems: Sequence[GraphRagSystem]
    ledger: Path
    subject: Subject | None = None
    judging: Judging = field(default_factory=Judging)
    settings: Mapping[str, object] = field(default_factory=dict)
    problems: Sequence[str] = ()


@python_function(GraphragOptions, without={"graph", "contexts"})
def graphrag(
    triples: Rows | Mapping[str, str | Path] | None = None,
    questions: Rows | None = None,
    passages: Rows | Mapping[str, str] | None = None,
    *,
    model: str = RULES,
    judge: str | Callable[..., Any] = RULES,
    progress: bool = False,
    **options: Any,
) -> Result:
    """GraphRAG: are questions answered better with the graph? `factmark graph graphrag`.

    Args:
        triples: a file, rows or a frame, or a mapping of names to files, for several graphs to
            compare; the bundled example if None.
        questions: a file, rows or a frame of questions with their answers.
        passages: what the control `text` answers from: a file, rows or a frame with id and text,
            or a mapping of ids to texts.
        model: who answers: `rules`, or a model: "openai:MODEL".
        judge: who judges free text: as of `factscore`.
        progress: whether lines on stderr show how far answering and judging are.
        options: those of the command.

    Returns:
        An average for each graph and control, "accuracy of NAME"; a row per answer.

    Raises:
        FactmarkError: what cannot be read, asked or written, and options that there are none of.
    """
    graphs: dict[str, Any] = {}
    if isinstance(triples, Mapping):
        graphs = {"graph": {name: str(path) for name, path in triples.items()}}
        triples = None
    with (
        as_file(triples) as graph,
        as_file(questions, "questions") as asked,
        as_file(passages, "passages") as texts,
    ):
        files = {"triples": graph, "questions": asked, "passages": texts}
        who = {"model": model, "judge": judge}
        given = options_of(GraphragOptions, {**files, **graphs, **who, **options})
        return graphrag_report(asyncio.run(_run_plan(given, ON_STDERR if progress else SILENT)))


async def _run_plan(given: GraphragOptions, display: Display) -> GraphRagResults:
    """Runs a study as the command would; returns what it came to."""
    async with open_plan(given, display) as plan:
        run = await run_graphrag(plan, display)
        return results_of(plan, run, level=given.level, seed=given.seed)


@asynccontextmanager
async def open_plan(given: GraphragOptions, display: Display = SILENT) -> AsyncIterator[Plan]:
    """Opens a study for a `with` block: the models are at hand, the questions looked up in graphs
    and passages.

    Of a dry run nothing is looked up where that may cost, and nothing is kept.

    Raises:
        FactmarkError: options that do not go together, a key that is missing, files that cannot be
            read, a place that cannot be written.
    """
    given.check()
    _check_inputs_kept(given)
    if given.judge_shares_server:
        display.say(
            "note: the judge is asked at --base-url too; --judge-base-url names another server"
        )
    subject, judging = models_of(given)  # a missing key or function raises here
    if given.repeats > 1 and given.asking.temperature == 0:
        display.say("note: at --temperature 0 repeats differ by their seed alone, if at all")
    looking = given.lookup
    with ExitStack() as stack:
        ontology = stack.enter_context(
            open_ontology(
                looking.ontology, Problems(), index=looking.ontology_index, progress=display.reading
            )
        )
        if not given.dry_run:
            _check_others_kept(given)
        search = looking.search
        costly = isinstance(search.embedder, HttpEmbedder)
        ledger, index = _ledger_and_index(given, stack, costly=costly)
        if costly and given.dry_run:
            display.say(f"note: looked up by words here, not by {looking.embedder}: that may cost")
            search = open_search()
            index = stack.enter_context(temporary_folder())
            costly = False
        try:
            with display.stage() as tell:
                questions, systems, problems = await prepare(
                    given,
                    index,
                    search,
                    ontology=ontology,
                    kept_in=ledger if costly else None,
                    progress=tell,
                )
        finally:
            await search.close()
            display.embedding(search)
        for problem in problems:
            if UNREADABLE in problem:  # before a model is paid for answers about them
                display.say(f"note: {problem}")
        yield Plan(
            questions=questions,
            systems=systems,
            ledger=ledger,
            subject=subject,
            judging=judging,
            settings={
                "limit": given.limit,
                "sampling_seed": given.seed,
                "retrieval": asdict(looking.limits(given.preset)),
                "ontology": ontology[1],
            },
            problems=problems,
        )


def models_of(given: GraphragOptions) -> tuple[Subject | None, Judging]:
    """Returns the model that answers, None for others, and who judges."""
    subject = None
    client = None
    asked, judged = given.asking_of_both()
    if given.model != RULES:
        answering = asked.client(asked.spec(given.model))
        subject = Subject(name=answering.spec.name, client=answering, repeats=given.repeats)
    recipe = answers_recipe(given)
    if recipe.by == "model":
        client = client_of(recipe, judged.budget)
    retrieval = given.retrieval_by == "judge"
    return subject, Judging(recipe=recipe, client=client, retrieval=retrieval)


def _ledger_and_index(
    given: GraphragOptions, stack: ExitStack, *, costly: bool
) -> tuple[Path, Path]:
    """Returns where the ledger and the indexes are kept: in a temporary folder if they cost nothing
    and no place is named.

    Args:
        costly: whether the embedder is behind a server.
    """

    def temporary() -> Path:
        return stack.enter_context(temporary_folder())

    out = given.out
    index = given.lookup.index
    ledger = given.kept_in or (LEDGER if costly else temporary() / "l.db")
    if index is not None:
        return ledger, index
    if out is not None:
        return ledger, out / "index"
    return ledger, ledger.with_name(f"{ledger.stem}-index") if costly else temporary()


def _check_inputs_kept(given: GraphragOptions) -> None:
    """Raises if an output would overwrite an input."""
    contexts = given.contexts_file
    looking = given.lookup
    if contexts is not None and contexts.suffix.casefold() not in CONTEXT_ENDS:
        raise InputError(f"--contexts {contexts}: ends in none of {', '.join(CONTEXT_ENDS)}.")
    graphs = [(f"--graph {name}", path) for name, path in parse_graphs(given.graph or ()).items()]
    if given.triples is not None:
        graphs = [("the triples", given.triples)]
    others = {
        "--questions": given.questions,
        "--passages": given.passages,
        "--aliases": looking.aliases,
        "--ontology": looking.ontology,
        "--wordings": given.wordings,
        "--prices": given.asking.prices,
    }
    inputs: list[tuple[str, Path]] = []
    for option, path in graphs:
        inputs.extend(graph_files(option, path))
    inputs += [(option, path) for option, path in others.items() if path is not None]
    inputs += [(f"--contexts {name}", path) for name, path in given.imported_contexts.items()]
    outputs = []
    if given.ledger is not None:
        outputs = [("--ledger", given.ledger)]
    if given.out is not None:
        outputs += [("a result of --out", given.out / name) for name in RESULT_FILES]
        if given.ledger is None:
            outputs.append(("the ledger", given.out / "ledger.db"))
    if contexts:
        outputs.append(("--contexts", contexts))
    check_outputs(outputs, inputs)


def _check_others_kept(given: GraphragOptions) -> None:
    """Raises if an output would overwrite a file that factmark did not write."""
    if given.out is not None:
        check_files(given.out, RESULT_FILES, ())
    contexts = given.contexts_file
    if contexts is not None:
        check_files(contexts.parent, [contexts.name], ())


async def run_graphrag(plan: Plan, display: Display = SILENT) -> GraphragRun:
    """Answers and judges, and returns the run; killed at any moment it goes on, run again it asks
    nothing.

    Model and judge are closed at the end.

    Raises:
        EndpointError: not one answer came.
        LedgerError: the ledger cannot be read or written.
    """
    questions = plan.questions
    systems = plan.systems
    subject = plan.subject
    judging = plan.judging
    problems = list(plan.problems)
    answering = looked = None
    held: ContextVerdicts = {}
    unlooked = 0
    async with AsyncExitStack() as stack:
        for client in (subject.client if subject else None, judging.client):
            if client is not None:
                await stack.enter_async_context(client)
        if subject is None:
            answers = answer_by_rule(questions, systems)
        else:
            with display.answers(len(questions) * len(systems) * subject.repeats) as step:
                answers, answering, odd = await answer_by_model(
                    questions, systems, subject, plan.ledger, step=step
                )
            problems += odd
        replies = list(map(read_reply, answers))
        keep_rule_verdicts(replies, plan.ledger)
        with display.verdicts(sum(reply.open is not None for reply in replies)) as tell:
            judged = await judge_replies(replies, judging, plan.ledger, tell)
        if judging.client is not None and judging.retrieval:
            looked, held, unlooked = await judge_contexts(
                answers, judging.recipe, judging.client, plan.ledger
            )
    answers = [with_judged_context(judged.answer(reply), held) for reply in replies]
    problems += [*judged.problems, *_missing_notes(answers)]
    if looked is not None:
        problems += looked.problems
    if looked is not None and unlooked:
        why = ""
        if looked.missing == "left" and looked.why_none:
            why = f": {looked.why_none}"
        problems.append(
            f"{unlooked} of {len(held)} contexts stay to be looked at by the judge{why}. The same "
            "command goes on."
        )
    judge = RULES if judging.recipe.by == RULES else judged.judge.name
    return GraphragRun(
        answers=answers,
        systems=[system.name for system in systems],
        model=subject.name if subject else RULES,
        judge=judge,
        answering=answering,
        judging=judged.spend,
        retrieval=looked.spend if looked else None,
        unlooked=unlooked,
        problems=list(dict.fromkeys(problems)),
        settings=plan.settings,
        rubric=str(judged.judge.parameters.get("rubric_name") or judged.judge.name),
        signature=_signature(plan, judged, looked),
    )


def _missing_notes(answers: Sequence[GraphAnswer]) -> Iterator[str]:
    """Yields how many answers are missing and why, a sentence for each reason."""
    left = Counter((bool(a.unit), a.reason) for a in answers if a.status == "left")
    for (answered, reason), count in left.items():
        what = "answers stay to be asked for"
        if answered:
            what = "answers stay to be judged"
        yield f"{count} of {len(answers)} {what}: {reason}. The same command goes on."


def _signature(
    plan: Plan, judged: JudgedReplies, looked: JudgedReplies | None
) -> dict[str, object]:
    """Returns how the numbers were made: versions, model, judge, questions, systems."""
    subject = plan.subject
    judge = judged.judge
    questions = []
    for each in plan.questions:
        questions.append([each.id, each.asked, list(each.references)])
    return {
        "factmark": __version__,
        "model": RULES if subject is None else subject.client.spec.signature,
        "repeats": 1 if subject is None else subject.repeats,
        "judge": judge.name,
        "judge_id": judge.id,
        **{f"judge_{name}": value for name, value in judge.parameters.items()},
        "retrieval_by": "rules" if looked is None else looked.judge.id,
        "questions": content_hash(questions),
        "systems": {system.name: system.settings for system in plan.systems},
        **plan.settings,
    }


def results_of(
    plan: Plan, run: GraphragRun, *, level: float = 0.95, seed: int = 0
) -> GraphRagResults:
    """Returns scores, comparisons and corrections, by labels that people gave answers in the
    ledger."""
    with Ledger(plan.ledger) as opened:
        people, annotators = people_values(opened, UNIT)
    return summarise(run, replace(UNITS, level=level, seed=seed), people, annotators)


async def look_up(given: AskedOptions) -> GraphContext:
    """Returns what a graph says of one question, best first; notes on its files go to stderr.

    Raises:
        InputError: the triples cannot be read.
        EndpointError: the question cannot be embedded.
    """
    looking = given.lookup
    search = looking.search
    try:
        with ExitStack() as stack:
            ontology = stack.enter_context(
                open_ontology(
                    looking.ontology,
                    Problems(),
                    index=looking.ontology_index,
                    progress=reading_line,
                )
            )
            folder = looking.index or stack.enter_context(temporary_folder())
            tell = stack.enter_context(stage_line())
            name, file = named_graph_file(given.triples)
            graph = await open_graph_index(
                looking.source(file, ontology),
                folder / f"graph-{name}",
                embedder=search.embedder,
                limits=looking.limits(),
                progress=tell,
            )
            for note in graph.notes:
                say(f"note: {note}")
            return await graph.context(given.question, tuple(given.option or ()))
    finally:
        await search.close()
