"""Protocol 1: answers against a ground truth. Pure."""

from factmark.answers.facts import extract_facts
from factmark.answers.groundtruth import ground_truth
from factmark.answers.matching import match_facts
from factmark.answers.records import (
    Answer,
    AnswerScore,
    Fact,
    Question,
    Results,
    ScoredAnswer,
    Summary,
)
from factmark.answers.scores import combined_score, score_answer, score_facts

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
