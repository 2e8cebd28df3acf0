"""What the judges of a ledger said of the same units; rules, models and people are raters alike."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.graphs.core.rubrics import RUBRICS
from factmark.ledger.campaigns import campaigns_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import UnitVerdict, judges_kept, strata_names, unit_verdicts
from factmark.people.core.forms import COARSE_SUMMARY, FINE_SUMMARY, Form
from factmark.people.core.scales import forms_by_kind
from factmark.stats.coefficients import Metric

Labels = list[str | None]
"""What a rater said of a unit, the newest last; None where it gave no label."""

_OFFERED: Mapping[str, Mapping[str, float]] = {
    rubric.name: rubric.values for rubric in (*RUBRICS.values(), COARSE_SUMMARY, FINE_SUMMARY)
}
_ORDER = {"rule": 0, "model": 1, "person": 2}


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
class JudgePanel:
    """What raters said of the units of one kind.

    Attributes:
        rows: per unit, id of a rater -> its labels; absent where it was not asked.
        clusters, strata: per unit; strata are empty where nothing is broken down.
        values: every label ever given to this kind -> what it is worth; None where nothing or not
            one thing is told.
        metric: how far apart labels are by the form that people rate the kind by; None where it has
            none, or other labels were given.
    """

    kind: str
    raters: tuple[Rater, ...]
    rows: Sequence[Mapping[str, Labels]]
    clusters: Sequence[str]
    strata: Sequence[str]
    values: Mapping[str, float | None]
    metric: Metric | None = None


def read_panels(
    ledger: Ledger, *, kind: str = "", by: str = ""
) -> tuple[list[JudgePanel], list[str]]:
    """What the judges of a ledger said: a panel per kind of unit, sorted by kind.

    Args:
        kind: of units; all where empty.
        by: what strata are told apart by: a stratum of the items, or a field of the units.

    Returns:
        The panels, and what a reader must know of the input, one sentence each.

    Raises:
        LedgerError: it cannot be read.
        InputError: for a kind or a stratum that it does not know.
    """
    if '"' in by or "\\" in by:
        raise InputError(f"--by {by}: no stratum has such a name.")
    raters = _raters(ledger)
    forms = forms_by_kind(campaigns_of(ledger))
    kinds: defaultdict[str, list[UnitVerdict]] = defaultdict(list)
    for verdict in unit_verdicts(ledger, by):
        kinds[verdict.kind].append(verdict)
    if kind and kind not in kinds:
        raise InputError(
            f"--kind {kind}: {ledger.path} has verdicts on units of the kinds "
            f"{', '.join(sorted(kinds)) or '(none)'}."
        )
    if by and kinds and not any(v.stratum for verdicts in kinds.values() for v in verdicts):
        names = ", ".join(strata_names(ledger)) or "none"
        raise InputError(f"--by {by}: neither items nor units have it. They have {names}.")
    problems: list[str] = []
    wanted = [kind] if kind else sorted(kinds)
    panels = [_panel(name, forms.get(name), kinds[name], raters, by, problems) for name in wanted]
    return panels, problems


def number_of(label: str) -> float | None:
    """The finite number that a label is, or None."""
    try:
        value = float(label)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _raters(ledger: Ledger) -> list[Rater]:
    """All judges: rules, then models, then people, each by name; equal names with their ids."""
    judges = judges_kept(ledger)
    names = [without_surrogates(judge.name) for judge in judges]
    raters = [
        Rater(
            id=judge.id,
            kind=judge.kind,
            name=f"{name} ({judge.id[:8]})" if names.count(name) > 1 or not name.strip() else name,
            offered=_OFFERED.get(str(judge.parameters.get("rubric_name")), {}),
        )
        for judge, name in zip(judges, names, strict=True)
    ]
    return sorted(raters, key=lambda rater: (_ORDER.get(rater.kind, 3), rater.name, rater.id))


def _panel(
    kind: str,
    form: Form | None,
    verdicts: Sequence[UnitVerdict],
    raters: Iterable[Rater],
    by: str,
    problems: list[str],
) -> JudgePanel:
    """What was said of the units of a kind; a fact is judged by who marks it, so one that a judge
    took back is as if it had not been asked about it."""
    texts = dict(_texts({verdict.label for verdict in verdicts if verdict.label is not None}))
    rows: dict[str, dict[str, Labels]] = {}
    places: dict[str, UnitVerdict] = {}
    values: defaultdict[str, set[float | None]] = defaultdict(set)
    used: defaultdict[str, set[str]] = defaultdict(set)
    for verdict in verdicts:
        unit, judge = verdict.unit, verdict.judge
        label = None if verdict.label is None else texts[verdict.label]
        if label is None and kind == "fact":
            rows.get(unit, {}).pop(judge, None)
            continue
        places.setdefault(unit, verdict)
        rows.setdefault(unit, {}).setdefault(judge, []).append(label)
        if label is not None:
            worth = float(verdict.value) if isinstance(verdict.value, int | float) else math.nan
            values[label].add(worth if math.isfinite(worth) else None)
            used[judge].add(label)
    known = {
        label: next(iter(worth)) if len(worth) == 1 else None for label, worth in values.items()
    }
    problems += [
        f"{kind} units: {label} has more than one value, so labels are not put in order."
        for label, worth in sorted(values.items())
        if len(worth - {None}) > 1
    ]
    judged = {judge for row in rows.values() for judge in row}
    return JudgePanel(
        kind=without_surrogates(kind),
        raters=tuple(
            replace(
                rater,
                offered=_offered(form, rater, known),
                used=frozenset(used[rater.id]),
            )
            for rater in raters
            if rater.id in judged
        ),
        rows=list(rows.values()),
        clusters=[verdict.cluster for verdict in places.values()],
        strata=[without_surrogates(verdict.stratum) for verdict in places.values()] if by else (),
        values=known,
        metric=form.scale if form and known.keys() <= form.values.keys() else None,
    )


def _offered(
    form: Form | None, rater: Rater, known: Mapping[str, float | None]
) -> Mapping[str, float]:
    """The labels of a judge's rubric; else those of the form, if its units use no others."""
    if rater.offered and form:
        return rater.offered
    protocol = form.values if form else {}
    return protocol if known.keys() <= protocol.keys() else {}


def _texts(labels: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Labels as they are compared: where all are numbers, one number is one label."""
    numbers = {label: number_of(label) for label in labels}
    are_numbers = None not in numbers.values()
    for label, value in numbers.items():
        yield label, f"{value:.12g}" if are_numbers else without_surrogates(label)
