"""The scores of a graph that is used for answering, as values for machines."""

from __future__ import annotations

from factmark.graphrag.core.scores import GraphRagScore
from factmark.model import Estimate
from factmark.tables.layouts import Value, part_names, parts

_SHARES = {
    "score": "estimate",
    "retrieval_accuracy": "retrieval",
    "generation_quality": "generation",
    "in_graph": "in_graph",
    "answered": "answered",
    "without": "without",
    "abstention": "abstention",
    "right_abstention": "right_abstention",
}  # key in files -> field of the score
_COUNTS = (
    "num_queries", "answers", "total", "correct_answers", "correct_held", "correct_without",
    "correct_untold", "abstained_right", "abstained_wrong", "abstained_untold",
    "abstained_overlooked", "abstained_not_found",
)  # fmt: skip
LOST = ("unparsed", "refused", "failed", "left")
RECORDS = (*(part for key in _SHARES for part in part_names(key)), *_COUNTS, *LOST)
"""The names of `record`."""


def record(score: GraphRagScore) -> tuple[Value, ...]:
    """Every share with its interval, then the counts."""
    estimates: list[Estimate] = [getattr(score, field) for field in _SHARES.values()]
    return (
        *(value for one in estimates for value in parts(one)),
        *(getattr(score, key) for key in _COUNTS),
        *(getattr(score.missing, key) for key in LOST),
    )
