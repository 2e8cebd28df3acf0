"""Stand-in until the rubrics of answers are merged."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.graphs.questions import GraphQuestion
from factmark.rubrics.fence import RULE, fenced
from factmark.rubrics.rubric import Message


def answer_messages(question: GraphQuestion, given: Sequence[str], kind: str) -> list[Message]:
    """The question with what is given."""
    told = {
        "graph": "Answer from the facts alone. If they do not tell, say: I don't know.",
        "text": "Answer from the passages alone. If they do not tell, say: I don't know.",
        "none": "Answer the question. If you cannot, say: I don't know.",
    }[kind]
    fences = [fenced("FACTS" if kind == "graph" else "PASSAGE", "\n".join(given))] if given else []
    asked = "\n\n".join([*fences, f"Question: {question.asked}"])
    return [Message(role="system", content=f"{told} {RULE}"), Message(role="user", content=asked)]
