"""The ground truth of a question, ready for matching."""

from __future__ import annotations

from factmark.answers.core.matching import Targets
from factmark.answers.core.records import Question
from factmark.answers.core.writings import writings


def targets_of(question: Question) -> Targets:
    """Returns the elements of G with their aliases, other units, names and identifiers."""
    return Targets.of(question.ground_truth or (), writings(question), question.things)
