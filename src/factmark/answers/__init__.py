"""Protocol 1: answers against a ground truth. What it offers is loaded when it is first used."""

from typing import TYPE_CHECKING

from factmark.lazily import loader

if TYPE_CHECKING:
    from factmark.answers.core.extraction.facts import extract_facts
    from factmark.answers.core.matching import match_facts
    from factmark.answers.core.records import (
        AnswerScore,
        Fact,
        GivenAnswer,
        Question,
        ScoredAnswer,
    )
    from factmark.answers.core.scores import combined_score, score_answer, score_facts
    from factmark.answers.questions.ground_truths import ground_truth
    from factmark.answers.results import Results, Summary

__all__ = [
    "AnswerScore",
    "Fact",
    "GivenAnswer",
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

if not TYPE_CHECKING:  # else a name that is not there would pass for one that is
    __getattr__ = loader(
        __name__,
        {
            f"{__name__}.core.extraction.facts": "extract_facts",
            f"{__name__}.core.matching": "match_facts",
            f"{__name__}.core.records": "AnswerScore Fact GivenAnswer Question ScoredAnswer",
            f"{__name__}.core.scores": "combined_score score_answer score_facts",
            f"{__name__}.questions.ground_truths": "ground_truth",
            f"{__name__}.results": "Results Summary",
        },
    )
