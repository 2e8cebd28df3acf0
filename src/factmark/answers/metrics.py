"""The three numbers of protocol 1 as a report explains them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from factmark.answers.core.records import Summary
from factmark.model import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One of C, H, S.

    Attributes:
        key: its name in files, for example `completeness`.
        formula: in plain Unicode, as protocol 1 gives it.
        meaning: one sentence for a reader who does not know the protocol.
        of: reads it from a summary.
    """

    symbol: str
    key: str
    name: str
    better: Literal["higher", "lower"]
    formula: str
    meaning: str
    of: Callable[[Summary], Estimate]


METRICS = (
    Metric(
        symbol="C",
        key="completeness",
        name="completeness",
        better="higher",
        formula="C = |F ∩ G| / |G|",
        meaning="How much of the ground truth the answer states.",
        of=lambda summary: summary.completeness,
    ),
    Metric(
        symbol="H",
        key="hallucination_rate",
        name="hallucination rate",
        better="lower",
        formula="H = |F \\ G| / |F|",
        meaning="How much of what the answer states is not in the ground truth; 0 without facts.",
        of=lambda summary: summary.hallucination_rate,
    ),
    Metric(
        symbol="S",
        key="combined_score",
        name="combined score",
        better="higher",
        formula="S = 2C(1 − H) / (C + 1 − H)",
        meaning="Both in one: the harmonic mean of C and 1 − H; 0 when both are 0.",
        of=lambda summary: summary.combined_score,
    ),
)
