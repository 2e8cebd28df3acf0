"""What FActScore* and ValidityScore share: judged rows, groups of them, and shares."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from factmark.graphs.core.claims import Triple, folded, relation_key
from factmark.model import Estimate, Status
from factmark.stats import ratio_over_clusters

Breakdown = Literal["relation", "head_type"]

LEAST_DECIDED = 0.8
"""The share of its units that a rule judge must have decided for a score to be printed.

What it leaves undecided is as often true as not (0.55 of 1,361 pairs of BioRED, 0.56 of 1,498 of
Re-DocRED that people labelled), and what it decides is mostly supported: over the decided alone a
score is off by about half of the share left open. At 0.8 that is 0.1.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One judged triple, or pair of triple and passage.

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
    ) -> Judged:
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

    @classmethod
    def among(cls, rows: Iterable[Judged]) -> Missing:
        """Counts the rows that are not `ok`."""
        counts = {"undecided": 0, "unparsed": 0, "refused": 0, "failed": 0}
        for row in rows:
            if row.status != "ok":
                counts[row.status] += 1
        return cls(**counts)


def by_triple(rows: Iterable[Judged]) -> list[list[Judged]]:
    """The rows of each triple together, in order of first sight."""
    groups: dict[tuple[str, str, str], list[Judged]] = {}
    for row in rows:
        groups.setdefault(row.triple, []).append(row)
    return list(groups.values())


def split(rows: Sequence[Judged], by: Breakdown) -> dict[str, list[Judged]]:
    """The rows of each relation, or of each type of head; `""` stands for an unknown type."""
    groups: defaultdict[str, list[Judged]] = defaultdict(list)
    for row in rows:
        groups[row.relation if by == "relation" else row.head_type].append(row)
    return dict(sorted(groups.items()))


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


def share(
    values: Mapping[str, Sequence[float]],
    missing: Missing,
    *,
    level: float,
    rubric: str,
    known: bool = True,
) -> Estimate:
    """The mean over all units of the clusters, signed with what the judge was asked; only its
    worst and best case where it is not `known`."""
    estimate = ratio_over_clusters(values, n_missing=missing.total, level=level)
    return replace(estimate if known else withheld(estimate), rubric=rubric)


def withheld(estimate: Estimate) -> Estimate:
    """The estimate without its value: what is left are the worst and the best case."""
    return replace(estimate, value=None, low=None, high=None, design_effect=None)
