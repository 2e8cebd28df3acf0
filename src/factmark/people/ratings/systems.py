"""Systems and labels by what people gave, with document-clustered intervals. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from factmark.model import Estimate, Measure
from factmark.people.core.forms import COARSE, FINE, Form
from factmark.people.ratings.entries import (
    AnnotatorValue,
    RatedTask,
    Scoring,
    annotator_values,
    answer_value,
    group_rows,
)
from factmark.stats.clusters import mean_over_clusters, ratio_over_clusters
from factmark.stats.comparison import Options, Units, difference
from factmark.stats.contest import LeaderBoard, leader_board
from factmark.stats.scales import of_observed, on_scale, share_observed, times
from factmark.text.shown_text import one_line

LONGEVAL = 20.0  # what a rating from 0 to 5 is times to lie on LongEval's scale from 0 to 100

Of = Callable[[AnnotatorValue], float | None]
Values = Mapping[tuple[str, str], Sequence[float]]
"""Cluster and thing -> the values that it got."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """A system by one measure, on the measure's scale.

    A thing that several people rated is the mean of what they gave; a document is the mean of its
    things; the score is the mean over documents, which are what is resampled.

    Attributes:
        final: by what counts. `n_missing` are things that nobody rated; worst and best take every
            rating that was asked for and is missing as the worst and the best.
        longeval: the same from 0 to 100; None of measures that LongEval does not have.
        pooled: over all clauses alike, whatever summary they belong to; None for other forms.
        deviation: the mean over things of the standard deviation (n - 1) of what annotators gave
            them; None where no thing has two.
        n_asked, n_answered: ratings.
    """

    system: str
    measure: Measure
    final: Estimate
    longeval: Estimate | None
    first: Estimate  # by first ratings, of the things of which they are known
    change: Estimate  # final less first, on the things of which both are known
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


def system_name(system: str) -> str:
    """Returns a system as people read it: on one line; `all` where it has no name."""
    return one_line(system) or "all"


def system_scores(scoring: Scoring, entries: Iterable[RatedTask]) -> tuple[SystemScore, ...]:
    """Returns the score of every system by one measure, in the order of their names."""
    groups = group_rows(entries, lambda entry: entry.unit.system)
    return tuple(_system_score(scoring, name, group) for name, group in sorted(groups.items()))


def leader_boards(
    scorings: Iterable[Scoring], entries: Sequence[RatedTask]
) -> dict[str, LeaderBoard]:
    """Returns key of a measure -> the systems compared in pairs over the documents; empty where
    there is only one system."""
    out = {}
    for scoring in scorings:
        systems = comparison_units(annotator_values(scoring, entries))
        if len(systems) > 1:
            out[scoring.measure.key] = leader_board(systems, _comparison_options(scoring))
    return out


def label_shares(
    form: Form, entries: Iterable[RatedTask], options: Options
) -> tuple[LabelShare, ...]:
    """Returns how often each label counts, by system; every rating weighs the same."""
    labels: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    lacking: defaultdict[str, int] = defaultdict(int)
    for entry in entries:
        label = None
        if entry.final:
            label = entry.final.response.label
        lacking[entry.unit.system] += label is None
        if label is not None:
            labels[entry.unit.system][entry.unit.cluster].append(label)
    out = []
    for system in sorted(lacking):
        clusters = labels[system]
        for label in form.labels:
            given = {}
            for name, given_labels in clusters.items():
                given[name] = [float(given_label == label) for given_label in given_labels]
            share = ratio_over_clusters(
                given, n_missing=lacking[system], level=options.level, target=options.target
            )
            count = sum(given_labels.count(label) for given_labels in clusters.values())
            share = replace(share, rubric=form.rubric)
            out.append(LabelShare(system=system, label=label, count=count, share=share))
    return tuple(out)


def comparison_units(given: Iterable[AnnotatorValue]) -> dict[str, Units]:
    """Returns system -> its things as comparisons take them: the values of all who were asked.

    A system's only thing of a document is paired with the others' only ones; for several, the first
    with the first.
    """
    systems: dict[str, Units] = {}
    for system, mine in sorted(group_rows(given, lambda rating: rating.system).items()):
        clusters = sorted(values_by_thing(mine, lambda rating: rating.value).items())
        systems[system] = {
            cluster: {str(n): things[name] for n, name in enumerate(sorted(things))}
            for cluster, things in clusters
        }
    return systems


def _system_score(scoring: Scoring, system: str, entries: Sequence[RatedTask]) -> SystemScore:
    """Returns the score of one system."""
    form = scoring.form
    given = annotator_values(scoring, entries)
    final = _final_estimate(scoring, given)
    spreads = {
        key: [stdev(values)]
        for key, values in _known_values(given, lambda rating: rating.value).items()
        if len(values) > 1
    }
    return SystemScore(
        system=system,
        measure=scoring.measure,
        final=final,
        longeval=times(final, LONGEVAL if form == COARSE else 1)
        if form in (COARSE, FINE)
        else None,
        first=_mean_estimate(scoring, _known_values(given, lambda rating: rating.first)),
        change=_change_estimate(scoring, given),
        pooled=_pooled_share(scoring, entries) if form == FINE else None,
        deviation=_mean_deviation(scoring, spreads) if spreads else None,
        n_asked=sum(rating.n_asked for rating in given),
        n_answered=sum(rating.n_answered for rating in given),
    )


def _final_estimate(scoring: Scoring, given: Sequence[AnnotatorValue]) -> Estimate:
    """Returns the mean of the ratings that count, with the best and worst that it could be once all
    are given."""
    mean = _mean_estimate(scoring, _known_values(given, lambda rating: rating.value))
    least = _mean_over_all(scoring, _known_values(given, lambda rating: rating.least))
    most = _mean_over_all(scoring, _known_values(given, lambda rating: rating.most))
    if scoring.measure.lower_is_better:
        worst, best = (most, least)
    else:
        worst, best = (least, most)
    return replace(mean, worst=worst, best=best)


def _known_values(given: Iterable[AnnotatorValue], of: Of) -> Values:
    """Returns (cluster, thing) -> its values by `of`, leaving out those that are None."""
    things: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for rating in given:
        value = of(rating)
        if value is None:
            things[rating.cluster, rating.thing] += []
        else:
            things[rating.cluster, rating.thing] += [value]
    return things


def _means_by_cluster(values: Values) -> dict[str, list[float]]:
    """Returns cluster -> the mean of each of its things that have a value."""
    out: defaultdict[str, list[float]] = defaultdict(list)
    for (cluster, _), rated in values.items():
        if rated:
            out[cluster].append(fmean(rated))
    return dict(out)


def _mean_estimate(scoring: Scoring, values: Values) -> Estimate:
    """Returns the mean over documents (or over all things alike) on the measure's scale."""
    return _on_measure_scale(scoring, _mean_share(scoring, values))


def _mean_deviation(scoring: Scoring, values: Values) -> Estimate:
    """Returns the same mean of standard deviations, in points of the measure's scale."""
    points = times(_mean_share(scoring, values), scoring.measure.scale.span)
    return replace(points, rubric=scoring.form.rubric)


def _mean_share(scoring: Scoring, values: Values) -> Estimate:
    """Returns the same mean as a share of the scale."""
    tallies = _means_by_cluster(values)
    options = scoring.options
    lacking = sum(not some for some in values.values())
    if scoring.form.per == "unit":
        mean = ratio_over_clusters(tallies, level=options.level)
    else:
        mean = mean_over_clusters(
            tallies, level=options.level, resamples=options.resamples, seed=options.seed
        )
    rated = 1 - lacking / max(1, len(values))
    mean = of_observed(mean, share_observed(options.target, rated))
    return replace(mean, n_missing=lacking)


def _mean_over_all(scoring: Scoring, values: Values) -> float | None:
    """Returns the mean of the values as a plain number, without an interval; None where there are
    none."""
    tallies = _means_by_cluster(values).values()
    if not tallies:
        return None
    if scoring.form.per == "unit":
        share = fmean(value for tally in tallies for value in tally)
    else:
        share = fmean(map(fmean, tallies))
    return scoring.measure.scale.value(share)


def values_by_thing(
    given: Iterable[AnnotatorValue], of: Of
) -> dict[str, dict[str, list[float | None]]]:
    """Returns cluster -> thing -> a value by `of` for each annotator who was asked, maybe None."""
    clusters: defaultdict[str, defaultdict[str, list[float | None]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for rating in given:
        clusters[rating.cluster][rating.thing].append(of(rating))
    return {cluster: dict(things) for cluster, things in clusters.items()}


def _change_estimate(scoring: Scoring, given: Iterable[AnnotatorValue]) -> Estimate:
    """Returns the mean of final less first ratings, on the things of which both are known."""
    known = []
    for rating in given:
        if None not in (rating.value, rating.first):
            known.append(rating)
    finals = values_by_thing(known, lambda r: r.value)
    firsts = values_by_thing(known, lambda r: r.first)
    how = replace(_comparison_options(scoring), lower_is_better=False)
    change = difference(finals, firsts, names=("final", "first"), options=how).difference
    return replace(change, rubric=scoring.form.rubric)


def _pooled_share(scoring: Scoring, entries: Iterable[RatedTask]) -> Estimate:
    """Returns LongEval's share over all clauses, 100 yes / (yes + no); a clause that several rated
    counts as their mean."""
    clauses: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for entry in entries:
        value = answer_value(scoring, entry.final, entry.unit)
        if value is None:
            clauses[entry.unit.cluster, entry.unit.id] += []
        else:
            clauses[entry.unit.cluster, entry.unit.id] += [value]
    lacking = sum(not marks_of_clause for marks_of_clause in clauses.values())
    share = ratio_over_clusters(
        _means_by_cluster(clauses),
        n_missing=lacking,
        level=scoring.options.level,
        target=scoring.options.target,
    )
    return _on_measure_scale(scoring, share)


def _comparison_options(scoring: Scoring) -> Options:
    """Returns the options of a comparison of systems by the measure."""
    measure = scoring.measure
    return replace(
        scoring.options,
        per=scoring.form.per,
        lower_is_better=measure.lower_is_better,
        scale=measure.scale,
    )


def _on_measure_scale(scoring: Scoring, estimate: Estimate) -> Estimate:
    """Returns the estimate on the measure's scale, with its rubric."""
    return replace(on_scale(estimate, scoring.measure.scale), rubric=scoring.form.rubric)
