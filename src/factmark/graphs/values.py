"""What the labels of each measure are worth in its score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from factmark.graphs.factscore import CONTRADICTED, NOT_SUPPORTED, SUPPORTED
from factmark.graphs.validity import VALUES

_SUPPORT: Mapping[str, float] = {SUPPORTED: 1.0, CONTRADICTED: 0.0, NOT_SUPPORTED: 0.0}


def values_of(measure: Literal["factscore", "validity"]) -> Mapping[str, float]:
    """Label -> value."""
    return _SUPPORT if measure == "factscore" else VALUES
