"""How far the judges of a ledger agree: who is compared with whom, and what that comes to.

A pair is compared on the units that both were asked about: what only one was asked about is counted
and takes no part, neither in what is observed nor in what chance would give. A verdict without a
label leaves its unit missing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from factmark.analysis.agree_report import agree_report
from factmark.analysis.options import AgreeOptions
from factmark.analysis.reading import JudgePanel, Rater, read_panels
from factmark.analysis.results import OVERALL, PanelAgreement, SideAgreement, Sides
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.errors import InputError
from factmark.evaluated.agreement import (
    LabelScale,
    RaterSides,
    agreement_between,
    pairs_that_share_units,
)
from factmark.evaluated.beside_people import Places
from factmark.evaluated.words import number_of
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.people.codes import codes_of_people
from factmark.ledger.verdicts import JudgeCounts, judge_id_of, judges_in_words, judges_of
from factmark.people.marked_words import marked_words_by_kind
from factmark.people.ratings.span_agreement import SpanAgreement
from factmark.report.result import Result
from factmark.stats.coefficients import Metric
from factmark.stats.comparison import Options

MOST_PEOPLE = 6  # of more, only the whole group is compared, unless they are named
MOST_VERSUS = 100
MOST_STRATA = 50
_OTHERS = ("(another)", "(yet another)")
_MOST_LABELS = 60
_MOST_NUMBERS = 101  # of an interval scale: 0 to 100
_MOST_CELLS = 50_000_000  # units times squared labels: what a coefficient's tallies may hold


@python_function(AgreeOptions)
def agree(ledger: str | Path, **options: Any) -> Result:
    """How far do judges agree: rules, models and people alike? `factmark agree`.

    Args:
        options: the command's options, as `judge=["rules"]`, `kind="pair"`, `by="relation"`.

    Returns:
        Krippendorff's alpha of each comparison ("alpha of A × B, KIND"); a row per comparison.

    Raises:
        FactmarkError: what cannot be read, and options that do not go together.
    """
    given = options_of(AgreeOptions, {"ledger": ledger, **options})
    agreements, problems = agreement_of(given)
    return agree_report(agreements, given, problems)


def agreement_of(options: AgreeOptions) -> tuple[tuple[PanelAgreement, ...], tuple[str, ...]]:
    """Compares the judges of a ledger; returns how far they agree, kind by kind, and what a reader
    must know.

    Raises:
        LedgerError: there is no such ledger, or it cannot be read.
        InputError: where no two of them have judged a unit, or one of the options does not fit.
    """
    if options.judge and options.first_final:
        raise InputError("--judge and --first-final: take one of them.")
    with open_existing(options.ledger, read_only=True) as ledger:
        judges = judges_of(ledger)
        codes = codes_of_people(ledger)
        people = {code: name for name, code in codes.items()}
        named, revised = (
            [judge_id_of(options.ledger, people.get(name, name), judges) for name in names or ()]
            for names in (options.judge, options.first_final)
        )
        if len(set(named)) < len(named):
            raise InputError("--judge names one judge twice. Name two, or one to compare with all.")
        panels, problems = read_panels(
            ledger,
            kind=options.kind,
            by=options.by,
            decided=options.decided,
            codes={} if options.names else codes,
        )
        marked = {}
        if not revised:
            marked = _marked_words(ledger, options, [j for j in judges if j.id in named])
    compared = []
    for panel in panels:
        agreement = compare_panel(panel, options, named=named, revised=revised)
        if agreement is not None:
            agreement = replace(agreement, marked_words=marked.get(panel.kind, {}))
        compared.append(agreement)
    agreements = tuple(agreement for agreement in compared if agreement is not None)
    if not agreements:
        what = "No two judges to compare have judged the same units"
        if revised:
            what = "No judge that --first-final names judged a unit more than once"
        raise InputError(f"{options.ledger}: {what}. It has {judges_in_words(judges)}.")
    left = []
    for panel, agreement in zip(panels, compared, strict=True):
        if agreement is None:
            left.append(panel.kind)
    nothing = []
    if left:
        nothing = [f"Nothing to compare on units of the kinds {', '.join(left)}."]
    return agreements, (*problems, *nothing)


def _marked_words(
    ledger: Ledger, options: AgreeOptions, named: Sequence[JudgeCounts]
) -> dict[str, dict[str, SpanAgreement]]:
    """Returns kind of units -> how far people agree on the words that they marked: all people, or
    those that are named; of one alone there is nothing to tell."""
    people = [judge.name for judge in named if judge.kind == "person"]
    if named and len(people) < 2:
        return {}
    how = Options(level=options.level, resamples=options.resamples, seed=options.seed)
    return marked_words_by_kind(ledger, how, options.kind, people)


def compare_panel(
    panel: JudgePanel,
    options: AgreeOptions,
    *,
    named: Sequence[str] = (),
    revised: Sequence[str] = (),
) -> PanelAgreement | None:
    """Compares the raters of a panel, by default all that share units; returns None where nobody
    does.

    Args:
        named: ids of the raters to compare with each other; of one, to compare with all others.
        revised: ids of raters whose first label is compared with their newest instead.

    Raises:
        InputError: where the scale that is asked for cannot be, or there is too much to compare.
    """
    notes: list[str] = []
    if revised:
        pairs = []
        for rater in panel.raters:
            if rater.id in revised and rater.id in panel.firsts:
                for what in ("revisions", "revised"):
                    pairs.append(Sides(what=what, ones=(rater,)))
    else:
        pairs, notes = _sides_to_compare(panel, named)
    if not pairs:
        return None
    whole = scale_of(panel, options.scale)
    compared: list[SideAgreement] = []
    for versus in pairs:
        compared.extend(_compare_sides(panel, versus, whole, options))
    n_strata = 0
    if panel.table.stratum is not None:
        n_strata = len(np.unique(panel.table.stratum.codes))
    if n_strata > MOST_STRATA:
        notes.append(f"The {MOST_STRATA} largest of {n_strata} strata are shown.")
    return PanelAgreement(
        kind=panel.kind, scale=whole, compared=tuple(compared), notes=tuple(notes)
    )


def scale_of(panel: JudgePanel, wanted: Metric | None = None) -> LabelScale:
    """Returns the scale of all labels that the raters of a panel could give.

    That of the form by which people rate such units, as results of campaigns have it; of others
    interval where all labels are numbers; ordinal where three or more have distinct values; nominal
    where values tie or are not known, and of two labels, where all scales are the same.

    Raises:
        InputError: for an ordinal or interval scale of labels that have no order or values.
    """
    offered: dict[str, float | None] = dict(panel.values)
    for rater in panel.raters:
        offered |= rater.offered
    numbers = {label: number_of(label) for label in offered}
    are_numbers = None not in numbers.values()
    if are_numbers:
        known = numbers
    else:
        known = offered
    values = {}
    for label, value in known.items():
        if value is not None:
            values[label] = value
    valued = len(values) == len(offered)
    distinct = valued and len(set(values.values())) == len(offered)
    labels = sorted(offered, key=lambda label: (values.get(label, math.inf), label))
    if (wanted == "interval" and not valued) or (wanted == "ordinal" and not distinct):
        lack = "no order: some have the same value"
        if not valued:
            lack = "no values"
        raise InputError(
            f"--scale {wanted}: the labels of {panel.kind} units have {lack} "
            f"({', '.join(labels)}). Take --scale nominal, or another --kind."
        )
    metric: Metric = "nominal"
    if wanted:
        metric = wanted
        why = "as asked for"
    elif len(labels) <= 2:
        why = "there are no more than two labels"
    elif are_numbers:
        metric = "interval"
        why = "the labels are numbers"
    elif distinct:
        metric = "ordinal"
        why = "each label has a value of its own"
    elif valued:
        why = "labels share a value"
    else:
        why = "labels have no values"
        if values:
            why = "not all labels have one value"
    if panel.metric and not wanted and metric != panel.metric and distinct:
        metric = panel.metric
        why = "as the form has it"
    worth: tuple[float, ...] = ()
    if valued:
        worth = tuple(values[label] for label in labels)
    return LabelScale(metric=metric, labels=tuple(labels), values=worth, why=why)


def _scale_of_some(whole: LabelScale, panel: JudgePanel, raters: Iterable[Rater]) -> LabelScale:
    """Returns the scale of what some raters could give; Gwet's coefficients go by how many that
    are.
    """
    offered: set[str] = set()
    for r in raters:
        offered.update((*(r.offered or panel.values), *r.used))
    kept = []
    for place, label in enumerate(whole.labels):
        if label in offered:
            kept.append(place)
    labels = tuple(whole.labels[place] for place in kept)
    values: tuple[float, ...] = ()
    if whole.values:
        values = tuple(whole.values[place] for place in kept)
    if len(labels) < 2:  # nobody gave another one; what else could have been given is not known
        labels = (*labels, *_OTHERS)[:2]
        values = ()
    return LabelScale(metric=whole.metric, labels=labels, values=values, why=whole.why)


def _sides_to_compare(panel: JudgePanel, named: Sequence[str]) -> tuple[list[Sides], list[str]]:
    """Returns who is compared with whom, of those that share units; and notes on that."""
    if len(named) > 1:
        raters = []
        for r in panel.raters:
            if r.id in named:
                raters.append(r)
    else:
        raters = list(panel.raters)
    people = tuple(rater for rater in raters if rater.kind == "person")
    crowd = len(people) > MOST_PEOPLE and not named
    columns = panel.table.everybody
    shared = pairs_that_share_units({rater.id: columns[rater.id] for rater in raters})

    def meet(rater: Rater, other: Rater) -> bool:
        return (rater.id, other.id) in shared

    def wanted(*pair: Rater) -> bool:
        return len(named) != 1 or named[0] in [rater.id for rater in pair]

    pairs = [
        Sides(what="pair", ones=(rater,), others=(other,))
        for rater, other in combinations(raters, 2)
        if wanted(rater, other)
        and meet(rater, other)
        and not (crowd and rater.kind == other.kind == "person")
    ]
    if len(people) > 1:
        pairs += [
            Sides(what="against people", ones=(rater,), others=people)
            for rater in raters
            if rater.kind != "person" and wanted(rater) and any(meet(rater, p) for p in people)
        ]
        together = any(meet(person, other) for person, other in combinations(people, 2))
        if len(people) > 2 and len(named) != 1 and together:
            pairs.append(Sides(what="people", ones=people))
    if len(pairs) > MOST_VERSUS:
        raise InputError(
            f"{len(raters)} judges of {panel.kind} units make {len(pairs)} comparisons. Name some "
            f"with --judge: {', '.join(rater.name for rater in raters[:40])}."
        )
    note = f"{len(people)} people are compared as a group; name two with --judge to compare them."
    return pairs, [note] * crowd


def _compare_sides(
    panel: JudgePanel, versus: Sides, whole: LabelScale, options: AgreeOptions
) -> Iterator[SideAgreement]:
    """Yields how far two sides agree over all units, then in each stratum, the largest first."""
    places = np.arange(len(panel.table))
    if versus.is_first_final:
        places = np.flatnonzero(_columns_of(panel, versus).asked)
    scale = _scale_of_some(whole, panel, (*versus.ones, *versus.others))
    n_labels = len(scale.labels)
    if scale.metric == "interval":
        most = _MOST_NUMBERS
    else:
        most = _MOST_LABELS
    if n_labels > most or len(places) * n_labels**2 > _MOST_CELLS:
        raise InputError(
            f"{len(places)} {panel.kind} units with {n_labels} different labels are too many to "
            "compare. Choose another --kind, or judges with fewer labels."
        )
    yield _measure_sides(panel, versus, places, OVERALL, scale, options)
    stratum = panel.table.stratum
    if stratum is None:
        return
    codes = stratum.codes[places]
    names = [*map(str, stratum.cells), ""]  # the last of units without one
    counts = Counter(codes.tolist())
    largest = sorted(counts, key=lambda code: (-counts[code], names[code]))
    for code in largest[:MOST_STRATA]:
        yield _measure_sides(panel, versus, places[codes == code], names[code], scale, options)


def _measure_sides(
    panel: JudgePanel,
    versus: Sides,
    places: Places,
    stratum: str,
    scale: LabelScale,
    options: AgreeOptions,
) -> SideAgreement:
    """Returns how far two sides agree on the units at some places of the panel."""
    sides = _columns_of(panel, versus)
    asked = int(sides.asked[places].sum())
    paired = int(sides.labelled[places].sum())
    how = Options(level=options.level, resamples=options.resamples, seed=options.seed)
    again = moved = 0
    if versus.is_first_final:
        again = int(panel.firsts[versus.ones[0].id].were_asked[places].sum())
        moved = _n_moved(sides, places)
    return SideAgreement(
        versus=versus,
        stratum=stratum,
        scale=scale,
        agreement=agreement_between(panel.table, sides, scale, how, places),
        n_units=paired,
        n_unlabelled=asked - paired,
        n_alone=int(sides.anybody_asked[places].sum()) - asked,
        n_again=again,
        n_moved=moved,
    )


def _columns_of(panel: JudgePanel, versus: Sides) -> RaterSides:
    """Returns what two sides said."""
    columns = panel.table.everybody
    ones = [columns[rater.id] for rater in versus.ones]
    if versus.is_first_final:
        first = panel.firsts[versus.ones[0].id]
        if versus.what == "revisions":
            first = replace(first, asked=ones[0].asked)
        return RaterSides(ones=[first], others=ones)
    return RaterSides(ones=ones, others=[columns[rater.id] for rater in versus.others])


def _n_moved(sides: RaterSides, places: Places) -> int:
    """Returns how many labels of one rater are not those that it gave first."""
    first, final = (column.at(places).texts for column in (sides.ones[0], sides.others[0]))
    return sum(
        before != after
        for before, after in zip(first, final, strict=True)
        if None not in (before, after)
    )
