"""Systems, strata and labels by what people gave, with document-clustered intervals. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from factmark.model import Estimate
from factmark.people.core.forms import COARSE, FINE, Form
from factmark.people.ratings.entries import (
    LONGEVAL,
    AnnotatorValue,
    Measure,
    RatedTask,
    annotator_values,
    places,
    units_of,
    worth,
)
from factmark.stats.clusters import mean_over_clusters, ratio_over_clusters
from factmark.stats.comparison import Options, difference
from factmark.stats.contest import LeaderBoard, leader_board


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """A system by one measure, on the measure's scale.

    A thing that several people rated is the mean of what they gave; a document is the mean of its
    things; the score is the mean over documents, which are what is resampled.

    Attributes:
        final: by what counts. `n_missing` are things that nobody rated; worst and best take every
            rating that was asked for and is missing as the worst and the best.
        longeval: the same from 0 to 100; None of measures that LongEval does not have.
        first: by first ratings, of the things of which they are known.
        change: final less first, on the things of which both are known.
        pooled: over all clauses alike, whatever summary they belong to; None of other forms.
        deviation: the mean over things of the standard deviation (n - 1) of what annotators gave
            them; None where no thing has two.
        n_asked, n_answered: ratings.
    """

    system: str
    measure: Measure
    final: Estimate
    longeval: Estimate | None
    first: Estimate
    change: Estimate
    pooled: Estimate | None
    deviation: Estimate | None
    n_asked: int
    n_answered: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelShare:
    """How often a label is among what counts of a system: the number, and the share."""

    system: str
    label: str
    count: int
    share: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumScore:
    """A stratum by the measure to go by, over all systems."""

    name: str
    value: str
    final: Estimate
    n_asked: int
    n_answered: int


MOST_STRATA = 50
_Tallies = dict[str, list[float]]


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """The estimate of `factor` times as much, `factor` > 0."""

    def times(value: float | None) -> float | None:
        return None if value is None else factor * value

    return replace(
        estimate,
        value=times(estimate.value),
        low=times(estimate.low),
        high=times(estimate.high),
        worst=times(estimate.worst),
        best=times(estimate.best),
    )


def system_scores(
    form: Form, measure: Measure, entries: Sequence[RatedTask], options: Options
) -> tuple[SystemScore, ...]:
    """Every system by one measure, in the order of their names."""
    groups: defaultdict[str, list[RatedTask]] = defaultdict(list)
    for entry in entries:
        groups[entry.unit.system].append(entry)
    return tuple(
        _system_score(form, measure, name, groups[name], options) for name in sorted(groups)
    )


def boards(
    form: Form, measures: Iterable[Measure], entries: Sequence[RatedTask], options: Options
) -> dict[str, LeaderBoard]:
    """Key of a measure -> systems compared in pairs over the documents; none of one system."""
    out = {}
    for measure in measures:
        given = annotator_values(form, measure, entries)
        names = places(given)
        systems: defaultdict[str, list[AnnotatorValue]] = defaultdict(list)
        for one in given:
            systems[one.system].append(one)
        if len(systems) > 1:
            made = leader_board(
                {system: units_of(some, names) for system, some in sorted(systems.items())},
                _options(measure, options),
            )
            out[measure.key] = _scaled_board(made, measure.top)
    return out


def label_shares(
    form: Form, entries: Sequence[RatedTask], options: Options
) -> tuple[LabelShare, ...]:
    """How often each label is among what counts, by system; every rating weighs the same."""
    said: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    lacking: defaultdict[str, int] = defaultdict(int)
    for entry in entries:
        system, final = entry.unit.system, entry.final
        if final is None or final.response.label is None:
            lacking[system] += 1
        else:
            said[system][entry.unit.cluster].append(final.response.label)
    return tuple(
        LabelShare(
            system=system,
            label=label,
            count=sum(labels.count(label) for labels in said[system].values()),
            share=_named(
                ratio_over_clusters(
                    {
                        cluster: [float(one == label) for one in labels]
                        for cluster, labels in said[system].items()
                    },
                    n_missing=lacking[system],
                    level=options.level,
                ),
                form,
            ),
        )
        for system in sorted({*said, *lacking})
        for label in form.labels
    )


def strata_scores(
    form: Form, measure: Measure, entries: Sequence[RatedTask], options: Options
) -> tuple[StratumScore, ...]:
    """Each stratum over all systems, where one has several values; of many the largest."""
    groups: defaultdict[str, defaultdict[str, list[RatedTask]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for entry in entries:
        for name, value in entry.unit.strata.items():
            groups[name][value].append(entry)
    out = []
    for name, values in sorted(groups.items()):
        largest = sorted(values.items(), key=lambda part: (-len(part[1]), part[0]))
        for value, some in largest[:MOST_STRATA] if len(values) > 1 else ():
            given = annotator_values(form, measure, some)
            out.append(
                StratumScore(
                    name=name, value=value, final=_final(form, measure, given, options),
                    n_asked=sum(one.n_asked for one in given),
                    n_answered=sum(one.n_answered for one in given),
                )
            )  # fmt: skip
    return tuple(out)


def _scaled_board(board: LeaderBoard, factor: float) -> LeaderBoard:
    return replace(
        board,
        places=tuple(replace(one, value=scaled(one.value, factor)) for one in board.places),
        comparisons=tuple(
            replace(
                one,
                difference=scaled(one.difference, factor),
                value_a=scaled(one.value_a, factor),
                value_b=scaled(one.value_b, factor),
            )
            for one in board.comparisons
        ),
    )


def _system_score(
    form: Form, measure: Measure, system: str, entries: Sequence[RatedTask], options: Options
) -> SystemScore:
    given = annotator_values(form, measure, entries)
    final = _final(form, measure, given, options)
    first, unknown = _tallies(given, lambda one: one.first)
    began = _mean(measure, first, options)
    longeval = None
    if form in (COARSE, FINE):
        longeval = scaled(final, LONGEVAL) if form == COARSE else final
    return SystemScore(
        system=system,
        measure=measure,
        final=final,
        longeval=longeval,
        first=_named(scaled(replace(began, n_missing=unknown), measure.top), form),
        change=_named(scaled(_change(measure, given, options), measure.top), form),
        pooled=_pooled(form, measure, entries, options) if form == FINE else None,
        deviation=_deviation(form, measure, given, options),
        n_asked=sum(one.n_asked for one in given),
        n_answered=sum(one.n_answered for one in given),
    )


def _final(
    form: Form, measure: Measure, given: Sequence[AnnotatorValue], options: Options
) -> Estimate:
    tallies, missing = _tallies(given, lambda one: one.value)
    made = _mean(measure, tallies, options)
    least = _over_all(measure, given, lambda one: one.least)
    most = _over_all(measure, given, lambda one: one.most)
    worst, best = (most, least) if measure.lower_is_better else (least, most)
    made = replace(made, n_missing=missing, worst=worst, best=best)
    return _named(scaled(made, measure.top), form)


def _tallies(
    given: Iterable[AnnotatorValue], of: Callable[[AnnotatorValue], float | None]
) -> tuple[_Tallies, int]:
    """Cluster -> what its things got in the mean; and how many things got nothing."""
    things: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in given:
        known = of(one)
        things[one.cluster, one.thing] += [] if known is None else [known]
    return _means(things)


def _means(things: Mapping[tuple[str, str], Sequence[float]]) -> tuple[_Tallies, int]:
    """(cluster, thing) -> its values becomes cluster -> means; and how many things have none."""
    out: _Tallies = {}
    for (cluster, _), values in things.items():
        if values:
            out.setdefault(cluster, []).append(fmean(values))
    return out, sum(not values for values in things.values())


def _mean(measure: Measure, tallies: Mapping[str, Sequence[float]], options: Options) -> Estimate:
    if measure.per == "unit":
        return ratio_over_clusters(tallies, level=options.level)
    return mean_over_clusters(
        tallies, level=options.level, resamples=options.resamples, seed=options.seed
    )


def _over_all(
    measure: Measure, given: Sequence[AnnotatorValue], of: Callable[[AnnotatorValue], float]
) -> float | None:
    """The value over everything that was asked, missing or not."""
    tallies, _ = _tallies(given, of)
    if not tallies:
        return None
    if measure.per == "unit":
        return fmean(value for values in tallies.values() for value in values)
    return fmean(fmean(values) for values in tallies.values())


def _change(measure: Measure, given: Iterable[AnnotatorValue], options: Options) -> Estimate:
    both = [one for one in given if one.value is not None and one.first is not None]
    finals: dict[str, dict[str, list[float]]] = {}
    firsts: dict[str, dict[str, list[float]]] = {}
    for one in both:
        finals.setdefault(one.cluster, {}).setdefault(one.thing, []).append(one.value or 0.0)
        firsts.setdefault(one.cluster, {}).setdefault(one.thing, []).append(one.first or 0.0)
    options = replace(_options(measure, options), lower_is_better=False)
    return difference(finals, firsts, names=("final", "first"), options=options).difference


def _pooled(
    form: Form, measure: Measure, entries: Iterable[RatedTask], options: Options
) -> Estimate:
    """LongEval's share over all clauses, 100 yes / (yes + no); of several raters their mean."""
    clauses: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for entry in entries:
        value = worth(entry.final, entry.unit, measure, 1.0)
        clauses[entry.unit.cluster, entry.unit.id] += [] if value is None else [value]
    tallies, lacking = _means(clauses)
    made = ratio_over_clusters(tallies, n_missing=lacking, level=options.level)
    return _named(scaled(made, measure.top), form)


def _deviation(
    form: Form, measure: Measure, given: Iterable[AnnotatorValue], options: Options
) -> Estimate | None:
    things: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in given:
        things[one.cluster, one.thing] += [] if one.value is None else [one.value]
    tallies: _Tallies = {}
    for (cluster, _), values in things.items():
        if len(values) > 1:
            tallies.setdefault(cluster, []).append(stdev(values))
    return _named(scaled(_mean(measure, tallies, options), measure.top), form) if tallies else None


def _options(measure: Measure, options: Options) -> Options:
    return replace(options, per=measure.per, lower_is_better=measure.lower_is_better)


def _named(estimate: Estimate, form: Form) -> Estimate:
    return replace(estimate, rubric=f"{form.name}@1")
