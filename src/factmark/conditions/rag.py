"""`rag`: the passages that fit the question best stand in the prompt."""

from __future__ import annotations

from dataclasses import dataclass

from factmark.conditions.prompts import with_passages
from factmark.conditions.session import Attempt, Session, ending
from factmark.conditions.sources import Retriever
from factmark.model import content_hash


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
    def identity(self) -> str:
        """The hash of all that could change an answer, but for the model."""
        return content_hash(self.name, self.system, self.k, self.retriever.identity)

    async def answer(self, question: str, sample: int, session: Session) -> Attempt:
        """The model's answer; raises as `Session.ask`, and `Session.search`."""
        chunks = await session.search(self.retriever, question, self.k)
        reply = await session.ask(with_passages(self.system, question, chunks, "PASSAGE", sample))
        return session.done(reply.text, ending(reply), chunks=chunks)
