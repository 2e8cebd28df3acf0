"""`context`: the whole catalogue stands in the prompt; a control for retrieval and for tools."""

from __future__ import annotations

from dataclasses import dataclass

from factmark.ask.chat import estimate_prompt
from factmark.errors import InputError
from factmark.model import Chunk, content_hash
from factmark.runs.conditions.prompts import with_passages
from factmark.runs.session import Attempt, Session, ending
from factmark.runs.sources import Retriever


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
