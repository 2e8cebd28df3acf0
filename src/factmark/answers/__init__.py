"""Protocol 1: answers against a ground truth. What it offers is loaded when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from factmark.answers.core.extraction.facts import extract_facts
    from factmark.answers.core.groundtruth import ground_truth
    from factmark.answers.core.matching import match_facts
    from factmark.answers.core.records import (
        Answer,
        AnswerScore,
        Fact,
        Question,
        Results,
        ScoredAnswer,
        Summary,
    )
    from factmark.answers.core.scores import combined_score, score_answer, score_facts

__all__ = [
    "Answer",
    "AnswerScore",
    "Fact",
    "Question",
    "Results",
    "ScoredAnswer",
    "Summary",
    "combined_score",
    "extract_facts",
    "ground_truth",
    "match_facts",
    "score_answer",
    "score_facts",
]
_PLACES = {
    "extract_facts": "extraction.facts",
    "ground_truth": "groundtruth",
    "match_facts": "matching",
    "combined_score": "scores",
    "score_answer": "scores",
    "score_facts": "scores",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.core.{_PLACES.get(name, 'records')}"), name)
