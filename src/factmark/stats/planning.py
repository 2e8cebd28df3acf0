"""How many verdicts and how many people's labels an interval of a given width needs. Pure.

A plan says at which numbers the interval, made from the counts that are expected, is as narrow as
wanted. About half of all studies come out a little wider, half a little narrower.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from factmark.stats.cells import Cell
from factmark.stats.correction import Part, between, recovered
from factmark.stats.intervals import wilson
from factmark.stats.quantiles import normal_quantile

MOST = 100_000_000  # labels; a width that needs more is out of reach
ENTITY_SECONDS, FACT_SECONDS = 45.0, 25.0
"""What a person takes to find out about an entity, and for each fact on it (Gao et al. 2019,
"Efficient Knowledge Graph Accuracy Evaluation", section 5.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """The units of one verdict, as they are expected.

    Attributes:
        label: the verdict.
        weight: its share of all units.
        share: how many of them people would call true.
    """

    label: str
    weight: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What people and judges take.

    Attributes:
        facts_per_entity: labels that share what a person had to find out of an entity.
        wage: money for an hour of a person.
        verdict: money for a verdict of the judge.
    """

    entity_seconds: float = ENTITY_SECONDS
    fact_seconds: float = FACT_SECONDS
    facts_per_entity: float = 1.0
    wage: float = 0.0
    verdict: float = 0.0
    verdict_seconds: float = 0.0

    def hours(self, labels: int) -> float:
        """Of people, for so many labels."""
        return labels * (self.entity_seconds / self.facts_per_entity + self.fact_seconds) / 3600

    def money(self, labels: int, verdicts: int) -> float:
        """For so many labels and verdicts."""
        return self.hours(labels) * self.wage + verdicts * self.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What one way of sampling needs.

    Attributes:
        design: `people only`, `judge, random labels`, `judge, labels by verdict`.
        labels: people's labels; None where no number of them is enough with so many verdicts.
        allocation: verdict -> labels, where labels are drawn by verdict.
        half_width: that is expected: half of the interval.
        hours: of people.
        verdict_hours: of the judge, one call after the other.
    """

    design: str
    labels: int | None
    verdicts: int
    allocation: Mapping[str, int]
    half_width: float | None
    hours: float
    verdict_hours: float
    money: float


def expected_strata(share: float, sensitivity: float, specificity: float) -> tuple[Stratum, ...]:
    """What a yes/no judge of known quality will make of units of which `share` is true.

    A judge that agrees with people in 90 % either way has both at 0.9.

    Raises:
        ValueError: for a number outside [0, 1].
    """
    if not all(0 <= part <= 1 for part in (share, sensitivity, specificity)):
        raise ValueError(
            f"share, sensitivity and specificity are between 0 and 1: {share}, {sensitivity}, "
            f"{specificity}"
        )
    yes = share * sensitivity + (1 - share) * (1 - specificity)
    said = (("yes", yes, share * sensitivity), ("no", 1 - yes, share * (1 - sensitivity)))
    return tuple(
        Stratum(label=label, weight=weight, share=true / weight)
        for label, weight, true in said
        if weight > 0
    )


def pilot_strata(cells: Sequence[Cell]) -> tuple[Stratum, ...]:
    """What a pilot saw; shares with half a success and half a failure added."""
    units = sum(cell.total for cell in cells)
    return tuple(
        Stratum(
            label="no verdict" if cell.label is None else cell.label,
            weight=cell.total / units,
            share=cell.smoothed,
        )
        for cell in cells
    )


def neyman(strata: Sequence[Stratum], labels: float) -> dict[str, float]:
    """Labels by verdict in proportion to W sqrt(p (1 - p)) (Neyman 1934; Cochran 1977, 5.5)."""
    spreads = {s.label: s.weight * math.sqrt(s.share * (1 - s.share)) for s in strata}
    total = math.fsum(spreads.values())
    if total <= 0:
        return {s.label: labels * s.weight for s in strata}
    return {label: labels * spread / total for label, spread in spreads.items()}


def enough_verdicts(strata: Sequence[Stratum], half_width: float, level: float = 0.95) -> int:
    """So many verdicts that it hardly matters that they are a sample.

    They add at most a 200th to the variance that the half-width allows, so that more of them would
    save less than one label in 200.
    """
    parts = [Part(weight=s.weight, share=s.share, n=0.0) for s in strata]
    z = normal_quantile((1 + level) / 2)
    return max(1, math.ceil(200 * between(parts) * (z / half_width) ** 2))


def needs(
    strata: Sequence[Stratum],
    half_width: float,
    *,
    verdicts: int | None = None,
    level: float = 0.95,
    design_effect: float = 1.0,
    population: bool = False,
    costs: Costs | None = None,
) -> tuple[Need, ...]:
    """What each way of sampling needs for an interval of that half-width, on the share scale.

    Args:
        strata: the units by verdict, see `expected_strata` and `pilot_strata`.
        verdicts: units that the judge goes through; `enough_verdicts` where None.
        design_effect: of people's labels, where several are on one item.
        population: whether the verdicts are on all the units there are.

    Raises:
        ValueError: for a half-width outside (0, 0.5), or fewer than one verdict.
    """
    if not 0 < half_width < 0.5 or (verdicts or 1) < 1 or design_effect < 1:
        raise ValueError(
            "a plan needs 0 < half-width < 0.5, at least one verdict and a design effect of 1 or "
            f"more: {half_width}, {verdicts}, {design_effect}"
        )
    costs = costs or Costs()
    judged_units = verdicts or enough_verdicts(strata, half_width, level)
    share = math.fsum(s.weight * s.share for s in strata)
    proportional = {s.label: s.weight for s in strata}

    def alone(labels: float) -> float:
        low, high = wilson(min(1.0, share), max(1.0, labels / design_effect), level)
        return (high - low) / 2

    def judged(shares: Mapping[str, float]) -> Callable[[float], float]:
        def width(labels: float) -> float:
            counts = {
                s.label: min(shares[s.label] * labels, s.weight * judged_units) for s in strata
            }
            return _width(strata, counts, judged_units, level, design_effect, population)

        return width

    best = neyman(strata, 1.0)
    rows: tuple[tuple[str, Callable[[float], float], int, Mapping[str, float]], ...] = (
        ("people only", alone, 0, {}),
        ("judge, random labels", judged(proportional), judged_units, {}),
        ("judge, labels by verdict", judged(best), judged_units, best),
    )
    out = []
    for design, width, used, shares in rows:
        limit = used if used else MOST
        found = _least(width, half_width, limit)
        allocation = {name: math.ceil(part * (found or 0)) for name, part in shares.items()}
        labels = sum(allocation.values()) or found or 0
        out.append(
            Need(
                design=design,
                labels=None if found is None else labels,
                verdicts=used,
                allocation=allocation,
                half_width=None if found is None else width(found),
                hours=costs.hours(labels),
                verdict_hours=used * costs.verdict_seconds / 3600,
                money=costs.money(labels, used),
            )
        )
    return tuple(out)


def _width(
    strata: Sequence[Stratum],
    counts: Mapping[str, float],
    verdicts: int,
    level: float,
    design_effect: float,
    population: bool,
) -> float:
    """Half the interval that the expected counts give."""
    parts = []
    for s in strata:
        n = counts[s.label] / design_effect
        seen = min(1.0, counts[s.label] / (s.weight * verdicts)) if s.weight else 0.0
        shrink = math.sqrt(1 - seen) if population else 1.0
        parts.append(Part(weight=s.weight, share=s.share, n=n, shrink=shrink))
    sampled = 0.0 if population else between(parts) / verdicts
    low, high = recovered(parts, sampled, level=level, z=normal_quantile((1 + level) / 2))
    return (high - low) / 2


def _least(width: Callable[[float], float], wanted: float, limit: int) -> int | None:
    """The smallest number of labels with that width or less."""
    if width(limit) > wanted:
        return None
    low, high = 0, 1
    while width(high) > wanted:
        low, high = high, min(2 * high, limit)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if width(middle) > wanted else (low, middle)
    return high
