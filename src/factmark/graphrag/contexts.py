"""What each question is answered from: the triples that a graph has for it, or passages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path

from factmark.ask.async_tools import first_error
from factmark.ask.chat import ToolResult
from factmark.ask.sources import Retriever
from factmark.graphrag.core.answer_rubric import GivenKind
from factmark.graphrag.core.contexts import Context, Fact, Linked
from factmark.graphrag.core.holding import held_by
from factmark.graphrag.core.outcomes import NONE, TEXT, Given
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.index.index import TripleIndex
from factmark.graphs.core.claims import WORDINGS, Triple
from factmark.ledger.calls import KeptResult, add_result, find_result
from factmark.ledger.damage import json_cell
from factmark.ledger.ledger import Ledger
from factmark.model import Chunk, content_hash
from factmark.passages.retrieval import IndexedChunk, PassageSource, Progress

_AT_ONCE = 16
_NAMEABLE = 6  # words: a longer reference is a sentence, and no entity has it for a name


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """Something that answers questions: a model with a graph, with passages, or alone.

    Attributes:
        name: the graph's, or a control's.
        given: id of a question -> what it is answered from.
        source: what was searched and how; empty where nothing was.
    """

    name: str
    kind: GivenKind
    given: Mapping[str, Given]
    source: str = ""


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

    told_as = f"wordings {content_hash(sorted(wordings.items()))}"

    async def one(question: GraphQuestion) -> Given:
        context = await _context(index, question, told_as, kept_in)
        texts = [fact.text for fact in context.facts]
        triples = [fact.triple for fact in context.facts]
        named = bool(question.triples) and index.has(question.triples)
        measured = question if named else replace(question, triples=())
        linked = [one.name for one in context.linked if one.how != "option"]
        held, carriers = held_by(measured, texts, triples, linked)
        return Given(
            context=context,
            held=held,
            carriers=carriers,
            in_graph=named or _in_graph(index, question, held),
        )

    found = await _each(questions, one, step)
    return System(name=name, kind="graph", given=found, source=index.identity)


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

    async def one(question: GraphQuestion) -> Given:
        chunks = await _chunks(retriever, question, k, kept_in)
        passages = tuple((chunk.id, chunk.text) for chunk in chunks)
        held, carriers = held_by(question, [text for _, text in passages], None)
        return Given(passages=passages, held=held, carriers=carriers)

    found = await _each(questions, one, step)
    return System(name=TEXT, kind="text", given=found, source=f"{retriever.identity}, {k} each")


def from_nothing(questions: Iterable[GraphQuestion]) -> System:
    """The control `none`: the model alone."""
    return System(name=NONE, kind="none", given={one.id: Given() for one in questions})


def passages_source(name: str, passages: Callable[[], Iterable[tuple[str, str]]]) -> PassageSource:
    """Passages to be indexed, each text once.

    Args:
        name: whose they are: no path.
        passages: reads id and text of each; ids need not differ.
    """

    async def read(progress: Progress) -> AsyncIterator[IndexedChunk]:
        texts: set[bytes] = set()
        names: set[str] = set()
        for given, text in passages():
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if digest in texts or not text.strip():
                continue
            texts.add(digest)
            shown = given if given and given not in names else f"passage {len(texts)}"
            names.add(shown)
            yield IndexedChunk(chunk=Chunk(id=shown, title="", text=text))
            progress("reading passages", len(texts), 0)

    return PassageSource(
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
    one: Callable[[GraphQuestion], Awaitable[Given]],
    step: Callable[[], None],
) -> dict[str, Given]:
    """What is given for each question, so many at a time; after an error none goes on."""
    found: dict[str, Given] = {}
    left = iter(questions)

    async def work() -> None:
        for question in left:
            found[question.id] = await one(question)
            step()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(_AT_ONCE, len(questions))):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        raise first_error(errors) from errors
    return {question.id: found[question.id] for question in questions}


async def _context(
    index: TripleIndex, question: GraphQuestion, told_as: str, kept_in: Path | None
) -> Context:
    async def look_up() -> str:
        return json.dumps(asdict(await index.context(question.text, question.options)))

    if kept_in is None:
        return await index.context(question.text, question.options)
    asked = (question.text, *question.options)
    return _read_context(
        await _kept(kept_in, "context", f"{index.identity}, {told_as}", asked, look_up)
    )


async def _chunks(
    retriever: Retriever, question: GraphQuestion, k: int, kept_in: Path | None
) -> tuple[Chunk, ...]:
    async def look_up() -> str:
        found = await retriever.search(question.asked, k)
        return json.dumps([asdict(chunk) for chunk in found])

    if kept_in is None:
        return await retriever.search(question.asked, k)
    text = await _kept(kept_in, f"{k} passages", retriever.identity, (question.asked,), look_up)
    return tuple(Chunk(**chunk) for chunk in json_cell(text))


async def _kept(
    ledger: Path,
    what: str,
    identity: str,
    asked: Sequence[str],
    look_up: Callable[[], Awaitable[str]],
) -> str:
    """What was found before, else what is found now; it is kept before it is used."""
    key = content_hash("graphrag", what, identity, list(asked))
    with Ledger(ledger) as opened:
        kept = find_result(opened, key)
    if kept is not None:
        return kept.result.text
    text = await look_up()
    result = ToolResult(text=text, size=len(text))
    found = KeptResult(server=identity, name=what, arguments="\n".join(asked), result=result)
    with Ledger(ledger) as opened, opened.writing():
        add_result(opened, key, found)
    return text


def _read_context(text: str) -> Context:
    """A context as it was kept."""
    made = json_cell(text)
    facts = tuple(
        Fact(**{**fact, "triple": Triple(**fact["triple"])}) for fact in made.pop("facts")
    )
    linked = tuple(Linked(**one) for one in made.pop("linked"))
    return replace(Context(**made, facts=()), facts=facts, linked=linked)
