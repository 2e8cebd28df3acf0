"""The published corrections, to compare with, and either side alone. Pure.

All take people's values in [0, 1], and labelled units that are drawn at random among all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from factmark.model import Estimate
from factmark.stats.cells import Cell, cell_interval, design_effect
from factmark.stats.intervals import normal_quantile

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
    cells: Sequence[Cell], given: Mapping[str, float] | None = None
) -> tuple[Worth, tuple[str, ...]]:
    """What each verdict is worth: `given` where it names the verdict, else the usual words.

    Those are supported, yes, true and the like (1), maybe (0.5), their opposites and no verdict
    (0), and numbers from 0 to 1. A verdict of another name is worth 1 where people called at least
    half of its units true, else 0; these names are the second part of what is returned.
    """
    worth: dict[str | None, float] = {}
    guessed = []
    for cell in cells:
        found = value_of(cell.label, given or {})
        if found is None:
            guessed.append(str(cell.label))
            found = float(cell.mean >= 0.5)
        worth[cell.label] = found
    return worth, tuple(guessed)


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


def human_only(
    cells: Sequence[Cell], level: float, places: Mapping[int, float], clusters: Sequence[str] | None
) -> Estimate:
    """People's labels alone: their mean, the interval of one cell that holds all."""
    n, total = sum(c.labelled for c in cells), sum(c.total for c in cells)
    one = Cell(
        label="", total=total, labelled=n,
        sum=sum(c.sum for c in cells), squares=sum(c.squares for c in cells),
    )  # fmt: skip
    effect = _effect({place: value - one.mean for place, value in places.items()}, clusters)
    effective = n * one.worth / effect
    low, high = cell_interval(one.mean * effective, effective, level)
    return _estimate(
        one.mean, low, high, level, f"human-only, {n} labels", _clusters(places, clusters), effect
    )


def judge_only(
    cells: Sequence[Cell], worth: Worth, verdicts: Sequence[str | None], level: float,
    clusters: Sequence[str] | None,
) -> Estimate:  # fmt: skip
    """The judge as if it never erred."""
    total = sum(c.total for c in cells)
    one = Cell(
        label="", total=total, labelled=total,
        sum=math.fsum(c.total * worth[c.label] for c in cells),
        squares=math.fsum(c.total * worth[c.label] ** 2 for c in cells),
    )  # fmt: skip
    effect = 1.0
    if clusters is not None:
        parts = {place: worth[verdict] - one.mean for place, verdict in enumerate(verdicts)}
        effect = _effect(parts, clusters)
    effective = total * one.worth / effect
    low, high = cell_interval(one.mean * effective, effective, level)
    many = total if clusters is None else len(set(clusters))
    return _estimate(one.mean, low, high, level, f"judge-only, {total} verdicts", many, effect)


def ppi_plus_plus(
    cells: Sequence[Cell], worth: Worth, verdicts: Sequence[str | None], level: float,
    places: Mapping[int, float], clusters: Sequence[str] | None,
) -> Estimate:  # fmt: skip
    """Prediction-powered inference with its tuning (Angelopoulos, Duchi and Zrnic 2023, PPI++).

    With f the verdicts' worth, Y people's values of the n labelled units and N the other units:
    value = mean(Y) + λ (mean f of the others - mean f of the labelled),
    λ = Cov(Y, f) / ((1 + n/N) Var f), clipped to [0, 1], Cov over the labelled (divided by n), Var
    over all (divided by n + N - 1). Since mean f of the others less that of the labelled is
    (1 + n/N) times mean f of all less that of the labelled, the same value is mean(Y) +
    Cov/Var (mean f of all - mean f of the labelled) while λ is not clipped. The interval is normal,
    as published: of no width where all labels agree. It is here to compare with.
    """
    n = sum(c.labelled for c in cells)
    rest = sum(c.total - c.labelled for c in cells)
    total = n + rest
    mean_y = math.fsum(c.sum for c in cells) / n
    mean_f = math.fsum(c.labelled * worth[c.label] for c in cells) / n
    mean_all = math.fsum(c.total * worth[c.label] for c in cells) / total
    covariance = math.fsum((c.sum - c.labelled * mean_y) * worth[c.label] for c in cells) / n
    variance = math.fsum(c.total * (worth[c.label] - mean_all) ** 2 for c in cells)
    variance /= max(1, total - 1)
    if rest and variance:
        tuning = min(1.0, max(0.0, covariance / ((1 + n / rest) * variance)))
    else:
        tuning = 0.0
    mean_rest = (mean_all * total - mean_f * n) / rest if rest else 0.0
    value = mean_y + tuning * (mean_rest - mean_f)
    parts = {
        place: said - mean_y - tuning * (worth[verdicts[place]] - mean_f)
        for place, said in places.items()
    }
    effect = _effect(parts, clusters)
    rectifier = effect * math.fsum(part * part for part in parts.values()) / n / n
    imputed = 0.0
    if rest:
        imputed = math.fsum(
            (c.total - c.labelled) * (worth[c.label] - mean_rest) ** 2 for c in cells
        )
        imputed *= (tuning / rest) ** 2
    half = normal_quantile((1 + level) / 2) * math.sqrt(rectifier + imputed)
    value = min(1.0, max(0.0, value))
    return _estimate(
        value, value - half, value + half, level, f"ppi++, lambda {tuning:.3g}, {n} labels",
        _clusters(places, clusters), effect,
    )  # fmt: skip


def rogan_gladen(
    cells: Sequence[Cell], worth: Worth, verdicts: Sequence[str | None], level: float,
    places: Mapping[int, float], clusters: Sequence[str] | None,
) -> Estimate:  # fmt: skip
    """By the judge's sensitivity and specificity (Rogan and Gladen 1978, eq. 2), delta method.

    (q + specificity - 1) / (sensitivity + specificity - 1) with q the judge's share, clipped to
    [0, 1]. None where the judge is no better than chance, or the labels are all alike. In the
    variance one success and one failure are added to each share, so that it is never 0.

    Raises:
        ValueError: where people's values are not all 0 or 1: it is for shares alone.
    """
    if any(c.squares != c.sum for c in cells):
        raise ValueError("rogan-gladen is for yes/no labels; use mover")
    total = sum(c.total for c in cells)
    trues = math.fsum(c.sum for c in cells)
    falses = sum(c.labelled for c in cells) - trues
    n = int(trues + falses)
    if not trues or not falses:
        return no_estimate(level, "people's labels are all alike")
    hits = math.fsum(c.sum * worth[c.label] for c in cells)
    rejected = math.fsum((c.labelled - c.sum) * (1 - worth[c.label]) for c in cells)
    sensitivity, specificity = hits / trues, rejected / falses
    better = sensitivity + specificity - 1
    if better <= 0:
        return no_estimate(level, "the judge is no better than chance")
    share = math.fsum(c.total * worth[c.label] for c in cells) / total
    value = min(1.0, max(0.0, (share + specificity - 1) / better))
    shares = ((sensitivity, trues, value), (specificity, falses, 1 - value))
    variance = _added(share * total, total)
    effect = _effect(
        {
            place: (value / trues * (worth[verdicts[place]] - sensitivity))
            if said
            else (1 - value) / falses * (worth[verdicts[place]] - 1 + specificity)
            for place, said in places.items()
        },
        clusters,
    )
    for part, count, weight in shares:
        variance += effect * weight**2 * _added(part * count, count)
    half = normal_quantile((1 + level) / 2) * math.sqrt(variance) / better
    return _estimate(
        value, value - half, value + half, level, f"rogan-gladen, {n} labels",
        _clusters(places, clusters), effect,
    )  # fmt: skip


def _added(successes: float, n: float) -> float:
    share = (successes + 1) / (n + 2)
    return share * (1 - share) / (n + 2)


def _effect(parts: Mapping[int, float], clusters: Sequence[str] | None) -> float:
    return 1.0 if clusters is None else design_effect(parts, clusters)


def _clusters(places: Mapping[int, float], clusters: Sequence[str] | None) -> int:
    return len(places) if clusters is None else len({clusters[place] for place in places})


def _estimate(
    value: float, low: float, high: float, level: float, method: str, clusters: int, effect: float
) -> Estimate:
    return Estimate(
        value=value, low=max(0.0, min(low, value)), high=min(1.0, max(high, value)), level=level,
        method=method, n_items=clusters, n_units=0, design_effect=effect,
    )  # fmt: skip


def no_estimate(level: float, why: str) -> Estimate:
    """Nothing is known, and why."""
    return Estimate(
        value=None, low=None, high=None, level=level, method=f"none: {why}", n_items=0, n_units=0,
        worst=0.0, best=1.0,
    )  # fmt: skip
