"""Panels: what several judges said of the same units, and who is compared with whom. Pure.

Rules, models and people are raters alike. A pair is compared on the units that both were asked
about: what only one was asked about is counted and takes no part, neither in what is observed nor
in what chance would give. A verdict without a label leaves its unit missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

from factmark.errors import InputError
from factmark.stats.agreement import Agreement, Ratings, measure_agreement
from factmark.stats.coefficients import Metric

OVERALL = "overall"
MOST_PEOPLE = 6  # of more, only the whole group is compared, unless they are named
MOST_VERSUS = 100
MOST_STRATA = 50
_TIES = "labels share a value"
_OTHERS = ("(another)", "(yet another)")
_MOST_LABELS = 60
_MOST_CELLS = 50_000_000  # units times squared labels: what a coefficient's tallies may hold

What = Literal["pair", "people", "against people", "revisions", "revised"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater:
    """A judge of a panel.

    Attributes:
        name: as people read it; with the beginning of its id where several have that name.
        offered: the labels that it could give with their values; empty where that is not known, and
            then those of the panel count.
        used: the labels that it ever gave.
    """

    id: str
    kind: str
    name: str
    offered: Mapping[str, float] = field(default_factory=dict)
    used: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What raters said of the units of one kind.

    Attributes:
        kind: of the units.
        rows: per unit, id of a rater -> its newest label; None where it gave none, absent where it
            was not asked.
        firsts: id of a rater -> place of a unit that it judged more than once -> its first label.
        clusters: per unit.
        strata: per unit; empty where nothing is broken down.
        values: every label ever given to this kind -> what it is worth; None where nothing or not
            one thing is told.
    """

    kind: str
    raters: tuple[Rater, ...]
    rows: Sequence[Mapping[str, str | None]]
    firsts: Mapping[str, Mapping[int, str | None]]
    clusters: Sequence[str]
    strata: Sequence[str]
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How labels are compared, and why so.

    Attributes:
        labels: in their order; those that were offered, used or not.
        values: what they are worth; empty where that does not matter.
    """

    metric: Metric
    labels: tuple[str, ...]
    values: tuple[float, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Versus:
    """Who is compared: one with one, people among each other, one with all people.

    Or one with itself, first label with final: `revisions` over all its units, where the label of
    one that was never judged again stands for both; `revised` over those judged again.
    """

    what: What
    ones: tuple[Rater, ...]
    others: tuple[Rater, ...] = ()

    @property
    def names(self) -> tuple[str, str]:
        """The two sides as people read them; of people among each other the second is empty."""
        if self.what == "people":
            return f"people ({len(self.ones)})", ""
        if self.what == "revisions":
            return f"{self.ones[0].name}: first", "final"
        if self.what == "revised":
            return f"{self.ones[0].name}: first", "final, units judged again"
        if self.what == "against people":
            return self.ones[0].name, f"people ({len(self.others)})"
        return self.ones[0].name, self.others[0].name


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How far judges agree, over all units or in a stratum.

    Attributes:
        n_units: units with labels of both sides (of two people, where people are a group).
        n_unlabelled: units that both were asked about, without two labels to compare.
        n_alone: units that only one was asked about; in none of the numbers.
        n_again, n_moved: of revisions: units that were judged more than once, and those of them
            whose first label was another one.
    """

    versus: Versus
    stratum: str
    scale: Scale
    agreement: Agreement
    n_units: int
    n_unlabelled: int
    n_alone: int
    n_again: int = 0
    n_moved: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How it is computed; `scale` is None where the labels decide."""

    scale: Metric | None = None
    level: float = 0.95
    resamples: int = 10_000
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelAgreement:
    """All comparisons of a panel; each over all units, then in every stratum."""

    kind: str
    metric: Metric
    why: str
    compared: tuple[Compared, ...]
    notes: tuple[str, ...]


def compare_panel(
    panel: Panel, how: How, *, named: Sequence[str] = (), revised: Sequence[str] = ()
) -> PanelAgreement | None:
    """Compares the raters of a panel, by default all that share units; None where nobody does.

    Args:
        named: ids of the raters to compare with each other; of one, to compare with all others.
        revised: ids of raters whose first label is compared with their newest instead.

    Raises:
        InputError: where the scale that is asked for cannot be, or there is too much to compare.
    """
    notes: list[str] = []
    if revised:
        found = [r for r in panel.raters if r.id in revised and panel.firsts.get(r.id)]
        whats: tuple[What, ...] = ("revisions", "revised")
        contests = [Versus(what=what, ones=(rater,)) for rater in found for what in whats]
    else:
        contests, notes = _contests(panel, named)
    if not contests:
        return None
    whole = scale_of(panel, how.scale)
    compared = [one for versus in contests for one in _compare(panel, versus, whole, how)]
    strata = set(panel.strata)
    if len(strata) > MOST_STRATA:
        notes.append(f"The {MOST_STRATA} largest of {len(strata)} strata are shown.")
    return PanelAgreement(
        kind=panel.kind, metric=whole.metric, why=whole.why, compared=tuple(compared),
        notes=tuple(notes),
    )  # fmt: skip


def scale_of(panel: Panel, wanted: Metric | None = None) -> Scale:
    """The scale of all labels that the raters of a panel could give.

    Interval where all labels are numbers; ordinal where three or more have distinct values; nominal
    where values tie or are not known, and of two labels, where all scales are the same.

    Raises:
        InputError: for an ordinal or interval scale of labels that have no order or values.
    """
    offered: dict[str, float | None] = dict(panel.values)
    for rater in panel.raters:
        offered |= rater.offered
    numbers = {label: number_of(label) for label in offered}
    are_numbers = None not in numbers.values()
    known = numbers if are_numbers else offered
    values = {label: value for label, value in known.items() if value is not None}
    valued = len(values) == len(offered)
    distinct = valued and len(set(values.values())) == len(offered)
    labels = sorted(offered, key=lambda label: (values.get(label, math.inf), label))
    if (wanted == "interval" and not valued) or (wanted == "ordinal" and not distinct):
        lack = "no values" if not valued else "no order: some have the same value"
        raise InputError(
            f"--scale {wanted}: the labels of {panel.kind} units have {lack} "
            f"({', '.join(labels)}). Take --scale nominal, or another --kind."
        )
    metric, why = (wanted, "as asked for") if wanted else _metric(labels, are_numbers, distinct)
    if why == _TIES and not valued:
        why = "not all labels have one value" if values else "labels have no values"
    return Scale(
        metric=metric, labels=tuple(labels), why=why,
        values=tuple(values[label] for label in labels) if valued else (),
    )  # fmt: skip


def _metric(labels: Sequence[str], are_numbers: bool, distinct: bool) -> tuple[Metric, str]:
    if len(labels) <= 2:
        return "nominal", "there are no more than two labels"
    if are_numbers:
        return "interval", "the labels are numbers"
    if distinct:
        return "ordinal", "each label has a value of its own"
    return "nominal", _TIES


def _part(whole: Scale, panel: Panel, raters: Iterable[Rater]) -> Scale:
    """The scale of what some raters could give; Gwet's coefficients go by how many that are."""
    offered = {label for r in raters for label in (*(r.offered or panel.values), *r.used)}
    kept = [at for at, label in enumerate(whole.labels) if label in offered]
    labels = tuple(whole.labels[at] for at in kept)
    values = tuple(whole.values[at] for at in kept) if whole.values else ()
    if len(labels) < 2:  # nobody gave another one; what else could have been given is not known
        labels, values = (*labels, *_OTHERS)[:2], ()
    return Scale(metric=whole.metric, labels=labels, values=values, why=whole.why)


def number_of(label: str) -> float | None:
    """The finite number that a label is, or None."""
    try:
        value = float(label)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _contests(panel: Panel, named: Sequence[str]) -> tuple[list[Versus], list[str]]:
    """Who is compared with whom, of those that share units."""
    raters = [r for r in panel.raters if r.id in named] if len(named) > 1 else list(panel.raters)
    people = [rater for rater in raters if rater.kind == "person"]
    notes: list[str] = []
    crowd = len(people) > MOST_PEOPLE and not named
    if crowd:
        notes.append(
            f"{len(people)} people are compared as a group; name two with --judge to compare them."
        )
    shared = _shared(panel)
    found = []
    for one, other in combinations(raters, 2):
        both = one.kind == other.kind == "person"
        wanted = len(named) != 1 or named[0] in (one.id, other.id)
        if wanted and frozenset((one.id, other.id)) in shared and not (both and crowd):
            found.append(Versus(what="pair", ones=(one,), others=(other,)))
    if len(people) > 1:
        found += [
            Versus(what="against people", ones=(rater,), others=tuple(people))
            for rater in raters
            if rater.kind != "person"
            and (len(named) != 1 or rater.id in named)
            and any(frozenset((rater.id, one.id)) in shared for one in people)
        ]
        together = any(frozenset((a.id, b.id)) in shared for a, b in combinations(people, 2))
        if len(people) > 2 and len(named) != 1 and together:
            found.append(Versus(what="people", ones=tuple(people)))
    if len(found) > MOST_VERSUS:
        raise InputError(
            f"{len(raters)} judges of {panel.kind} units make {len(found)} comparisons. Name some "
            f"with --judge: {', '.join(rater.name for rater in raters[:40])}."
        )
    return found, notes


def _shared(panel: Panel) -> set[frozenset[str]]:
    """The pairs of raters that were asked about one unit."""
    groups = {frozenset(row) for row in panel.rows}
    return {frozenset(pair) for group in groups for pair in combinations(group, 2)}


def _compare(panel: Panel, versus: Versus, whole: Scale, how: How) -> Iterator[Compared]:
    """Over all units, then in each stratum, the largest first."""
    places: Sequence[int] = range(len(panel.rows))
    if versus.what == "revisions":
        places = [at for at in places if versus.ones[0].id in panel.rows[at]]
    elif versus.what == "revised":
        places = sorted(panel.firsts[versus.ones[0].id])
    scale = _part(whole, panel, (*versus.ones, *versus.others))
    q = len(scale.labels)
    if q > _MOST_LABELS or len(places) * q**2 > _MOST_CELLS:
        raise InputError(
            f"{len(places)} {panel.kind} units with {q} different labels are too many to compare. "
            "Choose another --kind, or judges with fewer labels."
        )
    yield _measured(panel, versus, places, OVERALL, scale, how)
    strata: dict[str, list[int]] = {}
    for place in places if panel.strata else ():
        strata.setdefault(panel.strata[place], []).append(place)
    largest = sorted(strata.items(), key=lambda part: (-len(part[1]), part[0]))
    for stratum, part in largest[:MOST_STRATA]:
        yield _measured(panel, versus, part, stratum, scale, how)


def _measured(
    panel: Panel, versus: Versus, places: Sequence[int], stratum: str, scale: Scale, how: How
) -> Compared:
    rows, alone = _asked(panel, versus, places)
    ratings = Ratings(
        labels=scale.labels,
        values=scale.values,
        rows=[{k: said for k, said in row.items() if said is not None} for row in rows.values()],
        clusters=[panel.clusters[place] for place in rows],
    )
    paired = [len({rater[0] for rater in row}) > 1 for row in ratings.rows]
    if versus.what == "against people":
        ratings = ratings.crossed(
            {rater for row in ratings.rows for rater in row if rater[0] == "1"},
            {rater for row in ratings.rows for rater in row if rater[0] == "2"},
        )
    elif versus.what == "people":
        paired = [len(row) > 1 for row in ratings.rows]
    agreement = measure_agreement(
        ratings, scale=scale.metric, level=how.level, resamples=how.resamples, seed=how.seed
    )
    again, moved = _moved(panel, versus, places)
    return Compared(
        versus=versus, stratum=stratum, scale=scale, agreement=agreement, n_units=sum(paired),
        n_unlabelled=len(paired) - sum(paired), n_alone=alone, n_again=again, n_moved=moved,
    )  # fmt: skip


def _asked(
    panel: Panel, versus: Versus, places: Sequence[int]
) -> tuple[dict[int, dict[str, str | None]], int]:
    """Place of a unit that both sides were asked about -> what they said; how many others.

    Raters are called by side and place, so that the first is the row of a table: `1`, `2.0`.
    """
    if versus.what in ("revisions", "revised"):
        rater = versus.ones[0].id
        first, rows = panel.firsts[rater], panel.rows
        return {at: {"1": first.get(at, rows[at][rater]), "2": rows[at][rater]} for at in places}, 0
    group = versus.what == "people"
    keys = {rater.id: f"1.{at:03}" for at, rater in enumerate(versus.ones)}
    keys |= {rater.id: f"2.{at:03}" for at, rater in enumerate(versus.others)}
    found: dict[int, dict[str, str | None]] = {}
    alone = 0
    for place in places:
        row = panel.rows[place]
        said = {keys[rater]: label for rater, label in row.items() if rater in keys}
        if len(said) > 1 and (group or len({key[0] for key in said}) > 1):
            found[place] = said
        elif said:
            alone += 1
    return found, alone


def _moved(panel: Panel, versus: Versus, places: Sequence[int]) -> tuple[int, int]:
    """How many units were judged again, and how many of them got another label."""
    if versus.what not in ("revisions", "revised"):
        return 0, 0
    rater = versus.ones[0].id
    first = panel.firsts[rater]
    again = [(first[at], panel.rows[at][rater]) for at in places if at in first]
    return len(again), sum(a is not None and b is not None and a != b for a, b in again)
