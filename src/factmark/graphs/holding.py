"""Stand-in until the rules of holding are merged."""

from __future__ import annotations

from collections.abc import Sequence

from factmark.graphs.claims import Triple
from factmark.graphs.questions import GraphQuestion


def held_by(
    question: GraphQuestion, texts: Sequence[str], triples: Sequence[Triple] = ()
) -> tuple[bool | None, tuple[int, ...]]:
    """Whether a context holds the reference answer, and which of its texts do."""
    if question.kind == "yes-no" or not question.references:
        return None, ()
    places = tuple(
        place
        for place, text in enumerate(texts)
        if any(one.casefold() in text.casefold() for one in question.references)
    )
    return bool(places), places
