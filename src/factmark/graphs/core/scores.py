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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from factmark.graphs.core.claims import Triple, folded, relation_key
from factmark.model import Estimate, Status
from factmark.replies.rubric import (
    CONTRADICTED,
    NOT_SUPPORTED,
    SUPPORT_LABELS,
    SUPPORTED,
    VALIDITY_LABELS,
    VALUES,
    YES,
)
from factmark.stats.clusters import ratio_over_clusters

LEAST_DECIDED = 0.8
"""The share of its units that a rule judge must have decided for a score to be printed.

What it leaves undecided is as often true as not (0.55 of 1,361 pairs of BioRED, 0.56 of 1,498 of
Re-DocRED that people labelled), and what it decides is mostly supported: over the decided alone a
score is off by about half of the share left open. At 0.8 that is 0.1.
"""


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
        """The row of a triple; a label None with status `ok` counts as unparsed."""
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
class Missing:
    """Rows without a label, by why."""

    undecided: int = 0
    unparsed: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.undecided + self.unparsed + self.refused + self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class FactScore:
    """FActScore* and what it rests on. Values that are undefined are None; `reasons` says why.

    Attributes:
        total_facts: the units that have a label; those without are in `missing`.
        incorrect_facts: contradicted + not supported.
        estimate: of the score, its interval from resampling heads, its bounds over the missing.
        recall_estimate: of the recall.
    """

    score: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    total_facts: int
    correct_facts: int
    incorrect_facts: int
    contradicted: int
    not_supported: int
    missing: Missing
    estimate: Estimate
    recall_estimate: Estimate
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """ValidityScore and what it rests on. Values that are undefined are None; `reasons` says why.

    Attributes:
        valid_relations: = yes_count, as published.
        invalid_relations: = no_count, as published: a maybe is neither.
        estimate, strict_estimate: with intervals from resampling heads, bounds over the missing.
    """

    score: float | None
    strict_score: float | None
    valid_relations: int
    invalid_relations: int
    total_relations: int
    yes_count: int
    maybe_count: int
    no_count: int
    missing: Missing
    estimate: Estimate
    strict_estimate: Estimate
    reasons: Mapping[str, str] = field(default_factory=dict)


S = TypeVar("S", FactScore, Validity)
Rows = Sequence[TripleVerdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphScores(Generic[S]):
    """One score over pairs and over unique triples, and per relation and head type: FActScore*'s
    over pairs, ValidityScore's over unique triples."""

    pairs: S
    unique: S
    by_relation: Mapping[str, S]
    by_head_type: Mapping[str, S]


def fact_scores(
    rows: Iterable[TripleVerdict], *, level: float = 0.95, rubric: str = "", least: float = 0.0
) -> GraphScores[FactScore]:
    """FActScore* of the judged pairs.

    Args:
        rubric: what the judge was asked.
        least: the share of the units that must have a label for there to be a score.

    Raises:
        ValueError: for a label that is none of `SUPPORT_LABELS`.
    """
    pairs = list(rows)

    def score(part: Rows) -> FactScore:
        return fact_score(part, level=level, rubric=rubric, least=least)

    return _over(pairs, unique_support(pairs), pairs, score)


def validities(
    rows: Iterable[TripleVerdict], *, level: float = 0.95, rubric: str = "", least: float = 0.0
) -> GraphScores[Validity]:
    """ValidityScore of the judged triples; arguments and errors as of `fact_scores`."""
    pairs = list(rows)
    unique = unique_validity(pairs)

    def score(part: Rows) -> Validity:
        return validity(part, level=level, rubric=rubric, least=least)

    return _over(pairs, unique, unique, score)


def _over(
    pairs: Rows, unique: Rows, broken_down: Rows, score: Callable[[Rows], S]
) -> GraphScores[S]:
    def by(key: Callable[[TripleVerdict], str]) -> dict[str, S]:
        groups: defaultdict[str, list[TripleVerdict]] = defaultdict(list)
        for row in broken_down:
            groups[key(row)].append(row)
        return {name: score(group) for name, group in sorted(groups.items())}

    return GraphScores(
        pairs=score(pairs),
        unique=score(unique),
        by_relation=by(lambda row: row.relation),
        by_head_type=by(lambda row: row.head_type),
    )


def fact_score(
    rows: Rows, *, level: float = 0.95, rubric: str = "", least: float = 0.0
) -> FactScore:
    """FActScore* of these rows."""
    counts = _counts(rows, SUPPORT_LABELS)
    missing, few = _missing(rows, least)
    supported, contradicted, not_supported = (counts[label] for label in SUPPORT_LABELS)
    total, stated = counts.total(), supported + not_supported
    score = None if few else supported / total
    recall = supported / stated if stated and not few else None
    f1 = None if not score or not recall else 2 * score * recall / (score + recall)

    def estimate(labels: Collection[str]) -> Estimate:
        worth = {label: float(label == SUPPORTED) for label in labels}
        return _share(rows, worth, missing, level=level, rubric=rubric, known=not few)

    return FactScore(
        score=score,
        precision=score,
        recall=recall,
        f1=f1,
        total_facts=total,
        correct_facts=supported,
        incorrect_facts=contradicted + not_supported,
        contradicted=contradicted,
        not_supported=not_supported,
        missing=missing,
        estimate=estimate(SUPPORT_LABELS),
        recall_estimate=estimate((SUPPORTED, NOT_SUPPORTED)),
        reasons=_reasons(score, recall, f1, few),
    )


def _reasons(
    score: float | None, recall: float | None, f1: float | None, few: str
) -> dict[str, str]:
    reasons = {}
    if score is None:
        reasons["score"] = reasons["precision"] = few
    if recall is None:
        reasons["recall"] = few or "nothing is supported or not supported"
    if f1 is None:
        undefined = score is None or recall is None
        why = "score or recall is undefined" if undefined else "score and recall are both 0"
        reasons["f1"] = why
    return reasons


def validity(rows: Rows, *, level: float = 0.95, rubric: str = "", least: float = 0.0) -> Validity:
    """ValidityScore of these rows."""
    counts = _counts(rows, VALIDITY_LABELS)
    missing, few = _missing(rows, least)
    yes, maybe, no = (counts[label] for label in VALIDITY_LABELS)
    total = counts.total()

    def estimate(worth: Mapping[str, float]) -> Estimate:
        return _share(rows, worth, missing, level=level, rubric=rubric, known=not few)

    return Validity(
        score=None if few else (yes + 0.5 * maybe) / total,
        strict_score=None if few else yes / total,
        valid_relations=yes,
        invalid_relations=no,
        total_relations=total,
        yes_count=yes,
        maybe_count=maybe,
        no_count=no,
        missing=missing,
        estimate=estimate(VALUES),
        strict_estimate=estimate({label: float(label == YES) for label in VALIDITY_LABELS}),
        reasons={"score": few, "strict_score": few} if few else {},
    )


def _counts(rows: Rows, labels: Collection[str]) -> Counter[str | None]:
    counts = Counter(row.label for row in rows if row.status == "ok")
    if unknown := set(counts) - set(labels):
        raise ValueError(f"{sorted(map(str, unknown))} are none of the labels {', '.join(labels)}")
    return counts


def _missing(rows: Rows, least: float) -> tuple[Missing, str]:
    """What is missing, and why so few labels make no score; empty where they make one."""
    counts = Counter(row.status for row in rows if row.status != "ok")
    missing = Missing(**{str(status): count for status, count in counts.items()})
    return missing, too_few(len(rows) - missing.total, missing, least)


def too_few(decided: int, missing: Missing, least: float) -> str:
    """Why so few labels make no score; empty where they make one.

    Args:
        least: the share of the units that must have a label.
    """
    total = decided + missing.total
    if not total:
        return "no units"
    if not decided:
        return f"none of the {total:,} units has a label"
    if decided < least * total:
        return f"only {decided:,} of {total:,} units have a label, fewer than {least:.0%}"
    return ""


def _share(
    rows: Rows,
    worth: Mapping[str, float],
    missing: Missing,
    *,
    level: float,
    rubric: str,
    known: bool,
) -> Estimate:
    """The mean of what the labels are worth, over rows with such a label; only its worst and best
    case where it is not `known`."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.label is not None and (value := worth.get(row.label)) is not None:
            values[row.cluster].append(value)
    estimate = ratio_over_clusters(values, n_missing=missing.total, level=level)
    estimate = replace(estimate, rubric=rubric)
    return (
        estimate
        if known
        else replace(estimate, value=None, low=None, high=None, design_effect=None)
    )


def unique_support(rows: Iterable[TripleVerdict]) -> list[TripleVerdict]:
    """One row per triple: supported if one of its passages supports it.

    A triple that no passage supports and of which a pair has no label has none either, since that
    pair might support it. Of the others, one contradiction makes it contradicted.
    """
    order = {SUPPORTED: 0, None: 1, CONTRADICTED: 2}
    return [min(same, key=lambda row: order.get(row.label, 3)) for same in _by_triple(rows)]


def unique_validity(rows: Iterable[TripleVerdict]) -> list[TripleVerdict]:
    """One row per triple: its most frequent label, of equally frequent ones the lower; rows
    without a label count only where there is no other."""
    unique = []
    for same in _by_triple(rows):
        labelled = [row for row in same if row.status == "ok"]
        counts = Counter(row.label for row in labelled)
        order = {label: place for place, label in enumerate(VALIDITY_LABELS)}
        labelled.sort(key=lambda row: (-counts[row.label], -order.get(row.label or "", -1)))
        unique.append((labelled or same)[0])
    return unique


def _by_triple(rows: Iterable[TripleVerdict]) -> Iterable[list[TripleVerdict]]:
    """The rows of each triple together, in order of first sight."""
    groups: dict[tuple[str, str, str], list[TripleVerdict]] = {}
    for row in rows:
        groups.setdefault(row.triple, []).append(row)
    return groups.values()
