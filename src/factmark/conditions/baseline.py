"""`baseline`: the model alone."""

from __future__ import annotations

from dataclasses import dataclass

from factmark.conditions.session import Attempt, Session, ending
from factmark.io.chat.records import Request
from factmark.model import content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A system prompt and the question, nothing else.

    Attributes:
        system: what the model is told.
    """

    system: str
    name: str = "baseline"

    @property
    def identity(self) -> str:
        """The hash of all that could change an answer, but for the model."""
        return content_hash(self.name, self.system)

    def request(self, question: str, sample: int) -> Request:
        """What is asked."""
        told = Request.of(question, system=self.system)
        return Request(messages=told.messages, sample=sample)

    async def answer(self, question: str, sample: int, session: Session) -> Attempt:
        """The model's answer; raises as `Session.ask`."""
        reply = await session.ask(self.request(question, sample))
        return session.done(reply.text, ending(reply))
