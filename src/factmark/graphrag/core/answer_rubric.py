"""GraphRAG: what a model is told when it answers a question from triples, passages or nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from factmark.graphrag.core.questions import LETTERS, GraphQuestion, QuestionKind
from factmark.model import content_hash
from factmark.replies.abstaining import DONT_KNOW
from factmark.replies.rubric import RULE, Message, fenced

GivenKind = Literal["graph", "text", "none"]

PROMPTS: Mapping[GivenKind, str] = {"graph": "graph", "text": "graph-text", "none": "graph-none"}
"""What is given -> the name of its bundled system prompt."""

_FENCE: Mapping[GivenKind, str] = {"graph": "TRIPLES", "text": "PASSAGE"}
_NOTHING = "(nothing was found)"
_BREAKS = re.compile(r"\s+")
_FORMATS: Mapping[QuestionKind, str] = {
    "text": "",
    "choice": (
        "Answer with the letter of one option and nothing else, in a box, as \\boxed{{{first}}}"
        ". The letters are {first} to {last}. If you cannot tell, say exactly: " + DONT_KNOW
    ),
    "yes-no": (
        "Answer with one word and nothing else: yes, no or maybe. If you cannot tell, say "
        "exactly: " + DONT_KNOW
    ),
}


def answer_messages(
    question: GraphQuestion, given: Sequence[str], kind: GivenKind, told: str
) -> list[Message]:
    """The prompt for one question.

    What is given comes first, each text in a fence; then the question, then the format, so that
    nothing that was collected elsewhere stands after the task.

    Args:
        given: triples in plain language, or passages, best first; must be empty for `none`.
        told: the system prompt, of the bundled ones that which `PROMPTS` names.

    Raises:
        ValueError: something is given for `none`.
    """
    if kind == "none" and given:
        raise ValueError("a model that answers alone is given nothing")
    asked = f"Question: {question.asked}"
    parts = [*_fences(given, kind, asked), asked, _format(question)]
    return [
        Message(role="system", content=told if kind == "none" else f"{told} {RULE}"),
        Message(role="user", content="\n\n".join(part for part in parts if part)),
    ]


def prompt_id(kind: GivenKind, question_kind: QuestionKind, told: str) -> str:
    """The hash of all that a model is told beside the data; it changes with the wording."""
    fence = "" if kind == "none" else [_FENCE[kind], _NOTHING, RULE]
    return content_hash("graph-answer", 1, kind, told, fence, _FORMATS[question_kind])


def _fences(given: Sequence[str], kind: GivenKind, asked: str) -> list[str]:
    """The triples in one fence, one a line; passages in a fence each."""
    if kind == "none":
        return []
    if not given:
        return [fenced(_FENCE[kind], _NOTHING, asked)]
    if kind == "graph":
        lines = [f"{n}. {_one_line(text)}" for n, text in enumerate(given, 1)]
        return [fenced(_FENCE[kind], "\n".join(lines), asked)]
    return [
        fenced(f"{_FENCE[kind]} {n}", text, str(n), asked, *given)
        for n, text in enumerate(given, 1)
    ]


def _one_line(text: str) -> str:
    """A triple on one line: a name with line breaks must not look like further triples."""
    return _BREAKS.sub(" ", text).strip()


def _format(question: GraphQuestion) -> str:
    form = _FORMATS[question.kind]
    if question.kind != "choice":
        return form
    return form.format(first=LETTERS[0], last=LETTERS[max(0, len(question.options) - 1)])
