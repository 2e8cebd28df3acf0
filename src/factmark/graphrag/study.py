"""A GraphRAG study from end to end: options in, answers and verdicts in the ledger, results out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from factmark import __version__
from factmark.ask.runner import JudgingProgress
from factmark.ask.spend import Spend
from factmark.cli.asking import tell_embedding
from factmark.cli.console import reading, say, stages
from factmark.files.overwriting import check_files
from factmark.files.problems import Problems
from factmark.files.temporary import temporary_folder
from factmark.graphrag.answers import GraphAnswers, answer_by_model, answer_by_rule
from factmark.graphrag.core.outcomes import Outcome
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.core.results import UNIT, UNITS, GraphRagResults, summarise
from factmark.graphrag.options import RULES, GraphragOptions, RetrievalBy
from factmark.graphrag.reading import prepare
from factmark.graphrag.results import result_paths
from factmark.graphrag.systems import System
from factmark.graphrag.verdicts import (
    HeldBy,
    Judged,
    Judging,
    judge_by_model,
    judge_by_rule,
    keep_ruled,
    look_at_contexts,
    read_reply,
    with_held,
)
from factmark.graphs.ontologies.bundled import open_ontology
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import people_values
from factmark.model import Judge, content_hash
from factmark.passages.embedders import open_search
from factmark.passages.embedders_http import HttpEmbedder
from factmark.runs.running import Subject

LEDGER = Path("factmark.db")  # where a model's answers go when no place is named


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be run.

    Attributes:
        systems: graphs and controls, each with what it answers from.
        subject: the model that answers; None for the rules.
        judging: the model that judges; None for the rules.
        ledger: where replies and verdicts are kept.
        made: how it was set up, for the signature.
        problems: what was odd in what was read, one sentence each.
    """

    questions: tuple[GraphQuestion, ...]
    systems: tuple[System, ...]
    ledger: Path
    subject: Subject | None = None
    judging: Judging | None = None
    made: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def answers(self) -> int:
        """How many are wanted."""
        repeats = self.subject.repeats if self.subject else 1
        return len(self.questions) * len(self.systems) * repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphragRun:
    """What a run came to; nothing that came in is missing.

    Attributes:
        outcomes: by system, question and sample.
        model: the name of what answered.
        judge: of free text.
        answering: what the model took; None where rules answered.
        judging: what the judge took; None where rules judged.
        retrieval: what judging the contexts took; None where rules did.
        unlooked: contexts that the judge was to look at and did not.
        problems: what is to be told, one sentence each.
        signature: how it was made.
    """

    outcomes: tuple[Outcome, ...]
    model: str
    judge: Judge
    answering: Spend | None = None
    judging: Spend | None = None
    retrieval: Spend | None = None
    unlooked: int = 0
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether each answer came and was judged, and each context that was to be looked at."""
        lost = any(one.status in ("failed", "left") for one in self.outcomes)
        return not lost and not self.unlooked


Step = Callable[[], None]
Tell = Callable[[JudgingProgress], None]


@contextmanager
def _unseen(_total: int) -> Iterator[Step]:
    yield lambda: None


@contextmanager
def _untold(_total: int) -> Iterator[Tell | None]:
    yield None


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who is told how far it is; both are given how much there is.

    Attributes:
        answers: gives what is called after each answer.
        verdicts: gives what is told where the judging stands.
    """

    answers: Callable[[int], AbstractContextManager[Step]] = _unseen
    verdicts: Callable[[int], AbstractContextManager[Tell | None]] = _untold


@asynccontextmanager
async def planned(options: GraphragOptions) -> AsyncIterator[Plan]:
    """What is to be run: the models at hand, the questions looked up in graphs and passages.

    Of a dry run nothing is looked up where that may cost, and nothing is kept.

    Raises:
        FactmarkError: options that do not go together, a key that is missing, files that cannot be
            read, a place that cannot be written.
    """
    options.check()
    if options.judge_is_placed:
        say("note: the judge is asked at --base-url too; --judge-base-url names another server")
    subject, judging = models_of(options)  # a missing key is told at once
    if options.repeats > 1 and options.asked.temperature == 0:
        say("note: at --temperature 0 repeats differ by their seed alone, if at all")
    with ExitStack() as stack:
        ontology = stack.enter_context(
            open_ontology(
                options.ontology, Problems(), index=options.ontology_index, progress=reading
            )
        )
        if not options.dry_run:
            _check_written(options)
        search = open_search(
            options.embedder, base_url=options.embedder_base_url, key_env=options.embedder_key_env
        )
        costly = isinstance(search.embedder, HttpEmbedder)
        ledger, index = _places(options, stack, costly=costly)
        if costly and options.dry_run:
            say(f"note: looked up by words here, not by {options.embedder}: that may cost")
            search, index, costly = open_search(), stack.enter_context(temporary_folder()), False
        try:
            with stages() as tell:
                questions, systems, problems = await prepare(
                    options,
                    index,
                    search,
                    ontology=ontology,
                    kept_in=ledger if costly else None,
                    progress=tell,
                )
        finally:
            await search.close()
            tell_embedding(search)
        if not options.dry_run:
            options.asked.free(ledger)
        yield Plan(
            questions=questions,
            systems=systems,
            ledger=ledger,
            subject=subject,
            judging=judging,
            made={
                "limit": options.limit,
                "sampling_seed": options.seed,
                "retrieval": asdict(options.limits),
                "ontology": ontology[1],
            },
            problems=problems,
        )


def models_of(options: GraphragOptions) -> tuple[Subject | None, Judging | None]:
    """The model that answers and the one that judges; None for rules."""
    subject, judging = None, None
    asked, judged = options.asking()
    if options.model != RULES:
        client = asked.client(asked.spec(options.model))
        subject = Subject(
            name=client.spec.name,
            client=client,
            repeats=options.repeats,
        )
    if options.judge != RULES:
        judging = Judging(
            client=judged.client(judged.spec(options.judge)),
            batch=options.batch,
            samples=options.samples,
            retrieval=options.retrieval_by == RetrievalBy.JUDGE,
        )
    return subject, judging


def _places(options: GraphragOptions, stack: ExitStack, *, costly: bool) -> tuple[Path, Path]:
    """Where the ledger and the indexes are kept; what costs nothing leaves nothing behind unasked.

    Args:
        costly: whether the embedder is behind a server.
    """

    def temporary() -> Path:
        return stack.enter_context(temporary_folder())

    out = options.out
    ledger = options.ledger or (out / "ledger.db" if out is not None else None)
    if ledger is None:
        ledger = temporary() / "l.db" if options.by_rules and not costly else LEDGER
    if options.index is not None:
        return ledger, options.index
    if out is not None:
        return ledger, out / "index"
    return ledger, ledger.with_name(f"{ledger.stem}-index") if costly else temporary()


def _check_written(options: GraphragOptions) -> None:
    """What is written takes the place of nothing that factmark did not write."""
    if options.out is not None:
        check_files(options.out, [path.name for path in result_paths(options.out).values()], ())
    if options.contexts is not None:
        check_files(options.contexts.parent, [options.contexts.name], ())


async def run_graphrag(plan: Plan, watch: Watch | None = None) -> GraphragRun:
    """Answers and judges; killed at any moment it goes on, run again it asks nothing.

    Model and judge are closed at the end.

    Raises:
        EndpointError: not one answer came.
        LedgerError: the ledger cannot be read or written.
    """
    watch = watch or Watch()
    judging, looked = plan.judging, None
    held: HeldBy = {}
    unlooked = 0
    async with AsyncExitStack() as stack:
        for who in (plan.subject, judging):
            if who is not None:
                await stack.enter_async_context(who.client)
        answers = await _answers(plan, watch)
        replies = [read_reply(outcome) for outcome in answers.outcomes]
        keep_ruled(replies, plan.ledger)
        if judging is None:
            judged = judge_by_rule(replies, plan.ledger)
        else:
            with watch.verdicts(sum(reply.open is not None for reply in replies)) as tell:
                judged = await judge_by_model(replies, judging, plan.ledger, tell)
        if judging is not None and judging.retrieval:
            looked, held, unlooked = await look_at_contexts(answers.outcomes, judging, plan.ledger)
    outcomes = tuple(with_held(judged.outcome(reply), held) for reply in replies)
    problems = [*plan.problems, *answers.problems, *judged.problems, *_stops(outcomes)]
    if looked is not None:
        problems += [*looked.problems, *_unlooked(looked, unlooked, len(held))]
    return GraphragRun(
        outcomes=outcomes,
        model=plan.subject.name if plan.subject else RULES,
        judge=judged.judge,
        answering=answers.spend,
        judging=judged.spend,
        retrieval=looked.spend if looked else None,
        unlooked=unlooked,
        problems=tuple(dict.fromkeys(problems)),
        signature=_signature(plan, judged.judge, looked),
    )


async def _answers(plan: Plan, watch: Watch) -> GraphAnswers:
    if plan.subject is None:
        return answer_by_rule(plan.questions, plan.systems)
    with watch.answers(plan.answers) as step:
        return await answer_by_model(
            plan.questions, plan.systems, plan.subject, plan.ledger, step=step
        )


def _stops(outcomes: Sequence[Outcome]) -> Iterable[str]:
    """What is missing, and why, one sentence for each reason."""
    counts: dict[tuple[bool, str], int] = {}
    for one in outcomes:
        if one.status == "left":
            key = (bool(one.unit), one.reason)
            counts[key] = counts.get(key, 0) + 1
    for (answered, reason), count in counts.items():
        what = "answers stay to be judged" if answered else "answers stay to be asked for"
        yield f"{count} of {len(outcomes)} {what}: {reason}. The same command goes on."


def _unlooked(looked: Judged, count: int, contexts: int) -> Iterable[str]:
    """How many contexts stay to be looked at; why calls failed is told elsewhere."""
    if count:
        why = f": {looked.why_none}" if looked.missing == "left" and looked.why_none else ""
        yield (
            f"{count} of {contexts} contexts stay to be looked at by the judge{why}. The same "
            "command goes on."
        )


def _signature(plan: Plan, judge: Judge, looked: Judged | None) -> dict[str, object]:
    subject = plan.subject
    asked = [[one.id, one.asked, list(one.references)] for one in plan.questions]
    made: dict[str, object] = {
        "factmark": __version__,
        "model": RULES if subject is None else subject.client.spec.parameters,
        "repeats": 1 if subject is None else subject.repeats,
        "judge": judge.name,
        "judge_id": judge.id,
        **{f"judge_{name}": value for name, value in judge.parameters.items()},
        "retrieval_by": "rules" if looked is None else looked.judge.id,
        "questions": content_hash(asked),
        "systems": {system.name: system.settings for system in plan.systems},
        **plan.made,
    }
    return dict(sorted(made.items()))


def results_of(
    plan: Plan, run: GraphragRun, *, level: float = 0.95, seed: int = 0
) -> GraphRagResults:
    """Scores, comparisons and corrections, with what people said of the answers in the ledger."""
    with Ledger(plan.ledger) as opened:
        people, annotators = people_values(opened, UNIT)
    results = summarise(
        run.outcomes,
        systems=[system.name for system in plan.systems],
        model=run.model,
        judge=RULES if plan.judging is None else run.judge.name,
        options=replace(UNITS, level=level, seed=seed),
        rubric=str(run.judge.parameters.get("rubric_name") or run.judge.name),
        people=people,
        annotators=annotators,
    )
    return results.of_run(
        answering=run.answering,
        judging=run.judging + run.retrieval if run.judging and run.retrieval else run.judging,
        settings=plan.made,
        problems=run.problems,
        signature=run.signature,
    )
