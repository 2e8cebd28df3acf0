"""Stand-in until the rule answerer is merged."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.graphs.contexts import Fact
from factmark.graphs.questions import GraphQuestion


def extract(question: GraphQuestion, facts: Sequence[Fact]) -> str:
    """The answer that the best triple gives."""
    return facts[0].text if facts else "I don't know"


def extract_from_text(question: GraphQuestion, passages: Sequence[str]) -> str:
    """The answer that the best passage gives."""
    return passages[0] if passages else "I don't know"
