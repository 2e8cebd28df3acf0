"""FActScore* of a knowledge graph, from the labels that its pairs got. Pure.

    score = precision = supported / total          total: the pairs that have a label
    recall = supported / (supported + not_supported)
    f1 = 2 * score * recall / (score + recall)

Contradicted pairs count in `total`, not in the recall's denominator; that is the published
definition. Pairs without a label (undecided, unparsed, refused, failed) stand apart and make the
bounds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from factmark.graphs.core.tallies import Judged, Missing, by_triple, share, split, too_few
from factmark.model import Estimate
from factmark.replies.triple_labels import CONTRADICTED, NOT_SUPPORTED, SUPPORT_LABELS, SUPPORTED


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
class FactScores:
    """The same over pairs and over unique triples, and per relation and head type (over pairs)."""

    pairs: FactScore
    unique: FactScore
    by_relation: Mapping[str, FactScore]
    by_head_type: Mapping[str, FactScore]


def fact_scores(
    rows: Iterable[Judged], *, level: float = 0.95, rubric: str = "", least: float = 0.0
) -> FactScores:
    """All of them at once, from the judged pairs.

    Args:
        least: the share of the units that must have a label for there to be a score.

    Raises:
        ValueError: for a label that is none of `SUPPORT_LABELS`.
    """
    pairs = list(rows)

    def score(some: Sequence[Judged]) -> FactScore:
        return fact_score(some, level=level, rubric=rubric, least=least)

    return FactScores(
        pairs=score(pairs),
        unique=score(unique_support(pairs)),
        by_relation={name: score(some) for name, some in split(pairs, "relation").items()},
        by_head_type={name: score(some) for name, some in split(pairs, "head_type").items()},
    )


def fact_score(
    rows: Sequence[Judged], *, level: float = 0.95, rubric: str = "", least: float = 0.0
) -> FactScore:
    """FActScore* of these rows; `rubric` names what the judge was asked."""
    counts = Counter(row.label for row in rows if row.status == "ok")
    if unknown := set(counts) - set(SUPPORT_LABELS):
        raise ValueError(f"{sorted(map(str, unknown))} are no labels of support")
    missing = Missing.among(rows)
    supported, contradicted = counts[SUPPORTED], counts[CONTRADICTED]
    not_supported = counts[NOT_SUPPORTED]
    total = supported + contradicted + not_supported
    few = too_few(total, missing, least)
    score = None if few else supported / total
    stated = supported + not_supported
    recall = supported / stated if stated and not few else None
    f1 = None if not score or not recall else 2 * score * recall / (score + recall)
    precise: defaultdict[str, list[float]] = defaultdict(list)
    recalled: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.status == "ok":
            precise[row.cluster].append(float(row.label == SUPPORTED))
            if row.label != CONTRADICTED:
                recalled[row.cluster].append(float(row.label == SUPPORTED))

    def estimate(values: Mapping[str, Sequence[float]]) -> Estimate:
        return share(values, missing, level=level, rubric=rubric, known=not few)

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
        estimate=estimate(precise),
        recall_estimate=estimate(recalled),
        reasons=_reasons(score, recall, f1, few),
    )


def _reasons(
    score: float | None, recall: float | None, f1: float | None, few: str
) -> dict[str, str]:
    out = {}
    if score is None:
        out["score"] = out["precision"] = few
    if recall is None:
        out["recall"] = few or "nothing is supported or not supported"
    if f1 is None:
        if score is None or recall is None:
            out["f1"] = "score or recall is undefined"
        else:
            out["f1"] = "score and recall are both 0"
    return out


def unique_support(rows: Iterable[Judged]) -> list[Judged]:
    """One row per triple: supported if one of its passages supports it.

    A triple that no passage supports and of which a pair has no label has none either, since that
    pair might support it. Of the others, one contradiction makes it contradicted.
    """
    return [_of_triple(same) for same in by_triple(rows)]


def _of_triple(rows: Sequence[Judged]) -> Judged:
    for label in (SUPPORTED, None, CONTRADICTED):
        for row in rows:
            if row.label == label:
                return row
    return rows[0]
