"""The labels of triples and of the pairs that they make with passages, and what each is worth.

Apart from the scores over them, so that a form that asks people for them needs no arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

SUPPORTED, CONTRADICTED, NOT_SUPPORTED = "SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED"
SUPPORT_LABELS = (SUPPORTED, CONTRADICTED, NOT_SUPPORTED)
YES, MAYBE, NO = "YES", "MAYBE", "NO"
VALIDITY_LABELS = (YES, MAYBE, NO)
VALUES: Mapping[str, float] = {YES: 1.0, MAYBE: 0.5, NO: 0.0}

_SUPPORT: Mapping[str, float] = {SUPPORTED: 1.0, CONTRADICTED: 0.0, NOT_SUPPORTED: 0.0}


def values_of(measure: Literal["factscore", "validity"]) -> Mapping[str, float]:
    """Label -> value."""
    return _SUPPORT if measure == "factscore" else VALUES
