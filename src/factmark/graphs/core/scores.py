"""FActScore* and ValidityScore of a knowledge graph, from the labels that its rows got. Pure.

    FActScore*      score = precision = supported / total
                    recall = supported / (supported + not supported)
                    f1 = 2 * score * recall / (score + recall)
    ValidityScore   score = (yes + maybe / 2) / total          strict score = yes / total

Total: the units that have a label. Those without (undecided, unparsed, refused, failed) stand apart
and make the bounds. Contradicted pairs count in `total`, not in the recall's denominator; that is
the published definition. Validity is a matter of the triple alone; a triple that is judged in
several pairs counts once in `unique` and as often as it is judged in `pairs`.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factmark.errors import InputError
from factmark.label_values import (
    CONTRADICTED,
    NOT_SUPPORTED,
    SUPPORTED,
    VALIDITY_LABELS,
    YES,
    label_values,
)
from factmark.model import Estimate, Measure, Status, Target
from factmark.stats.clusters import Clusters, ratio_over_clusters

Ints = NDArray[np.int64]
MeasureKey = Literal["factscore", "validity"]
MEASURES: Mapping[str, Measure] = {
    "factscore": Measure(key="score", symbol="F*", name="FActScore*"),
    "validity": Measure(key="score", symbol="V", name="ValidityScore"),
}
STRICT = Measure(key="strict_score", symbol="strict", name="strict score")
WITHOUT_LABEL: tuple[Status, ...] = ("undecided", "unparsed", "refused", "failed")
LEAST_DECIDED = 0.8
"""The share of its units that a rule judge must have decided for a score to be printed.

What it leaves undecided is as often true as not (0.55 of 1,361 pairs of BioRED, 0.56 of 1,498 of
Re-DocRED that people labelled), and what it decides is mostly supported: over the decided alone a
score is off by about half of the share left open. At 0.8 that is 0.1.
"""
_SECOND: Mapping[MeasureKey, tuple[str, Mapping[str, float]]] = {
    "factscore": ("recall", {SUPPORTED: 1.0, NOT_SUPPORTED: 0.0}),
    "validity": ("strict_score", {label: float(label == YES) for label in VALIDITY_LABELS}),
}
"""What stands beside the score of a measure, and what labels are worth in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphScore:
    """A score and what it rests on. Values that are undefined are None; `reasons` says why.

    Attributes:
        by_label: how many units got each label, in the order of the measure's labels.
        missing: how many have none, by why, in the order of `WITHOUT_LABEL`.
        estimate: of the score, its interval from resampling heads, its bounds over the missing.
        second: the same of FActScore*'s recall, of ValidityScore's strict score.
    """

    measure: MeasureKey
    by_label: Mapping[str, int]
    missing: Mapping[str, int]
    estimate: Estimate
    second: Estimate
    reasons: Mapping[str, str]

    @property
    def n_labelled(self) -> int:
        """How many units have a label."""
        return sum(self.by_label.values())

    @property
    def n_missing(self) -> int:
        """How many units have none."""
        return sum(self.missing.values())

    @property
    def n_units(self) -> int:
        """How many units were judged, with a verdict or without."""
        return self.n_labelled + self.n_missing

    @property
    def f1(self) -> float | None:
        """The harmonic mean of FActScore* and its recall; None if either is 0 or undefined."""
        score = self.estimate.value
        recall = self.second.value
        if score and recall:
            return 2 * score * recall / (score + recall)
        return None

    def as_json(self) -> dict[str, Any]:
        """Returns the fields as published; `valid_relations` are yes, `invalid_relations` no."""
        first, middle, last = self.by_label.values()
        values = {"score": self.estimate.value}
        if self.measure == "factscore":
            return values | {
                "precision": self.estimate.value,
                "recall": self.second.value,
                "f1": self.f1,
                "total_facts": self.n_labelled,
                "correct_facts": first,
                "incorrect_facts": middle + last,
                "contradicted": middle,
                "not_supported": last,
                "missing": self.missing,
                "estimate": self.estimate,
                "recall_estimate": self.second,
                "reasons": self.reasons,
            }
        return values | {
            "strict_score": self.second.value,
            "valid_relations": first,
            "invalid_relations": last,
            "total_relations": self.n_labelled,
            "yes_count": first,
            "maybe_count": middle,
            "no_count": last,
            "missing": self.missing,
            "estimate": self.estimate,
            "strict_estimate": self.second,
            "reasons": self.reasons,
        }


@dataclass(slots=True, kw_only=True)
class VerdictColumns:
    """Verdicts on triples, or pairs of triple and passage, by columns: how many are counted fast.

    Attributes:
        triples: what makes one the same triple as another row, see `Triple.key`.
        clusters: the head entities.
        labels: the judge's, None where the status is not `ok`, and nowhere else.
        head_types: the heads' types as people read them, `""` where they are unknown.
    """

    triples: list[tuple[str, str, str]] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    head_types: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.triples)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphScores:
    """One score over pairs and over unique triples, and per relation and head type: FActScore*'s
    over pairs, ValidityScore's over unique triples."""

    pairs: GraphScore
    unique: GraphScore
    by_relation: Mapping[str, GraphScore]
    by_head_type: Mapping[str, GraphScore]

    @property
    def main(self) -> GraphScore:
        """The score over what was judged: pairs, or for validity unique triples."""
        if self.pairs.measure == "factscore":
            return self.pairs
        return self.unique

    def as_json(self) -> dict[str, Any]:
        """Returns the published fields of each score."""
        return {
            "pairs": self.pairs.as_json(),
            "unique": self.unique.as_json(),
            "by_relation": {name: part.as_json() for name, part in self.by_relation.items()},
            "by_head_type": {name: part.as_json() for name, part in self.by_head_type.items()},
        }


def graph_scores(
    measure: MeasureKey,
    pairs: VerdictColumns,
    *,
    level: float = 0.95,
    rubric: str = "",
    least: float = 0.0,
    target: Target = "process",
    part: float = 1.0,
) -> GraphScores:
    """Returns FActScore* of the judged pairs, or ValidityScore of the judged triples, overall and
    by part.

    Args:
        rubric: what the judge was asked.
        least: the share of the units that must have a label for there to be a score.
        target: what the scores speak for.
        part: the share of all units that these are, where they were drawn.

    Raises:
        InputError: for a label that is none of the measure's, as a damaged ledger has.
    """
    columns = _numbers_of(measure, pairs)
    unique = columns.rows_of(_one_of_each_triple(measure, pairs))
    if measure == "factscore":
        parts = columns
    else:
        parts = unique
    mean = partial(ratio_over_clusters, level=level, target=target, part=part)
    score = partial(_score_of_rows, measure, mean, rubric=rubric, least=least)
    of_pairs = score(columns)
    return GraphScores(
        pairs=of_pairs,
        unique=of_pairs if len(unique) == len(columns) else score(unique),
        by_relation={name: score(part) for name, part in parts.by(parts.relations)},
        by_head_type={name: score(part) for name, part in parts.by(parts.head_types)},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbers:
    """Verdicts by columns of numbers.

    Attributes:
        names: of the clusters, in order.
        clusters: the places of the rows' clusters in `names`.
        labels: the places of the rows' labels among those of the measure, -1 without one.
        statuses: the places of the rows' statuses in `WITHOUT_LABEL`, -1 with a label.
    """

    names: Sequence[str]
    clusters: Ints
    relations: _Names
    head_types: _Names
    labels: Ints
    statuses: Ints

    def __len__(self) -> int:
        return len(self.labels)

    def rows_of(self, places: Ints) -> _Numbers:
        """Returns some of the rows."""
        return _Numbers(
            names=self.names,
            clusters=self.clusters[places],
            relations=_Names(self.relations.names, self.relations.of[places]),
            head_types=_Names(self.head_types.names, self.head_types.of[places]),
            labels=self.labels[places],
            statuses=self.statuses[places],
        )

    def by(self, part: _Names) -> Iterator[tuple[str, _Numbers]]:
        """Yields the rows of each name, in the order of the names."""
        order = np.argsort(part.of, kind="stable")
        ends = np.searchsorted(part.of[order], np.arange(len(part.names) + 1))
        for name, first, last in zip(part.names, ends, ends[1:], strict=False):
            if first < last:
                yield name, self.rows_of(order[first:last])


class _Names(NamedTuple):
    """A column of names: the different ones, in order, and the place of each row's."""

    names: Sequence[str]
    of: Ints

    @classmethod
    def in_column(cls, column: Sequence[str]) -> _Names:
        """Returns a column's different names, in order, and each row's place among them."""
        names = sorted(set(column))
        place = {name: number for number, name in enumerate(names)}
        return cls(names, np.fromiter(map(place.__getitem__, column), np.int64, len(column)))


def _numbers_of(measure: MeasureKey, rows: VerdictColumns) -> _Numbers:
    """Returns verdicts as numbers. InputError: a label is none of the measure's."""
    worth = label_values(measure)
    seen = set(zip(rows.statuses, rows.labels, strict=True))
    unknown = {label for status, label in seen if status == "ok"} - set(worth)
    if unknown:
        raise InputError(f"{sorted(map(str, unknown))} are none of {', '.join(worth)}.")
    label_place: dict[str | None, int] = dict(zip(worth, range(len(worth)), strict=True))
    status_place = dict(zip(WITHOUT_LABEL, range(len(WITHOUT_LABEL)), strict=True))
    clusters = _Names.in_column(rows.clusters)
    n = len(rows)
    labels = (label_place.get(label, -1) for label in rows.labels)
    statuses = (status_place.get(status, -1) for status in rows.statuses)
    return _Numbers(
        names=clusters.names,
        clusters=clusters.of,
        relations=_Names.in_column(rows.relations),
        head_types=_Names.in_column(rows.head_types),
        labels=np.fromiter(labels, np.int64, n),
        statuses=np.fromiter(statuses, np.int64, n),
    )


def _score_of_rows(
    measure: MeasureKey,
    mean_of: Callable[..., Estimate],
    rows: _Numbers,
    *,
    rubric: str,
    least: float,
) -> GraphScore:
    """Returns the score of one part of a graph.

    Args:
        mean_of: `ratio_over_clusters` with its level and target.
    """
    worth = label_values(measure)
    labelled = np.bincount(rows.labels[rows.labels >= 0], minlength=len(worth)).tolist()
    lacking = np.bincount(rows.statuses[rows.statuses >= 0], minlength=len(WITHOUT_LABEL)).tolist()
    few = why_no_score(sum(labelled), len(rows), least)

    def mean(worth_of: Mapping[str, float]) -> Estimate:
        """Over rows with such a label; only its worst and best case where there are too few."""
        of_label = np.array([*(worth_of.get(label, math.nan) for label in worth), math.nan])
        values = of_label[rows.labels]
        known = ~np.isnan(values)
        clusters = Clusters.from_columns(rows.names, rows.clusters[known], values[known])
        estimate = mean_of(clusters, n_missing=sum(lacking))
        if few:
            estimate = replace(estimate, value=None, low=None, high=None, design_effect=None)
        return replace(estimate, rubric=rubric)

    estimate, (key, of_second) = mean(worth), _SECOND[measure]
    second = mean(of_second)
    same: tuple[str, str] | tuple[str]
    if measure == "factscore":
        same = ("score", "precision")
    else:
        same = ("score",)
    reasons = {}
    if few:
        reasons = dict.fromkeys(same, few)
    if second.value is None:
        reasons[key] = few or "nothing is supported or not supported"
    if measure == "factscore" and not (estimate.value and second.value):
        undefined = estimate.value is None or second.value is None
        why = "score and recall are both 0"
        if undefined:
            why = "score or recall is undefined"
        reasons["f1"] = why
    return GraphScore(
        measure=measure,
        by_label=dict(zip(worth, labelled, strict=True)),
        missing=dict(zip(WITHOUT_LABEL, lacking, strict=True)),
        estimate=estimate,
        second=second,
        reasons=reasons,
    )


def why_no_score(decided: int, total: int, least: float) -> str:
    """Returns why so few labels make no score; empty if they make one.

    Args:
        least: the share of the units that must have a label.
    """
    if not total:
        return "no units"
    if not decided:
        return f"none of the {total:,} units has a verdict"
    if decided < least * total:
        return f"only {decided:,} of {total:,} units have a verdict, fewer than {least:.0%}"
    return ""


def _one_of_each_triple(measure: MeasureKey, rows: VerdictColumns) -> Ints:
    """Returns the place of the row that stands for each triple, in the order of the triples."""
    repeated = _repeated(rows.triples)
    if measure == "factscore":
        best = _best_passage
    else:
        best = _majority
    chosen = array("q")
    stands_at: dict[tuple[str, str, str], int] = {}
    same: dict[tuple[str, str, str], list[int]] = {}
    for place, triple in enumerate(rows.triples):
        if triple in repeated:
            same.setdefault(triple, []).append(place)
            if triple in stands_at:
                continue
            stands_at[triple] = len(chosen)
        chosen.append(place)
    for triple, places in same.items():
        chosen[stands_at[triple]] = best(rows.labels, places)
    return np.array(chosen, np.int64)


def _repeated(triples: Sequence[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    """Returns the triples that stand in several rows; of a million most stand in one."""
    seen = set[tuple[str, str, str]]()
    repeated = set[tuple[str, str, str]]()
    for triple in triples:
        if triple in seen:
            repeated.add(triple)
        seen.add(triple)
    return repeated


def _best_passage(labels: Sequence[str | None], same: Sequence[int]) -> int:
    """Returns the row for a triple that has several passages: supported if one of them supports it.

    One that no passage supports and of which a pair has no label has none either, since that pair
    might support it. Of the others, one contradiction makes it contradicted.
    """
    order = {SUPPORTED: 0, None: 1, CONTRADICTED: 2}
    return min(same, key=lambda place: order.get(labels[place], 3))


def _majority(labels: Sequence[str | None], same: Sequence[int]) -> int:
    """Returns the row with the most frequent label, of equally frequent ones the lower; one without
    a label only if there is no other."""
    counts = Counter(label for place in same if (label := labels[place]))
    order = {label: place for place, label in enumerate(VALIDITY_LABELS)}

    def rank(place: int) -> tuple[int, int]:
        label = labels[place] or ""
        return counts[label], order.get(label, -1)

    return max(same, key=rank)
