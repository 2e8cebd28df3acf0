"""How a model is grounded without tools: alone, with passages, with the whole catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from factmark.ask.chat import Request, estimate_prompt
from factmark.ask.sources import Retriever
from factmark.errors import InputError
from factmark.model import Chunk, content_hash
from factmark.replies.rubric import RULE, fenced
from factmark.runs.session import Attempt, Session, ending

CONDITIONS = ("baseline", "rag", "mcp", "context")


def system_prompt(condition: str) -> str:
    """The bundled system prompt of a condition."""
    text = (files("factmark.data") / "prompts" / f"{condition}.txt").read_text("utf-8")
    return text.strip()


def with_passages(
    system: str, question: str, chunks: tuple[Chunk, ...], name: str, sample: int
) -> Request:
    """A question after the passages that it is to be answered from, each in a fence of its own.

    Args:
        name: what a passage is, in capitals.
    """
    texts = [f"{chunk.title}\n{chunk.text}" for chunk in chunks]
    fences = [fenced(name, text, question) for text in texts]
    told = Request.of("\n\n".join([*fences, f"Question: {question}"]), system=f"{system} {RULE}")
    return Request(messages=told.messages, sample=sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A system prompt and the question, nothing else.

    Attributes:
        system: what the model is told.
    """

    system: str
    name: str = "baseline"

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model, as JSON values."""
        return {"system": self.system}

    @property
    def most_replies(self) -> int:
        """Of the model, for one answer."""
        return 1

    def request(self, question: str, sample: int) -> Request:
        """What is asked."""
        told = Request.of(question, system=self.system)
        return Request(messages=told.messages, sample=sample)

    async def answer(self, question: str, sample: int, session: Session) -> Attempt:
        """The model's answer; raises as `Session.ask`."""
        reply = await session.ask(self.request(question, sample))
        return session.done(reply.text, ending(reply))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rag:
    """Retrieval-augmented generation (protocol 1: the top 5 chunks of a vector store).

    Attributes:
        retriever: where passages are looked up, by the question as it is asked.
        k: how many of them.
    """

    retriever: Retriever
    system: str
    k: int = 5
    name: str = "rag"

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model, as JSON values."""
        return {"system": self.system, "k": self.k, "index": self.retriever.identity}

    @property
    def most_replies(self) -> int:
        """Of the model, for one answer."""
        return 1

    async def answer(self, question: str, sample: int, session: Session) -> Attempt:
        """The model's answer; raises as `Session.ask`, and `Session.search`."""
        chunks = await session.search(self.retriever, question, self.k)
        reply = await session.ask(with_passages(self.system, question, chunks, "PASSAGE", sample))
        return session.done(reply.text, ending(reply), chunks=chunks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """All that describes the datasets, the same for each question.

    Attributes:
        chunks: the catalogue; it stands first, so that servers can reuse the beginning.
    """

    chunks: tuple[Chunk, ...]
    system: str
    name: str = "context"

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model, as JSON values."""
        return {"system": self.system, "catalogue": content_hash([c.text for c in self.chunks])}

    @property
    def most_replies(self) -> int:
        """Of the model, for one answer."""
        return 1

    async def answer(self, question: str, sample: int, session: Session) -> Attempt:
        """The model's answer; raises as `Session.ask`."""
        request = with_passages(self.system, question, self.chunks, "CATALOGUE", sample)
        reply = await session.ask(request)
        return session.done(reply.text, ending(reply), chunks=self.chunks)


async def whole_catalogue(retriever: Retriever, most_tokens: int, system: str) -> Context:
    """The condition, if the catalogue fits.

    Raises:
        InputError: if it has more than `most_tokens` tokens, as `estimate_tokens` counts.
    """
    chunks = await retriever.catalogue()
    made = Context(chunks=chunks, system=system)
    tokens = estimate_prompt(with_passages(made.system, "", made.chunks, "CATALOGUE", 0))
    if tokens > most_tokens:
        raise InputError(
            f"The catalogue has about {tokens:,} tokens, more than the {most_tokens:,} of "
            "--context-tokens. Raise that if the model takes so many, or leave the condition "
            "`context` out."
        )
    return made
