"""`rag`: the passages that fit the question best stand in the prompt."""

from __future__ import annotations

from dataclasses import dataclass

from factmark.runs.conditions.prompts import with_passages
from factmark.runs.session import Attempt, Session, ending
from factmark.runs.sources import Retriever


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
