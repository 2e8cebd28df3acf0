"""Verdicts on triples one by one, as tests write them, and their scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from factmark.graphs.core.claims import Triple
from factmark.graphs.core.scores import GraphScores, MeasureKey, VerdictColumns, graph_scores
from factmark.model import Status


@dataclass(frozen=True, kw_only=True)
class TripleVerdict:
    """A row of `VerdictColumns`."""

    triple: tuple[str, str, str]
    cluster: str
    relation: str
    status: Status = "ok"
    label: str | None = None
    head_type: str = ""


def verdict_on(
    triple: Triple, label: str | None, *, status: Status = "ok", head_type: str = ""
) -> TripleVerdict:
    """The verdict on a triple."""
    head, relation, _ = triple.key
    return TripleVerdict(
        triple=triple.key,
        cluster=head,
        relation=relation,
        status=status,
        label=label if status == "ok" else None,
        head_type=head_type,
    )


def scores_of(
    measure: MeasureKey, verdicts: Iterable[TripleVerdict], **options: Any
) -> GraphScores:
    """The scores of verdicts."""
    rows = list(verdicts)
    columns = VerdictColumns(
        triples=[row.triple for row in rows],
        clusters=[row.cluster for row in rows],
        relations=[row.relation for row in rows],
        statuses=[row.status for row in rows],
        labels=[row.label for row in rows],
        head_types=[row.head_type for row in rows],
    )
    return graph_scores(measure, columns, **options)
