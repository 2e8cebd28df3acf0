"""GraphRAG: is an answer right by its reference, and does a context hold the answer at all?"""

from __future__ import annotations

from collections.abc import Sequence

from factmark.graphrag.core.outcomes import VERIFIED
from factmark.graphrag.core.questions import GraphQuestion
from factmark.replies.rubric import Rubric

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
    """The question with its accepted answers, as `VERIFY` and `HOLDS` take their evidence.

    Raises:
        ValueError: the question has no reference; a rule decides such a one.
    """
    if not question.references:
        raise ValueError(f"question {question.id} has no reference to judge by")
    if len(question.references) == 1:
        return f"Question: {question.asked}\nReference answer: {_named(question)[0]}"
    lines = [f"- {reference}" for reference in _named(question)]
    return "\n".join(
        [f"Question: {question.asked}", "Accepted answers, any one is enough:", *lines]
    )


def holds_claim(given: Sequence[str]) -> str:
    """A context as `HOLDS` judges it: its triples or passages, numbered."""
    if not given:
        return "(empty)"
    return "\n".join(f"{n}. {' '.join(text.split())}" for n, text in enumerate(given, 1))


def _named(question: GraphQuestion) -> list[str]:
    """The references, that of a choice with its letter."""
    if question.right is None:
        return list(question.references)
    return [f"{question.right}. {question.references[0]}", *question.references[1:]]
