"""Protocol 1: answers against a ground truth. Pure."""

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
