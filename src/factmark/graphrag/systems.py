"""The systems that answer: a model with a graph, with passages, or alone; what each is given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import (
    Awaitable,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from factmark.ask.async_tools import first_error
from factmark.ask.chat import Message, Reply, Request, Retriever, ToolResult
from factmark.graphrag.core.answer_reply import read_answer
from factmark.graphrag.core.holding import held_by
from factmark.graphrag.core.outcomes import NONE, TEXT, Context, Given
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.core.rubrics import PROMPTS, GivenKind, answer_messages, prompt_id
from factmark.graphrag.index.index import TripleIndex
from factmark.graphs.core.claims import WORDINGS
from factmark.ledger.calls import KeptResult, add_result, find_result
from factmark.ledger.ledger import Ledger, json_cell
from factmark.model import Chunk, content_hash
from factmark.runs.conditions import system_prompt
from factmark.runs.conversation import Attempt, Conversation, NoReply, ending

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
        prompt = system_prompt(PROMPTS[self.kind])
        forms = sorted({question.kind for question in self.questions.values()})
        return {
            "kind": self.kind,
            "source": self.source,
            "given": content_hash([self.given[name].texts for name in self.questions]),
            "prompts": [prompt_id(self.kind, form, prompt) for form in forms],
        }

    @property
    def most_replies(self) -> int:
        """Of the model, for one answer; a reply that cannot be read is asked for once more."""
        return 1

    def request(self, question: str, sample: int) -> Request:
        """What is asked about the question of this id."""
        messages = answer_messages(
            self.questions[question],
            self.given[question].texts,
            self.kind,
            system_prompt(PROMPTS[self.kind]),
        )
        return Request(
            messages=tuple(Message(role=one.role, content=one.content) for one in messages),
            sample=sample,
        )

    async def answer(self, question: str, sample: int, conversation: Conversation) -> Attempt:
        """The model's answer to the question of this id; raises as `Conversation.ask`."""
        request = self.request(question, sample)
        reply = await conversation.ask(request)
        if self._unreadable(question, reply):
            try:
                reply = await conversation.ask(_again(request))
            except NoReply:  # the first one came, and is not lost
                return conversation.done(reply.text, ending(reply))
        return conversation.done(reply.text, ending(reply))

    def _unreadable(self, question: str, reply: Reply) -> bool:
        return not reply.refused and read_answer(self.questions[question], reply.text).unparsed


def _again(request: Request) -> Request:
    """The request with the reminder at its end."""
    last = request.messages[-1]
    reminder = replace(last, content=f"{last.content}\n\n{REMINDER}")
    return replace(request, messages=(*request.messages[:-1], reminder), attempt=1)


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
        raise first_error(errors) from errors
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
        return adapter.validate_python(json_cell(kept.result.text))
    found = await look_up()
    text = json.dumps(adapter.dump_python(found))
    result = ToolResult(text=text, size=len(text))
    tool = KeptResult(server=identity, name=name, arguments="\n".join(asked), result=result)
    with Ledger(ledger) as opened, opened.writing():
        add_result(opened, key, tool)
    return found
