"""The systems that answer, by a model or by rule: with a graph, with passages, or alone."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from pydantic import TypeAdapter

from factmark.ask.budget import Spend
from factmark.ask.chat import Request, Retriever, ToolResult
from factmark.graph_answers.core.answer_from_text import extract_from_text
from factmark.graph_answers.core.answer_from_triples import extract
from factmark.graph_answers.core.answer_reply import read_answer
from factmark.graph_answers.core.holding import Held, held_along, held_by, reference_names
from factmark.graph_answers.core.records import (
    NONE,
    TEXT,
    Given,
    GraphAnswer,
    GraphContext,
    GraphQuestion,
)
from factmark.graph_answers.core.rubrics import PROMPTS, GivenKind, answer_prompt, prompt_id
from factmark.graph_answers.index.answers import answer_paths
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graphs.core.claims import WORDINGS
from factmark.http.async_tools import for_each
from factmark.ledger.calls import KeptResult, add_result, find_result, spend_of_keys
from factmark.ledger.ledger import Ledger, json_cell
from factmark.model import Chunk, content_hash
from factmark.replies.plain import DONT_KNOW
from factmark.runs.conditions import system_prompt
from factmark.runs.conversation import Conversation, GivenAnswer, NoReply, ending
from factmark.runs.running import Subject, run_models

REMINDER = (
    "Your last reply held no readable answer. Reply in the form asked for above, and with nothing "
    "else."
)
_AT_ONCE = 16
_NAMEABLE = 6  # words: a longer reference is a sentence, and no entity has it for a name
T = TypeVar("T")
Step = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRagSystem:
    """A graph or a control, with what it is given for each question; a condition of
    `factmark.runs.running`.

    It is asked by the ids of questions, since two of them may have the same text.

    Attributes:
        name: the graph's, or a control's.
        kind: what is given: triples, passages, nothing.
        questions: id -> question.
        given: id of a question -> what it is answered from.
        source: what was searched and how; empty where nothing was.
        most_replies: of the model, for one answer; one that cannot be read is asked for once more.
    """

    name: str
    kind: GivenKind
    questions: Mapping[str, GraphQuestion]
    given: Mapping[str, Given]
    source: str = ""
    most_replies: int = 1

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

    def request(self, question: str, sample: int) -> Request:
        """Returns what the model is asked about the question of this id."""
        system = system_prompt(PROMPTS[self.kind])
        texts = self.given[question].texts
        system, prompt = answer_prompt(self.questions[question], texts, self.kind, system)
        return replace(Request.of(prompt, system=system), sample=sample)

    async def answer(self, question: str, sample: int, conversation: Conversation) -> GivenAnswer:
        """Returns the model's answer to the question of this id; raises as `Conversation.ask`."""
        request = self.request(question, sample)
        reply = await conversation.ask(request)
        if not reply.refused and read_answer(self.questions[question], reply.text).unparsed:
            with suppress(NoReply):  # the first one came, and is not lost
                reply = await conversation.ask(request.asked_again(REMINDER))
        return conversation.done(reply.text, ending(reply))


async def from_graph(
    name: str,
    index: TripleIndex,
    questions: Sequence[GraphQuestion],
    *,
    wordings: Mapping[str, str] = WORDINGS,
    kept_in: Path | None = None,
    step: Step = lambda: None,
) -> GraphRagSystem:
    """Returns a graph as a system: its triples for each question, looked up side by side.

    What is held is measured along the path to the answer where the file names it, by `triples`,
    `path`, `entity` or a list of answers, and this graph has it; else by the reference's words.

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
        look_up = partial(index.context, question.text, question.options)
        asked = (question.text, *question.options)
        context = await _look_up_once(kept_in, ("context", source, asked), GraphContext, look_up)
        triples = [fact.triple for fact in context.facts]
        in_triples = bool(question.triples) and index.has(question.triples)
        paths = None
        held: bool | None
        if not in_triples:
            paths = await to_thread(answer_paths, index, question)
        if paths is not None:
            held, carriers = held_along(paths, triples)
        else:
            if in_triples:
                as_asked = question
            else:
                as_asked = replace(question, triples=())
            held, carriers = _held_by_words(as_asked, context)
        in_facts = held and any(place < len(triples) for place in carriers)
        named = in_triples or is_named(index, question, in_facts)
        return Given(
            context=context,
            passages=context.passages,
            held=held,
            held_by="words" if paths is None and not in_triples else "path",
            carriers=carriers,
            named=named,
            reachable=await to_thread(_is_reachable, index, question, named, held),
        )

    return GraphRagSystem(
        name=name,
        kind="graph",
        questions={question.id: question for question in questions},
        given=await _look_up_all(questions, given, step),
        source=index.identity,
    )


async def from_passages(
    retriever: Retriever,
    questions: Sequence[GraphQuestion],
    k: int,
    *,
    kept_in: Path | None = None,
    step: Step = lambda: None,
) -> GraphRagSystem:
    """Returns the control `text`: the k passages that fit each question best; options as of
    `from_graph`."""

    async def given(question: GraphQuestion) -> Given:
        look_up = partial(retriever.search, question.asked, k)
        what = (f"{k} passages", retriever.identity, (question.asked,))
        chunks = await _look_up_once(kept_in, what, tuple[Chunk, ...], look_up)
        held, carriers = held_by(question, [chunk.text for chunk in chunks], None)
        passages = tuple((chunk.id, chunk.text) for chunk in chunks)
        return Given(passages=passages, held=held, held_by="words", carriers=carriers)

    return GraphRagSystem(
        name=TEXT,
        kind="text",
        questions={question.id: question for question in questions},
        given=await _look_up_all(questions, given, step),
        source=f"{retriever.identity}, {k} each",
    )


def from_nothing(questions: Sequence[GraphQuestion]) -> GraphRagSystem:
    """Returns the control `none`: the model alone."""
    by_id = {question.id: question for question in questions}
    return GraphRagSystem(
        name=NONE, kind="none", questions=by_id, given=dict.fromkeys(by_id, Given())
    )


def _held_by_words(question: GraphQuestion, context: GraphContext) -> Held:
    """Returns whether the triples of a context, or else its passages, hold the reference answer,
    and the places of those that do, passages after triples."""
    triples = [fact.triple for fact in context.facts]
    held, carriers = held_by(question, [fact.text for fact in context.facts], triples)
    if held or not context.passages or question.triples:
        return held, carriers
    held, carriers = held_by(question, [text for _, text in context.passages], None)
    return held, tuple(len(triples) + place for place in carriers)


def is_named(index: TripleIndex, question: GraphQuestion, held: bool | None) -> bool | None:
    """Whether the answer of a question is a node or literal of a graph that does not have the
    question's own triples, by a name or an alias, retrieved or not.

    What the file says counts first; then that the answer was found; then whether a node bears its
    name. None where that cannot be told: of yes-no questions, of questions that have no answer, and
    where no node is called so and a reference is a sentence, for which none is named.
    """
    if question.answerable is False:
        return False
    if held:
        return True
    if question.kind == "yes-no" or not question.references:
        return None
    if index.bearers(reference_names(question)):
        return True
    short = all(len(reference.split()) <= _NAMEABLE for reference in question.references)
    if short:
        return False
    return None


def _is_reachable(
    index: TripleIndex, question: GraphQuestion, named: bool | None, held: bool | None
) -> bool | None:
    """Whether a node of an answer's name lies near an entity that the question names, as far as is
    looked up; None where that cannot be told."""
    if held or not named:
        return named
    return index.reaches(reference_names(question), question.text)


async def _look_up_all(
    questions: Sequence[GraphQuestion],
    given: Callable[[GraphQuestion], Awaitable[Given]],
    step: Step,
) -> dict[str, Given]:
    """Returns what is given for each question, `_AT_ONCE` at a time; after an error none is
    begun."""

    async def look_up(question: GraphQuestion) -> Given:
        row = await given(question)
        step()
        return row

    rows = await for_each(questions, look_up, _AT_ONCE)
    return {question.id: row for question, row in zip(questions, rows, strict=True)}


async def _look_up_once(
    ledger: Path | None,
    what: tuple[str, str, Sequence[str]],
    kind: Any,
    look_up: Callable[[], Awaitable[T]],
) -> T:
    """Returns what was looked up before if the ledger has it; else looks it up, and keeps it before
    it is used.

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
    value = await look_up()
    text = json.dumps(adapter.dump_python(value))
    result = ToolResult(text=text, size=len(text))
    tool = KeptResult(server=identity, name=name, arguments="\n".join(asked), result=result)
    with Ledger(ledger) as opened, opened.writing():
        add_result(opened, key, tool)
    return value


class AskedById(NamedTuple):
    """A question as `run_models` takes it: what is asked is the id, see `GraphRagSystem`."""

    query_id: str
    text: str


def asked_by_id(questions: Sequence[GraphQuestion]) -> list[AskedById]:
    """Returns the questions as `run_models` takes them."""
    return [AskedById(question.id, question.id) for question in questions]


def empty_answers(
    questions: Sequence[GraphQuestion], systems: Sequence[GraphRagSystem], samples: int = 1
) -> Iterator[tuple[GraphRagSystem, GraphAnswer]]:
    """Yields all answers that are wanted, without replies, in the order of `run_models`."""
    for system in systems:
        for question in questions:
            given = system.given[question.id]
            empty = GraphAnswer(question=question, system=system.name, given=given)
            for sample in range(samples):
                yield system, replace(empty, sample=sample)


async def answer_by_model(
    questions: Sequence[GraphQuestion],
    systems: Sequence[GraphRagSystem],
    subject: Subject,
    ledger: Path,
    *,
    step: Callable[[], None] = lambda: None,
) -> tuple[list[GraphAnswer], Spend, list[str]]:
    """Asks a model for all answers that the ledger does not have.

    Args:
        step: called after each answer.

    Returns:
        The answers, not read and not judged yet; what they took; what is to be noted of them.

    Raises:
        EndpointError: not one answer came.
        LedgerError: the ledger cannot be read or written.
    """
    begun = monotonic()
    ran = await run_models(asked_by_id(questions), [subject], systems, ledger, progress=step)
    answers = []
    empties = (empty for _, empty in empty_answers(questions, systems, subject.repeats))
    for empty, reply in zip(empties, ran.answers, strict=True):
        refused = reply.trace is not None and reply.trace.ended == "refused"
        answer = replace(empty, reply=reply.text, refused=refused)
        lost = ran.lost.get(reply.id)
        if lost is not None:
            answer = replace(answer, status=lost.status, reason=lost.reason)
        answers.append(answer)
    (spend,) = ran.spent
    keys = {key for reply in ran.answers if reply.trace for key in reply.trace.calls}
    with Ledger(ledger) as opened:
        kept = spend_of_keys(opened, keys)
    failures = spend.failure_notes("call for an answer", "calls for answers")
    spend = replace(spend, seconds=monotonic() - begun, kept=kept)
    return answers, spend, [*ran.problems, *failures]


def answer_by_rule(
    questions: Sequence[GraphQuestion], systems: Sequence[GraphRagSystem]
) -> list[GraphAnswer]:
    """Returns answers by rule: what is extracted from the best of what is given, or "I don't
    know"."""
    return [
        replace(empty, reply=_extract_answer(empty.question, empty.given))
        for _, empty in empty_answers(questions, systems)
    ]


def _extract_answer(question: GraphQuestion, given: Given) -> str:
    """Returns what rules extract from triples or passages as an answer."""
    if given.context is not None:
        answer = extract(question, given.context.facts)
        if answer != DONT_KNOW or not given.passages:
            return answer
    texts = [text for _, text in given.passages]
    if texts:
        return extract_from_text(question, texts)
    return DONT_KNOW
