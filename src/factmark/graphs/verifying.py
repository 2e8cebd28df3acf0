"""Stand-in until the rules of verifying are merged."""

from __future__ import annotations

from factmark.graphs.outcomes import CORRECT, INCORRECT
from factmark.graphs.questions import GraphQuestion


def verify(question: GraphQuestion, said: str) -> tuple[str, str]:
    """Whether an answer names a reference."""
    right = any(one.casefold() in said.casefold() for one in question.references)
    return (CORRECT, "names the reference") if right else (INCORRECT, "names no reference")
