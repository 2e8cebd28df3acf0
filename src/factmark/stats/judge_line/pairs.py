"""Comparisons of systems that people's labels of some of their units correct. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from factmark.model import Estimate
from factmark.stats.comparison import Comparison, CorrectedPair, Options, Units
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.difference import FEW_ITEMS, JudgedSide, corrected_difference
from factmark.stats.judge_line.sample import Drawing
from factmark.stats.scales import difference_on_scale, on_scale


def corrected_pairs(
    comparisons: Sequence[Comparison], marks: Mapping[str, JudgedSide], options: Options
) -> list[Comparison]:
    """Returns the comparisons with what people's labels make of each, on the items that both
    systems have; unchanged where some pair has labels on fewer than 20 items of a system, since
    pairs that are decided in different ways have no common order.

    Args:
        marks: system -> its units, with what the judge and people gave.
    """
    corrected = []
    for row in comparisons:
        if row.a not in marks or row.b not in marks:
            return list(comparisons)
        shared = {*marks[row.a].items} & {*marks[row.b].items}
        a = _within(marks[row.a], shared)
        b = _within(marks[row.b], shared)
        if min(a.labelled_items, b.labelled_items) < FEW_ITEMS:
            return list(comparisons)
        corrected.append(replace(row, people=_corrected(a, b, options)))
    return corrected


def corrected_values(
    systems: Mapping[str, Units], marks: Mapping[str, JudgedSide], options: Options
) -> dict[str, Estimate]:
    """Returns each system's corrected mean on the items that all have; nothing where people
    labelled fewer than 20 of these of some system, or of two that are compared."""
    if not systems.keys() <= marks.keys():
        return {}
    shared = set.intersection(*({*marks[name].items} for name in systems))
    sides = {name: _within(marks[name], shared) for name in systems}
    if min(side.labelled_items for side in sides.values()) < FEW_ITEMS:
        return {}
    return {name: _mean(side, options) for name, side in sides.items()}


def _corrected(a: JudgedSide, b: JudgedSide, options: Options) -> CorrectedPair:
    """Returns the corrected difference of two systems, and both values, on the measure's scale."""
    test = corrected_difference(a, b, level=options.level)
    return CorrectedPair(
        difference=difference_on_scale(test.estimate, options.scale),
        value_a=_mean(a, options),
        value_b=_mean(b, options),
        p=test.p,
    )


def _mean(side: JudgedSide, options: Options) -> Estimate:
    """Returns a system's corrected mean, on the measure's scale."""
    people = {place: label for place, label in enumerate(side.people) if label is not None}
    drawing = Drawing(clusters=side.items, weights=side.weights, counts=side.counts)
    estimate = corrected_by_line([side.judge], people, level=options.level, drawing=drawing)
    return on_scale(estimate, options.scale)


def _within(side: JudgedSide, items: set[str]) -> JudgedSide:
    """Returns a system's units of these items."""
    places = [place for place, item in enumerate(side.items) if item in items]
    weights = None
    if side.weights is not None:
        weights = [side.weights[place] for place in places]
    return JudgedSide(
        items=[side.items[place] for place in places],
        judge=[side.judge[place] for place in places],
        people=[side.people[place] for place in places],
        weights=weights,
    )


def too_few_labels(
    marks: Mapping[str, Mapping[str, JudgedSide]], systems: Iterable[str], item: str
) -> Iterator[str]:
    """Yields a sentence where people labelled units of some systems, and too few of others for a
    comparison to be corrected.

    Args:
        marks: system -> key of a score -> its units.
        item: what is labelled, as people call several of them.
    """
    labelled = {}
    for name in systems:
        sides = list(marks.get(name, {}).values())
        labelled[name] = sides[0].labelled_items if sides else 0
    few = [f"{name} {n}" for name, n in labelled.items() if n < FEW_ITEMS]
    if any(labelled.values()) and few:
        yield (
            f"People labelled fewer than {FEW_ITEMS} {item} of {', '.join(few)}: too few to "
            "correct a comparison, so values are the judge's own."
        )
