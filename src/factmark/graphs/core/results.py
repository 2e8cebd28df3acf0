"""What a report on a judged knowledge graph is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from factmark.ask.spend import Spend
from factmark.graphs.core.scores import FactScore, GraphScores, Validity
from factmark.model import Estimate, Status
from factmark.stats.corrections import Correction

if TYPE_CHECKING:
    from factmark.graphs.core.evidence import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRow:
    """One judged pair or triple.

    Attributes:
        id: the user's name of the row, or its place in the file.
        claim: the triple in plain language.
        passage: None for validity.
        label: None where the status is not `ok`.
        reason: what the judge gave as its reason.
        marks: where head, tail and cue stand in the passage; may be empty, may overlap.
        truth: the label that is known to be right, in the bundled example; else None.
    """

    id: str
    head: str
    relation: str
    tail: str
    claim: str
    passage: str | None
    status: Status
    label: str | None
    reason: str
    marks: tuple[Mark, ...] = ()
    truth: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphResults:
    """The measure of one graph by one judge.

    Attributes:
        measure: `factscore` or `validity`.
        graph: the graph's name.
        judge: the judge's name.
        scores: over pairs and unique triples, per relation and head type, with intervals.
        rows: the first judged units, in the order of the file: what is shown one by one.
        left: units that stay to be judged, for want of budget; they are in no score.
        agreement: share of rows whose label is the known one, where the truth is known.
        correction: the score as people would have given it, where people labelled some units; over
            pairs, or for validity over unique triples.
        annotators: the people.
        whole: the score of the whole graph by the estimator of the sample's design, where a sample
            was judged.
        problems: what was wrong with the input, one sentence each.
        signature: how the numbers were made.
    """

    measure: Literal["factscore", "validity"]
    graph: str
    judge: str
    scores: GraphScores[FactScore] | GraphScores[Validity]
    rows: tuple[GraphRow, ...]
    left: int = 0
    agreement: float | None = None
    correction: Correction | None = None
    annotators: tuple[str, ...] = ()
    whole: Estimate | None = None
    spent: Spend = field(default_factory=Spend)
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)
