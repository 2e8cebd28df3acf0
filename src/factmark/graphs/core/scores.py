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
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, TypeVar

from factmark.errors import InputError
from factmark.graphs.core.claims import Triple, folded, relation_key
from factmark.model import Estimate, Status
from factmark.replies.rubric import (
    CONTRADICTED,
    MAYBE,
    NOT_SUPPORTED,
    SUPPORT_LABELS,
    SUPPORTED,
    VALIDITY_LABELS,
    VALIDITY_VALUES,
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

    @property
    def by_label(self) -> dict[str, int]:
        """How many units got each label, in the order of `SUPPORT_LABELS`."""
        counts = (self.correct_facts, self.contradicted, self.not_supported)
        return dict(zip((SUPPORTED, CONTRADICTED, NOT_SUPPORTED), counts, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """ValidityScore and what it rests on. Values that are undefined are None; `reasons` says why.

    Attributes:
        valid_relations, invalid_relations: as published, yes and no: a maybe is neither.
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

    @property
    def by_label(self) -> dict[str, int]:
        """How many units got each label, in the order of `VALIDITY_LABELS`."""
        counts = (self.yes_count, self.maybe_count, self.no_count)
        return dict(zip(VALIDITY_LABELS, counts, strict=True))


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
        InputError: for a label that is none of `SUPPORT_LABELS`, as a damaged ledger has.
    """
    pairs = list(rows)
    score = partial(fact_score, level=level, rubric=rubric, least=least)
    return _broken_down(pairs, unique_support(pairs), pairs, score)


def validities(
    rows: Iterable[TripleVerdict], *, level: float = 0.95, rubric: str = "", least: float = 0.0
) -> GraphScores[Validity]:
    """ValidityScore of the judged triples; arguments and errors as of `fact_scores`."""
    pairs = list(rows)
    unique = unique_validity(pairs)
    score = partial(validity, level=level, rubric=rubric, least=least)
    return _broken_down(pairs, unique, unique, score)


def _broken_down(
    pairs: Rows, unique: Rows, of_parts: Rows, score: Callable[[Rows], S]
) -> GraphScores[S]:
    def by(key: Callable[[TripleVerdict], str]) -> dict[str, S]:
        parts: defaultdict[str, list[TripleVerdict]] = defaultdict(list)
        for row in of_parts:
            parts[key(row)].append(row)
        return {name: score(part) for name, part in sorted(parts.items())}

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
    tally = _Tally(rows, SUPPORT_LABELS, least)
    supported, contradicted, not_supported = tally.counts
    stated = supported + not_supported
    score = None if tally.too_few else supported / tally.total
    recall = supported / stated if stated and not tally.too_few else None
    f1 = None if not score or not recall else 2 * score * recall / (score + recall)
    reasons = {}
    if score is None:
        reasons["score"] = reasons["precision"] = tally.too_few
    if recall is None:
        reasons["recall"] = tally.too_few or "nothing is supported or not supported"
    if f1 is None:
        undefined = score is None or recall is None
        why = "score or recall is undefined" if undefined else "score and recall are both 0"
        reasons["f1"] = why
    worth = {label: float(label == SUPPORTED) for label in SUPPORT_LABELS}
    return FactScore(
        score=score,
        precision=score,
        recall=recall,
        f1=f1,
        total_facts=tally.total,
        correct_facts=supported,
        incorrect_facts=contradicted + not_supported,
        contradicted=contradicted,
        not_supported=not_supported,
        missing=tally.missing,
        estimate=tally.mean(worth, level, rubric),
        recall_estimate=tally.mean({SUPPORTED: 1.0, NOT_SUPPORTED: 0.0}, level, rubric),
        reasons=reasons,
    )


def validity(rows: Rows, *, level: float = 0.95, rubric: str = "", least: float = 0.0) -> Validity:
    """ValidityScore of these rows."""
    tally = _Tally(rows, VALIDITY_LABELS, least)
    yes, maybe, no = tally.counts
    strict = {label: float(label == YES) for label in VALIDITY_LABELS}
    few = tally.too_few
    return Validity(
        score=None if few else (yes + VALIDITY_VALUES[MAYBE] * maybe) / tally.total,
        strict_score=None if few else yes / tally.total,
        valid_relations=yes,
        invalid_relations=no,
        total_relations=tally.total,
        yes_count=yes,
        maybe_count=maybe,
        no_count=no,
        missing=tally.missing,
        estimate=tally.mean(VALIDITY_VALUES, level, rubric),
        strict_estimate=tally.mean(strict, level, rubric),
        reasons={"score": few, "strict_score": few} if few else {},
    )


class _Tally:
    """Rows counted: how many have each label, what is missing, why that makes no score."""

    def __init__(self, rows: Rows, labels: Sequence[str], least: float) -> None:
        counts = Counter(row.label for row in rows if row.status == "ok")
        if unknown := set(counts) - set(labels):
            raise InputError(f"{sorted(map(str, unknown))} are none of {', '.join(labels)}.")
        missing = Counter(str(row.status) for row in rows if row.status != "ok")
        self.counts = [counts[label] for label in labels]
        self.total = counts.total()
        self.missing = Missing(**missing)
        self.too_few = too_few(self.total, self.missing, least)
        self._rows = rows

    def mean(self, worth: Mapping[str, float], level: float, rubric: str) -> Estimate:
        """The mean of what labels are worth, over rows with such a label; only its worst and best
        case where there are too few."""
        values: defaultdict[str, list[float]] = defaultdict(list)
        for row in self._rows:
            if row.label is not None and (value := worth.get(row.label)) is not None:
                values[row.cluster].append(value)
        estimate = ratio_over_clusters(values, n_missing=self.missing.total, level=level)
        estimate = replace(estimate, rubric=rubric)
        if not self.too_few:
            return estimate
        return replace(estimate, value=None, low=None, high=None, design_effect=None)


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
    order = {label: place for place, label in enumerate(VALIDITY_LABELS)}
    unique = []
    for same in _by_triple(rows):
        counts = Counter(row.label for row in same)
        labelled = [row for row in same if row.label is not None]
        labelled.sort(key=lambda row: (-counts[row.label], -order.get(row.label or "", -1)))
        unique.append((labelled or same)[0])
    return unique


def _by_triple(rows: Iterable[TripleVerdict]) -> Iterable[list[TripleVerdict]]:
    """The rows of each triple together, in order of first sight."""
    groups: dict[tuple[str, str, str], list[TripleVerdict]] = {}
    for row in rows:
        groups.setdefault(row.triple, []).append(row)
    return groups.values()
