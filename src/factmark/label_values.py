"""The labels of verdicts on triples and claims, and what each is worth in a score: a MAYBE counts
a half. Rules, models, people and other programs all give these.

Labels with values of their own (ratings, answers right or wrong) stand with their rubric or form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

SUPPORTED = "SUPPORTED"
CONTRADICTED = "CONTRADICTED"
NOT_SUPPORTED = "NOT_SUPPORTED"
SUPPORT_LABELS = (SUPPORTED, CONTRADICTED, NOT_SUPPORTED)
SUPPORT_VALUES: Mapping[str, float] = {SUPPORTED: 1.0, CONTRADICTED: 0.0, NOT_SUPPORTED: 0.0}

YES = "YES"
MAYBE = "MAYBE"
NO = "NO"
VALIDITY_LABELS = (YES, MAYBE, NO)
VALIDITY_VALUES: Mapping[str, float] = {YES: 1.0, MAYBE: 0.5, NO: 0.0}


def label_values(measure: Literal["factscore", "validity"]) -> Mapping[str, float]:
    """Returns label -> value in the score of a measure."""
    if measure == "factscore":
        return SUPPORT_VALUES
    return VALIDITY_VALUES
