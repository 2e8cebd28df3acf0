"""What FActScore* and ValidityScore share: judged rows, groups of them, and shares."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from factmark.graphs.claims import Triple, folded, relation_key
from factmark.model import Estimate, Status
from factmark.stats import ratio_over_clusters

Breakdown = Literal["relation", "head_type"]


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

    unparsed: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.unparsed + self.refused + self.failed

    @classmethod
    def among(cls, rows: Iterable[Judged]) -> Missing:
        """Counts the rows that are not `ok`."""
        counts = {"unparsed": 0, "refused": 0, "failed": 0}
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


def share(
    values: Mapping[str, Sequence[float]], missing: Missing, *, level: float, rubric: str
) -> Estimate:
    """The mean over all units of the clusters, signed with what the judge was asked."""
    made = ratio_over_clusters(values, n_missing=missing.total, level=level)
    return replace(made, rubric=rubric)
