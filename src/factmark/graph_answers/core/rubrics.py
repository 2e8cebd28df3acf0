"""GraphRAG's prompts: to answer from what is given, to judge an answer, to look at a context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from factmark.graph_answers.core.records import LETTERS, VERIFIED, GraphQuestion, QuestionKind
from factmark.model import content_hash
from factmark.replies.plain import DONT_KNOW
from factmark.replies.rubric import RULE, Rubric, fence

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


def answer_prompt(
    question: GraphQuestion, given: Sequence[str], kind: GivenKind, system_prompt: str
) -> tuple[str, str]:
    """Returns the system prompt and the prompt for one question.

    What is given comes first, each text in a fence; then the question, then the format, so that
    nothing that was collected elsewhere stands after the task.

    Args:
        given: triples in plain language, or passages, best first; must be empty for `none`.
        system_prompt: of the bundled ones that which `PROMPTS` names.
    """
    asked = f"Question: {question.asked}"
    form = _FORMATS[question.kind]
    if question.kind == "choice":
        form = form.format(first=LETTERS[0], last=LETTERS[max(0, len(question.options) - 1)])
    parts = [*_fence_texts(given, kind, asked), asked, form]
    if kind == "none":
        system = system_prompt
    else:
        system = f"{system_prompt} {RULE}"
    return system, "\n\n".join(filter(None, parts))


def prompt_id(kind: GivenKind, question_kind: QuestionKind, system_prompt: str) -> str:
    """Returns the hash of all that a model is told beside the data; it changes with the wording."""
    fence: str | list[str] = ""
    if kind != "none":
        fence = [_FENCE[kind], _NOTHING, RULE]
    return content_hash("graph-answer", 1, kind, system_prompt, fence, _FORMATS[question_kind])


def _fence_texts(given: Sequence[str], kind: GivenKind, asked: str) -> list[str]:
    """Returns all triples in one fence, a line each; passages in a fence each."""
    if kind == "none":
        return []
    if not given:
        return [fence(_FENCE[kind], _NOTHING, asked)]
    if kind == "graph":
        lines = [f"{n}. {_BREAKS.sub(' ', text).strip()}" for n, text in enumerate(given, 1)]
        return [fence(_FENCE[kind], "\n".join(lines), asked)]
    texts = []
    for n, text in enumerate(given, 1):
        texts.append(fence(f"{_FENCE[kind]} {n}", text, str(n), asked, *given))
    return texts


VERIFY = Rubric(
    name="graph-verify",
    version=1,
    values=VERIFIED,
    evidence_name="REFERENCE",
    claim_name="ANSWER",
    criterion=(
        "Decide whether the answer is right, going by the question and the reference. Where the "
        "reference lists several accepted answers, agreeing with one of them is enough. What you "
        "know besides does not count.\n"
        "CORRECT: the answer covers the main points of the reference, in whatever words, though "
        "not necessarily all of them. What it says beyond the reference does not make it wrong, "
        "unless that goes against the reference. Length and style do not count.\n"
        "INCORRECT: the answer misses the main points or goes against the reference, or it says "
        "that it cannot tell. An answer that names several alternatives without settling on the "
        "right one is incorrect too."
    ),
)

HOLDS = Rubric(
    name="graph-holds",
    version=1,
    values={"YES": 1.0, "NO": 0.0},
    evidence_name="REFERENCE",
    claim_name="CONTEXT",
    criterion=(
        "Decide whether the context holds the answer: whether one could answer the question from "
        "the context alone, by joining its statements where needed, in agreement with the "
        "reference (with one of the accepted answers, where it lists several). What you know "
        "besides does not count, and that the context names the same things is not enough.\n"
        "YES: the context holds such an answer.\n"
        "NO: it does not, or it holds only a part that would not do as an answer."
    ),
)


def verify_evidence(question: GraphQuestion) -> str:
    """Returns the question with its accepted answers, the evidence of `VERIFY` and `HOLDS`."""
    references = list(question.references)
    if question.right is not None:
        references[0] = f"{question.right}. {references[0]}"
    asked = f"Question: {question.asked}"
    if len(references) == 1:
        return f"{asked}\nReference answer: {references[0]}"
    lines = [f"- {reference}" for reference in references]
    return "\n".join([asked, "Accepted answers, any one is enough:", *lines])


def holds_claim(given: Sequence[str]) -> str:
    """Returns a context as `HOLDS` judges it: its triples or passages, numbered."""
    return (
        "\n".join(f"{n}. {' '.join(text.split())}" for n, text in enumerate(given, 1)) or "(empty)"
    )
