"""Stand-in until the reading of replies is merged."""

from __future__ import annotations

import re
from dataclasses import dataclass

from factmark.graphs.outcomes import CORRECT, INCORRECT
from factmark.graphs.questions import GraphQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a reply says."""

    said: str
    abstained: bool = False
    label: str | None = None
    unparsed: bool = False


def read_answer(question: GraphQuestion, reply: str) -> Read:
    """What was said, whether it is an abstention, and for options the label."""
    text = re.sub(r"<think>.*?</think>", "", reply, flags=re.DOTALL).strip()
    if "don't know" in text.casefold():
        return Read(said=text, abstained=True)
    if question.kind == "text":
        return Read(said=text, unparsed=not text)
    if question.kind == "choice":
        found = re.findall(r"\b([A-J])\b", text)
        if len(set(found)) != 1:
            return Read(said="", unparsed=True)
        return Read(said=found[0], label=CORRECT if found[0] == question.right else INCORRECT)
    words = set(re.findall(r"\b(yes|no|maybe)\b", text.casefold()))
    if len(words) != 1:
        return Read(said="", unparsed=True)
    said = words.pop()
    return Read(said=said, label=CORRECT if said == question.references[0] else INCORRECT)
