"""Stand-in until the rubrics of verifying are merged."""

from __future__ import annotations

from factmark.graphs.questions import GraphQuestion
from factmark.rubrics.rubric import Rubric

VERIFY = Rubric(
    name="verify-answer",
    version=0,
    values={"CORRECT": 1.0, "INCORRECT": 0.0},
    criterion="Decide whether the answer covers the main points of the reference answer.",
    evidence_name="QUESTION",
    claim_name="ANSWER",
)
HOLDS = Rubric(
    name="context-holds-answer",
    version=0,
    values={"YES": 1.0, "NO": 0.0},
    criterion="Decide whether the context holds the reference answer.",
    evidence_name="QUESTION",
    claim_name="CONTEXT",
)


def verify_evidence(question: GraphQuestion) -> str:
    """The question with its reference answers."""
    return "\n".join(
        [f"Question: {question.asked}", *(f"Reference answer: {r}" for r in question.references)]
    )
