"""The published corrections, to compare with, and either side alone. Pure.

All take people's values in [0, 1], and labelled units that are drawn at random among all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from factmark.model import Estimate
from factmark.stats.cells import VerdictCell, cell_interval, design_effect
from factmark.stats.intervals import no_estimate, normal_quantile

_TRUE = frozenset(
    "1 true yes y supported correct valid right entailed grounded factual pass positive".split()
)
_FALSE = frozenset(
    "0 false no n not_supported unsupported contradicted refuted incorrect invalid wrong "
    "ungrounded neutral hallucinated fail negative unparsed refused failed missing none "
    "abstain".split()
)
_HALF = frozenset({"maybe"})

Worth = Mapping[str | None, float]
"""What each verdict is worth, in [0, 1]."""


def worth_of(
    cells: Sequence[VerdictCell], given: Mapping[str, float] | None = None
) -> tuple[Worth, tuple[str, ...]]:
    """What each verdict is worth: `given` where it names the verdict, else the usual words.

    Those are supported, yes, true and the like (1), maybe (0.5), their opposites and no verdict
    (0), and numbers from 0 to 1. A verdict of another name is worth 1 where people called at least
    half of its units true, else 0; these names are the second part of what is returned.
    """
    named = {cell.label: value_of(cell.label, given or {}) for cell in cells}
    worth = {
        cell.label: float(cell.mean >= 0.5) if (value := named[cell.label]) is None else value
        for cell in cells
    }
    return worth, tuple(str(label) for label, value in named.items() if value is None)


def value_of(label: str | None, given: Mapping[str, float]) -> float | None:
    """What a verdict is worth by its name, in [0, 1]; None where the name says nothing."""
    if label is None:
        return 0.0
    if label in given:
        return float(given[label])
    word = label.strip().casefold().replace(" ", "_").replace("-", "_")
    for words, value in ((_TRUE, 1.0), (_FALSE, 0.0), (_HALF, 0.5)):
        if word in words:
            return value
    try:
        number = float(word)
    except ValueError:
        return None
    return number if 0 <= number <= 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledUnits:
    """Units with verdicts, some of them with people's values.

    Attributes:
        cells: by verdict.
        worth: of each verdict.
        verdicts: one a unit.
        values: place of a unit -> people's value.
        clusters: one a unit; None where each unit is one of its own.
    """

    cells: Sequence[VerdictCell]
    worth: Worth
    verdicts: Sequence[str | None]
    values: Mapping[int, float]
    clusters: Sequence[str] | None
    level: float

    def sum(self, of: Callable[[VerdictCell, float], float]) -> float:
        """Over the cells, of a function of a cell and its verdict's worth."""
        return math.fsum(of(cell, self.worth[cell.label]) for cell in self.cells)

    def effect(self, parts: Mapping[int, float]) -> float:
        """The design effect of a sum over units, see `design_effect`."""
        return 1.0 if self.clusters is None else design_effect(parts, self.clusters)

    def estimate(
        self,
        value: float,
        bounds: tuple[float, float],
        method: str,
        effect: float,
        places: Sequence[int] | None = None,
    ) -> Estimate:
        """An estimate that rests on the units at these places, else on the labelled ones."""
        places = list(self.values) if places is None else places
        names = places if self.clusters is None else {self.clusters[place] for place in places}
        return Estimate(
            value=value, low=max(0.0, min(bounds[0], value)), high=min(1.0, max(bounds[1], value)),
            level=self.level, method=method, n_items=len(names), n_units=0, design_effect=effect,
        )  # fmt: skip

    def normal(self, value: float, variance: float, method: str, effect: float) -> Estimate:
        """An estimate with the normal interval."""
        half = normal_quantile((1 + self.level) / 2) * math.sqrt(variance)
        return self.estimate(value, (value - half, value + half), method, effect)


def human_only(labelled: LabelledUnits) -> Estimate:
    """People's labels alone: their mean, the interval of one cell that holds all."""
    n = len(labelled.values)
    return _of_one_cell(labelled, labelled.values, f"human-only, {n} labels")


def judge_only(labelled: LabelledUnits) -> Estimate:
    """The judge as if it never erred."""
    values = {place: labelled.worth[verdict] for place, verdict in enumerate(labelled.verdicts)}
    return _of_one_cell(labelled, values, f"judge-only, {len(values)} verdicts")


def _of_one_cell(labelled: LabelledUnits, values: Mapping[int, float], method: str) -> Estimate:
    n = len(values)
    cell = VerdictCell(
        label="", total=n, labelled=n, sum=math.fsum(values.values()),
        squares=math.fsum(value * value for value in values.values()),
    )  # fmt: skip
    effect = labelled.effect({place: value - cell.mean for place, value in values.items()})
    effective = n * cell.worth / effect
    bounds = cell_interval(cell.mean * effective, effective, labelled.level)
    return labelled.estimate(cell.mean, bounds, method, effect, list(values))


def ppi_plus_plus(labelled: LabelledUnits) -> Estimate:
    """Prediction-powered inference with its tuning (Angelopoulos, Duchi and Zrnic 2023, PPI++).

    With f the verdicts' worth, Y people's values of the n labelled units and N the other units:
    value = mean(Y) + λ (mean f of the others - mean f of the labelled),
    λ = Cov(Y, f) / ((1 + n/N) Var f), clipped to [0, 1], Cov over the labelled (divided by n), Var
    over all (divided by n + N - 1). The interval is normal, as published: of no width where all
    labels agree. It is here to compare with.
    """
    n, total = len(labelled.values), len(labelled.verdicts)
    rest = total - n
    mean_y = labelled.sum(lambda c, f: c.sum) / n
    mean_f = labelled.sum(lambda c, f: c.labelled * f) / n
    mean_all = labelled.sum(lambda c, f: c.total * f) / total
    covariance = labelled.sum(lambda c, f: (c.sum - c.labelled * mean_y) * f) / n
    variance = labelled.sum(lambda c, f: c.total * (f - mean_all) ** 2) / max(1, total - 1)
    tuning = covariance / ((1 + n / rest) * variance) if rest and variance else 0.0
    tuning = min(1.0, max(0.0, tuning))
    mean_rest = (mean_all * total - mean_f * n) / rest if rest else 0.0
    value = min(1.0, max(0.0, mean_y + tuning * (mean_rest - mean_f)))
    parts = {
        place: y - mean_y - tuning * (labelled.worth[labelled.verdicts[place]] - mean_f)
        for place, y in labelled.values.items()
    }
    effect = labelled.effect(parts)
    rectifier = effect * math.fsum(part * part for part in parts.values()) / n / n
    imputed = labelled.sum(lambda c, f: (c.total - c.labelled) * (f - mean_rest) ** 2)
    imputed *= (tuning / rest) ** 2 if rest else 0.0
    method = f"ppi++, lambda {tuning:.3g}, {n} labels"
    return labelled.normal(value, rectifier + imputed, method, effect)


def rogan_gladen(labelled: LabelledUnits) -> Estimate:
    """By the judge's sensitivity and specificity (Rogan and Gladen 1978, eq. 2), delta method.

    (q + specificity - 1) / (sensitivity + specificity - 1) with q the judge's share, clipped to
    [0, 1]. None where the judge is no better than chance, or the labels are all alike. In the
    variance one success and one failure are added to each share, so that it is never 0.

    Raises:
        ValueError: where people's values are not all 0 or 1: it is for shares alone.
    """
    if any(cell.squares != cell.sum for cell in labelled.cells):
        raise ValueError("rogan-gladen is for yes/no labels; use mover")
    n, total = len(labelled.values), len(labelled.verdicts)
    trues = labelled.sum(lambda c, f: c.sum)
    falses = n - trues
    if not trues or not falses:
        return no_estimate(labelled.level, "none: people's labels are all alike", ends=(0.0, 1.0))
    sensitivity = labelled.sum(lambda c, f: c.sum * f) / trues
    specificity = labelled.sum(lambda c, f: (c.labelled - c.sum) * (1 - f)) / falses
    better = sensitivity + specificity - 1
    if better <= 0:
        return no_estimate(
            labelled.level, "none: the judge is no better than chance", ends=(0.0, 1.0)
        )
    share = labelled.sum(lambda c, f: c.total * f) / total
    value = min(1.0, max(0.0, (share + specificity - 1) / better))
    parts = {}
    for place, label in labelled.values.items():
        worth = labelled.worth[labelled.verdicts[place]]
        of_true, of_false = worth - sensitivity, worth - 1 + specificity
        parts[place] = value / trues * of_true if label else (1 - value) / falses * of_false
    effect = labelled.effect(parts)
    variance = _added(share * total, total)
    variance += effect * value**2 * _added(sensitivity * trues, trues)
    variance += effect * (1 - value) ** 2 * _added(specificity * falses, falses)
    method = f"rogan-gladen, {n} labels"
    return labelled.normal(value, variance / better**2, method, effect)


def _added(successes: float, n: float) -> float:
    """The variance of a share with one success and one failure added."""
    share = (successes + 1) / (n + 2)
    return share * (1 - share) / (n + 2)
