"""How far people followed a first reader: ratings of units whose doubts they were shown, beside
ratings of units whose doubts were held back. Pure.

Which unit is in which half was drawn before anybody rated. So but for chance nothing sets the
halves apart except what was shown, and how much more ratings changed in the one is its effect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from factmark.campaign_model import Doubt
from factmark.model import Estimate, Scale, content_hash
from factmark.people.ratings.entries import RatedTask, Scoring, answer_value
from factmark.stats.intervals import combine_all, no_estimate
from factmark.stats.paired import difference_of_means, groups_interval
from factmark.stats.scales import difference_on_scale
from factmark.text.shown_text import named

_CHANGED = 1e-9
_SHOWN = "shown"
_HELD = "held back"


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfRatings:
    """What became of ratings in one half of the units that a first reader doubts.

    Attributes:
        change: the mean of final less first, on the scale of the measure; None without ratings.
    """

    name: str
    n_ratings: int
    n_units: int
    n_changed: int
    first: float | None
    final: float | None
    change: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstReaderEffect:
    """How far a first reader moved ratings.

    Attributes:
        judge, id: its name and id.
        effect: the change where its doubts were shown, less the change where they were held back;
            intervals are over documents.
    """

    judge: str
    id: str
    shown: HalfRatings
    held: HalfRatings
    effect: Estimate

    @property
    def halves(self) -> tuple[HalfRatings, HalfRatings]:
        """Both halves, the one that was shown first."""
        return self.shown, self.held


FirstReading = tuple[str, Mapping[str, Doubt]]
"""The name of a first reader, and key of a task -> what it doubts of it; none where it is empty."""
Change = tuple[str, str, float, float]
"""Document, unit, and what a rating was worth at first and in the end, in [0, 1]."""


def first_reader_effect(
    scoring: Scoring, entries: Iterable[RatedTask], doubts: Mapping[str, Doubt], name: str
) -> FirstReaderEffect | None:
    """Returns how far a first reader moved ratings; None where no unit that it doubts was rated
    while it was there.

    Args:
        doubts: key of a task -> the doubt, shown or held back.
        name: of the first reader.
    """
    halves: dict[bool, list[Change]] = {True: [], False: []}
    for entry in entries:
        doubt = None
        if entry.revisions:
            doubt = doubts.get(entry.revisions[0].key)
        first, final = (
            answer_value(scoring, given, entry.unit) for given in (entry.first, entry.final)
        )
        if doubt is not None and first is not None and final is not None:
            halves[doubt.shown].append((entry.unit.cluster, entry.unit.id, first, final))
    if not any(halves.values()):
        return None
    scale = scoring.measure.scale
    return FirstReaderEffect(
        judge=name,
        id=next(iter(doubts.values())).judge,
        shown=_half(_SHOWN, halves[True], scale),
        held=_half(_HELD, halves[False], scale),
        effect=difference_on_scale(_effect_estimate(scoring, halves[True], halves[False]), scale),
    )


def first_reader_problems(effect: FirstReaderEffect | None) -> Iterator[str]:
    """Yields what a reader of the results must know, where people saw doubts of a first reader."""
    if effect is None:
        return
    name = named(effect.judge)
    shown = effect.shown
    yield (
        f"After {shown.n_ratings} first ratings people were shown what {name} doubts, and may have "
        f"followed it: {shown.n_changed} of these were changed. First ratings are free of it; the "
        "table of the first reader says how far it moved what counts."
    )
    yield (
        f"How far {name} agrees with people is told by what counts, and so may be too good: these "
        "people saw its doubts."
    )


def half_name(doubt: Doubt) -> str:
    """Returns the name of the half that the unit of a doubt is in."""
    if doubt.shown:
        return _SHOWN
    return _HELD


def _half(name: str, changes: Sequence[Change], scale: Scale) -> HalfRatings:
    """Returns what became of the ratings of one half."""

    def mean(shares: Iterable[float], of: Scale) -> float | None:
        given = list(shares)
        if given:
            return of.value(sum(given) / len(given))
        return None

    return HalfRatings(
        name=name,
        n_ratings=len(changes),
        n_units=len({unit for _, unit, _, _ in changes}),
        n_changed=sum(abs(final - first) > _CHANGED for _, _, first, final in changes),
        first=mean((first for _, _, first, _ in changes), scale),
        final=mean((final for _, _, _, final in changes), scale),
        change=mean((final - first for _, _, first, final in changes), Scale(0.0, scale.span)),
    )


def _effect_estimate(scoring: Scoring, shown: Sequence[Change], held: Sequence[Change]) -> Estimate:
    """Returns the mean change of the one half less that of the other, in [-1, 1]."""
    tallies: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
    for place, changes in ((0, shown), (2, held)):
        for document, _, first, final in changes:
            tallies[document][place] += final - first
            tallies[document][place + 1] += 1
    names = sorted(tallies)
    options = scoring.options
    rows = np.array([tallies[name] for name in names])
    none = no_estimate(
        options.level,
        "none (nothing rated in one of the halves)",
        n_items=len(names),
        n_units=len(shown) + len(held),
        data=content_hash([[name, *tallies[name]] for name in names]),
    )
    if not shown or not held:
        return none
    value = combine_all(rows, difference_of_means)
    interval = groups_interval(
        rows, level=options.level, resamples=options.resamples, seed=options.seed
    )
    if interval is None:
        return replace(none, value=value, method="none (one document)")
    seed = None
    if "bootstrap" in interval.method:
        seed = options.seed
    return replace(
        none,
        value=value,
        low=interval.low,
        high=interval.high,
        method=interval.method,
        seed=seed,
        rubric=scoring.form.rubric,
    )
