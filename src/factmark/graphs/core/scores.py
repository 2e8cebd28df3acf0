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

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from factmark.errors import InputError
from factmark.graphs.core.claims import Triple, folded, relation_key
from factmark.label_values import (
    CONTRADICTED,
    NOT_SUPPORTED,
    SUPPORTED,
    VALIDITY_LABELS,
    YES,
    label_values,
)
from factmark.model import Estimate, Status
from factmark.stats.clusters import ratio_over_clusters

Measure = Literal["factscore", "validity"]
WITHOUT_LABEL: tuple[Status, ...] = ("undecided", "unparsed", "refused", "failed")
LEAST_DECIDED = 0.8
"""The share of its units that a rule judge must have decided for a score to be printed.

What it leaves undecided is as often true as not (0.55 of 1,361 pairs of BioRED, 0.56 of 1,498 of
Re-DocRED that people labelled), and what it decides is mostly supported: over the decided alone a
score is off by about half of the share left open. At 0.8 that is 0.1.
"""
_SECOND: Mapping[Measure, tuple[str, Mapping[str, float]]] = {
    "factscore": ("recall", {SUPPORTED: 1.0, NOT_SUPPORTED: 0.0}),
    "validity": ("strict_score", {label: float(label == YES) for label in VALIDITY_LABELS}),
}
"""What stands beside the score of a measure, and what labels are worth in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TripleVerdict:
    """The verdict on one triple, or pair of triple and passage.

    Attributes:
        triple: what makes it the same triple as another row, see `Triple.key`.
        cluster: the head entity.
        label: the judge's label, None where the status is not `ok`.
        head_type: the head's type as people read it, `""` where it is unknown.
    """

    triple: tuple[str, str, str]
    cluster: str
    relation: str
    status: Status = "ok"
    label: str | None = None
    head_type: str = ""

    @classmethod
    def of(
        cls, triple: Triple, label: str | None, *, status: Status = "ok", head_type: str = ""
    ) -> TripleVerdict:
        """Returns the verdict on a triple as scores count it; without a label and with status `ok`
        it counts as unparsed."""
        if label is None and status == "ok":
            status = "unparsed"
        return cls(
            triple=triple.key,
            cluster=triple.head_id or folded(triple.head),
            relation=relation_key(triple.relation),
            status=status,
            label=label if status == "ok" else None,
            head_type=head_type,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphScore:
    """A score and what it rests on. Values that are undefined are None; `reasons` says why.

    Attributes:
        by_label: how many units got each label, in the order of the measure's labels.
        missing: how many have none, by why, in the order of `WITHOUT_LABEL`.
        estimate: of the score, its interval from resampling heads, its bounds over the missing.
        second: the same of FActScore*'s recall, of ValidityScore's strict score.
    """

    measure: Measure
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
    def f1(self) -> float | None:
        """The harmonic mean of FActScore* and its recall; None if either is 0 or undefined."""
        score, recall = self.estimate.value, self.second.value
        return 2 * score * recall / (score + recall) if score and recall else None

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


Rows = Sequence[TripleVerdict]


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
        return self.pairs if self.pairs.measure == "factscore" else self.unique

    def as_json(self) -> dict[str, Any]:
        """Returns the published fields of each score."""
        return {
            "pairs": self.pairs.as_json(),
            "unique": self.unique.as_json(),
            "by_relation": {name: part.as_json() for name, part in self.by_relation.items()},
            "by_head_type": {name: part.as_json() for name, part in self.by_head_type.items()},
        }


def graph_scores(
    measure: Measure,
    rows: Iterable[TripleVerdict],
    *,
    level: float = 0.95,
    rubric: str = "",
    least: float = 0.0,
) -> GraphScores:
    """Returns FActScore* of the judged pairs, or ValidityScore of the judged triples, overall and
    by part.

    Args:
        rubric: what the judge was asked.
        least: the share of the units that must have a label for there to be a score.

    Raises:
        InputError: for a label that is none of the measure's, as a damaged ledger has.
    """
    pairs = list(rows)
    groups: dict[tuple[str, str, str], list[TripleVerdict]] = {}
    for row in pairs:
        groups.setdefault(row.triple, []).append(row)
    of_triple = _label_by_best_passage if measure == "factscore" else _label_by_majority
    unique = [of_triple(same) for same in groups.values()]
    parts = pairs if measure == "factscore" else unique
    score = partial(_score_of_rows, measure, level=level, rubric=rubric, least=least)

    def by(key: Callable[[TripleVerdict], str]) -> dict[str, GraphScore]:
        rows_of: defaultdict[str, list[TripleVerdict]] = defaultdict(list)
        for row in parts:
            rows_of[key(row)].append(row)
        return {name: score(part) for name, part in sorted(rows_of.items())}

    of_pairs = score(pairs)
    return GraphScores(
        pairs=of_pairs,
        unique=of_pairs if len(unique) == len(pairs) else score(unique),
        by_relation=by(lambda row: row.relation),
        by_head_type=by(lambda row: row.head_type),
    )


def _score_of_rows(
    measure: Measure, rows: Rows, *, level: float, rubric: str, least: float
) -> GraphScore:
    """Returns the score of one part of a graph."""
    worth = label_values(measure)
    counts = Counter(row.label for row in rows if row.status == "ok")
    if unknown := set(counts) - set(worth):
        raise InputError(f"{sorted(map(str, unknown))} are none of {', '.join(worth)}.")
    labels = [(row.cluster, row.label) for row in rows if row.label is not None]
    missing = Counter[Status](row.status for row in rows if row.status != "ok")
    few = why_no_score(counts.total(), len(rows), least)

    def mean(worth: Mapping[str, float]) -> Estimate:
        """Over rows with such a label; only its worst and best case where there are too few."""
        values: defaultdict[str, list[float]] = defaultdict(list)
        for cluster, label in labels:
            if (value := worth.get(label)) is not None:
                values[cluster].append(value)
        estimate = ratio_over_clusters(values, n_missing=missing.total(), level=level)
        if few:
            estimate = replace(estimate, value=None, low=None, high=None, design_effect=None)
        return replace(estimate, rubric=rubric)

    estimate, (key, of_second) = mean(worth), _SECOND[measure]
    second = mean(of_second)
    same = ("score", "precision") if measure == "factscore" else ("score",)
    reasons = dict.fromkeys(same, few) if few else {}
    if second.value is None:
        reasons[key] = few or "nothing is supported or not supported"
    if measure == "factscore" and not (estimate.value and second.value):
        undefined = estimate.value is None or second.value is None
        why = "score or recall is undefined" if undefined else "score and recall are both 0"
        reasons["f1"] = why
    return GraphScore(
        measure=measure,
        by_label={label: counts[label] for label in worth},
        missing={status: missing[status] for status in WITHOUT_LABEL},
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
        return f"none of the {total:,} units has a label"
    if decided < least * total:
        return f"only {decided:,} of {total:,} units have a label, fewer than {least:.0%}"
    return ""


def _label_by_best_passage(same: Rows) -> TripleVerdict:
    """Returns the verdict on a triple that has several passages: supported if one of them supports
    it.

    One that no passage supports and of which a pair has no label has none either, since that pair
    might support it. Of the others, one contradiction makes it contradicted.
    """
    order = {SUPPORTED: 0, None: 1, CONTRADICTED: 2}
    return min(same, key=lambda row: order.get(row.label, 3))


def _label_by_majority(same: Rows) -> TripleVerdict:
    """Returns the verdict with the most frequent label, of equally frequent ones the lower; one
    without a label only if there is no other."""
    counts = Counter(row.label for row in same if row.label)
    order = {label: place for place, label in enumerate(VALIDITY_LABELS)}
    return max(same, key=lambda row: (counts[row.label or ""], order.get(row.label or "", -1)))
