"""How many verdicts and how many people's labels an interval of a given width needs. Pure.

A plan says at which numbers the interval, made from the counts that are expected, is as narrow as
wanted. About half of all studies come out a little wider, half a little narrower.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.model import SHARE, Estimate, Target
from factmark.stats.cells import (
    Part,
    VerdictCell,
    cell_interval,
    mover_bounds,
    variance_between,
    weighted_share,
)
from factmark.stats.intervals import no_estimate, normal_quantile, wilson
from factmark.stats.rounding import CLOSE, largest_remainders

HEAD_SECONDS = 45.0
TRIPLE_SECONDS = 25.0
"""What finding an entity, and then checking a triple, costs a person (Gao et al. 2019)."""

RARE = 0.01
MOST = 100_000_000  # labels; a width that needs more is out of reach


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

    entity_seconds: float = HEAD_SECONDS
    fact_seconds: float = TRIPLE_SECONDS
    facts_per_entity: float = 1.0
    wage: float = 0.0
    verdict: float = 0.0
    verdict_seconds: float = 0.0

    def hours(self, labels: int) -> float:
        """Returns the hours that people need for so many labels."""
        return labels * (self.entity_seconds / self.facts_per_entity + self.fact_seconds) / 3600

    def money(self, labels: int, verdicts: int) -> float:
        """Returns the price of so many labels and verdicts."""
        return self.hours(labels) * self.wage + verdicts * self.verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What one way of sampling needs.

    Attributes:
        design: `people only`, `judge, random labels`, `judge, labels by verdict`.
        labels: people's labels; None where no number of them is enough with so many units.
        allocation: verdict -> labels, where they are drawn by verdict; they add up to `labels`.
        half_width: that is expected: half of the interval; where `labels` is None, with a label
            on every unit.
        hours: of people.
        verdict_hours: of the judge.
    """

    design: str
    labels: int | None
    verdicts: int
    allocation: Mapping[str, int]
    half_width: float
    hours: float
    verdict_hours: float
    money: float


def expected_strata(share: float, sensitivity: float, specificity: float) -> tuple[Stratum, ...]:
    """The strata that a yes/no judge of known quality makes of units of which `share` is true.

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
    expected = (("yes", yes, share * sensitivity), ("no", 1 - yes, share * (1 - sensitivity)))
    return tuple(
        Stratum(label=label, weight=weight, share=true / weight)
        for label, weight, true in expected
        if weight > 0
    )


def pilot_strata(cells: Sequence[VerdictCell]) -> tuple[Stratum, ...]:
    """The strata that a pilot study showed, half a success and half a failure added to each."""
    units = sum(cell.total for cell in cells)
    return tuple(
        Stratum(
            label="no verdict" if cell.label is None else cell.label,
            weight=cell.total / units,
            share=cell.smoothed,
        )
        for cell in cells
    )


def separation(
    cells: Sequence[VerdictCell], worth: Mapping[str, float], *, level: float = 0.95
) -> Estimate:
    """Returns how well the judge tells true from false: people's share of true units among those
    that it calls true, minus that among those that it calls false.

    It has the sign of sensitivity + specificity - 1 and is 0 where the judge separates nothing. The
    interval is Newcombe's (1998, "Interval estimation for the difference between independent
    proportions", method 10) with `cell_interval`. No value where either side has no label.

    Args:
        worth: verdict -> its value; 0.5 and above is called true. Units without a verdict are out.
    """
    sides: list[tuple[float, float, float]] = []
    counts = []
    for called in (True, False):
        side = []
        for cell in cells:
            if cell.labelled and cell.label is not None and (worth[cell.label] >= 0.5) == called:
                side.append(cell)
        if not side:
            return replace(no_estimate(level), scale=SHARE.of_differences)
        total = sum(cell.total for cell in side)
        labelled = sum(cell.labelled for cell in side)
        share = math.fsum(cell.total * cell.mean for cell in side) / total
        sides.append((share, *cell_interval(share * labelled, labelled, level)))
        counts.append(labelled)
    (yes, yes_low, yes_high), (no, no_low, no_high) = sides
    return Estimate(
        value=yes - no,
        low=yes - no - math.hypot(yes - yes_low, no_high - no),
        high=yes - no + math.hypot(yes_high - yes, no - no_low),
        level=level,
        method=f"newcombe, {counts[0]} and {counts[1]} labels",
        n_items=min(counts),
        n_units=sum(counts),
        scale=SHARE.of_differences,
    )


def neyman(
    strata: Sequence[Stratum], labels: float, verdicts: float = math.inf
) -> dict[str, float]:
    """Returns the labels for each verdict, in proportion to W sqrt(p (1 - p)) (Neyman 1934; Cochran
    1977, 5.5).

    A verdict of which all or none is expected to be true is taken as one with an exception in a
    hundred: without any label it could be anything. None gets more than its units among so many
    verdicts; what it cannot take goes to the others.
    """
    spreads = {}
    units = {}
    for stratum in strata:
        share = min(1 - RARE, max(RARE, stratum.share))
        spreads[stratum.label] = stratum.weight * math.sqrt(share * (1 - share))
        units[stratum.label] = stratum.weight * verdicts
    out: dict[str, float] = {}
    while unsettled := [label for label in spreads if label not in out]:
        left = max(0.0, labels - math.fsum(out.values()))
        total = math.fsum(spreads[label] for label in unsettled)
        due = {label: left * spreads[label] / total for label in unsettled}
        full = {}
        for label in unsettled:
            if due[label] >= units[label]:
                full[label] = units[label]
        out |= full or due
    return out


def allot(strata: Sequence[Stratum], labels: int, verdicts: int) -> dict[str, int]:
    """Returns the labels for each verdict as `neyman` has it, in whole numbers (largest
    remainders); at most all units.
    """
    most = min(labels, verdicts)
    return largest_remainders(neyman(strata, most, verdicts), most)


def allot_with_floor(strata: Sequence[Stratum], labels: int, verdicts: int) -> dict[str, int]:
    """Returns the labels for each stratum where small ones are to be known as well as the whole:
    half of them in equal shares, as far as a stratum has units, and the others as `allot`.

    In proportion alone small strata get next to no label, and in equal shares alone little is known
    of the whole. With half, the whole takes at most twice the labels.
    """
    most = min(labels, verdicts)
    units = {stratum.label: round(stratum.weight * verdicts) for stratum in strata}
    out = dict.fromkeys(units, 0)
    left = most // 2
    while left and (open_ := [label for label, size in units.items() if out[label] < size]):
        each = max(1, left // len(open_))
        for label in open_[:left]:
            taken = min(each, units[label] - out[label])
            out[label] += taken
            left -= taken
    wanted = allot(strata, most, verdicts)
    short = most - sum(out.values())
    while short > 0:
        due = {label: wanted[label] - out[label] for label in out if out[label] < units[label]}
        if not due:
            break
        label = max(due, key=lambda name: (due[name], name))
        out[label] += 1
        short -= 1
    return out


def enough_verdicts(strata: Sequence[Stratum], half_width: float, level: float = 0.95) -> int:
    """Returns a number of verdicts so large that it hardly matters that they are only a sample.

    They add at most a 200th to the variance that the half-width allows, so that more of them would
    save less than one label in 200.
    """
    z = normal_quantile((1 + level) / 2)
    return max(1, math.ceil(200 * variance_between(_parts(strata)) * (z / half_width) ** 2))


def needs(
    strata: Sequence[Stratum],
    half_width: float,
    *,
    verdicts: int | None = None,
    level: float = 0.95,
    design_effect: float = 1.0,
    target: Target = "process",
    costs: Costs | None = None,
    most: int = MOST,
) -> tuple[Need, ...]:
    """What each way of sampling needs for an interval of that half-width, on the share scale.

    Args:
        strata: the units by verdict, see `expected_strata` and `pilot_strata`.
        verdicts: units that the judge goes through; where None `enough_verdicts`, and at least
            twice the labels that people alone need.
        design_effect: of people's labels, where several are on one item.
        target: what the interval speaks for; for just these units the verdicts are on all that
            there are.
        most: units that there are to label; what they are a sample of may be larger.

    Raises:
        ValueError: for a half-width outside (0, 0.5), or fewer than one verdict.
    """
    if not (0 < half_width < 0.5 and (verdicts is None or verdicts > 0) and design_effect >= 1):
        raise ValueError(
            "a plan needs 0 < half-width < 0.5, at least one verdict and a design effect of 1 or "
            f"more: {half_width}, {verdicts}, {design_effect}"
        )
    costs = costs or Costs()
    is_finite = target == "units"
    share = weighted_share(_parts(strata))
    if is_finite and verdicts is not None:
        everything = verdicts
    else:
        everything = most

    def alone(labels: float) -> float:
        low, high = wilson(share, max(1.0, labels / design_effect), level)
        return (high - low) / 2 * (math.sqrt(1 - labels / everything) if is_finite else 1.0)

    def judged(counts: Mapping[str, float]) -> float:
        parts = [
            Part(
                weight=s.weight,
                share=s.share,
                n=counts[s.label] / design_effect,
                shrink=math.sqrt(1 - min(1.0, counts[s.label] / (s.weight * units)))
                if is_finite and s.weight
                else 1.0,
            )
            for s in strata
        ]
        sampled = 0.0
        if not is_finite:
            sampled = variance_between(parts) / units
        low, high = mover_bounds(parts, sampled, level=level, z=normal_quantile((1 + level) / 2))
        return (high - low) / 2

    def at_random(labels: float) -> float:
        return judged({s.label: labels * s.weight for s in strata})

    def by_verdict(labels: float) -> float:
        return judged(neyman(strata, labels, units))

    def need(design: str, width: Callable[[float], float], n: int, limit: int) -> Need:
        labels = _fewest_labels(width, half_width, limit)
        chosen = {}
        if labels and width is by_verdict:
            chosen = allot(strata, labels, n)
        return Need(
            design=design,
            labels=labels,
            verdicts=n,
            allocation=chosen,
            half_width=width(limit if labels is None else labels),
            hours=costs.hours(labels or 0),
            verdict_hours=n * costs.verdict_seconds / 3600,
            money=costs.money(labels or 0, n),
        )

    people = _fewest_labels(alone, half_width, everything)
    units = verdicts or max(enough_verdicts(strata, half_width, level), 2 * (people or 0))
    return (
        need("people only", alone, 0, everything),
        need("judge, random labels", at_random, units, units),
        need("judge, labels by verdict", by_verdict, units, units),
    )


def _parts(strata: Sequence[Stratum]) -> list[Part]:
    """Returns the strata as parts of all units, without labels."""
    parts = []
    for stratum in strata:
        parts.append(Part(weight=stratum.weight, share=stratum.share))
    return parts


def _fewest_labels(width: Callable[[float], float], wanted: float, limit: int) -> int | None:
    """The smallest number of labels with that width or less; None if `limit` is not enough."""
    wanted *= 1 + CLOSE
    if width(limit) > wanted:
        return None
    low = 0
    high = 1
    while width(high) > wanted:
        low = high
        high = min(2 * high, limit)
    while high - low > 1:
        middle = (low + high) // 2
        if width(middle) > wanted:
            low, high = (middle, high)
        else:
            low, high = (low, middle)
    return high
