"""The systems that answer: a model with a graph, with passages, or alone; what each is given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from factmark.ask.chat import Message, Reply, Request
from factmark.ask.gather import first_of
from factmark.cli import options as shared
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphrag.core.answer_reply import read_answer
from factmark.graphrag.core.contexts import Context
from factmark.graphrag.core.holding import held_by
from factmark.graphrag.core.outcomes import NONE, TEXT, Given
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.core.rubrics import PROMPTS, GivenKind, answer_messages, prompt_id
from factmark.graphrag.index.building import GraphSource, open_graph_index
from factmark.graphrag.index.index import TripleIndex
from factmark.graphrag.options import GraphragOptions
from factmark.graphrag.questions_file import read_graph_questions
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.wordings import WORDINGS
from factmark.graphs.ontologies.ontology_data import read_wordings
from factmark.graphs.triples.triples import read_triples
from factmark.ledger.ledger import Ledger
from factmark.ledger.tool_results import KeptResult, add_result, find_result
from factmark.model import Chunk, content_hash
from factmark.passages.embedders import Search
from factmark.passages.passage_file import Passages, read_passages
from factmark.passages.retrieval import Passage, Progress, Source, open_index_of, silent
from factmark.runs.conditions.prompts import system_prompt
from factmark.runs.session import Attempt, NoReply, Session, ending
from factmark.runs.sources import Retriever, ToolResult
from factmark.stats.sampling import simple_random

REMINDER = (
    "Your last reply held no readable answer. Reply in the form asked for above, and with nothing "
    "else."
)
_AT_ONCE = 16
_NAMEABLE = 6  # words: a longer reference is a sentence, and no entity has it for a name
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """Something that answers questions; a condition of `factmark.runs.running`.

    It is asked by the ids of questions, since two of them may have the same text.

    Attributes:
        name: the graph's, or a control's.
        kind: what is given: triples, passages, nothing.
        questions: id -> question.
        given: id of a question -> what it is answered from.
        source: what was searched and how; empty where nothing was.
    """

    name: str
    kind: GivenKind
    questions: Mapping[str, GraphQuestion]
    given: Mapping[str, Given]
    source: str = ""

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model, as JSON values."""
        told = system_prompt(PROMPTS[self.kind])
        forms = sorted({question.kind for question in self.questions.values()})
        return {
            "kind": self.kind,
            "source": self.source,
            "given": content_hash([self.given[name].texts for name in self.questions]),
            "prompts": [prompt_id(self.kind, form, told) for form in forms],
        }

    @property
    def most_replies(self) -> int:
        """Of the model, for one answer; a reply that cannot be read is asked for once more."""
        return 1

    def request(self, question: str, sample: int) -> Request:
        """What is asked about the question of this id."""
        told = answer_messages(
            self.questions[question],
            self.given[question].texts,
            self.kind,
            system_prompt(PROMPTS[self.kind]),
        )
        messages = tuple(Message(role=one.role, content=one.content) for one in told)
        return Request(messages=messages, sample=sample)

    async def answer(self, question: str, sample: int, session: Session) -> Attempt:
        """The model's answer to the question of this id; raises as `Session.ask`."""
        request = self.request(question, sample)
        reply = await session.ask(request)
        if self._unreadable(question, reply):
            try:
                reply = await session.ask(_again(request))
            except NoReply:  # the first one came, and is not lost
                return session.done(reply.text, ending(reply))
        return session.done(reply.text, ending(reply))

    def _unreadable(self, question: str, reply: Reply) -> bool:
        return not reply.refused and read_answer(self.questions[question], reply.text).unparsed


def _again(request: Request) -> Request:
    """The request with the reminder at its end."""
    last = request.messages[-1]
    told = replace(last, content=f"{last.content}\n\n{REMINDER}")
    return replace(request, messages=(*request.messages[:-1], told), attempt=1)


async def prepare(
    options: GraphragOptions,
    index: Path,
    search: Search,
    *,
    ontology: tuple[Ontology | None, str] = (None, ""),
    kept_in: Path | None = None,
    progress: Progress = silent,
) -> tuple[tuple[GraphQuestion, ...], tuple[System, ...], tuple[str, ...]]:
    """Reads the questions and looks each of them up in every graph, and in the passages.

    Args:
        index: the folder where indexes are kept.
        search: how graphs and passages are searched; not closed here.
        ontology: whose synonyms count as names, and what tells it from others.
        kept_in: a ledger for what is looked up by an embedder that costs something.
        progress: told what is done, how far it is, and of how much.

    Returns:
        The questions that are asked; the graphs in their order, then the controls; what was odd in
        the files, one sentence each.

    Raises:
        InputError: there are no questions or no triples, or `text` is wanted where there are no
            passages.
        EndpointError: a question cannot be embedded.
    """
    odd = Problems()
    questions = _drawn(options, odd)
    notes = list(odd.sentences())
    wordings = WORDINGS if options.wordings is None else read_wordings(options.wordings)
    systems = []
    with ExitStack() as stack:
        texts = _Texts(options, stack)
        for name, path in options.graph_files.items():
            graph = await open_graph_index(
                _source(options, path, ontology),
                graph_folder(index, name),
                embedder=search.embedder,
                limits=options.limits,
                wordings=wordings,
                progress=progress,
            )
            notes += [f"{name}: {note}" for note in graph.notes]
            step = _counted(progress, f"looking up in {name}", len(questions))
            systems.append(
                await from_graph(
                    name, graph, questions, wordings=wordings, kept_in=kept_in, step=step
                )
            )
        if NONE in options.controls:
            systems.append(from_nothing(questions))
        if TEXT in options.controls:
            text = await _text_system(options, index, questions, texts, search, kept_in, progress)
            if text is not None:
                systems.append(text)
            elif options.control is None:
                notes.append("There are no passages, so there is no control `text`.")
            else:
                raise InputError(
                    "--control text: there are no passages. Name them with --passages, or give "
                    "triples with a column `passage`."
                )
        notes += texts.sentences()
    return questions, tuple(systems), tuple(dict.fromkeys(notes))


def _source(
    options: GraphragOptions, path: Path, ontology: tuple[Ontology | None, str]
) -> GraphSource:
    return GraphSource(
        path=path,
        columns=shared.named_columns(options.column or ()),
        encoding=options.encoding,
        aliases=options.aliases,
        ontology=ontology[0],
        ontology_identity=ontology[1],
    )


async def _text_system(
    options: GraphragOptions,
    index: Path,
    questions: Sequence[GraphQuestion],
    texts: _Texts,
    search: Search,
    kept_in: Path | None,
    progress: Progress,
) -> System | None:
    """The control `text`; None where there are no passages."""
    source = passages_source(" and ".join(options.graph_files), texts.read)
    opened = await open_index_of(source, index / TEXT, search, progress=progress)
    async with opened as passages:
        if not len(passages):
            return None
        step = _counted(progress, "looking up passages", len(questions))
        k = options.top_k or 10
        return await from_passages(passages, questions, k, kept_in=kept_in, step=step)


def graph_folder(index: Path, name: str) -> Path:
    """Where the index of a graph of that name is, in the folder of indexes."""
    return index / f"graph-{name}"


def _drawn(options: GraphragOptions, odd: Problems) -> tuple[GraphQuestion, ...]:
    """The questions that are asked, in their order."""
    path, limit = options.questions_file, options.limit
    questions = read_graph_questions(
        path, odd, first_option=options.first_option, encoding=options.encoding
    )
    if limit is None or limit >= len(questions):
        return questions
    drawn = set(simple_random([one.id for one in questions], limit, seed=options.seed).keys)
    return tuple(one for one in questions if one.id in drawn)


def _counted(progress: Progress, what: str, total: int) -> Callable[[], None]:
    """A step that tells how many were made."""
    numbers = count(1)
    return lambda: progress(what, next(numbers), total)


class _Texts:
    """The passages of the file, then those of the triples; `stack` closes the file."""

    def __init__(self, options: GraphragOptions, stack: ExitStack) -> None:
        self._options = options
        self._odd = {"passages": Problems()}
        self._passages: Passages | None = None
        if (path := options.passages_file) is not None:
            opened = read_passages(path, self._odd["passages"], encoding=options.encoding)
            self._passages = stack.enter_context(opened)

    def read(self) -> Iterator[tuple[str, str]]:
        """Id and text of each."""
        options = self._options
        if self._passages is not None:
            yield from self._passages
        for name, path in options.graph_files.items():
            self._odd[name] = Problems()
            for triple in read_triples(
                path,
                self._odd[name],
                passages=self._passages,
                columns=shared.named_columns(options.column or ()),
                encoding=options.encoding,
            ):
                if triple.passage:
                    yield triple.passage_id, triple.passage

    def sentences(self) -> Iterator[str]:
        """What was odd in each file."""
        for name, odd in self._odd.items():
            yield from (f"{name}: {sentence}" for sentence in odd.sentences())


async def from_graph(
    name: str,
    index: TripleIndex,
    questions: Sequence[GraphQuestion],
    *,
    wordings: Mapping[str, str] = WORDINGS,
    kept_in: Path | None = None,
    step: Callable[[], None] = lambda: None,
) -> System:
    """The triples that a graph has for each question, looked up side by side.

    Where a question names triples that this graph does not have, as one of other relations does
    not, what is held is measured by the reference.

    Args:
        wordings: those that the index tells its triples in: contexts kept with others are not used.
        kept_in: a ledger where contexts are kept and read back, for a graph that is searched by an
            embedder that costs something.
        step: called after each question.

    Raises:
        EndpointError: a question cannot be embedded.
    """
    source = f"{index.identity}, wordings {content_hash(sorted(wordings.items()))}"

    async def given(question: GraphQuestion) -> Given:
        def look_up() -> Awaitable[Context]:
            return index.context(question.text, question.options)

        asked = (question.text, *question.options)
        context = await _kept(kept_in, ("context", source, asked), Context, look_up)
        named = bool(question.triples) and index.has(question.triples)
        held, carriers = held_by(
            question if named else replace(question, triples=()),
            [fact.text for fact in context.facts],
            [fact.triple for fact in context.facts],
            [one.name for one in context.linked if one.how != "option"],
        )
        in_graph = named or _in_graph(index, question, held)
        return Given(context=context, held=held, carriers=carriers, in_graph=in_graph)

    return System(
        name=name,
        kind="graph",
        questions=_by_id(questions),
        given=await _each(questions, given, step),
        source=index.identity,
    )


async def from_passages(
    retriever: Retriever,
    questions: Sequence[GraphQuestion],
    k: int,
    *,
    kept_in: Path | None = None,
    step: Callable[[], None] = lambda: None,
) -> System:
    """The control `text`: the k passages that fit each question best.

    Args:
        kept_in, step: as of `from_graph`.

    Raises:
        EndpointError: a question cannot be embedded.
    """

    async def given(question: GraphQuestion) -> Given:
        def look_up() -> Awaitable[tuple[Chunk, ...]]:
            return retriever.search(question.asked, k)

        what = (f"{k} passages", retriever.identity, (question.asked,))
        chunks = await _kept(kept_in, what, tuple[Chunk, ...], look_up)
        held, carriers = held_by(question, [chunk.text for chunk in chunks], None)
        passages = tuple((chunk.id, chunk.text) for chunk in chunks)
        return Given(passages=passages, held=held, carriers=carriers)

    return System(
        name=TEXT,
        kind="text",
        questions=_by_id(questions),
        given=await _each(questions, given, step),
        source=f"{retriever.identity}, {k} each",
    )


def from_nothing(questions: Sequence[GraphQuestion]) -> System:
    """The control `none`: the model alone."""
    given = {question.id: Given() for question in questions}
    return System(name=NONE, kind="none", questions=_by_id(questions), given=given)


def _by_id(questions: Iterable[GraphQuestion]) -> dict[str, GraphQuestion]:
    return {question.id: question for question in questions}


def passages_source(name: str, passages: Callable[[], Iterable[tuple[str, str]]]) -> Source:
    """Passages to be indexed, each text once.

    Args:
        name: whose they are: no path.
        passages: reads id and text of each; ids need not differ.
    """

    async def read(progress: Progress) -> AsyncIterator[Passage]:
        texts: set[bytes] = set()
        names: set[str] = set()
        for given, text in passages():
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if digest in texts or not text.strip():
                continue
            texts.add(digest)
            shown = given if given and given not in names else f"passage {len(texts)}"
            names.add(shown)
            yield Passage(chunk=Chunk(id=shown, title="", text=text))
            progress("reading passages", len(texts), 0)

    return Source(
        identity=f"passages of {name}", version="graphrag-1", settled=False, passages=read
    )


def _in_graph(index: TripleIndex, question: GraphQuestion, held: bool | None) -> bool | None:
    """Whether a graph without the question's triples has the answer, whatever was retrieved.

    What the file says counts first; then that the answer was found; then whether an entity of its
    name is near those that the question names. None where that cannot be told: of yes-no
    questions, of questions that have no answer, and where nothing is near and a reference is a
    sentence, for which no entity is named.
    """
    if question.answerable is False:
        return False
    if held:
        return True
    if question.kind == "yes-no" or not question.references:
        return None
    near = index.reaches(question.references, question.text)
    short = all(len(one.split()) <= _NAMEABLE for one in question.references)
    return near if near or short else None


async def _each(
    questions: Sequence[GraphQuestion],
    given: Callable[[GraphQuestion], Awaitable[Given]],
    step: Callable[[], None],
) -> dict[str, Given]:
    """What is given for each question, so many at a time; after an error none goes on."""
    found: dict[str, Given] = {}
    left = iter(questions)

    async def work() -> None:
        for question in left:
            found[question.id] = await given(question)
            step()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(_AT_ONCE, len(questions))):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        raise first_of(errors) from errors
    return {question.id: found[question.id] for question in questions}


async def _kept(
    ledger: Path | None,
    what: tuple[str, str, Sequence[str]],
    kind: Any,
    look_up: Callable[[], Awaitable[T]],
) -> T:
    """What was found before, else what is found now; it is kept before it is used.

    Args:
        what: is looked up, in what, and what is asked.
        kind: of what is found.
    """
    if ledger is None:
        return await look_up()
    name, identity, asked = what
    adapter: TypeAdapter[T] = TypeAdapter(kind)
    key = content_hash("graphrag", name, identity, list(asked))
    with Ledger(ledger) as opened:
        kept = find_result(opened, key)
    if kept is not None:
        return adapter.validate_python(json.loads(kept.result.text))
    found = await look_up()
    text = json.dumps(adapter.dump_python(found))
    result = ToolResult(text=text, size=len(text))
    tool = KeptResult(server=identity, name=name, arguments="\n".join(asked), result=result)
    with Ledger(ledger) as opened, opened.writing():
        add_result(opened, key, tool)
    return found
