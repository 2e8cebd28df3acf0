"""Systems, strata and labels by what people gave, with document-clustered intervals. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev

from factmark.model import Estimate
from factmark.people.core.forms import COARSE, FINE, Form
from factmark.people.summaries.entries import (
    LONGEVAL,
    Entry,
    Given,
    Measure,
    given_by,
    places,
    units_of,
    worth,
)
from factmark.people.summaries.results import How, LabelShare, StratumScore, SystemScore
from factmark.stats.clusters import mean_over_clusters, ratio_over_clusters
from factmark.stats.comparison import Options, difference
from factmark.stats.contest import LeaderBoard, leader_board

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
    form: Form, measure: Measure, entries: Sequence[Entry], how: How
) -> tuple[SystemScore, ...]:
    """Every system by one measure, in the order of their names."""
    groups: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.subject.system].append(entry)
    return tuple(_system_score(form, measure, name, groups[name], how) for name in sorted(groups))


def boards(
    form: Form, measures: Iterable[Measure], entries: Sequence[Entry], how: How
) -> dict[str, LeaderBoard]:
    """Key of a measure -> systems compared in pairs over the documents; none of one system."""
    out = {}
    for measure in measures:
        given = given_by(form, measure, entries)
        names = places(given)
        systems: defaultdict[str, list[Given]] = defaultdict(list)
        for one in given:
            systems[one.system].append(one)
        if len(systems) > 1:
            made = leader_board(
                {system: units_of(some, names) for system, some in sorted(systems.items())},
                _options(measure, how),
            )
            out[measure.key] = _scaled_board(made, measure.top)
    return out


def label_shares(form: Form, entries: Sequence[Entry], how: How) -> tuple[LabelShare, ...]:
    """How often each label is among what counts, by system; every rating weighs the same."""
    said: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    lacking: defaultdict[str, int] = defaultdict(int)
    for entry in entries:
        system, final = entry.subject.system, entry.final
        if final is None or final.response.label is None:
            lacking[system] += 1
        else:
            said[system][entry.subject.cluster].append(final.response.label)
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
                    level=how.level,
                ),
                form,
            ),
        )
        for system in sorted({*said, *lacking})
        for label in form.labels
    )


def strata_scores(
    form: Form, measure: Measure, entries: Sequence[Entry], how: How
) -> tuple[StratumScore, ...]:
    """Each stratum over all systems, where one has several values; of many the largest."""
    groups: defaultdict[str, defaultdict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        for name, value in entry.subject.strata.items():
            groups[name][value].append(entry)
    out = []
    for name, values in sorted(groups.items()):
        largest = sorted(values.items(), key=lambda part: (-len(part[1]), part[0]))
        for value, some in largest[:MOST_STRATA] if len(values) > 1 else ():
            given = given_by(form, measure, some)
            out.append(
                StratumScore(
                    name=name, value=value, final=_final(form, measure, given, how),
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
    form: Form, measure: Measure, system: str, entries: Sequence[Entry], how: How
) -> SystemScore:
    given = given_by(form, measure, entries)
    final = _final(form, measure, given, how)
    first, unknown = _tallies(given, lambda one: one.first)
    began = _mean(measure, first, how)
    longeval = None
    if form in (COARSE, FINE):
        longeval = scaled(final, LONGEVAL) if form == COARSE else final
    return SystemScore(
        system=system,
        measure=measure,
        final=final,
        longeval=longeval,
        first=_named(scaled(replace(began, n_missing=unknown), measure.top), form),
        change=_named(scaled(_change(measure, given, how), measure.top), form),
        pooled=_pooled(form, measure, entries, how) if form == FINE else None,
        deviation=_deviation(form, measure, given, how),
        n_asked=sum(one.n_asked for one in given),
        n_answered=sum(one.n_answered for one in given),
    )


def _final(form: Form, measure: Measure, given: Sequence[Given], how: How) -> Estimate:
    tallies, missing = _tallies(given, lambda one: one.value)
    made = _mean(measure, tallies, how)
    least = _over_all(measure, given, lambda one: one.least)
    most = _over_all(measure, given, lambda one: one.most)
    worst, best = (most, least) if measure.lower_is_better else (least, most)
    made = replace(made, n_missing=missing, worst=worst, best=best)
    return _named(scaled(made, measure.top), form)


def _tallies(given: Iterable[Given], of: Callable[[Given], float | None]) -> tuple[_Tallies, int]:
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


def _mean(measure: Measure, tallies: Mapping[str, Sequence[float]], how: How) -> Estimate:
    if measure.per == "unit":
        return ratio_over_clusters(tallies, level=how.level)
    return mean_over_clusters(tallies, level=how.level, resamples=how.resamples, seed=how.seed)


def _over_all(
    measure: Measure, given: Sequence[Given], of: Callable[[Given], float]
) -> float | None:
    """The value over everything that was asked, missing or not."""
    tallies, _ = _tallies(given, of)
    if not tallies:
        return None
    if measure.per == "unit":
        return fmean(value for values in tallies.values() for value in values)
    return fmean(fmean(values) for values in tallies.values())


def _change(measure: Measure, given: Iterable[Given], how: How) -> Estimate:
    both = [one for one in given if one.value is not None and one.first is not None]
    finals: dict[str, dict[str, list[float]]] = {}
    firsts: dict[str, dict[str, list[float]]] = {}
    for one in both:
        finals.setdefault(one.cluster, {}).setdefault(one.thing, []).append(one.value or 0.0)
        firsts.setdefault(one.cluster, {}).setdefault(one.thing, []).append(one.first or 0.0)
    options = replace(_options(measure, how), lower_is_better=False)
    return difference(finals, firsts, names=("final", "first"), options=options).difference


def _pooled(form: Form, measure: Measure, entries: Iterable[Entry], how: How) -> Estimate:
    """LongEval's share over all clauses, 100 yes / (yes + no); of several raters their mean."""
    clauses: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for entry in entries:
        value = worth(entry.final, entry.subject, measure, 1.0)
        clauses[entry.subject.cluster, entry.subject.unit] += [] if value is None else [value]
    tallies, lacking = _means(clauses)
    made = ratio_over_clusters(tallies, n_missing=lacking, level=how.level)
    return _named(scaled(made, measure.top), form)


def _deviation(form: Form, measure: Measure, given: Iterable[Given], how: How) -> Estimate | None:
    things: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in given:
        things[one.cluster, one.thing] += [] if one.value is None else [one.value]
    tallies: _Tallies = {}
    for (cluster, _), values in things.items():
        if len(values) > 1:
            tallies.setdefault(cluster, []).append(stdev(values))
    return _named(scaled(_mean(measure, tallies, how), measure.top), form) if tallies else None


def _options(measure: Measure, how: How) -> Options:
    return Options(
        per=measure.per, lower_is_better=measure.lower_is_better, level=how.level,
        resamples=how.resamples, seed=how.seed,
    )  # fmt: skip


def _named(estimate: Estimate, form: Form) -> Estimate:
    return replace(estimate, rubric=f"{form.name}@1")
