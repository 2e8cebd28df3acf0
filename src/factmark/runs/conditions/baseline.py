"""`baseline`: the model alone."""

from __future__ import annotations

from dataclasses import dataclass

from factmark.ask.chat import Request
from factmark.runs.session import Attempt, Session, ending


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
