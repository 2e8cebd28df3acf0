"""A graph under test: a model answers from what was found for a question, or from nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from factmark.ask.chat import Message, Reply, Request
from factmark.graphrag.core.answer_reply import read_answer
from factmark.graphrag.core.answer_rubric import PROMPTS, GivenKind, answer_messages, prompt_id
from factmark.graphrag.core.outcomes import Given
from factmark.graphrag.core.questions import GraphQuestion
from factmark.model import content_hash
from factmark.runs.conditions import system_prompt
from factmark.runs.session import Attempt, NoReply, Session, ending

REMINDER = (
    "Your last reply held no readable answer. Reply in the form asked for above, and with nothing "
    "else."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FromGiven:
    """The question after what was found for it beforehand.

    It is asked by the ids of questions, since two of them may have the same text.

    Attributes:
        name: the graph's, or a control's.
        kind: what is given: triples, passages, nothing.
        questions: id -> question.
        given: id -> what is given for it.
        source: what was searched and how; empty where nothing is given.
        system: what the model is told; the bundled prompt of its kind where empty.
    """

    name: str
    kind: GivenKind
    questions: Mapping[str, GraphQuestion]
    given: Mapping[str, Given]
    source: str = ""
    system: str = ""

    @property
    def told(self) -> str:
        """What the model is told before all."""
        return self.system or system_prompt(PROMPTS[self.kind])

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model, as JSON values."""
        texts = [texts_of(self.given[name]) for name in self.questions]
        forms = sorted({question.kind for question in self.questions.values()})
        return {
            "kind": self.kind,
            "source": self.source,
            "given": content_hash(texts),
            "prompts": [prompt_id(self.kind, form, self.told) for form in forms],
        }

    @property
    def most_replies(self) -> int:
        """Of the model, for one answer; a reply that cannot be read is asked for once more."""
        return 1

    def request(self, question: str, sample: int) -> Request:
        """What is asked.

        Args:
            question: its id.
        """
        asked = self.questions[question]
        told = answer_messages(asked, texts_of(self.given[question]), self.kind, self.told)
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


def texts_of(given: Given) -> tuple[str, ...]:
    """What is given, as a model reads it, best first."""
    if given.context is not None:
        return tuple(fact.text for fact in given.context.facts)
    return tuple(text for _, text in given.passages)


def _again(request: Request) -> Request:
    """The request with the reminder at its end."""
    last = request.messages[-1]
    told = replace(last, content=f"{last.content}\n\n{REMINDER}")
    return replace(request, messages=(*request.messages[:-1], told), attempt=1)
