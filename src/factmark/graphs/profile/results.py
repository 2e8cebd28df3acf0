"""The record of what a graph is like, and the files that tell of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from factmark.graphs.core.scores import MeasureKey
from factmark.graphs.profile.core.counts import GraphCounts
from factmark.graphs.profile.core.label_shares import KindErrors
from factmark.graphs.profile.core.patterns import Types
from factmark.graphs.profile.core.suspects import Suspects
from factmark.graphs.profile.reading import OntologyCoverage, ReadGraph

FILES = ("profile.html", "profile.json", "suspects.csv", "suspects.parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphProfile:
    """What a graph is like.

    Attributes:
        measure: what the units of its ledger are judged for, and so what an error is.
        errors: how often each kind of suspect was one, where people labelled some units.
    """

    graph: str
    read: ReadGraph
    counts: GraphCounts
    suspects: Suspects
    types: Types
    coverage: OntologyCoverage
    measure: MeasureKey
    errors: tuple[KindErrors, ...] = ()
    ledger: Path | None = None
    problems: tuple[str, ...] = ()
    signature: dict[str, object] = field(default_factory=dict)

    @property
    def n_suspects(self) -> int:
        """Triples that are suspect of anything."""
        return int(np.any(list(self.suspects.flags.values()), axis=0).sum())
